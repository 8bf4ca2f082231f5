//! Turns of ingresses, grants ahead of time, and an ideal crossbar.
//!
//! In most cases host 1 has a packet for a slow host, which makes its ingress busy from [`FIRST`] on, and then one for
//! host 0, which is ready at the switch a full packet later and holds the turn.

use super::crossbar::sent_to;
use super::*;
use crate::reference_roce::Transfer;

/// Room for some twenty packets.
const ROOMY: u64 = 20 * 1088;
/// When a packet that started at time 0 is ready at the switch.
const FIRST: u64 = FULL + DELAY;
/// Picoseconds of a quarter of a packet.
const QUARTER: u64 = FULL / 4;

/// Four hosts, and host 4 on a link that is slower by this factor. Host 1 sends it a packet, then one to host 0.
fn beside_a_slow_host(slower: u64) -> Scene {
    let mut scene = star(&[RATE, RATE, RATE, RATE, RATE / slower]);
    scene.credits = Some(credits_for(ROOMY));
    send(&mut scene, 0, 1, 4, 1);
    send(&mut scene, 0, 1, 0, 1);
    scene
}

/// Host `from` sends packets to host 0, the first of which is at the switch this long after [`FIRST`].
fn send_behind(scene: &mut Scene, after: u64, from: NodeIdx, n_packets: u64) {
    send(scene, after, from, 0, n_packets);
}

/// When the switch started data towards host 0, counted from [`FIRST`] on, and where it came from.
fn starts(outcome: &Outcome) -> Vec<(u64, NodeIdx)> {
    sent_to(outcome, 5, &[0]).iter().map(|start| (start.0 - FIRST, start.1)).collect()
}

/// Transfers of data to host 0.
fn transfers(outcome: &Outcome) -> impl Iterator<Item = &Transfer> {
    outcome.transfers.iter().filter(|transfer| (transfer.egress, transfer.lane) == (0, 0))
}

#[test]
fn a_turn_stays_with_a_busy_ingress_and_one_that_passed_is_skipped_once() {
    // Ingress 1 is busy until 4 F. Host 2's packet passes it at 3.5 F. When that is through, at 4.5 F, host 3's is
    // ready, and another one of host 2, which owes a turn.
    let mut scene = beside_a_slow_host(4);
    send_behind(&mut scene, 3 * FULL + FULL / 2, 2, 2);
    send_behind(&mut scene, 4 * FULL, 3, 1);
    let expected = [(7, 2), (9, 1), (11, 3), (13, 2)].map(|(halves, from)| (halves * FULL / 2, from));
    assert_eq!(starts(&played(&scene)), expected);
}

#[test]
fn four_transfers_pass_a_holder_then_the_egress_waits_for_it() {
    // Ingress 1 is busy until 16 F, and its packet is ready at F. Those of host 2 arrive from 2 F on.
    let mut scene = beside_a_slow_host(16);
    send_behind(&mut scene, 2 * FULL, 2, 8);
    let outcome = played(&scene);
    let expected = [(2, 2), (3, 2), (4, 2), (5, 2), (16, 1), (17, 2), (18, 2), (19, 2), (20, 2)]
        .map(|(n, from)| (n * FULL, from));
    assert_eq!(starts(&outcome), expected);
    let claim = transfers(&outcome).find(|transfer| transfer.ingress == 1).unwrap();
    assert_eq!((claim.holder, claim.n_passed), (1, 4));
    let times = [claim.buffered_at, claim.granted_at, claim.begins_at, claim.ends_at, claim.leaves_at];
    assert_eq!(times.map(|at| (at - FIRST) / FULL), [1, 6, 16, 17, 17]);
}

#[test]
fn transfers_from_the_ingress_of_a_holder_pass_it_too() {
    // Ingress 1 is busy until 4 F; its packet for host 0 is ready at F, ten for host 3 are from 2 F on. Those of host 2
    // pass at 2.5, 3.5 and 4.5 F. At 4 F, when egress 0 has a transfer, ingress 1 sends to egress 3. So at 5.5 F egress
    // 0 is granted a transfer that begins at 6 F: ingress 1 has sent to egress 3 again at 5 F.
    let mut scene = beside_a_slow_host(4);
    send(&mut scene, 0, 1, 3, 10);
    send_behind(&mut scene, 2 * FULL + FULL / 2, 2, 5);
    let outcome = played(&scene);
    let halves: Vec<_> = starts(&outcome).iter().map(|start| (2 * start.0 / FULL, start.1)).collect();
    assert_eq!(halves, [(5, 2), (7, 2), (9, 2), (12, 1), (14, 2), (16, 2)]);
    let to_host_3: Vec<_> = sent_to(&outcome, 5, &[3]).iter().map(|start| (start.0 - FIRST) / FULL).collect();
    assert_eq!(to_host_3[..4], [4, 5, 7, 8]);
}

#[test]
fn transfers_in_another_vl_pass_a_vl_that_precedes_it_and_is_busy() {
    // Ingress 1 is busy until 16 F. ACKs of host 2 pass, each a packet later than the one before; the fifth waits, and
    // others with it, for the data packet that holds the turn, until 17 F.
    const ACK: u64 = 64_000;
    let mut scene = beside_a_slow_host(16);
    send(&mut scene, 0, 0, 2, 8);
    let outcome = played(&scene);
    assert_eq!(starts(&outcome), [(16 * FULL, 1)]);
    let to_host_0 = |hop: &&Hop| (hop.node, hop.next, hop.packet.kind) == (5, 0, Kind::Ack);
    let acks: Vec<_> = outcome.hops.iter().filter(to_host_0).map(|hop| hop.started_at - FIRST).collect();
    // The first data is at host 2 at F + D, and its ACK at the switch a delay later.
    let passed = |nth: u64| (1 + nth) * FULL + 2 * DELAY + ACK;
    let waited = |nth| 17 * FULL + nth * ACK;
    assert_eq!(acks[..4], [0, 1, 2, 3].map(passed));
    assert_eq!(acks[4..], [0, 1, 2, 3].map(waited));
}

/// Ingress 1 is busy until 4 F; packets of host 2 and, a quarter later, of host 3 arrive meanwhile. With a speedup of 2
/// and room for a packet: grant and begin of every transfer to egress 0, its start on the wire, and its source.
fn ahead(after: u64) -> Vec<(u64, u64, u64, NodeIdx)> {
    let mut scene = beside_a_slow_host(8);
    let credits = scene.credits.as_mut().unwrap();
    (credits.speedup, credits.output_buffer) = (2, 1048);
    send_behind(&mut scene, after, 2, 1);
    send_behind(&mut scene, after + QUARTER, 3, 1);
    let outcome = played(&scene);
    let starts = starts(&outcome);
    let row = |(transfer, start): (&Transfer, &(u64, NodeIdx))| {
        assert_eq!(transfer.ingress, start.1);
        (transfer.granted_at - FIRST, transfer.begins_at - FIRST, start.0, start.1)
    };
    transfers(&outcome).zip(&starts).map(row).collect()
}

#[test]
fn a_holder_is_granted_ahead_of_time_if_it_is_idle_before_the_wire_is() {
    // Host 2's packet is through at 3.75 F and on the wire until 4.25 F.
    let expected = [(13, 13, 13, 2), (15, 16, 17, 1), (18, 18, 21, 3)];
    let in_quarters = |(grant, begin, start, from)| (grant * QUARTER, begin * QUARTER, start * QUARTER, from);
    assert_eq!(ahead(13 * QUARTER), expected.map(in_quarters));
    // Just in time: the wire is free when ingress 1 is idle.
    let expected = [(12, 12, 12, 2), (14, 16, 16, 1), (18, 18, 20, 3)];
    assert_eq!(ahead(12 * QUARTER), expected.map(in_quarters));
}

#[test]
fn a_holder_is_passed_if_the_wire_is_idle_before_it() {
    // By a picosecond. When host 3's packet is staged and through, there is time.
    let early = 12 * QUARTER - 1;
    let expected = [
        (early, early, early, 2),
        (early + 2 * QUARTER, early + 2 * QUARTER, early + 4 * QUARTER, 3),
        (early + 4 * QUARTER, 16 * QUARTER, early + 8 * QUARTER, 1),
    ];
    assert_eq!(ahead(early), expected);
}

#[test]
fn ingresses_of_an_ideal_crossbar_are_never_busy() {
    // Packets for host 0 are transferred on arrival, while the transfer to the slow host takes until 16 F; packets for
    // one egress are transferred one after the other, from one ingress as well.
    let mut scene = beside_a_slow_host(16);
    scene.credits.as_mut().unwrap().is_ideal = true;
    send_behind(&mut scene, FULL, 2, 2);
    let outcome = played(&scene);
    assert_eq!(starts(&outcome), [(FULL, 1), (2 * FULL, 2), (3 * FULL, 2)]);
    let of_host_1: Vec<_> = outcome.transfers.iter().filter(|transfer| transfer.ingress == 1).collect();
    assert_eq!([of_host_1[0].begins_at, of_host_1[1].begins_at], [FIRST, FIRST + FULL]);
    // It leaves the buffer behind the packet that was granted before it.
    assert_eq!([of_host_1[0].leaves_at, of_host_1[1].leaves_at], [FIRST + 16 * FULL; 2]);
}
