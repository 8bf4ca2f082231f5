//! Trains: small packets that share a transfer with the one before them in their queue.
//!
//! In all cases host 1 has a packet for a slow host, which makes its ingress busy from [`FIRST`] on, and then small
//! ones, which wait for that. A small packet takes three blocks, a full one 17: a train has five small ones at most.

use super::*;
use crate::reference_roce::Transfer;

/// Room for some twenty packets, or a hundred small ones.
const ROOMY: u64 = 20 * 1088;
/// When a packet that started at time 0 is ready at the switch.
const FIRST: u64 = FULL + DELAY;
/// Bytes of a small packet.
const SMALL_BYTES: u64 = 148;
/// Its time on the wire, and through a crossbar of speedup 1.
const SMALL: u64 = SMALL_BYTES * 1000;

/// Three hosts, host 3 on a link that is slower by 4, and host 4 on one that is slower by 16. Host 1 sends host 3 a
/// packet, then small ones to these hosts.
fn small_ones(to: &[NodeIdx], output_buffer: u64) -> Scene {
    let mut scene = star(&[RATE, RATE, RATE, RATE / 4, RATE / 16]);
    scene.credits = Some(Credits { output_buffer, ..credits_for(ROOMY) });
    send(&mut scene, 0, 1, 3, 1);
    for &to in to {
        send_small(&mut scene, 0, to);
    }
    scene
}

/// Host 1 sends a small packet at an instant.
fn send_small(scene: &mut Scene, at: u64, to: NodeIdx) {
    send_bytes(scene, at, to, SMALL_BYTES);
}

/// Host 1 sends a packet of this number of bytes at an instant.
fn send_bytes(scene: &mut Scene, at: u64, to: NodeIdx, bytes: u64) {
    scene.messages.push(Message { at, from: 1, to, bytes: bytes - 48, first_psn: 0 });
}

/// Transfers of data to host 0.
fn transfers(outcome: &Outcome) -> Vec<&Transfer> {
    outcome.transfers.iter().filter(|transfer| (transfer.egress, transfer.lane) == (0, 0)).collect()
}

/// Lengths of the trains of data to host 0.
fn lengths(outcome: &Outcome) -> Vec<usize> {
    let transfers = transfers(outcome);
    let is_last = |index: usize| transfers.get(index + 1).is_none_or(|next| next.index == 0);
    let lasts = (0..transfers.len()).filter(|&index| is_last(index));
    lasts.map(|index| transfers[index].index + 1).collect()
}

/// When the switch started data towards host 0, in units of small packets since the ingress of host 1 became idle.
fn starts(outcome: &Outcome) -> Vec<u64> {
    let to_host_0 = sent(outcome, 5, Kind::Data).into_iter().filter(|hop| hop.next == 0);
    to_host_0.map(|hop| (hop.started_at - FIRST - 4 * FULL) / SMALL).collect()
}

#[test]
fn small_packets_share_a_transfer_up_to_the_blocks_of_a_full_one() {
    let mut scene = small_ones(&[0; 7], 100_000);
    scene.credits.as_mut().unwrap().speedup = 2;
    let outcome = played(&scene);
    assert_eq!(lengths(&outcome), [5, 2]);
    // Speedup 2: the ingress is idle after half of 4 F, and a part takes half of its time on the wire.
    let row = |transfer: &&Transfer| {
        assert_eq!(transfer.ends_at, transfer.leaves_at);
        let times = [transfer.granted_at, transfer.begins_at, transfer.ends_at];
        times.map(|at| (at - FIRST - 2 * FULL) / (SMALL / 2))
    };
    let expected = [[0, 0, 1], [0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5], [5, 5, 6], [5, 6, 7]];
    assert_eq!(transfers(&outcome).iter().map(row).collect::<Vec<_>>(), expected);
    // Each has started when the one before it is sent; each part has begun by then.
    let to_host_0: Vec<_> = sent(&outcome, 5, Kind::Data).into_iter().filter(|hop| hop.next == 0).collect();
    let starts: Vec<_> = to_host_0.iter().map(|hop| (hop.started_at - FIRST - 2 * FULL) / SMALL).collect();
    assert_eq!(starts, [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn partial_blocks_count_as_blocks() {
    let lengths_of = |bytes| {
        let mut scene = small_ones(&[], 100_000);
        (0..20).for_each(|_| send_bytes(&mut scene, 0, 0, bytes));
        lengths(&played(&scene))
    };
    assert_eq!(lengths_of(64), [17, 3]);
    assert_eq!(lengths_of(65), [8, 8, 4]);
}

#[test]
fn a_full_packet_ends_a_train() {
    // A full packet does not fit behind three blocks; a small one does not fit behind a full one.
    let mut scene = small_ones(&[0, 0], 100_000);
    send(&mut scene, 0, 1, 0, 1);
    send_small(&mut scene, 0, 0);
    assert_eq!(lengths(&played(&scene)), [2, 1, 1]);
}

#[test]
fn without_room_for_a_full_packet_a_train_ends() {
    // The first packet is on the wire; those staged behind it count, and there must be room for a full packet before
    // another is staged.
    let lengths_with = |output_buffer| lengths(&played(&small_ones(&[0; 5], output_buffer)));
    assert_eq!(lengths_with(0), [1; 5]);
    assert_eq!(lengths_with(1047), [1; 5]);
    assert_eq!(lengths_with(1048), [2, 2, 1]);
    assert_eq!(lengths_with(1048 + 2 * SMALL_BYTES - 1)[0], 3);
    assert_eq!(lengths_with(1048 + 2 * SMALL_BYTES)[0], 4);
}

#[test]
fn only_consecutive_packets_of_a_queue_share_a_transfer() {
    let lengths_in = |order| {
        let mut scene = small_ones(&[0, 0, 2, 0, 0], 100_000);
        scene.credits.as_mut().unwrap().order = order;
        lengths(&played(&scene))
    };
    assert_eq!(lengths_in(Order::Voq), [4]);
    assert_eq!(lengths_in(Order::Fifo), [2, 2]);
}

#[test]
fn parts_are_transferred_in_sequence_in_an_ideal_crossbar_too() {
    // Egress 0 has a transfer of host 2 until F, and the small packets of host 1 arrive before that.
    let mut scene = small_ones(&[0; 4], 100_000);
    scene.credits.as_mut().unwrap().is_ideal = true;
    send(&mut scene, 0, 2, 0, 1);
    let outcome = played(&scene);
    assert_eq!(lengths(&outcome), [1, 4]);
    let begins: Vec<_> = transfers(&outcome).iter().map(|transfer| transfer.begins_at - FIRST).collect();
    assert_eq!(begins[1..], [0, 1, 2, 3].map(|nth| FULL + nth * SMALL));
}

#[test]
fn a_train_waits_for_its_packets_to_leave_in_order() {
    // Cut-through: packets of host 1 are ready when their header has arrived. Behind the slow one they are whole long
    // before.
    let mut scene = small_ones(&[0; 3], 100_000);
    scene.credits.as_mut().unwrap().forwarding = Forwarding::CutThrough { header: 64 };
    let outcome = played(&scene);
    assert_eq!(lengths(&outcome), [3]);
    let leaves: Vec<_> = transfers(&outcome).iter().map(|transfer| transfer.leaves_at).collect();
    let idle_at = 64_000 + DELAY + 4 * FULL;
    assert_eq!(leaves, [1, 2, 3].map(|nth| idle_at + nth * SMALL));
}

#[test]
fn a_packet_of_a_train_that_is_still_arriving_leaves_with_its_last_bit() {
    // Egress 0 has a transfer of host 2 for a quarter of F, from the instant at which its header has arrived. Host 1's
    // second packet, of 500 bytes, is ready before that ends, and is whole long after its part has ended.
    let mut scene = star(&[RATE; 3]);
    let forwarding = Forwarding::CutThrough { header: 64 };
    scene.credits = Some(Credits { forwarding, speedup: 4, output_buffer: 100_000, ..credits_for(ROOMY) });
    send(&mut scene, 0, 2, 0, 1);
    send_small(&mut scene, 100_000, 0);
    send_bytes(&mut scene, 100_001, 0, 500);
    let outcome = played(&scene);
    assert_eq!(lengths(&outcome), [1, 2]);
    let times = |transfer: &&Transfer| [transfer.begins_at, transfer.ends_at, transfer.leaves_at];
    let begins = 64_000 + DELAY + FULL / 4;
    let [first_end, end] = [begins + 37_000, begins + 37_000 + 125_000];
    let last_bit = 100_000 + SMALL + 500_000 + DELAY;
    let expected = [[begins, first_end, first_end], [first_end, end, last_bit]];
    assert_eq!(transfers(&outcome)[1..].iter().map(times).collect::<Vec<_>>(), expected);
}

#[test]
fn a_train_that_passes_a_holder_counts_once() {
    // Ingress 2 is busy until 16 F, and holds the turn of egress 0 from F on. Ingress 1 is busy until 4 F, when most of
    // its 25 small packets for host 0 have arrived: four trains of five pass, then the egress waits for the holder.
    let mut scene = small_ones(&[], 100_000);
    (0..25).for_each(|_| send_small(&mut scene, 2 * FULL, 0));
    send(&mut scene, 0, 2, 4, 1);
    send(&mut scene, 0, 2, 0, 1);
    let outcome = played(&scene);
    assert_eq!(lengths(&outcome), [5, 5, 5, 5, 1, 5]);
    let passed: Vec<_> =
        transfers(&outcome).iter().map(|transfer| (transfer.ingress, transfer.n_passed)).collect();
    let expected: Vec<_> = (0..20).map(|nth| (1, nth / 5)).chain([(2, 4)]).collect();
    assert_eq!(passed[..21], expected);
    assert!(transfers(&outcome)[..20].iter().all(|transfer| transfer.holder == 2));
    let in_time: Vec<u64> = (0..20).collect();
    assert_eq!(starts(&outcome)[..20], in_time);
    assert_eq!(transfers(&outcome)[20].begins_at, FIRST + 16 * FULL);
}
