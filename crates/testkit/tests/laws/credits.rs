//! Links with credits: no packet is dropped, a link carries what its buffer allows, ingresses are served in turn, and
//! records do not depend on execution options.

use netloom_engine::{Extensions, Options, Status};
use netloom_model::{
    Credits, FabricBuilder, Forwarding, InputOrder, Model, NackReaction, Rdma, TransportKind,
};
use netloom_policy::transport::Reliability;
use netloom_testkit::fixture::{
    Cable, Clos, ListedWork, Run, Sending, Wiring, chain, everything_joined, model, policy, simulate,
    simulate_with, star,
};
use netloom_units::{Bytes, Duration, Random, Rate, Time};

use crate::rdma::rdma;

pub const PACKET: u64 = 4096;
const RATE: u64 = 200_000_000_000;
/// Serialization of a packet, in ps.
const SERIALIZATION: u64 = PACKET * 40;
/// Delay of each link, in ps.
const DELAY: u64 = 500_000;
pub const CABLE: Cable = Cable::new(RATE, DELAY);

/// A crossbar as fast as its links, without output buffers.
pub fn plain(buffer: u64) -> Credits {
    Credits {
        buffer: Bytes(buffer),
        vls: [0, 0, 0, 0, 0, 1, 0, 0],
        n_steps: 1,
        order: InputOrder::Voq,
        speedup: 1,
        output_buffer: Bytes(0),
        forwarding: Forwarding::StoreAndForward,
        latency: Duration::ZERO,
        is_ideal: false,
    }
}

pub fn lossless(wiring: Wiring, credits: Credits) -> Model {
    let mut model = model(wiring);
    model.transport.packet = Bytes(PACKET);
    model.transport.kind = TransportKind::Rdma(Rdma {
        header: Bytes(0),
        nack: NackReaction::Ignore,
        timeout: Duration::from_micros(1_000_000),
        timeout_low: Duration::from_micros(1_000_000),
        ..rdma(Reliability::Ideal)
    });
    model.classes.control = 5;
    model.queues.credits = Some(credits);
    model
}

/// Packets of each message that have arrived by the end of the run, in the order of senders.
fn shares(run: &Run) -> Vec<f64> {
    let mut rows: Vec<_> = run.records.flows.iter().map(|row| (row.source, f64::from(row.packets))).collect();
    rows.sort_by_key(|row| row.0);
    let all: f64 = rows.iter().map(|row| row.1).sum();
    rows.into_iter().map(|(_, packets)| packets / all).collect()
}

#[test]
fn throughput_of_a_link_is_limited_by_buffer_over_round_trip() {
    let round_trip = 2 * DELAY + 2 * SERIALIZATION;
    for packets in 1..12 {
        let buffer = packets * PACKET;
        let model = lossless(chain(&[CABLE, CABLE]), plain(buffer));
        let size = 2_000 * PACKET;
        let run = simulate(&model, ListedWork::new(&[Sending::new(0, 0, 1, size)]));
        let end = run.records.flows[0].end.expect("it has arrived");
        let share = (2_000 * SERIALIZATION) as f64 / end.0 as f64;
        let allowed = ((packets * SERIALIZATION) as f64 / round_trip as f64).min(1.0);
        assert!((share / allowed - 1.0).abs() < 0.02, "{packets} packets: {share} of {allowed}");
        assert!(run.records.drops.is_empty());
    }
}

#[test]
fn latency_of_a_packet_follows_the_formulas() {
    let latency = Duration(130_000);
    let header = Bytes(64);
    for (forwarding, per_switch) in [
        (Forwarding::StoreAndForward, SERIALIZATION + latency.0),
        (Forwarding::CutThrough { header }, 64 * 40 + latency.0),
    ] {
        for (speedup, output_buffer) in [(1, 0), (2, 4 * PACKET)] {
            let output_buffer = Bytes(output_buffer);
            let credits = Credits { forwarding, latency, speedup, output_buffer, ..plain(10 * PACKET) };
            let model = lossless(chain(&[CABLE; 4]), credits);
            let run = simulate(&model, ListedWork::new(&[Sending::new(7, 0, 1, PACKET)]));
            let expected = 7 + 4 * DELAY + SERIALIZATION + 3 * per_switch;
            assert_eq!(run.records.flows[0].end, Some(Time(expected)), "{forwarding:?} {speedup}");
        }
    }
}

/// Switches in a chain, a host at each, and a receiver at the last.
fn parking_lot(n_senders: u32) -> Wiring {
    let mut builder = FabricBuilder::new(n_senders + 1, n_senders);
    for sender in 0..n_senders {
        CABLE.lay(&mut builder, sender, n_senders + 1 + sender);
    }
    for switch in 1..n_senders {
        CABLE.lay(&mut builder, n_senders + switch, n_senders + 1 + switch);
    }
    CABLE.lay(&mut builder, 2 * n_senders, n_senders);
    Wiring::shortest(builder)
}

#[test]
fn in_a_parking_lot_the_nearest_sender_gets_half() {
    for (order, speedup, output_buffer) in
        [(InputOrder::Voq, 1, 0), (InputOrder::Fifo, 1, 0), (InputOrder::Voq, 2, 4 * PACKET)]
    {
        let credits = Credits { order, speedup, output_buffer: Bytes(output_buffer), ..plain(16 * PACKET) };
        let mut model = lossless(parking_lot(4), credits);
        model.deadline = Some(Time(2_000_000_000));
        let sendings: Vec<Sending> = (0..4).map(|host| Sending::new(0, host, 4, 1 << 30)).collect();
        let run = simulate(&model, ListedWork::new(&sendings));
        for (share, expected) in shares(&run).into_iter().zip([0.125, 0.125, 0.25, 0.5]) {
            assert!((share / expected - 1.0).abs() < 0.01, "{order:?}: {share} of {expected}");
        }
    }
}

/// The throughput of uniform traffic between 32 hosts at one switch, as a share of their link rates.
fn saturation(credits: Credits) -> f64 {
    const HOSTS: u32 = 32;
    let mut random = Random::stream(5, 5, 5);
    let mut sendings = Vec::new();
    for _ in 0..1_500 {
        for host in 0..HOSTS {
            let to = (host + 1 + random.below(HOSTS - 1)) % HOSTS;
            sendings.push(Sending::new(0, host, to, PACKET));
        }
    }
    let mut model = lossless(star(HOSTS, CABLE), credits);
    let [warm, end] = [200, 800].map(|packets| packets * SERIALIZATION);
    model.deadline = Some(Time(end));
    let run = simulate(&model, ListedWork::new(&sendings));
    let came = run.records.flows.iter().filter_map(|row| row.end).filter(|at| at.0 >= warm).count();
    came as f64 * SERIALIZATION as f64 / (f64::from(HOSTS) * (end - warm) as f64)
}

#[test]
fn fifo_queues_saturate_by_head_of_line_blocking_and_virtual_output_queues_do_not() {
    let fifo = saturation(Credits { order: InputOrder::Fifo, ..plain(64 * PACKET) });
    assert!((0.57..0.62).contains(&fifo), "2 - sqrt 2 at large radix: {fifo}");
    let voq = saturation(Credits { speedup: 2, output_buffer: Bytes(4 * PACKET), ..plain(64 * PACKET) });
    assert!(voq > 0.95, "{voq}");
}

/// A leaf-spine Clos of links of two rates under random messages.
pub fn busy(credits: Credits, policy_name: &str) -> (Model, ListedWork) {
    let mut clos = Clos::new(3, 2, 3);
    clos.host = Cable::new(RATE / 2, 300_000);
    let mut model = lossless(clos.wiring(), credits);
    model.balances.switch = policy(policy_name, &[]);
    model.coordination_delay = Duration(5_000_000);
    let mut random = Random::stream(9, 9, 9);
    let sending = |_| {
        let from = random.below(9);
        let to = (from + 1 + random.below(8)) % 9;
        Sending::new(u64::from(random.below(20)) * 1_000_000, from, to, 1 + u64::from(random.below(300_000)))
    };
    (model, ListedWork::new(&(0..60).map(sending).collect::<Vec<_>>()))
}

#[test]
fn execution_options_do_not_change_records() {
    let quick = Credits { speedup: 2, output_buffer: Bytes(2 * PACKET), ..plain(3 * PACKET) };
    let cut = Forwarding::CutThrough { header: Bytes(64) };
    for credits in [
        plain(PACKET),
        Credits { order: InputOrder::Fifo, vls: [0; 8], ..plain(2 * PACKET) },
        quick,
        Credits { forwarding: cut, latency: Duration(100_000), speedup: 3, ..quick },
    ] {
        for policy in ["ecmp", "round_robin", "adaptive"] {
            let (mut model, work) = busy(credits, policy);
            model.recording.packets_from = vec![netloom_units::HostId(0)];
            let first = simulate(&model, work.clone());
            assert_eq!(first.records.flows.iter().filter(|row| row.end.is_some()).count(), 60);
            assert!(first.records.drops.is_empty());
            let plain = Options::default();
            for variant in [
                Options { threads: 2, ..plain },
                Options { coarsen: 2, shortcut: false, ..plain },
                Options { threads: 2, ..everything_joined() },
            ] {
                let run = simulate_with(&model, work.clone(), variant, Extensions::default());
                assert!(run.records == first.records, "{credits:?} {policy} {variant:?}");
            }
        }
    }
}

/// When messages between eight hosts arrive, at a switch with this many ports; the engine must see each start of a packet
/// if packets are recorded.
fn ends_at_a_switch(n_ports: u32, credits: Credits, is_recorded: bool) -> Vec<(u32, Option<Time>)> {
    let mut model = lossless(star(n_ports, CABLE), Credits { vls: [0; 8], ..credits });
    if is_recorded {
        model.recording.packets_from = vec![netloom_units::HostId(0)];
    }
    let mut random = Random::stream(11, 3, 2);
    let sending = |_| {
        let from = random.below(8);
        let to = (from + 1 + random.below(7)) % 8;
        Sending::new(u64::from(random.below(20)) * 1_000_000, from, to, 1 + u64::from(random.below(300_000)))
    };
    let run = simulate(&model, ListedWork::new(&(0..80).map(sending).collect::<Vec<_>>()));
    let mut ends: Vec<_> = run.records.flows.iter().map(|row| (row.number, row.end)).collect();
    ends.sort_unstable();
    ends
}

#[test]
fn idle_ports_and_recording_change_no_arrival() {
    let cut_through = Forwarding::CutThrough { header: Bytes(64) };
    for (order, forwarding) in [
        (InputOrder::Voq, cut_through),
        (InputOrder::Fifo, cut_through),
        (InputOrder::Voq, Forwarding::StoreAndForward),
    ] {
        for (speedup, packets) in [(1, 0), (2, 1), (2, 2), (2, 4), (3, 4)] {
            let output_buffer = Bytes(packets * PACKET);
            let credits = Credits { order, forwarding, speedup, output_buffer, ..plain(4 * PACKET) };
            let expected = ends_at_a_switch(8, credits, false);
            assert!(expected.iter().all(|(_, end)| end.is_some()));
            for (n_ports, is_recorded) in [(8, true), (63, false), (64, false), (130, false), (130, true)] {
                let ends = ends_at_a_switch(n_ports, credits, is_recorded);
                assert_eq!(ends, expected, "{n_ports} ports, recorded: {is_recorded}, {credits:?}");
            }
        }
    }
}

#[test]
fn an_incast_loses_no_packet() {
    for packets in [1, 2, 5] {
        let model = lossless(star(9, CABLE), plain(packets * PACKET));
        let sendings: Vec<Sending> = (0..8).map(|host| Sending::new(0, host, 8, 50 * PACKET)).collect();
        let run = simulate(&model, ListedWork::new(&sendings));
        assert!(run.records.drops.is_empty());
        let last = run.records.flows.iter().filter_map(|row| row.end).max().expect("all have arrived");
        let least = Rate(RATE).serialization(Bytes(8 * 50 * PACKET)).0;
        assert!(last.0 >= least, "{packets}: {last:?}");
    }
}

/// Five switches in a ring, a host at each.
fn ring_of_five() -> Wiring {
    let mut builder = FabricBuilder::new(5, 5);
    (0..5).for_each(|host| CABLE.lay(&mut builder, host, 5 + host));
    (0..5).for_each(|switch| CABLE.lay(&mut builder, 5 + switch, 5 + (switch + 1) % 5));
    Wiring::shortest(builder)
}

#[test]
fn a_deadlock_of_buffers_is_detected_and_reported() {
    for (order, output_buffer) in [(InputOrder::Voq, 0), (InputOrder::Fifo, 0), (InputOrder::Voq, 2 * PACKET)]
    {
        let credits = Credits { order, output_buffer: Bytes(output_buffer), ..plain(2 * PACKET) };
        // Every host sends over one switch in between, all in one direction.
        let sendings: Vec<Sending> =
            (0..5).map(|host| Sending::new(0, host, (host + 2) % 5, 1 << 20)).collect();
        let model = lossless(ring_of_five(), credits);
        let run = simulate(&model, ListedWork::new(&sendings));
        let Status::Deadlock(deadlock) = &run.outcome.status else { panic!("{:?}", run.outcome.status) };
        assert!(run.outcome.end <= Time(1_000_000_000), "{:?}", run.outcome.end);
        let nodes: Vec<(u32, u32)> = deadlock
            .cycle
            .iter()
            .map(|&port| (model.fabric.port(port).node.0, model.fabric.neighbour(port).0))
            .collect();
        assert_eq!(nodes.len(), 5, "{nodes:?}");
        for (number, (from, to)) in nodes.iter().enumerate() {
            assert!(*to == 5 + (from - 5 + 1) % 5 && nodes[(number + 1) % 5].0 == *to, "{nodes:?}");
        }
        assert_eq!(deadlock.unfinished, 5);
    }
}
