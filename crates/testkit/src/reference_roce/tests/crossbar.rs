//! Transfers through a crossbar, their order, and cut-through switches.

use super::*;
use crate::reference_roce::PortIdx;

/// Room for some twenty packets.
const ROOMY: u64 = 20 * 1088;

/// When a switch started data towards each of these hosts, with the host it came from.
pub(super) fn sent_to(outcome: &Outcome, switch: NodeIdx, hosts: &[NodeIdx]) -> Vec<(u64, NodeIdx, NodeIdx)> {
    let data = sent(outcome, switch, Kind::Data);
    let of_hosts = data.iter().filter(|hop| hosts.contains(&hop.packet.destination));
    of_hosts.map(|hop| (hop.started_at, hop.packet.source, hop.packet.destination)).collect()
}

#[test]
fn ingresses_are_served_round_robin() {
    let mut scene = star(&[RATE; 4]);
    scene.credits = Some(credits_for(ROOMY));
    (1..4).for_each(|from| send(&mut scene, 0, from, 0, 3));
    let sources: Vec<_> = sent_to(&played(&scene), 4, &[0]).iter().map(|start| start.1).collect();
    assert_eq!(sources, [1, 2, 3, 1, 2, 3, 1, 2, 3]);
}

#[test]
fn a_parking_lot_halves_from_switch_to_switch() {
    // Hosts 0 and 1 at switch 5, host 2 at switch 6, host 3 and the receiver, host 4, at switch 7.
    let mut fabric = Fabric::default();
    (0..5).for_each(|_| _ = fabric.add_host());
    (0..3).for_each(|_| _ = fabric.add_switch());
    for (one, other) in [(0, 5), (1, 5), (5, 6), (2, 6), (6, 7), (3, 7), (4, 7)] {
        fabric.connect(one, other, RATE, DELAY);
    }
    let ports: [[PortIdx; 5]; 3] = [[0, 1, 2, 2, 2], [0, 0, 1, 2, 2], [0, 0, 0, 1, 2]];
    let mut paths = |node: NodeIdx, packet: &Packet| ports[node - 5][packet.destination];
    for order in [Order::Fifo, Order::Voq] {
        let mut scene = Scene::new(fabric.clone());
        scene.credits = Some(Credits { order, ..credits_for(ROOMY) });
        scene.transport.coalesce = 1000;
        (0..4).for_each(|from| send(&mut scene, 0, from, 4, 200));
        let outcome = play(&scene, &mut paths);
        let sources: Vec<_> = sent_to(&outcome, 7, &[4]).iter().map(|start| start.1).collect();
        // Once all of them wait, until the first has sent all its packets.
        for eight in sources[80..280].chunks(8) {
            let share = |from| eight.iter().filter(|&&source| source == from).count();
            assert_eq!([0, 1, 2, 3].map(share), [1, 1, 2, 4], "{order:?}");
        }
    }
}

/// The link of host 2 is slow, and busy with a packet of host 1 when one of host 0 arrives; behind it another one, for
/// host 3.
fn blocked(order: Order) -> Vec<(u64, NodeIdx, NodeIdx)> {
    let mut scene = star(&[RATE, RATE, RATE / 4, RATE]);
    scene.credits = Some(Credits { order, ..credits_for(ROOMY) });
    send(&mut scene, 0, 1, 2, 1);
    send(&mut scene, 10, 0, 2, 1);
    send(&mut scene, 10, 0, 3, 1);
    sent_to(&played(&scene), 4, &[2, 3])
}

#[test]
fn in_a_fifo_a_head_blocks_the_packets_behind_it() {
    let first = FULL + DELAY;
    // The head is transferred when the slow link is free, and keeps the ingress busy for the time in the crossbar: 4 F
    // each.
    assert_eq!(blocked(Order::Fifo), [(first, 1, 2), (first + 4 * FULL, 0, 2), (first + 8 * FULL, 0, 3)]);
}

#[test]
fn virtual_output_queues_have_no_head_of_line_blocking() {
    let first = FULL + DELAY;
    assert_eq!(
        blocked(Order::Voq),
        [(first, 1, 2), (first + FULL + 10, 0, 3), (first + 4 * FULL, 0, 2)],
        "packets for host 3 are transferred on arrival"
    );
}

#[test]
fn an_ingress_transfers_one_packet_at_a_time() {
    // The transfer to the slow egress takes 4 F over the speedup, rounded up.
    for (speedup, transfer) in [(1, 4 * FULL), (2, 2 * FULL), (3, 1_397_334)] {
        let mut scene = star(&[RATE, RATE, RATE / 4, RATE]);
        scene.credits = Some(Credits { speedup, ..credits_for(ROOMY) });
        send(&mut scene, 0, 0, 2, 1);
        send(&mut scene, 0, 0, 3, 1);
        let first = FULL + DELAY;
        assert_eq!(sent_to(&played(&scene), 4, &[2, 3]), [(first, 0, 2), (first + transfer, 0, 3)]);
    }
}

#[test]
fn egresses_are_arbitrated_least_recently_granted_first() {
    // Four packets, for 2, 1, 2, 1, arrive while the ingress is busy with one for the slow host 3.
    let mut scene = star(&[RATE, RATE, RATE, RATE / 8]);
    scene.credits = Some(credits_for(ROOMY));
    send(&mut scene, 0, 0, 3, 1);
    send(&mut scene, 0, 0, 2, 2);
    send(&mut scene, 0, 0, 1, 2);
    let outcome = played(&scene);
    let came: Vec<_> = sent(&outcome, 0, Kind::Data).iter().map(|hop| hop.packet.destination).collect();
    assert_eq!(came, [3, 2, 1, 2, 1]);
    let free = FULL + DELAY + 8 * FULL;
    let expected = [(free, 1), (free + FULL, 2), (free + 2 * FULL, 1), (free + 3 * FULL, 2)];
    assert_eq!(sent_to(&outcome, 4, &[1, 2]), expected.map(|(at, to)| (at, 0, to)));
}

/// Hosts 0 and 1 send three packets each to host 2 at once, through a crossbar of speedup 2, with room for two packets
/// on every link: when host 1 starts its third one, and when the switch starts the first two.
fn third_start(output_buffer: u64) -> (u64, Vec<u64>) {
    let mut scene = star(&[RATE; 3]);
    scene.credits = Some(Credits { speedup: 2, output_buffer, ..credits_for(2 * 1088) });
    (0..2).for_each(|from| send(&mut scene, 0, from, 2, 3));
    let outcome = played(&scene);
    let at_switch = sent_to(&outcome, 3, &[2]).iter().take(2).map(|start| start.0).collect();
    (data_starts(&outcome, 1)[2].0, at_switch)
}

#[test]
fn without_room_at_the_egress_a_packet_waits_for_the_wire() {
    // The transfer of host 1's first packet begins at 2 F + D, and takes half of F.
    let through = 2 * FULL + DELAY + FULL / 2;
    assert_eq!(third_start(1047), (through + DELAY, vec![FULL + DELAY, 2 * FULL + DELAY]));
}

#[test]
fn with_an_output_buffer_a_packet_leaves_its_ingress_earlier() {
    // Host 0's first packet is through at 1.5 F + D; then host 1's is staged, and through at 2 F + D.
    let through = 2 * FULL + DELAY;
    assert_eq!(third_start(1048), (through + DELAY, vec![FULL + DELAY, 2 * FULL + DELAY]));
}

#[test]
fn a_staged_packet_starts_when_the_wire_is_free() {
    // Host 1's packet arrives when the wire is busy for another 100 ns; its transfer takes 524 ns.
    let mut scene = star(&[RATE; 3]);
    scene.credits = Some(Credits { speedup: 2, output_buffer: 1048, ..credits_for(ROOMY) });
    send(&mut scene, 0, 0, 2, 1);
    send(&mut scene, FULL - 100_000, 1, 2, 1);
    let first = FULL + DELAY;
    assert_eq!(sent_to(&played(&scene), 3, &[2]), [(first, 0, 2), (first + FULL, 1, 2)]);
}

#[test]
fn a_staged_packet_without_credits_occupies_the_output_buffer() {
    // The receiver has room for one packet: its credits return 2 D after the packet's arrival.
    let mut scene = star(&[RATE; 4]);
    scene.credits = Some(Credits { output_buffer: 2 * 1048 - 1, ..credits_for(1088) });
    (0..3).for_each(|from| send(&mut scene, 0, from, 3, 2));
    let outcome = played(&scene);
    let starts = [0, 1, 2].map(|nth| (FULL + DELAY + nth * (FULL + 2 * DELAY), nth as NodeIdx, 3));
    assert_eq!(sent_to(&outcome, 4, &[3])[..3], starts);
    // Host 1's packet is staged when the transfer of host 0's ends, and through F later. Host 2's has no room beside
    // it, and waits in its input buffer until that packet starts, at 2 F + 3 D.
    let second_starts = [0, 1, 2].map(|host| data_starts(&outcome, host)[1].0);
    let through = [2 * FULL + DELAY, 3 * FULL + DELAY, 3 * FULL + 3 * DELAY];
    assert_eq!(second_starts, through.map(|at| at + DELAY));
}

/// One packet from host `from` to host 0; 64 bytes or more must arrive before it is forwarded, with a latency of 100
/// ns.
fn arrival(from: NodeIdx, forwarding: Forwarding, rates: &[u64]) -> u64 {
    let mut scene = star(rates);
    scene.credits = Some(Credits { forwarding, latency: 100_000, ..credits_for(1088) });
    send(&mut scene, 7, from, 0, 1);
    played(&scene).messages[0].arrived_at.unwrap()
}

const CUT_THROUGH: Forwarding = Forwarding::CutThrough { header: 64 };

#[test]
fn the_latency_is_between_the_last_bit_and_the_next_wire() {
    let buffered_at = 7 + FULL + DELAY + 100_000;
    assert_eq!(arrival(1, Forwarding::StoreAndForward, &[RATE; 2]), buffered_at + FULL + DELAY);
}

#[test]
fn cut_through_needs_only_the_header() {
    let buffered_at = 7 + 64_000 + DELAY + 100_000;
    assert_eq!(arrival(1, CUT_THROUGH, &[RATE; 2]), buffered_at + FULL + DELAY);
    // Towards a slower wire as well.
    assert_eq!(arrival(1, CUT_THROUGH, &[RATE / 2, RATE]), buffered_at + 2 * FULL + DELAY);
    // If the header is longer than the packet, the whole packet is needed.
    let long = Forwarding::CutThrough { header: 5000 };
    let whole = arrival(1, Forwarding::StoreAndForward, &[RATE; 2]);
    assert_eq!(arrival(1, long, &[RATE; 2]), whole);
}

#[test]
fn packets_from_a_slow_link_are_not_cut_through() {
    let rates = [RATE, RATE, 2 * RATE];
    // The switch has a faster link, whatever the packet's egress.
    assert_eq!(arrival(1, CUT_THROUGH, &rates), arrival(1, Forwarding::StoreAndForward, &rates));
    let buffered_at = 7 + 32_000 + DELAY + 100_000;
    assert_eq!(arrival(2, CUT_THROUGH, &rates), buffered_at + FULL + DELAY);
}

#[test]
fn credits_of_a_packet_wait_for_its_last_bit() {
    // A crossbar of speedup 3 is done in F / 3.
    let mut scene = star(&[RATE; 2]);
    scene.credits = Some(Credits { forwarding: CUT_THROUGH, speedup: 3, ..credits_for(1088) });
    send(&mut scene, 0, 0, 1, 2);
    let outcome = played(&scene);
    assert_eq!(data_starts(&outcome, 0)[1], (FULL + 2 * DELAY, 1));
    let handled: Vec<_> = sent(&outcome, 0, Kind::Data).iter().map(|hop| hop.handled_at.unwrap()).collect();
    assert_eq!(handled[0], 64_000 + DELAY);
    // The latency of the switch is included.
    scene.credits.as_mut().unwrap().latency = 100_000;
    assert_eq!(data_starts(&played(&scene), 0)[1], (100_000 + FULL + 2 * DELAY, 1));
    // A packet that has waited for long takes the time of the crossbar: 349,334 ps.
    let mut scene = star(&[RATE; 3]);
    scene.credits = Some(Credits { forwarding: CUT_THROUGH, speedup: 3, ..credits_for(1088) });
    send(&mut scene, 0, 0, 2, 1);
    send(&mut scene, 0, 1, 2, 2);
    // Host 0's packet is at host 2 at 64 ns + 2 D + F, and its credits return a delay later.
    let second = 64_000 + 3 * DELAY + FULL;
    let outcome = played(&scene);
    assert_eq!(sent_to(&outcome, 3, &[2])[1], (second, 1, 2));
    assert_eq!(data_starts(&outcome, 1)[1], (second + 349_334 + DELAY, 1));
}

/// Hosts 2, 3 and 4 send a packet to host 0, the last of them so that it waits for the others; behind it are three for
/// host 1. With room for three packets, in time since the first packets are ready at the switch: when it starts the
/// packets of host 4, and when host 4 starts its fourth packet.
fn behind_one_that_waits(speedup: u64) -> ([u64; 2], u64) {
    let mut scene = star(&[RATE; 5]);
    scene.credits = Some(Credits { forwarding: CUT_THROUGH, speedup, ..credits_for(3 * 1088) });
    (2..4).for_each(|from| send(&mut scene, 0, from, 0, 1));
    send(&mut scene, 3 * FULL / 4, 4, 0, 1);
    send(&mut scene, 3 * FULL / 4, 4, 1, 3);
    let outcome = played(&scene);
    let first = 64_000 + DELAY;
    let sent = sent_to(&outcome, 5, &[0, 1]);
    let of_host_4: Vec<_> = sent.iter().filter(|start| start.1 == 4).map(|start| start.0 - first).collect();
    ([of_host_4[0], of_host_4[1]], data_starts(&outcome, 4)[3].0 - first)
}

#[test]
fn a_packet_that_is_still_arriving_leaves_its_ingress_to_others() {
    // The second packet of host 4 is ready at 1.75 F, and through F / 2 later, when egress 0 has been free for F / 4.
    // Its last bit arrives later, and so do its credits return.
    let last_bit = 7 * FULL / 4 + 984_000;
    assert_eq!(behind_one_that_waits(2), ([7 * FULL / 4, 9 * FULL / 4], last_bit + DELAY));
    // The packet that was granted behind it is through at 2.25 F, before that bit arrives, and does not leave before.
    assert!(9 * FULL / 4 < last_bit);
    assert_eq!(behind_one_that_waits(4), ([7 * FULL / 4, 8 * FULL / 4], last_bit + DELAY));
}

#[test]
fn virtual_lanes_are_served_round_robin() {
    // Small packets of hosts 0 and 3 wait for host 1 all the time, ACKs of host 2 from some instant on.
    let mut scene = star(&[RATE; 4]);
    scene.credits = Some(credits_for(ROOMY));
    scene.packets.mtu = 10;
    for (from, to) in [(0, 1), (3, 1), (1, 2)] {
        scene.messages.push(Message { at: 0, from, to, bytes: 400, first_psn: 0 });
    }
    let outcome = played(&scene);
    let to_host_1 = |hop: &&Hop| hop.node == 4 && hop.next == 1;
    let kinds: Vec<_> = outcome.hops.iter().filter(to_host_1).map(|hop| hop.packet.kind).collect();
    let first_ack = kinds.iter().position(|&kind| kind == Kind::Ack).unwrap();
    let expected = [Kind::Ack, Kind::Data].repeat(10);
    assert_eq!(kinds[first_ack..first_ack + 20], expected);
}
