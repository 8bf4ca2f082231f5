//! Credits: when they are consumed, how many, and when they return.

use super::*;
use crate::reference_roce::Loss;

/// Room for exactly this number of full packets, of 17 blocks each.
const fn room(n_packets: u64) -> u64 {
    n_packets * 17 * 64
}

/// Host 0 sends this number of full packets to host 1 through a switch, with this room on every link.
fn stream(n_packets: u64, buffer: u64) -> Scene {
    let mut scene = star(&[RATE; 2]);
    scene.credits = Some(credits_for(buffer));
    send(&mut scene, 0, 0, 1, n_packets);
    scene
}

fn starts(scene: &Scene, node: NodeIdx) -> Vec<u64> {
    data_starts(&played(scene), node).iter().map(|start| start.0).collect()
}

#[test]
fn with_room_for_one_packet_one_is_sent_per_round_trip() {
    // At the switch at F + D, through it at 2 F + D, and its credits return a delay later.
    let round = 2 * FULL + 2 * DELAY;
    assert_eq!(starts(&stream(4, room(1)), 0), [0, round, 2 * round, 3 * round]);
}

#[test]
fn with_room_for_two_packets_two_are_sent_per_round_trip() {
    let round = 2 * FULL + 2 * DELAY;
    // The second packet of a pair goes through the switch right behind the first.
    let expected = [0, FULL, round, round + FULL, 2 * FULL + 2 * round - 2 * FULL, 2 * round + FULL];
    assert_eq!(starts(&stream(6, room(2)), 0), expected);
}

#[test]
fn bytes_short_of_a_block_are_no_credit() {
    for buffer in [room(1), room(1) + 63, room(2) - 64, room(2) - 1] {
        assert_eq!(starts(&stream(2, buffer), 0)[1], 2 * FULL + 2 * DELAY, "{buffer}");
    }
    assert_eq!(starts(&stream(2, room(2)), 0)[1], FULL);
    assert!(starts(&stream(2, room(1) - 1), 0).is_empty());
}

#[test]
fn a_packet_takes_a_whole_block_for_a_partial_one() {
    // 65 bytes are two blocks, so five blocks are two packets.
    let mut scene = stream(0, 5 * 64);
    scene.packets.mtu = 17;
    scene.messages[0].bytes = 3 * 17;
    assert_eq!(starts(&scene, 0), [0, 65_000, 2 * (65_000 + DELAY)]);
}

#[test]
fn a_host_waits_for_room_for_its_largest_packet() {
    // Of three blocks the first packet takes two, and the last packet would need only one.
    let mut scene = stream(0, 3 * 64);
    scene.packets.mtu = 17;
    scene.messages[0].bytes = 17 + 1;
    assert_eq!(starts(&scene, 0), [0, 2 * (65_000 + DELAY)]);
    scene.credits = Some(credits_for(4 * 64));
    assert_eq!(starts(&scene, 0), [0, 65_000]);
}

/// A star in which host 1 is ten times as far away as the others.
fn far(n_hosts: usize) -> Scene {
    let mut fabric = Fabric::default();
    (0..n_hosts).for_each(|_| _ = fabric.add_host());
    let switch = fabric.add_switch();
    for host in 0..n_hosts {
        fabric.connect(host, switch, RATE, if host == 1 { 10 * DELAY } else { DELAY });
    }
    let mut scene = Scene::new(fabric);
    scene.credits = Some(credits_for(room(1)));
    scene
}

#[test]
fn a_host_returns_credits_when_the_last_bit_has_arrived() {
    let mut scene = far(2);
    send(&mut scene, 0, 0, 1, 3);
    // Packet 0 leaves the switch at F + D, is at host 1 at 2 F + 11 D, and its credits return at 2 F + 21 D.
    let first = FULL + DELAY;
    let second = 2 * FULL + 21 * DELAY;
    assert_eq!(starts(&scene, 2), [first, second, second + FULL + 20 * DELAY]);
    // Packet 1 has waited at the switch all the time; its transfer ends at 3 F + 21 D.
    assert_eq!(starts(&scene, 0), [0, 2 * FULL + 2 * DELAY, 3 * FULL + 22 * DELAY]);
}

#[test]
fn on_links_without_delay_credits_take_a_picosecond() {
    let mut scene = star_at(0, &[RATE; 2]);
    scene.credits = Some(credits_for(room(1)));
    send(&mut scene, 0, 0, 1, 3);
    assert_eq!(starts(&scene, 0), [0, 2 * FULL + 1, 4 * FULL + 2]);
}

#[test]
fn packets_lost_on_a_link_take_no_credits() {
    let mut scene = stream(3, room(1));
    scene.losses = vec![Loss { node: 0, port: 0, nth: 0 }];
    assert_eq!(starts(&scene, 0)[..3], [0, FULL, 3 * FULL + 2 * DELAY]);
}

/// Two packets from host 0 to the far host 1, and one in the other direction, whose ACK shares the path with them: the
/// times at which that ACK leaves host 0 and the switch.
fn ack_among_data(control_lane: usize) -> [u64; 2] {
    let mut scene = far(2);
    scene.credits.as_mut().unwrap().control_lane = control_lane;
    send(&mut scene, 0, 0, 1, 2);
    send(&mut scene, 0, 1, 0, 1);
    let outcome = played(&scene);
    let to_host_1 = |hop: &&Hop| hop.packet.kind == Kind::Ack && hop.packet.destination == 1;
    let of_node = |node| outcome.hops.iter().filter(to_host_1).find(|hop| hop.node == node);
    [0, 2].map(|node| of_node(node).unwrap().started_at)
}

#[test]
fn a_vl_does_not_wait_for_another() {
    // The data from host 1 is at the switch at F + 10 D and at host 0 at 2 F + 11 D.
    let at_host = 2 * FULL + 11 * DELAY;
    assert_eq!(ack_among_data(1), [at_host, at_host + 64_000 + DELAY]);
}

#[test]
fn in_one_vl_acks_wait_behind_data() {
    // Packet 1 is queued at the switch until 2 F + 21 D, is through it F later, and frees its room at host 1 at 3 F +
    // 41 D.
    assert_eq!(ack_among_data(0), [3 * FULL + 22 * DELAY, 3 * FULL + 41 * DELAY]);
}

#[test]
fn a_holder_without_credits_blocks_the_other_ingresses_of_its_vl() {
    // Room for a full packet and an ACK. Host 0 has sent a packet; that of host 2 has too few credits, and holds the
    // turn.
    let mut scene = far(4);
    scene.credits.as_mut().unwrap().control_lane = 0;
    scene.credits.as_mut().unwrap().buffer = room(1) + 64;
    send(&mut scene, 0, 0, 1, 1);
    send(&mut scene, 10, 2, 1, 1);
    send(&mut scene, 0, 1, 3, 1);
    let outcome = played(&scene);
    let to_host_1 = |hop: &&Hop| hop.node == 4 && hop.packet.destination == 1;
    let order: Vec<_> = outcome.hops.iter().filter(to_host_1).map(|hop| hop.packet.source).collect();
    assert_eq!(order, [0, 2, 3]);
    let starts: Vec<_> = outcome.hops.iter().filter(to_host_1).map(|hop| hop.started_at).collect();
    // With the credits of packet 0, there is one block left for the ACK once packet 1 has left.
    assert_eq!(starts, [FULL + DELAY, 2 * FULL + 21 * DELAY, 3 * FULL + 21 * DELAY]);
}

#[test]
fn in_a_vl_of_its_own_a_small_head_is_sent() {
    let mut scene = far(4);
    send(&mut scene, 0, 0, 1, 1);
    send(&mut scene, 10, 2, 1, 1);
    send(&mut scene, 0, 1, 3, 1);
    let outcome = played(&scene);
    let ack = outcome.hops.iter().find(|hop| hop.node == 4 && hop.packet.kind == Kind::Ack && hop.next == 1);
    // The data from host 1 is at the switch at F + 10 D and at host 3 at 2 F + 11 D.
    assert_eq!(ack.unwrap().started_at, 2 * FULL + 11 * DELAY + 64_000 + DELAY);
}

/// An ACK behind the head of host 2, which has too few credits at host 1: the time at which the switch sends it. Host 2
/// sends another packet, to host 0, while it waits; host 3 may have sent one to host 0 before.
fn ack_beside_a_busy_ingress(before: bool) -> u64 {
    let mut scene = far(4);
    scene.credits.as_mut().unwrap().control_lane = 0;
    scene.credits.as_mut().unwrap().buffer = room(2) + 64;
    send(&mut scene, 0, 0, 1, 2);
    send(&mut scene, FULL + 10, 2, 1, 1);
    send(&mut scene, 0, 1, 3, 1);
    send(&mut scene, 13 * DELAY, 2, 0, 1);
    if before {
        send(&mut scene, 5 * DELAY, 3, 0, 1);
    }
    let outcome = played(&scene);
    let ack = outcome.hops.iter().find(|hop| hop.node == 4 && hop.packet.kind == Kind::Ack && hop.next == 1);
    ack.unwrap().started_at
}

#[test]
fn a_holder_without_credits_is_passed_while_its_ingress_is_busy() {
    // Two packets of host 0 leave one block at host 1. The head of host 2 blocks the ACK of host 3, ready since 2 F +
    // 12 D + 64 ns, until its ingress is busy with the packet for host 0.
    assert_eq!(ack_beside_a_busy_ingress(false), FULL + 14 * DELAY);
}

#[test]
fn egresses_are_arbitrated_until_none_can_start_or_grant() {
    // Egress 0 has granted a transfer after egress 1 did, so egress 1 is arbitrated first, in vain, and again when
    // egress 0 has granted one.
    assert_eq!(ack_beside_a_busy_ingress(true), FULL + 14 * DELAY);
}
