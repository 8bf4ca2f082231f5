//! Pause frames.

use super::*;
use crate::reference_roce::{BufferRule, Headroom};

/// Three hosts send to a fourth through a switch with this number of shared bytes.
fn incast(headroom: Headroom, shared: u64) -> Scene {
    let mut scene = star(&[RATE; 4]);
    // On a link of 1000 ns each way: 2000 bytes, three packets, a frame.
    let full = 2000 + 3 * 1048 + 64;
    scene.switches.buffer = shared + 4 * if let Headroom::Bytes(bytes) = headroom { bytes } else { full };
    scene.switches.rule = BufferRule::Lossless { headroom, xon_gap: 500 };
    scene.transport.timeout = 10_000_000_000;
    (1..4).for_each(|from| send(&mut scene, from as u64 * 333, from, 0, 40));
    scene
}

#[test]
fn an_incast_with_full_headroom_loses_no_packet() {
    let outcome = played(&incast(Headroom::Full, 9000));
    assert_eq!(outcome.drops, []);
    assert!(outcome.messages.iter().all(|fate| fate.arrived_at.is_some() && fate.timeouts == 0));
    // The receiver's link is never idle between the first packet and the last.
    let last = outcome.messages.iter().filter_map(|fate| fate.arrived_at).max();
    assert_eq!(last, Some(333 + FULL + DELAY + 120 * FULL + DELAY));
    for port in 1..4 {
        let stops: Vec<_> =
            outcome.pauses.iter().filter(|pause| pause.port == port).map(|pause| pause.stop).collect();
        assert!(stops.len() >= 2 && stops.len() % 2 == 0, "port {port}: {stops:?}");
        assert!(stops.iter().enumerate().all(|(at, &stop)| stop == (at % 2 == 0)));
    }
}

#[test]
fn an_incast_with_too_little_headroom_loses_packets() {
    assert!(!played(&incast(Headroom::Bytes(1048), 9000)).drops.is_empty());
}

#[test]
fn a_stopped_host_starts_no_data() {
    let outcome = played(&incast(Headroom::Full, 9000));
    for host in 1..4 {
        let frames = outcome.hops.iter().filter(|hop| hop.next == host && hop.packet.kind != Kind::Ack);
        let starts = data_starts(&outcome, host);
        let (mut stopped, mut n_stops) = (None, 0);
        for frame in frames {
            let at = frame.arrived_at.unwrap();
            if frame.packet.kind == Kind::Xoff {
                stopped = stopped.or(Some(at));
            } else if let Some(since) = stopped.take() {
                n_stops += 1;
                assert!(starts.iter().all(|start| start.0 < since || start.0 >= at));
            }
        }
        assert!(n_stops > 0, "host {host} is stopped");
    }
}

#[test]
fn xoff_and_xon_are_sent_at_their_instants() {
    let mut scene = star(&[RATE, RATE / 4]);
    scene.switches.rule = BufferRule::Lossless { headroom: Headroom::Bytes(10_000), xon_gap: 400 };
    scene.switches.buffer = 20_000 + 2500;
    send(&mut scene, 0, 0, 1, 6);
    let outcome = played(&scene);
    // Packet 0 is forwarded at 2048 ns; 1 waits; 2 arrives at 4144 ns, and 2096 bytes exceed the 1452 that are free.
    let pauses: Vec<_> = outcome.pauses.iter().map(|pause| (pause.at, pause.port, pause.stop)).collect();
    // Packets 2, 3 and 4 are in the headroom, which is freed first: packets 1 to 3 leave at 6240, 10432 and 14624 ns,
    // and 1048 + 400 <= 2500 - 1048.
    // Packet 5 arrives at 17736 ns, while packet 4 waits, and is stored in the headroom as packet 2 was.
    let first = [(4_144_000, 0, true), (14_624_000, 0, false)];
    let second = [(17_736_000, 0, true), (18_816_000, 0, false)];
    assert_eq!(pauses, [first, second].concat());
    let starts = data_starts(&outcome, 0);
    assert_eq!(starts[4], (4 * FULL, 4));
    assert_eq!(starts[5], (14_624_000 + 64_000 + DELAY, 5));
    assert_eq!(sent(&outcome, 2, Kind::Xoff)[0].arrived_at, Some(4_144_000 + 64_000 + DELAY));
}

#[test]
fn a_frame_precedes_control_packets_and_data() {
    let mut scene = star(&[RATE, RATE / 4]);
    scene.switches.rule = BufferRule::Lossless { headroom: Headroom::Bytes(10_000), xon_gap: 400 };
    scene.switches.buffer = 20_000 + 2500;
    send(&mut scene, 0, 0, 1, 6);
    send(&mut scene, 0, 1, 0, 3);
    let outcome = played(&scene);
    let xoff = sent(&outcome, 2, Kind::Xoff)[0];
    let busy = |hop: &&Hop| hop.node == 2 && hop.port == 0 && hop.started_at >= 4_144_000;
    assert_eq!(outcome.hops.iter().filter(busy).min_by_key(|hop| hop.started_at), Some(xoff));
}

#[test]
fn arrivals_of_an_instant_precede_its_starts() {
    // XOFF arrives at 3 * 1048 + delay + 64 + delay = 5 * 1048 ns: exactly when packet 5 would start.
    let mut scene = star_at(1_016_000, &[RATE, RATE / 4]);
    scene.switches.rule = BufferRule::Lossless { headroom: Headroom::Bytes(10_000), xon_gap: 400 };
    scene.switches.buffer = 20_000 + 2500;
    send(&mut scene, 0, 0, 1, 6);
    let outcome = played(&scene);
    assert_eq!(sent(&outcome, 2, Kind::Xoff)[0].arrived_at, Some(5 * FULL));
    let starts = data_starts(&outcome, 0);
    assert_eq!(starts[4].0, 4 * FULL);
    assert!(starts[5].0 > 6 * FULL);
    assert_eq!(outcome.ties(), 0, "the order is defined");
}
