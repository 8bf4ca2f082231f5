//! Invariants of every scene.

use std::collections::BTreeMap;

use netloom_testkit::reference_roce::{DropReason, Hop, Kind, Outcome};

use crate::fabric::Choice;
use crate::scene::RoceScene;

/// Scenes run.
const N_SCENES: u64 = 400;

#[test]
fn random_scenes_keep_all_invariants_and_cover_all_cases() {
    let played: Vec<(RoceScene, Outcome)> = (0..N_SCENES)
        .map(|seed| {
            let scene = RoceScene::random(seed);
            let outcome = scene.play();
            check(&scene, &outcome);
            (scene, outcome)
        })
        .collect();
    cover_much(&played);
}

#[test]
fn a_scene_gives_the_same_result_when_repeated() {
    for seed in 0..20 {
        let scene = RoceScene::random(seed);
        let (first, second) = (scene.play(), RoceScene::random(seed).play());
        assert_eq!((first.hops, first.messages, first.rates), (second.hops, second.messages, second.rates));
    }
}

/// Checks all invariants of a scene that was run.
pub fn check(scene: &RoceScene, outcome: &Outcome) {
    every_message_arrives(scene, outcome);
    every_packet_has_a_fate(scene, outcome);
    wires_carry_one_packet_at_a_time(scene, outcome);
    every_stop_ends(scene, outcome);
    frames_wait_for_the_wire_alone(scene, outcome);
    order_is_kept_without_loss(scene, outcome);
    let full = outcome.drops.iter().filter(|drop| drop.reason == DropReason::Buffer).count();
    assert!(full == 0 || !scene.is_lossless(), "scene {}: {full} drops", scene.seed);
}

fn every_message_arrives(scene: &RoceScene, outcome: &Outcome) {
    for (message, fate) in scene.scene.messages.iter().zip(&outcome.messages) {
        let (arrived, acknowledged) = (fate.arrived_at, fate.acknowledged_at);
        assert!(arrived.is_some() && acknowledged > arrived, "scene {}: {message:?}, {fate:?}", scene.seed);
        let line = scene.scene.fabric.link(message.from, 0);
        let least = u128::from(message.bytes) * 8_000_000_000_000 / u128::from(line.rate);
        assert!(u128::from(arrived.unwrap() - message.at) > least, "scene {}", scene.seed);
    }
}

/// At a switch every packet that arrives leaves or is dropped.
fn every_packet_has_a_fate(scene: &RoceScene, outcome: &Outcome) {
    for node in (0..scene.scene.fabric.n_nodes()).filter(|&node| !scene.scene.fabric.is_host(node)) {
        for kind in [Kind::Data, Kind::Ack, Kind::Nack, Kind::Cnp] {
            let of_kind = |hop: &&Hop| hop.packet.kind == kind;
            let hops = || outcome.hops.iter().filter(of_kind);
            let came = hops().filter(|hop| hop.next == node && hop.arrived_at.is_some()).count();
            let went = hops().filter(|hop| hop.node == node).count();
            let dropped = outcome.drops.iter().filter(|drop| {
                (drop.node, drop.reason, drop.packet.kind) == (node, DropReason::Buffer, kind)
            });
            assert_eq!(came, went + dropped.count(), "scene {}, node {node}, {kind:?}", scene.seed);
        }
    }
}

fn wires_carry_one_packet_at_a_time(scene: &RoceScene, outcome: &Outcome) {
    let mut free: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for hop in &outcome.hops {
        let free = free.entry((hop.node, hop.port)).or_default();
        assert!(hop.started_at >= *free, "scene {}, {hop:?}", scene.seed);
        let rate = scene.scene.fabric.links()[hop.link].rate;
        let bits = u128::from(hop.packet.bytes) * 8_000_000_000_000;
        *free = hop.started_at + bits.div_ceil(u128::from(rate)) as u64;
    }
}

fn every_stop_ends(scene: &RoceScene, outcome: &Outcome) {
    let mut stopped: BTreeMap<(usize, usize), bool> = BTreeMap::new();
    for pause in &outcome.pauses {
        let before = stopped.insert((pause.node, pause.port), pause.stop).unwrap_or(false);
        assert_ne!(before, pause.stop, "scene {}, {pause:?}", scene.seed);
    }
    assert!(stopped.values().all(|&stop| !stop), "scene {}", scene.seed);
}

/// Between a decision and the start of its frame no other packet starts at the port.
fn frames_wait_for_the_wire_alone(scene: &RoceScene, outcome: &Outcome) {
    let is_frame = |hop: &Hop| matches!(hop.packet.kind, Kind::Xoff | Kind::Xon);
    let mut starts: BTreeMap<(usize, usize), Vec<&Hop>> = BTreeMap::new();
    for hop in &outcome.hops {
        starts.entry((hop.node, hop.port)).or_default().push(hop);
    }
    for pause in &outcome.pauses {
        let at_port = &starts[&(pause.node, pause.port)];
        // A packet that starts at this very instant may have started before the decision.
        let after = at_port.iter().skip(at_port.partition_point(|hop| hop.started_at <= pause.at));
        let at_once = at_port.iter().any(|hop| hop.started_at == pause.at && is_frame(hop));
        let is_next = after.clone().next().is_some_and(|hop| is_frame(hop));
        assert!(at_once || is_next, "scene {}, {pause:?}", scene.seed);
    }
}

/// On one path each and without losses there are no NACKs; without timeouts, no retransmissions.
fn order_is_kept_without_loss(scene: &RoceScene, outcome: &Outcome) {
    let n_timeouts: u32 = outcome.messages.iter().map(|fate| fate.timeouts).sum();
    if scene.paths.choice == Choice::PerQp && outcome.drops.is_empty() && n_timeouts == 0 {
        let is_odd = |hop: &Hop| hop.packet.kind == Kind::Nack || hop.packet.again;
        assert!(!outcome.hops.iter().any(is_odd), "scene {}", scene.seed);
    }
}

/// Fails unless the scenes, all together, cover the cases that they are meant to cover.
fn cover_much(played: &[(RoceScene, Outcome)]) {
    let has = |holds: &dyn Fn(&Outcome) -> bool| played.iter().filter(|(_, outcome)| holds(outcome)).count();
    let kind = |kind: Kind| has(&|outcome| outcome.hops.iter().any(|hop| hop.packet.kind == kind));
    let reason = |reason| has(&|outcome| outcome.drops.iter().any(|drop| drop.reason == reason));
    let counts = [
        ("untied", has(&|outcome| outcome.ties() == 0), 200),
        ("nack", kind(Kind::Nack), 60),
        ("cnp", kind(Kind::Cnp), 30),
        ("pause", kind(Kind::Xoff), 30),
        ("full", reason(DropReason::Buffer), 10),
        ("lost", reason(DropReason::Link), 60),
        ("timeout", has(&|outcome| outcome.messages.iter().any(|fate| fate.timeouts > 0)), 20),
        ("rate", has(&|outcome| outcome.rates.len() > 5), 30),
        ("again", has(&|outcome| outcome.hops.iter().any(|hop| hop.packet.again)), 80),
        (
            "echo",
            has(&|outcome| outcome.hops.iter().any(|h| h.packet.marked && h.packet.kind == Kind::Ack)),
            30,
        ),
    ];
    let few: Vec<_> = counts.iter().filter(|(_, met, least)| met < least).collect();
    assert!(few.is_empty(), "too few scenes: {few:?} of {counts:?}");
}
