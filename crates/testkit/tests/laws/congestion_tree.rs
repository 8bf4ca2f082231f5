//! The congestion tree: the rows of ports agree with recorded packets; recording it changes no other table; it does not
//! depend on execution options, nor sums on the length of intervals.

use std::collections::{BTreeMap, BTreeSet};

use netloom_engine::{Extensions, Options};
use netloom_model::{CongestionTree, Credits, Forwarding, Model, Recording};
use netloom_records::{CongestionRow, MemorySink, PacketRow, Part, Role};
use netloom_testkit::fixture::{ListedWork, Run, Sending, everything_joined, simulate, simulate_with, star};
use netloom_units::{Bytes, Duration, HostId, PortId, Time};

use crate::credits::{CABLE, PACKET, busy, lossless, plain};

/// From 2^-32 to one.
const WHOLE: u64 = 1 << 32;

fn tree(interval: u64) -> CongestionTree {
    CongestionTree { interval: Some(Duration(interval)), threshold: Bytes(PACKET), starved: WHOLE / 10 }
}

fn recording(congestion: Option<CongestionTree>) -> Recording {
    Recording { packets_from: (0..9).map(HostId).collect(), congestion, ..Recording::default() }
}

/// A Clos under random messages, and whether packets may be forwarded before they have arrived whole.
fn scene(policy: &str, forwarding: Forwarding) -> (Model, ListedWork) {
    busy(Credits { speedup: 2, output_buffer: Bytes(2 * PACKET), forwarding, ..plain(3 * PACKET) }, policy)
}

fn recorded(model: &Model, work: &ListedWork, congestion: Option<CongestionTree>) -> Run {
    let model = Model { recording: recording(congestion), ..model.clone() };
    simulate(&model, work.clone())
}

/// The backlog of a port in an interval, from its packets: bytes times picoseconds, and the time with packets waiting.
fn waited(rows: &[PacketRow], port: PortId, span: (u64, u64)) -> (u128, u64) {
    let here = rows.iter().filter(|row| row.port == Some(port));
    let within = here.filter_map(|row| {
        let (from, to) = (row.arrival.0.max(span.0), row.start?.0.min(span.1));
        (from < to).then_some((from, to, row.size.0))
    });
    let mut intervals: Vec<(u64, u64, u64)> = within.collect();
    intervals.sort_unstable();
    let sum = intervals.iter().map(|&(from, to, bytes)| u128::from(to - from) * u128::from(bytes)).sum();
    let (mut occupied, mut until) = (0, 0);
    for (from, to, _) in intervals {
        occupied += to.max(until) - from.max(until);
        until = until.max(to);
    }
    (sum, occupied)
}

#[test]
fn recorded_backlog_agrees_with_recorded_packets() {
    for policy in ["round_robin", "ecmp"] {
        for forwarding in [Forwarding::StoreAndForward, Forwarding::CutThrough { header: Bytes(64) }] {
            let (model, work) = scene(policy, forwarding);
            let run = recorded(&model, &work, Some(tree(7_000_001)));
            let rows = &run.records.congestion;
            assert!(rows.iter().any(|row| row.mean_waiting.is_some_and(|mean| mean.0 > PACKET)));
            for row in rows.iter().filter(|row| row.mean_waiting.is_some()) {
                let (sum, occupied) = waited(&run.records.packets, row.port, (row.start.0, row.end.0));
                let span = u128::from(row.end.0 - row.start.0);
                assert_eq!(row.mean_waiting, Some(Bytes((sum / span) as u64)), "{row:?}");
                assert_eq!(row.occupied, Some(Duration(occupied)), "{row:?}");
            }
            nothing_is_left_out(&run.records);
        }
    }
}

/// Every port of a switch where a packet waited has a row in that interval.
fn nothing_is_left_out(records: &MemorySink) {
    let reported: BTreeSet<(u64, PortId)> =
        records.congestion.iter().map(|row| (row.start.0, row.port)).collect();
    for packet in records.packets.iter().filter(|packet| packet.hop > 0) {
        let (Some(port), Some(start)) = (packet.port, packet.start) else { continue };
        let first = packet.arrival.0 / 7_000_001 * 7_000_001;
        assert!(start == packet.arrival || reported.contains(&(first, port)), "{packet:?}");
    }
}

#[test]
fn recording_the_tree_does_not_change_other_tables() {
    for policy in ["round_robin", "adaptive"] {
        let (model, work) = scene(policy, Forwarding::StoreAndForward);
        let without = recorded(&model, &work, None);
        let mut with = recorded(&model, &work, Some(tree(3_000_000)));
        assert!(!with.records.congestion.is_empty() && !with.records.congested_flows.is_empty());
        (with.records.congestion, with.records.congested_flows) = (Vec::new(), Vec::new());
        assert!(with.records == without.records, "{policy}");
        assert_eq!(with.outcome.end, without.outcome.end);
    }
}

#[test]
fn execution_options_do_not_change_records() {
    for policy in ["round_robin", "adaptive", "ecmp"] {
        let (mut model, work) = scene(policy, Forwarding::CutThrough { header: Bytes(64) });
        model.recording.congestion = Some(tree(4_000_000));
        let first = simulate(&model, work.clone());
        assert!(first.records.congestion.iter().any(|row| row.role == Role::Leaf));
        let plain = Options::default();
        for variant in [
            Options { threads: 2, ..plain },
            Options { threads: 4, coarsen: 3, ..plain },
            Options { shortcut: false, ..plain },
            Options { threads: 2, ..everything_joined() },
        ] {
            let run = simulate_with(&model, work.clone(), variant, Extensions::default());
            assert!(run.records == first.records, "{policy} {variant:?}");
        }
    }
}

/// Sums over all intervals, by port: picoseconds with packets waiting, and starved.
fn totals(rows: &[CongestionRow]) -> BTreeMap<PortId, (u64, u64)> {
    let mut totals = BTreeMap::new();
    for row in rows {
        let of_port: &mut (u64, u64) = totals.entry(row.port).or_default();
        of_port.0 += row.occupied.map_or(0, |span| span.0);
        of_port.1 += row.credit_stalled.0;
    }
    totals
}

#[test]
fn the_length_of_intervals_does_not_change_sums() {
    let (model, work) = scene("round_robin", Forwarding::StoreAndForward);
    let [fine, coarse] =
        [1_000_000, 50_000_000].map(|interval| recorded(&model, &work, Some(tree(interval))));
    assert!(fine.records.congestion.len() > 2 * coarse.records.congestion.len());
    assert_eq!(totals(&fine.records.congestion), totals(&coarse.records.congestion));
    // The time that a port pauses agrees with table `signals`, which is read at the end only.
    for row in &fine.records.signals {
        assert_eq!(totals(&fine.records.congestion).get(&row.port).map(|sums| sums.1), Some(row.paused.0));
    }
}

#[test]
fn ports_of_senders_to_one_host_are_leaves_below_its_port() {
    let mut model = lossless(star(4, CABLE), plain(4 * PACKET));
    model.recording.congestion = Some(tree(20_000_000));
    model.deadline = Some(Time(100_000_000));
    let sendings =
        [Sending::new(0, 0, 3, 1 << 26), Sending::new(0, 1, 3, 1 << 26), Sending::new(0, 2, 0, 1 << 26)];
    let run = simulate(&model, ListedWork::new(&sendings));
    let last = run.records.congestion.iter().filter(|row| row.end == Time(100_000_000));
    let roles: Vec<_> = last.clone().map(|row| (row.port.0, row.role, row.blocked_by)).collect();
    // The ports of the switch follow those of the hosts, in the same order.
    let root = PortId(7);
    assert_eq!(
        roles.iter().filter(|row| row.1 != Role::Free).copied().collect::<Vec<_>>(),
        [(0, Role::Leaf, Some(root)), (1, Role::Leaf, Some(root)), (7, Role::Root, None)]
    );
    let parts: BTreeSet<_> = run.records.congested_flows.iter().map(|row| (row.source.0, row.part)).collect();
    assert_eq!(parts, BTreeSet::from([(0, Part::Contributor), (1, Part::Contributor)]));
}
