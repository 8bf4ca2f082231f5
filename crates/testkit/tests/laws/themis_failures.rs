//! Themis in a fabric with a failing link: once the failure is reported, each flow keeps to one path and NACKs pass, or
//! packets are sprayed over the remaining paths; every lost packet is counted.

use std::collections::{BTreeMap, BTreeSet};

use netloom_engine::{Extensions, Options, Status};
use netloom_model::{
    FailureAwareness, Fault, FaultAction, Model, NackReaction, Rdma, ReroutePaths, TransportKind,
};
use netloom_policy::edge;
use netloom_policy::transport::Reliability;
use netloom_records::{Fate, PacketKind, PacketRow};
use netloom_testkit::fixture::{
    Cable, Clos, ListedWork, Run, Sending, ThreeTiers, everything_joined, model, policy, simulate,
    simulate_with,
};
use netloom_units::{Bytes, Duration, HostId, LinkId, NodeId, Time, Value};

use crate::named_paths::named;
use crate::rdma::rdma;

const CLOS: (u32, u32, u32) = (4, 4, 2);
const N_HOSTS: u32 = CLOS.0 * CLOS.2;
/// From leaf 0 to spine 1.
const LINK: LinkId = LinkId(N_HOSTS + 1);
const LEAF: NodeId = NodeId(N_HOSTS);
const DOWN: Time = Time(60_000_000);
/// The first snapshot after the failure.
const REPORTED: Time = Time(80_000_000);
const UP: Time = Time(175_000_000);
const RECOVERY_REPORTED: Time = Time(180_000_000);

fn on_nics(mut model: Model, failure: &'static str) -> Model {
    let timeout = Duration::from_micros(200);
    let rdma = Rdma { nack: NackReaction::AsCnp, timeout, timeout_low: timeout, ..rdma(Reliability::NicSr) };
    model.transport.kind = TransportKind::Rdma(rdma);
    model.classes.control = 1;
    model.awareness = FailureAwareness::Global(ReroutePaths::Shortest);
    model.coordination_delay = Duration::from_micros(20);
    let themis = edge::Chosen::named("themis");
    // Receivers are sent more than their link carries: rings cover the packets that wait for the last hop.
    let settings =
        themis.settings.with("failure", Value::Choice(failure)).with("entries", Value::Count(4_096));
    model.balances.edge = Some(edge::Chosen { settings, ..themis });
    model
}

fn broken(failure: &'static str) -> Model {
    broken_with(failure, 0)
}

/// The path over each spine is longer by this delay than the path over the preceding one, in ps.
fn broken_with(failure: &'static str, longer: u64) -> Model {
    let clos = Clos::new(CLOS.0, CLOS.1, CLOS.2);
    let cable = |spine: u32| Cable::new(clos.fabric.rate.0, clos.fabric.delay.0 + u64::from(spine) * longer);
    let mut model = model(clos.wiring_with(|_| clos.host, |_, spine| cable(spine)));
    model.balances.switch = policy("psn_spray", &[]);
    model.faults = vec![
        Fault { at: DOWN, link: LINK, action: FaultAction::Down },
        Fault { at: UP, link: LINK, action: FaultAction::Up },
    ];
    model.recording.packets_from = (0..N_HOSTS).map(HostId).collect();
    on_nics(model, failure)
}

/// Every host sends to all hosts below other leaves, for some 300 us.
fn work() -> ListedWork {
    let pairs = (0..N_HOSTS).flat_map(|from| (0..N_HOSTS).map(move |to| (from, to)));
    let far = pairs.filter(|(from, to)| from / CLOS.2 != to / CLOS.2);
    ListedWork::new(&far.map(|(from, to)| Sending::new(0, from, to, 500_000)).collect::<Vec<_>>())
}

/// Data that leaf 0 sent towards spines between two instants: sequence numbers and ports, by flow.
fn sprayed(run: &Run, (from, to): (Time, Time)) -> BTreeMap<(HostId, HostId), Vec<(u32, u32)>> {
    let mut flows: BTreeMap<_, Vec<(u32, u32)>> = BTreeMap::new();
    let up = |row: &&PacketRow| row.node == LEAF && row.hop == 1 && row.kind == PacketKind::Data;
    for row in run.records.packets.iter().filter(up) {
        if row.arrival > from && row.arrival < to {
            let port = row.port.expect("a live one was chosen").0;
            flows.entry((row.source, row.destination)).or_default().push((row.packet, port));
        }
    }
    assert_eq!(flows.len(), 12, "two hosts send to six");
    flows
}

fn n_ports(sent: &[(u32, u32)]) -> usize {
    sent.iter().map(|(_, port)| port).collect::<BTreeSet<_>>().len()
}

#[track_caller]
fn expect_nothing_lost_silently(run: &Run) {
    let with = |fate: Fate| {
        let data = run.records.packets.iter().filter(|row| row.kind == PacketKind::Data);
        data.filter(|row| row.fate == fate).count() as u64
    };
    let (delivered, dropped) = (with(Fate::Delivered), with(Fate::Dropped));
    assert_eq!(run.outcome.packets, delivered + dropped + with(Fate::Unfinished));
    let named: u64 = run.records.drops.iter().map(|drop| drop.packets).sum();
    let all_dropped = run.records.packets.iter().filter(|row| row.fate == Fate::Dropped).count() as u64;
    assert_eq!(named, all_dropped);
    assert!(dropped > 0 && dropped <= named, "the link fails under load");
}

#[test]
fn a_reported_failure_makes_every_flow_keep_to_one_path() {
    let run = simulate(&broken("ecmp"), work());
    assert_eq!(run.outcome.status, Status::Complete);
    assert!(sprayed(&run, (Time::ZERO, DOWN)).values().all(|sent| n_ports(sent) == 4));
    assert!(sprayed(&run, (REPORTED, UP)).values().all(|sent| n_ports(sent) == 1));
    assert!(sprayed(&run, (RECOVERY_REPORTED, Time::NEVER)).values().any(|sent| n_ports(sent) == 4));
    expect_nothing_lost_silently(&run);
}

#[test]
fn other_switches_fall_back_only_when_they_are_notified() {
    let other = |row: &&PacketRow| row.node == NodeId(LEAF.0 + 1) && row.hop == 1;
    for (awareness, n_expected) in
        [(FailureAwareness::Global(ReroutePaths::Shortest), 1), (FailureAwareness::Local, 4)]
    {
        let run = simulate(&Model { awareness, ..broken("ecmp") }, work());
        let late = run.records.packets.iter().filter(other).filter(|row| {
            row.kind == PacketKind::Data && row.arrival > REPORTED && row.arrival < UP && row.port.is_some()
        });
        let mut ports: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        late.for_each(|row| {
            ports.entry((row.source, row.destination)).or_default().insert(row.port);
        });
        assert!(ports.values().all(|ports| ports.len() == n_expected), "{awareness:?}: {ports:?}");
    }
}

#[test]
fn during_fallback_every_nack_is_forwarded() {
    // The link is down, and known to be, from the start: no NACK is suppressed, and losses on links are reported by
    // NACKs.
    let mut model = broken("ecmp");
    model.faults = vec![Fault { at: Time::ZERO, link: LINK, action: FaultAction::Down }];
    model.loss = (1 << 32) / 500;
    let run = simulate(&model, work());
    assert_eq!(run.outcome.status, Status::Complete);
    let sum =
        |read: fn(&netloom_records::SignalRow) -> u64| run.records.signals.iter().map(read).sum::<u64>();
    assert_eq!(sum(|row| row.nacks_suppressed) + sum(|row| row.nacks_generated), 0);
    assert!(sum(|row| row.nacks_forwarded) > 20);
}

#[test]
fn packets_are_sprayed_over_the_remaining_paths_by_sequence_number() {
    let run = simulate(&broken("subset"), work());
    assert_eq!(run.outcome.status, Status::Complete);
    for sent in sprayed(&run, (REPORTED, UP)).values() {
        assert_eq!(n_ports(sent), 3);
        let by_number: BTreeSet<_> = sent.iter().map(|(psn, port)| (psn % 3, *port)).collect();
        assert_eq!(by_number.len(), 3, "each number modulo three has its own path: {by_number:?}");
    }
    expect_nothing_lost_silently(&run);
    // A failure known from the start does no harm: despite much reordering, no packet is retransmitted.
    let mut model = broken_with("subset", 400_000);
    model.faults = vec![Fault { at: Time::ZERO, link: LINK, action: FaultAction::Down }];
    let run = simulate(&model, work());
    assert!(run.records.repairs.iter().all(|row| row.retransmitted == 0));
    assert!(run.records.drops.is_empty());
    let nacks: u32 = run.records.repairs.iter().map(|row| row.nacks).sum();
    assert!(nacks > 1_000, "{nacks} NACKs were suppressed");
}

#[test]
fn losses_of_a_link_failure_are_counted_and_do_not_depend_on_execution_options() {
    for failure in ["ecmp", "subset"] {
        for deadline in [None, Some(Time(90_000_000))] {
            let model = Model { deadline, ..broken(failure) };
            let run = simulate(&model, work());
            expect_nothing_lost_silently(&run);
            let plain = Options::default();
            for variant in [
                Options { threads: 2, ..plain },
                Options { coarsen: 2, shortcut: false, ..plain },
                everything_joined(),
            ] {
                let other = simulate_with(&model, work(), variant, Extensions::default());
                assert!(other.records == run.records, "{failure} {deadline:?} {variant:?}");
            }
        }
    }
}

#[test]
fn over_three_tiers_a_failed_core_link_makes_every_flow_keep_to_one_path() {
    let tree = ThreeTiers::new(4);
    let mut model = named(&tree);
    model.transport.packet = Bytes(1_000);
    model.faults =
        vec![Fault { at: Time(30_000_000), link: LinkId(tree.core_link(0, 1)), action: FaultAction::Down }];
    model.recording.packets_from = vec![HostId(12)];
    let work = ListedWork::new(&[Sending::new(0, 12, 9, 1_000_000), Sending::new(0, 0, 5, 1_000_000)]);
    let run = simulate(&on_nics(model, "ecmp"), work);
    assert_eq!(run.outcome.status, Status::Complete);
    let cores = |(from, to): (Time, Time)| {
        let at = |row: &&PacketRow| row.hop == 2 && row.kind == PacketKind::Data;
        let rows = run.records.packets.iter().filter(at);
        rows.filter(|row| row.arrival > from && row.arrival < to).map(|row| row.port).collect::<BTreeSet<_>>()
    };
    assert_eq!(cores((Time::ZERO, Time(30_000_000))).len(), 4);
    assert_eq!(cores((Time(42_000_000), Time::NEVER)).len(), 1);
}
