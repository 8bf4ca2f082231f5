//! Random small scenes with credits on every link: invariants of each of them, and agreement of engine and reference
//! simulator.
//!
//! The rules define the order of all events at a switch in an instant. So links may be alike and messages start at
//! once; ties remain only between arrivals at a host and messages posted or timeouts expiring there.

use netloom_testkit::reference_roce::{
    Credits, Fabric, Forwarding, Hop, Kind, Message, NodeIdx, Order, Outcome, PacketSizes, Recovery, Scene,
    Transfer,
};

use crate::agreement::compare;
use crate::crossbar;
use crate::fabric::{self, Choice};
use crate::laws::check;
use crate::scene::RoceScene;

/// Scenes compared.
const N_COMPARED: usize = 1000;
/// Scenes tried at most.
const MOST_TRIED: u64 = 1050;
/// Scenes whose invariants are checked.
const N_PLAYED: u64 = 330;
/// Scenes with an ideal crossbar that are compared, and whose invariants are checked.
const N_IDEAL: u64 = 100;

#[test]
fn engine_and_reference_agree_on_credits_packet_for_packet() {
    let untied = (0..MOST_TRIED).filter(|&seed| {
        let (_, outcome) = compare(RoceScene::with_credits(seed));
        outcome.ties() == 0
    });
    assert_eq!(untied.take(N_COMPARED).count(), N_COMPARED, "too many scenes had ties");
}

/// Hosts around a switch on links of 1 ns per byte with these delays, packets of 1000 bytes, room for this number of
/// blocks on every link, data and control packets in one VL.
fn star(delays: &[u64], blocks: u64) -> Scene {
    let mut fabric = Fabric::default();
    for _ in delays {
        fabric.add_host();
    }
    let switch = fabric.add_switch();
    for (host, &delay) in delays.iter().enumerate() {
        fabric.connect(host, switch, 8_000_000_000, delay);
    }
    let mut scene = Scene::new(fabric);
    scene.packets = PacketSizes { mtu: 1000, header: 0, control: 64 };
    scene.credits = Some(Credits {
        buffer: 64 * blocks,
        data_lane: 0,
        control_lane: 0,
        order: Order::Voq,
        speedup: 1,
        output_buffer: 0,
        forwarding: Forwarding::StoreAndForward,
        latency: 0,
        is_ideal: false,
    });
    scene
}

/// Sends this number of packets at this time in ns.
fn send(scene: &mut Scene, at: u64, from: NodeIdx, to: NodeIdx, n_packets: u64) {
    scene.messages.push(Message { at: at * 1000, from, to, bytes: 1000 * n_packets, first_psn: 0 });
}

/// Runs a scene on both sides; returns when, in ps, the switch started packets of a kind towards host 1.
fn starts_towards_host_1(scene: Scene, kind: Kind) -> Vec<u64> {
    let paths = fabric::paths(&scene.fabric, Choice::PerQp);
    let switch = scene.fabric.n_nodes() - 1;
    let (_, outcome) = compare(RoceScene { seed: 0, scene, paths });
    let hops = outcome.hops.iter().filter(|hop| (hop.node, hop.next, hop.packet.kind) == (switch, 1, kind));
    hops.map(|hop| hop.started_at).collect()
}

#[test]
fn a_packet_staged_without_credits_starts_when_they_arrive() {
    let mut scene = star(&[1_000_000; 3], 16);
    scene.credits.as_mut().expect("the scene has credits").output_buffer = 1000;
    send(&mut scene, 0, 0, 1, 1);
    send(&mut scene, 2100, 2, 1, 1);
    // The first packet leaves at 2000 ns, and its credits return at 5000. The second one is ready and is staged at
    // 4100, in transfer until 5100.
    assert_eq!(starts_towards_host_1(scene, Kind::Data), [2_000_000, 5_000_000]);
}

#[test]
fn credits_of_a_packet_of_a_train_wait_for_its_last_bit() {
    let mut scene = star(&[1_000_000; 4], 20);
    let credits = scene.credits.as_mut().expect("the scene has credits");
    (credits.speedup, credits.output_buffer) = (4, 100_000);
    credits.forwarding = Forwarding::CutThrough { header: 64 };
    send(&mut scene, 0, 2, 3, 1);
    for (at, to, bytes) in [(100_000, 3, 148), (100_001, 3, 500), (100_002, 1, 1000)] {
        scene.messages.push(Message { at, from: 0, to, bytes, first_psn: 0 });
    }
    // Host 2's header is ready at 1064 ns, and its transfer takes 250. The second packet of host 0, sent from 248 ns
    // on, is ready at 1312, and leaves the buffer when it is whole, at 1748, though its part of the transfer has ended
    // at 1476. So host 0 starts its third one, which needs 16 of 20 blocks, at 2748 ns.
    assert_eq!(starts_towards_host_1(scene, Kind::Data), [3_812_000]);
}

#[test]
fn an_ingress_behind_a_holder_is_served_when_the_holder_is_busy() {
    let mut scene = star(&[1_000_000, 10_000_000, 1_000_000, 1_000_000], 33);
    send(&mut scene, 0, 0, 1, 2);
    send(&mut scene, 1010, 2, 1, 1);
    send(&mut scene, 0, 1, 3, 1);
    send(&mut scene, 13_000, 2, 0, 1);
    // Host 0's packets leave one block at host 1. Host 2's, ready since 3010 ns, has too few credits and blocks host
    // 3's ACK, ready since 14,064 ns, until host 2's packet for host 0 arrives and occupies the ingress, at 15,000 ns.
    assert_eq!(starts_towards_host_1(scene, Kind::Ack)[0], 15_000_000);
}

#[test]
fn scenes_with_credits_keep_all_invariants_and_cover_all_cases() {
    let played: Vec<(RoceScene, Outcome)> = (0..N_PLAYED)
        .map(|seed| {
            let scene = RoceScene::with_credits(seed);
            let outcome = scene.play();
            check(&scene, &outcome);
            switches_forward_no_sooner_than_they_may(&scene, &outcome);
            crossbar::check(&scene, &outcome);
            (scene, outcome)
        })
        .collect();
    cover_much(&played);
}

/// The scene of this number, with an ideal crossbar in every switch.
fn with_an_ideal_crossbar(seed: u64) -> RoceScene {
    let mut scene = RoceScene::with_credits(seed);
    scene.scene.credits.as_mut().expect("there are credits").is_ideal = true;
    scene
}

#[test]
fn engine_and_reference_agree_on_an_ideal_crossbar_packet_for_packet() {
    let untied = (0..N_IDEAL).filter(|&seed| compare(with_an_ideal_crossbar(seed)).1.ties() == 0);
    assert!(untied.count() as u64 > N_IDEAL * 9 / 10, "too many scenes had ties");
}

#[test]
fn scenes_with_an_ideal_crossbar_keep_all_invariants() {
    for seed in 0..N_IDEAL {
        let scene = with_an_ideal_crossbar(seed);
        let outcome = scene.play();
        check(&scene, &outcome);
        crossbar::check(&scene, &outcome);
        let begins_at_once = |transfer: &Transfer| transfer.begins_at == transfer.granted_at;
        let mut heads = outcome.transfers.iter().filter(|transfer| transfer.index == 0);
        assert!(heads.all(begins_at_once), "scene {seed}");
    }
}

/// The transmission of a packet at a switch starts after it could be handled.
fn switches_forward_no_sooner_than_they_may(scene: &RoceScene, outcome: &Outcome) {
    let fabric = &scene.scene.fabric;
    for hop in outcome.hops.iter().filter(|hop| !fabric.is_host(hop.node)) {
        let same = |other: &&Hop| {
            other.next == hop.node && other.handled_at <= Some(hop.started_at) && other.packet == hop.packet
        };
        let came = outcome.hops.iter().filter(same).filter(|other| other.handled_at.is_some()).count();
        let left = |other: &&Hop| {
            other.node == hop.node && other.started_at <= hop.started_at && other.packet == hop.packet
        };
        assert!(came >= outcome.hops.iter().filter(left).count(), "scene {}, {hop:?}", scene.seed);
    }
}

/// Fails unless every rule of credits matters in some of the scenes: with another setting their results differ.
fn cover_much(played: &[(RoceScene, Outcome)]) {
    let given = |scene: &RoceScene| scene.scene.credits.clone().expect("there are credits");
    let matters = |change: &dyn Fn(&mut Credits)| {
        let differs = |(scene, outcome): &&(RoceScene, Outcome)| {
            let mut changed = scene.clone();
            changed.scene.credits.as_mut().map(change);
            changed.play().hops != outcome.hops
        };
        played.iter().filter(differs).count()
    };
    let met = |holds: &dyn Fn(&RoceScene, &Outcome) -> bool| {
        played.iter().filter(|(scene, outcome)| holds(scene, outcome)).count()
    };
    let chosen = |choice| met(&|scene, _| scene.paths.choice == choice && has_choice(scene));
    let recovery = |is: fn(Recovery) -> bool| met(&|scene, _| is(scene.scene.transport.recovery));
    let transfer = |holds: fn(&Transfer) -> bool| met(&|_, outcome| outcome.transfers.iter().any(holds));
    let passes = |transfer: &Transfer| transfer.ingress != transfer.holder;
    let claims = |transfer: &Transfer| transfer.n_passed >= 4;
    let is_ahead = |transfer: &Transfer| {
        transfer.index == 0 && transfer.begins_at > transfer.granted_at && transfer.n_passed < 4
    };
    let is_third = |transfer: &Transfer| transfer.index >= 2;
    let counts = [
        ("busy ingresses", matters(&|credits| credits.is_ideal = true), 150),
        ("passed", transfer(passes), 60),
        ("claimed", transfer(claims), 15),
        ("ahead of time", transfer(is_ahead), 30),
        ("trains of three", transfer(is_third), 50),
        ("data's turn", met(&data_had_the_turn), 8),
        ("untied", met(&|_, outcome| outcome.ties() == 0), 300),
        ("room", matters(&|credits| credits.buffer += 1_000_000), 150),
        ("order", matters(&|credits| credits.order = other(credits.order)), 80),
        ("speedup", matters(&|credits| credits.speedup = 4), 150),
        ("output buffer", matters(&|credits| credits.output_buffer = 0), 60),
        ("cut-through", matters(&|credits| credits.forwarding = Forwarding::StoreAndForward), 60),
        ("latency", matters(&|credits| credits.latency = 0), 100),
        ("lanes", matters(&|credits| credits.control_lane = credits.data_lane), 150),
        ("one lane", met(&|scene, _| given(scene).control_lane == given(scene).data_lane), 50),
        ("hash", chosen(Choice::PerQp), 20),
        ("spray", chosen(Choice::Spray), 20),
        ("round robin", chosen(Choice::RoundRobin), 20),
        ("adaptive", chosen(Choice::Adaptive), 20),
        ("go_back_n", recovery(|recovery| recovery == Recovery::GoBackN), 50),
        ("nic_sr", recovery(|recovery| recovery == Recovery::NicSr), 50),
        ("irn", recovery(|recovery| matches!(recovery, Recovery::Irn { .. })), 50),
        ("ideal", recovery(|recovery| recovery == Recovery::Ideal), 50),
        ("lost", met(&|_, outcome| !outcome.drops.is_empty()), 20),
        ("nack", met(&|_, outcome| outcome.hops.iter().any(|hop| hop.packet.kind == Kind::Nack)), 20),
        ("timeout", met(&|_, outcome| outcome.messages.iter().any(|fate| fate.timeouts > 0)), 10),
    ];
    let few: Vec<_> = counts.iter().filter(|(_, met, least)| met < least).collect();
    assert!(few.is_empty(), "too few scenes: {few:?} of {counts:?}");
}

/// Whether data had the turn at a NIC when it started a data packet, and a control packet waited for the end of the
/// turn.
fn data_had_the_turn(scene: &RoceScene, outcome: &Outcome) -> bool {
    let credits = scene.scene.credits.as_ref().expect("there are credits");
    let blocks = |bytes: u64| bytes.div_ceil(64);
    let full = blocks(scene.scene.packets.mtu + scene.scene.packets.header);
    let mut hosts = (0..scene.scene.fabric.n_nodes()).filter(|&node| scene.scene.fabric.is_host(node));
    credits.data_lane == credits.control_lane
        && hosts.any(|host| {
            let hops: Vec<_> = outcome.hops.iter().filter(|hop| hop.node == host).collect();
            let mut since_data = 0;
            hops.windows(2).any(|pair| {
                let had_turn = since_data >= full;
                since_data += blocks(pair[0].packet.bytes);
                if pair[0].packet.kind != Kind::Data {
                    return false;
                }
                since_data = 0;
                let rate = u128::from(scene.scene.fabric.link(host, 0).rate);
                let time = (u128::from(pair[0].packet.bytes) * 8_000_000_000_000).div_ceil(rate) as u64;
                let is_behind = pair[1].started_at == pair[0].started_at + time;
                had_turn && is_behind && pair[1].packet.kind.is_control()
            })
        })
}

fn other(order: Order) -> Order {
    match order {
        Order::Fifo => Order::Voq,
        Order::Voq => Order::Fifo,
    }
}

/// Whether some switch has several paths to some host.
fn has_choice(scene: &RoceScene) -> bool {
    scene.paths.candidates.iter().flatten().any(|ports| ports.len() > 1)
}
