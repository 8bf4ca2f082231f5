//! Data and control packets of a NIC in one virtual lane.
//!
//! ACKs take 9 blocks, data 17; there is room for 18 on every link. Hosts 1 and 2 send to host 0; the credits of its
//! ACKs take so long to return that another ACK is ready before.

use super::*;

/// Transmission time of an ACK.
const ACK: u64 = 544_000;
/// The time from the start of an ACK until its credits return.
const ACK_ROUND: u64 = 2 * ACK + 2 * DELAY;
/// When the first data is at host 0.
const FIRST: u64 = 2 * FULL + 2 * DELAY;
/// Its credits return to the switch after this time, and then the next data is sent to host 0.
const PERIOD: u64 = FULL + 2 * DELAY;

fn scene(control_lane: usize) -> Scene {
    let mut scene = star(&[RATE; 3]);
    scene.packets.control = 544;
    scene.credits = Some(Credits { control_lane, ..credits_for(18 * 64) });
    send(&mut scene, 0, 1, 0, 3);
    send(&mut scene, 0, 2, 0, 3);
    scene
}

/// When host 0 started packets of a kind.
fn starts(scene: &Scene, kind: Kind) -> Vec<u64> {
    sent(&played(scene), 0, kind).iter().map(|hop| hop.started_at).collect()
}

#[test]
fn control_packets_with_the_blocks_of_a_data_packet_give_data_the_turn() {
    let mut scene = scene(0);
    send(&mut scene, FIRST + 100_000, 0, 2, 1);
    // Two ACKs, 18 blocks, are sent first. A third one is ready before all credits have returned, and waits until data
    // has been sent.
    let second = FIRST + PERIOD;
    let data = second + ACK_ROUND;
    assert!(FIRST + 2 * PERIOD < data, "the third ACK is ready, and has enough credits");
    assert_eq!(starts(&scene, Kind::Data), [data]);
    let third = data + 2 * FULL + 2 * DELAY;
    assert_eq!(starts(&scene, Kind::Ack)[..4], [FIRST, second, third, third + ACK]);
}

#[test]
fn without_data_its_turn_lets_control_packets_use_all_credits() {
    // From the third one on, each waits until all credits have returned.
    let second = FIRST + PERIOD;
    let others = (0..5).map(|nth| second + nth * ACK_ROUND);
    assert_eq!(starts(&scene(0), Kind::Ack), [FIRST].into_iter().chain(others).collect::<Vec<_>>());
}

#[test]
fn in_datas_turn_a_control_packet_leaves_credits_for_a_full_data_packet() {
    let with_room_for = |n_blocks: u64| {
        let mut scene = scene(0);
        scene.credits.as_mut().unwrap().buffer = n_blocks * 64;
        starts(&scene, Kind::Ack).iter().map(|at| at - FIRST).collect::<Vec<_>>()
    };
    // Two packets arrive back to back. From the third ACK on, 26 of 35 blocks are available while the credits of one
    // ACK have not returned: 17 and 9.
    let pairs = [0, 1, 2].map(|nth| [nth * ACK_ROUND, FULL + nth * ACK_ROUND]);
    assert_eq!(with_room_for(35), pairs.concat());
    // Of 34 blocks 25 are available.
    let one_by_one = [0, 1, 2, 3, 4].map(|nth| FULL + nth * ACK_ROUND);
    assert_eq!(with_room_for(34), [&[0], &one_by_one[..]].concat());
}

#[test]
fn in_vls_of_their_own_control_packets_do_not_wait_for_data() {
    let mut scene = scene(1);
    send(&mut scene, FIRST + 100_000, 0, 2, 1);
    assert_eq!(starts(&scene, Kind::Data), [FIRST + ACK]);
    assert_eq!(starts(&scene, Kind::Ack)[..3], [FIRST, FIRST + PERIOD, FIRST + 2 * PERIOD]);
}
