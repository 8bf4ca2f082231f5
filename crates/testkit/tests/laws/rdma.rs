//! RDMA: with losses, pauses and reordering all messages arrive in the end, every lost packet is counted, and records
//! do not depend on execution options.

use std::collections::BTreeSet;

use netloom_engine::{Extensions, Options};
use netloom_model::{
    Buffer, FailureAwareness, Fault, FaultAction, Marking, Model, NackReaction, Pause, QueuePairs, Rdma,
    ReroutePaths, Sizes, TransportKind,
};
use netloom_policy::transport::Reliability;
use netloom_records::{DropReason, PacketRow};
use netloom_testkit::fixture::{
    Cable, Clos, ListedWork, Run, Sending, everything_joined, model, policy, simulate, simulate_with,
};
use netloom_units::{Bytes, Duration, LinkId, Time};

use crate::cases::{DAMAGES, Damage, damage, traffic};

const N_HOSTS: u32 = 12;
pub const RULES: [Reliability; 4] =
    [Reliability::GoBackN, Reliability::NicSr, Reliability::Irn, Reliability::Ideal];

/// A transport with small packets and short timeouts.
pub fn rdma(rule: Reliability) -> Rdma {
    Rdma {
        rule,
        header: Bytes(62),
        control: Bytes(64),
        queue_pairs: QueuePairs::Message,
        first_psn: 0xff_fff0,
        coalesce: 1,
        turn: Bytes(0),
        timeout: Duration::from_micros(100),
        timeout_low: Duration::from_micros(60),
        retries: 50,
        window: 40,
        nack: NackReaction::AsCnp,
    }
}

/// What switches do with packets: endless queues, drops, pauses, corruption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switches {
    Endless,
    Lossy,
    Lossless,
    Corrupting,
}

pub const SWITCHES: [Switches; 4] =
    [Switches::Endless, Switches::Lossy, Switches::Lossless, Switches::Corrupting];

fn clos(host_delay: u64) -> Model {
    let mut clos = Clos::new(4, 3, N_HOSTS / 4);
    clos.host = Cable::new(50_000_000_000, host_delay);
    let mut model = model(clos.wiring());
    model.coordination_delay = Duration(5_000_000);
    model.classes.control = 5;
    model.balances.switch = policy("spray", &[]);
    model.queues.marking = Some(Marking {
        minimum: Bytes(3_000),
        maximum: Bytes(9_000),
        probability: 1 << 31,
        at_enqueue: false,
    });
    model
}

pub fn with(rule: Reliability, switches: Switches, host_delay: u64) -> Model {
    let mut model = clos(host_delay);
    model.transport.kind = TransportKind::Rdma(rdma(rule));
    let lossy = Buffer { size: Bytes(30_000), alpha: 512, pause: None };
    let pause = Pause { headroom: None, xon_gap: Bytes(1_000) };
    match switches {
        Switches::Endless => {}
        Switches::Lossy => model.queues.buffer = Some(lossy),
        Switches::Lossless => {
            // Little beside the headroom, so that ingresses are paused all the time.
            let room = headroom(&model, &pause) + 12_000;
            model.queues.buffer = Some(Buffer { size: Bytes(room), pause: Some(pause), ..lossy });
        }
        Switches::Corrupting => model.loss = (1 << 32) / 50,
    }
    model
}

fn sizes(model: &Model) -> Sizes {
    let control = model.transport.rdma().expect("it has queue pairs").control;
    Sizes { packet: model.transport.packet, control }
}

/// The headroom of the switch that needs most.
fn headroom(model: &Model, pause: &Pause) -> u64 {
    let nodes = model.fabric.n_hosts() as u32..model.fabric.n_nodes() as u32;
    let of_node = |node| {
        let ports = model.fabric.ports_of(netloom_units::NodeId(node));
        ports.iter().map(|port| pause.headroom_of(port, &sizes(model), 1)).sum()
    };
    nodes.map(of_node).max().expect("there are switches")
}

pub fn work(seed: u64) -> ListedWork {
    ListedWork::new(&traffic(seed, N_HOSTS, 60, 9_000))
}

#[track_caller]
fn expect_all(run: &Run, what: &str) {
    let unfinished = run.records.flows.iter().filter(|flow| flow.end.is_none()).count();
    assert_eq!(unfinished, 0, "{what}: {:?}", run.outcome.status);
    assert_eq!(run.records.flows.len(), 60, "{what}");
    assert_eq!(run.records.repairs.len(), 60, "{what}");
}

#[test]
fn every_message_arrives_under_every_kind_of_switch() {
    for rule in RULES {
        for switches in SWITCHES {
            for queue_pairs in [QueuePairs::Message, QueuePairs::Pair] {
                let mut model = with(rule, switches, 1_000_000);
                model.transport.kind = TransportKind::Rdma(Rdma { queue_pairs, ..rdma(rule) });
                let run = simulate(&model, work(3));
                let what = format!("{rule:?} {switches:?} {queue_pairs:?}");
                expect_all(&run, &what);
                let drops: u64 = run.records.drops.iter().map(|drop| drop.packets).sum();
                match switches {
                    Switches::Endless | Switches::Lossless => assert_eq!(drops, 0, "{what}"),
                    Switches::Lossy | Switches::Corrupting => assert!(drops > 0, "{what}"),
                }
                let pauses: u64 = run.records.signals.iter().map(|port| port.paused.0).sum();
                assert_eq!(pauses > 0, switches == Switches::Lossless, "{what}");
            }
        }
    }
}

#[test]
fn execution_options_do_not_change_records() {
    let plain = Options::default();
    let variants = [
        Options { threads: 2, ..plain },
        Options { threads: 4, shortcut: false, ..plain },
        Options { coarsen: 2, ..plain },
        Options { coarsen: 7, shortcut: false, ..plain },
        Options { threads: 2, ..everything_joined() },
    ];
    for rule in RULES {
        for switches in SWITCHES {
            for host_delay in [1_000_000, 70_000] {
                let model = with(rule, switches, host_delay);
                let first = simulate(&model, work(5));
                for variant in variants {
                    let run = simulate_with(&model, work(5), variant, Extensions::default());
                    assert!(run.records == first.records, "{rule:?} {switches:?} {host_delay} {variant:?}");
                    assert_eq!(run.outcome.end, first.outcome.end);
                    assert_eq!(run.outcome.packets, first.outcome.packets);
                }
            }
        }
    }
}

#[test]
fn packets_dropped_by_a_full_queue_are_not_marked() {
    let mut model = with(Reliability::NicSr, Switches::Endless, 1_000_000);
    model.queues.switch_limit = Some(Bytes(2_500));
    let run = simulate(&model, work(4));
    expect_all(&run, "a short queue");
    assert!(
        run.records.drops.iter().map(|drop| drop.packets).sum::<u64>() > 100,
        "the queue is full at times"
    );
    let marked: u64 = run.records.signals.iter().map(|port| port.marked).sum();
    assert_eq!(marked, 0, "at most 2500 bytes wait, and marks begin above 3000");
}

#[test]
fn failing_links_lose_packets_but_no_message() {
    for rule in RULES {
        for (wrong, knowledge) in DAMAGES {
            let mut model = with(rule, Switches::Lossless, 1_000_000);
            damage(&mut model, wrong, N_HOSTS);
            model.awareness = knowledge;
            let run = simulate(&model, work(8));
            if wrong == Damage::Timed || knowledge == FailureAwareness::Global(ReroutePaths::Shortest) {
                expect_all(&run, &format!("{rule:?} {wrong:?} {knowledge:?}"));
            }
            let other = simulate_with(
                &model,
                work(8),
                Options { threads: 3, shortcut: false, coarsen: 3 },
                Extensions::default(),
            );
            assert!(run.records == other.records, "{rule:?} {wrong:?} {knowledge:?}");
        }
    }
}

#[test]
fn frames_lost_with_their_link_belong_to_no_message() {
    let mut model = with(Reliability::NicSr, Switches::Lossless, 1_000_000);
    let n_links = model.fabric.links().len() as u64;
    for flap in 0..6_000_u64 {
        let (link, down) = (LinkId((flap * 7 % n_links) as u32), Time(9_000_000 + flap * 61_003));
        model.faults.push(Fault { at: down, link, action: FaultAction::Down });
        model.faults.push(Fault { at: down + Duration(50_000), link, action: FaultAction::Up });
    }
    model.faults.sort_unstable();
    model.recording.packets_on = (0..n_links as u32).map(LinkId).collect();
    let run = simulate(&model, work(8));
    expect_all(&run, "flaps");
    // Neither paused nor lost packets leave a gap: a hop begins when the one before it ended.
    let name = |row: &PacketRow| (row.source, row.destination, row.number, row.kind, row.packet);
    let ended: BTreeSet<_> = run.records.packets.iter().map(|row| (name(row), row.end)).collect();
    let later = run.records.packets.iter().filter(|row| row.hop > 0);
    for row in later {
        assert!(ended.contains(&(name(row), Some(row.arrival))), "{row:?}");
    }
}

#[test]
fn half_the_headroom_is_not_enough() {
    for share in [1, 2] {
        let mut model = with(Reliability::GoBackN, Switches::Lossless, 1_000_000);
        let buffer = model.queues.buffer.expect("set above");
        let pause = buffer.pause.expect("set above");
        let each = model.fabric.ports().iter().map(|port| model.headroom_of(port));
        let full = each.max().expect("there are ports");
        let pause = Pause { headroom: Some(Bytes(full / share)), ..pause };
        let size = Bytes(7 * full / share + 12_000);
        model.queues.buffer = Some(Buffer { size, pause: Some(pause), ..buffer });
        let run = simulate(&model, work(3));
        let lost = run.records.drops.iter().any(|drop| drop.reason == DropReason::HeadroomFull);
        assert_eq!(lost, share == 2);
        expect_all(&run, "headroom");
    }
}

#[test]
fn recording_packets_does_not_change_other_rows() {
    for rule in RULES {
        let mut model = with(rule, Switches::Endless, 1_000_000);
        let silent = simulate(&model, work(5));
        model.recording.queue_packets = true;
        let counted = simulate(&model, work(5));
        assert!(counted.records.ports.iter().all(|port| port.peak_packets.is_some()), "{rule:?}");
        assert!(counted.records.flows == silent.records.flows, "{rule:?}");
        assert!(counted.records.repairs == silent.records.repairs, "{rule:?}");
    }
}

#[test]
fn nics_at_rates_without_whole_picoseconds_per_byte_send_all_messages() {
    let mut clos = Clos::new(4, 3, N_HOSTS / 4);
    clos.host = Cable::new(33_000_000_000, 1_000_000);
    for rule in RULES {
        let mut model = model(clos.wiring());
        model.coordination_delay = Duration(5_000_000);
        model.classes.control = 5;
        model.transport.kind = TransportKind::Rdma(rdma(rule));
        expect_all(&simulate(&model, work(5)), &format!("{rule:?}"));
    }
}

#[test]
fn idle_timers_do_not_prolong_a_run() {
    for rule in RULES {
        let mut model = with(rule, Switches::Endless, 1_000_000);
        if let TransportKind::Rdma(rdma) = &mut model.transport.kind {
            (rdma.timeout, rdma.timeout_low) = (Duration::from_micros(50_000), Duration::from_micros(50_000));
        }
        let whole = simulate(&model, work(3));
        expect_all(&whole, "without a deadline");
        model.deadline = Some(whole.outcome.end + Duration::from_micros(10));
        assert!(simulate(&model, work(3)).results() == whole.results(), "{rule:?}");
    }
}

/// Numbers of the messages of host 0 in the order in which their packets leave it.
fn order_of_starts(turn: u64) -> Vec<u32> {
    let mut model = model(Clos::new(2, 2, 4).wiring());
    (model.coordination_delay, model.classes.control) = (Duration(5_000_000), 5);
    model.transport.kind = TransportKind::Rdma(Rdma { turn: Bytes(turn), ..rdma(Reliability::Ideal) });
    model.recording.packets_from = vec![netloom_units::HostId(0)];
    let sendings: Vec<Sending> = (1..4).map(|to| Sending::new(0, 0, to, 20_000)).collect();
    let run = simulate(&model, ListedWork::new(&sendings));
    assert_eq!(run.outcome.status, netloom_engine::Status::Complete);
    let mut starts: Vec<&PacketRow> = run.records.packets.iter().filter(|row| row.node.0 == 0).collect();
    starts.sort_unstable_by_key(|row| row.start);
    starts.iter().map(|row| row.number).collect()
}

#[test]
fn a_queue_pair_keeps_its_turn_for_the_bytes_of_a_turn() {
    let runs = |turn: u64| {
        let order = order_of_starts(turn);
        order.chunk_by(|left, right| left == right).map(<[u32]>::len).collect::<Vec<_>>()
    };
    let by_packets = runs(0);
    assert!(by_packets.len() > 60 && by_packets.iter().all(|&n| n == 1), "{by_packets:?}");
    // Packets of 1000 bytes on the wire: a turn ends with the packet that exhausts it.
    assert!(runs(3_500).iter().all(|&n| n == 4 || n == 2), "{:?}", runs(3_500));
    assert_eq!(runs(1_000_000).len(), 3, "whole messages, one after the other");
}
