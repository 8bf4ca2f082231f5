//! Times of packets on idle paths, and the order at a NIC.

use super::*;
use crate::reference_roce::QueuePairs;

#[test]
fn one_packet_takes_two_serializations_and_two_delays() {
    let mut scene = star(&[RATE, RATE]);
    scene.messages.push(Message { at: 7, from: 0, to: 1, bytes: 500, first_psn: 12 });
    let outcome = played(&scene);
    let there = 7 + 2 * (548_000 + DELAY);
    assert_eq!(outcome.messages[0].arrived_at, Some(there));
    assert_eq!(outcome.messages[0].acknowledged_at, Some(there + BACK));
    let psns: Vec<_> = outcome.arrivals().iter().map(|row| (row.kind, row.psn, row.node)).collect();
    assert_eq!(psns, [(Kind::Data, 12, 2), (Kind::Data, 12, 1), (Kind::Ack, 13, 2), (Kind::Ack, 13, 0)]);
    assert_eq!(outcome.ties(), 0);
}

#[test]
fn packets_of_a_message_are_sent_back_to_back() {
    let mut scene = star(&[RATE, RATE]);
    scene.messages.push(Message { at: 0, from: 0, to: 1, bytes: 2500, first_psn: 0x00ff_ffff });
    let outcome = played(&scene);
    assert_eq!(data_starts(&outcome, 0), [(0, 0), (FULL, 1), (2 * FULL, 2)]);
    // The last packet is shorter and waits at the switch for the one before.
    let arrived = 3 * FULL + DELAY + 548_000 + DELAY;
    assert_eq!(outcome.messages[0].arrived_at, Some(arrived));
    let psns: Vec<_> = sent(&outcome, 0, Kind::Data).iter().map(|hop| hop.packet.psn).collect();
    assert_eq!(psns, [0x00ff_ffff, 0, 1]);
}

#[test]
fn queue_pairs_are_served_round_robin() {
    let mut scene = star(&[RATE; 3]);
    send(&mut scene, 5, 0, 1, 3);
    send(&mut scene, 5, 0, 2, 2);
    let outcome = played(&scene);
    let order: Vec<_> = sent(&outcome, 0, Kind::Data).iter().map(|hop| hop.packet.qp.unwrap()).collect();
    assert_eq!(order, [0, 1, 0, 1, 0]);
}

#[test]
fn the_queue_pair_that_has_waited_longest_is_first() {
    let mut scene = star(&[RATE; 4]);
    send(&mut scene, 0, 0, 1, 3);
    send(&mut scene, 10, 0, 2, 2);
    send(&mut scene, 5, 0, 3, 1);
    let outcome = played(&scene);
    let order: Vec<_> = sent(&outcome, 0, Kind::Data).iter().map(|hop| hop.packet.qp.unwrap()).collect();
    // At the end of the first packet its queue pair is ready again, after the other two.
    assert_eq!(order, [0, 2, 1, 0, 1, 0]);
}

#[test]
fn messages_of_a_pair_may_share_a_queue_pair() {
    let mut scene = star(&[RATE; 3]);
    scene.transport.queue_pairs = QueuePairs::PerPair;
    send(&mut scene, 0, 0, 1, 2);
    send(&mut scene, 0, 0, 2, 2);
    send(&mut scene, 0, 0, 1, 2);
    let outcome = played(&scene);
    let order: Vec<_> = sent(&outcome, 0, Kind::Data)
        .iter()
        .map(|hop| (hop.packet.qp.unwrap(), hop.packet.message.unwrap(), hop.packet.position))
        .collect();
    assert_eq!(order, [(0, 0, 0), (1, 1, 0), (0, 0, 1), (1, 1, 1), (0, 2, 2), (0, 2, 3)]);
}

#[test]
fn control_packets_pass_data() {
    let mut scene = star(&[RATE; 2]);
    send(&mut scene, 0, 0, 1, 1);
    send(&mut scene, 0, 1, 0, 9);
    let outcome = played(&scene);
    // Host 1 is sending its fourth packet when the data arrives: the ACK is next.
    let ack = sent(&outcome, 1, Kind::Ack)[0].started_at;
    assert_eq!(outcome.messages[0].arrived_at, Some(2 * (FULL + DELAY)));
    assert_eq!(ack, 4 * FULL);
    assert_eq!(data_starts(&outcome, 1)[4], (4 * FULL + 64_000, 4));
}

#[test]
fn simultaneous_arrivals_are_handled_in_order_of_in_links() {
    let mut scene = star(&[RATE; 4]);
    send(&mut scene, 0, 2, 3, 1);
    send(&mut scene, 0, 0, 3, 1);
    send(&mut scene, 0, 1, 3, 1);
    let outcome = played(&scene);
    let order: Vec<_> = sent(&outcome, 4, Kind::Data).iter().map(|hop| hop.packet.source).collect();
    assert_eq!(order, [0, 1, 2]);
    assert_eq!(outcome.messages[0].arrived_at, Some(FULL + DELAY + 3 * FULL + DELAY));
}
