//! The reference simulator on fabrics small enough to follow by hand.

use std::collections::BTreeMap;

use netloom_testkit::reference::{
    AdaptiveTwister, Choice, Decision, EcmpHash, Fabric, Hop, Message, NodeIdx, Outcome, RecordedDraw,
    RecordedHash, Scene, Sending, Twister, play, shortest,
};

/// One packet of `MTU` bytes takes a second at this rate.
const RATE_BPS: f64 = 8.0;
const MTU: u64 = 1;
const DELAY_S: f64 = 0.5;

/// Two hosts with two NICs each on one switch.
fn diamond() -> (Fabric, [NodeIdx; 3]) {
    let mut fabric = Fabric::default();
    let (left, right, switch) = (fabric.add_host(), fabric.add_host(), fabric.add_switch());
    for host in [left, left, right, right] {
        fabric.connect(host, switch, RATE_BPS, DELAY_S);
    }
    fabric.set_route(left, right, vec![0, 1]);
    fabric.set_route(switch, right, vec![2, 3]);
    (fabric, [left, right, switch])
}

fn scene(n_packets: u64) -> Scene {
    let (fabric, [src, dst, _]) = diamond();
    let message = Message { src, dst, bytes: n_packets * MTU, mtu: MTU };
    Scene { fabric, ttl: 64, sendings: vec![Sending { start_s: 1.0, message }] }
}

fn paths(outcome: &Outcome) -> BTreeMap<(usize, NodeIdx), usize> {
    outcome.hops.iter().map(|hop| ((hop.packet, hop.node), hop.port)).collect()
}

#[test]
fn packets_on_one_path_are_pipelined() {
    let outcome = play(&scene(3), &mut RecordedHash(|_: &Decision<'_>| 4));
    let times: Vec<_> = outcome
        .hops
        .iter()
        .map(|hop| (hop.packet, hop.node, hop.port, hop.started_at, hop.arrives_at))
        .collect();
    assert_eq!(
        times,
        [
            (0, 0, 0, 1.0, 2.5),
            (1, 0, 0, 2.0, 3.5),
            (0, 2, 2, 2.5, 4.0),
            (2, 0, 0, 3.0, 4.5),
            (1, 2, 2, 3.5, 5.0),
            (2, 2, 2, 4.5, 6.0),
        ]
    );
    assert_eq!(outcome.flows[0].completed_at, Some(6.0));
    assert_eq!(outcome.port_peaks, [vec![3, 0], vec![0, 0], vec![0, 0, 1, 0]]);
    assert_eq!(outcome.link_bytes, [3, 0, 3, 0]);
    assert_eq!((outcome.totals.delivered, outcome.totals.hops_range), (3, Some((2, 2))));
}

#[test]
fn the_shortest_queue_splits_a_burst_evenly() {
    let outcome = play(&scene(4), &mut RecordedDraw(|_: &Decision<'_>, n_ties: usize| n_ties - 1));
    assert_eq!(outcome.port_peaks[0], [2, 2]);
    assert_eq!(outcome.flows[0].completed_at, Some(5.0));
    let first =
        Hop { flow: 0, packet: 0, node: 0, port: 1, enqueued_at: 1.0, started_at: 1.0, arrives_at: 2.5 };
    assert_eq!(outcome.hops[0], first);
}

#[test]
fn replayed_choices_give_the_same_trace() {
    let original = play(&scene(50), &mut AdaptiveTwister::new(Twister::new(7)));
    let paths = paths(&original);
    let tie_taken = |decision: &Decision<'_>, _: usize| {
        let port = paths[&(decision.packet, decision.node)];
        let ties = shortest(decision.queue_lengths);
        ties.iter()
            .position(|&tie| decision.candidates[tie] == port)
            .expect("the port was among the shortest")
    };
    assert_eq!(play(&scene(50), &mut RecordedDraw(tie_taken)).hops, original.hops);
}

#[test]
fn precomputed_hashes_give_the_same_trace() {
    let mut ecmp = EcmpHash::new(["10.0.0.1", "10.0.0.2", ""].map(String::from).into(), 8);
    let known: Vec<_> = (0..50).map(|packet| ecmp.hash(0, 1, 1.0, packet)).collect();
    let original = play(&scene(50), &mut ecmp);
    let mut replay = RecordedHash(|decision: &Decision<'_>| known[decision.packet]);
    assert_eq!(play(&scene(50), &mut replay).hops, original.hops);
    assert!(
        paths(&original).values().any(|&port| port != paths(&original)[&(0, 0)]),
        "flowlets change paths"
    );
}

#[test]
fn packets_are_dropped_without_a_route_or_hops() {
    let mut severed = scene(3);
    severed.fabric.fail(2);
    severed.fabric.fail(3);
    let mut tired = scene(3);
    tired.ttl = 1;
    for scene in [severed, tired] {
        let outcome = play(&scene, &mut RecordedHash(|_: &Decision<'_>| 0));
        assert_eq!((outcome.totals.created, outcome.totals.delivered, outcome.totals.dropped), (3, 0, 3));
        assert_eq!(outcome.flows[0].completed_at, None);
    }
}

#[test]
fn messages_of_one_instant_are_injected_in_order_before_anything_leaves() {
    let mut scene = scene(2);
    scene.sendings.push(scene.sendings[0].clone());
    let outcome = play(&scene, &mut RecordedHash(|_: &Decision<'_>| 0));
    let order: Vec<_> =
        outcome.hops.iter().filter(|hop| hop.node == 0).map(|hop| (hop.flow, hop.packet)).collect();
    assert_eq!(order, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    assert_eq!(outcome.port_peaks[0], [4, 0]);
}

/// A test may use a policy of its own.
#[test]
fn a_custom_choice_of_paths_is_followed() {
    struct TakeTurns(usize);
    impl Choice for TakeTurns {
        fn pick(&mut self, decision: &Decision<'_>) -> usize {
            self.0 += 1;
            self.0 % decision.candidates.len()
        }
    }
    let outcome = play(&scene(4), &mut TakeTurns(0));
    assert_eq!(outcome.port_peaks[0], [2, 2]);
}
