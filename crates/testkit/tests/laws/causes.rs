//! The causes of completion times: they add up, agree with recorded packets under every transport, and recording them
//! changes no other table.

use netloom_engine::{Extensions, Options};
use netloom_model::{Credits, Forwarding, Model, RecordedCauses};
use netloom_records::{CauseRow, Fate, FlowRow, PacketKind, PacketRow};
use netloom_testkit::fixture::{ListedWork, Run, everything_joined, simulate, simulate_with};
use netloom_units::{Bytes, Duration, HostId, LinkId, NodeId, PortId, Time};

use crate::credits::{busy, plain};
use crate::reordering::{spraying, work};

/// Models with their work: each transport, and credits with and without cut-through.
fn scenes(seed: u64) -> Vec<(String, Model, ListedWork)> {
    let mut scenes: Vec<_> = spraying().into_iter().map(|(name, model)| (name, model, work(seed))).collect();
    for forwarding in [Forwarding::StoreAndForward, Forwarding::CutThrough { header: Bytes(64) }] {
        let buffer = plain(6_000);
        let (model, work) = busy(Credits { forwarding, speedup: 2, ..buffer }, "adaptive");
        scenes.push((format!("credits, {forwarding:?}"), model, work));
    }
    for (_, model, _) in &mut scenes {
        model.seed = seed;
        model.recording.causes = RecordedCauses::All;
    }
    scenes
}

fn links_of_hosts(model: &Model) -> Vec<LinkId> {
    let hosts = 0..model.fabric.n_hosts() as u32;
    hosts.flat_map(|host| model.fabric.ports_of(NodeId(host))).map(|port| port.link).collect()
}

/// The hops of the transmission of a packet that arrived first, from the sender on; `rows` are those of the packet.
fn first_delivered<'a>(rows: &[&'a PacketRow]) -> Vec<&'a PacketRow> {
    let delivered = rows.iter().filter(|row| row.fate == Fate::Delivered);
    let Some(&last) = delivered.min_by_key(|row| row.end) else { return Vec::new() };
    let mut hops = vec![last];
    while hops[0].hop > 0 {
        let behind = rows.iter().filter(|row| {
            row.hop + 1 == hops[0].hop && row.fate == Fate::Forwarded && row.start < Some(hops[0].arrival)
        });
        // The latest one that had left before: packets of one flow do not overtake each other on a link.
        let Some(&before) = behind.max_by_key(|row| row.start) else { return Vec::new() };
        hops.insert(0, before);
    }
    hops
}

/// How the wire of a sender was used between two instants, by the packets recorded there: own packets and others.
fn wire_use(
    (model, run): (&Model, &Run),
    flow: &FlowRow,
    (port, from, until): (PortId, Time, Time),
) -> [u64; 2] {
    let mut found = [0; 2];
    for row in run.records.packets.iter().filter(|row| row.port == Some(port)) {
        let Some(start) = row.start else { continue };
        // Packets lost on the wire take their time there as well.
        let sent = row.sent.unwrap_or(start + model.fabric.port(port).rate.serialization(row.size));
        let is_own = row.kind == PacketKind::Data && (row.source, row.number) == (flow.source, flow.number);
        found[usize::from(!is_own)] += sent.min(until).0.saturating_sub(start.max(from).0);
    }
    found
}

/// The causes of a message by recorded packets: transmission, turn (that of earlier messages included), idle time at
/// the sender, queues, recovery.
fn by_definition((model, run): (&Model, &Run), flow: &FlowRow, hops: &[&PacketRow]) -> [u64; 5] {
    let start = |row: &PacketRow| row.start.expect("it was sent");
    let (end, sent) = (flow.end.expect("it arrived"), start(hops[0]));
    let port = hops[0].port.expect("it was sent");
    let [own, turn] = wire_use((model, run), flow, (port, flow.start, sent));
    let idle = sent.since(flow.start).0 - own - turn;
    let queues = hops[1..].iter().map(|row| start(row).since(row.arrival).0).sum::<u64>();
    let recovery = end.since(hops[hops.len() - 1].end.expect("it arrived")).0;
    [end.since(sent).0 - queues - recovery + own, turn, idle, queues, recovery]
}

/// The same as recorded.
fn recorded(row: &CauseRow) -> [u64; 5] {
    let CauseRow { transmission, earlier, turn, window, pacing, timeout, pause, queues, recovery, .. } = row;
    let idle = window.0 + pacing.0 + timeout.0 + pause.0;
    [transmission.0, earlier.0 + turn.0, idle, queues.0, recovery.0]
}

#[test]
fn causes_add_up_and_agree_with_recorded_packets() {
    for seed in 0..3 {
        for (name, mut model, work) in scenes(seed) {
            model.recording.packets_from = (0..model.fabric.n_hosts() as u32).map(HostId).collect();
            model.recording.packets_on = links_of_hosts(&model);
            let first_psn = model.transport.rdma().map_or(0, |rdma| rdma.first_psn);
            let run = simulate(&model, work);
            let (mut compared, mut unclear) = (0, 0);
            for flow in run.records.flows.iter().filter(|flow| flow.end.is_some()) {
                let is_of = |row: &&CauseRow| (row.source, row.number) == (flow.source, flow.number);
                let row = run.records.causes.iter().find(is_of).expect("every message has a row");
                let sum: u64 = row.times().iter().map(|time| time.0).sum();
                assert_eq!(sum, flow.end.unwrap().0 - flow.start.0, "{name}, {flow:?}");
                let header = model.transport.rdma().map_or(0, |rdma| rdma.header.0);
                let last = flow.size.0.div_ceil(model.transport.packet.0 - header) as u32 - 1;
                let is_last = |row: &&PacketRow| {
                    let number = row.packet.wrapping_sub(first_psn) & 0x00ff_ffff;
                    row.kind == PacketKind::Data
                        && (row.source, row.number, number) == (flow.source, flow.number, last)
                };
                let rows: Vec<&PacketRow> = run.records.packets.iter().filter(is_last).collect();
                let n_transmissions = rows.iter().filter(|row| row.hop == 0).count();
                let hops = first_delivered(&rows);
                if n_transmissions > 2 && row.recovery.0 == sum || hops.is_empty() {
                    unclear += 1;
                    continue;
                }
                assert_eq!(recorded(row), by_definition((&model, &run), flow, &hops), "{name}, {flow:?}");
                let waits = hops[1..].iter().map(|row| row.start.unwrap().since(row.arrival));
                let mut waits: Vec<Duration> = waits.filter(|wait| wait.0 > 0).collect();
                waits.sort_unstable_by(|one, other| other.cmp(one));
                waits.truncate(3);
                assert_eq!(row.waits().map(|(_, wait)| wait).collect::<Vec<_>>(), waits, "{name}, {flow:?}");
                for (port, wait) in row.waits() {
                    let is_there = |row: &&&PacketRow| row.port == Some(port);
                    let at = hops.iter().find(is_there).expect("it crossed this link");
                    assert_eq!(at.start.unwrap().since(at.arrival), wait, "{name}, {flow:?}");
                }
                compared += 1;
            }
            assert!(compared > 20 * unclear && compared > 10, "{name}: {compared}, {unclear}");
        }
    }
}

#[test]
fn recording_causes_changes_no_other_table_and_does_not_depend_on_execution_options() {
    for (name, model, work) in scenes(5) {
        let expected = simulate(&model, work.clone()).results();
        let mut without = expected.clone();
        assert!(!without.records.causes.is_empty());
        without.records.causes.clear();
        let mut silent = model.clone();
        silent.recording.causes = RecordedCauses::None;
        assert!(simulate(&silent, work.clone()).results() == without, "{name}");
        for options in [
            Options { threads: 4, shortcut: false, ..Options::default() },
            Options { coarsen: 7, ..Options::default() },
            everything_joined(),
        ] {
            let run = simulate_with(&model, work.clone(), options, Extensions::default()).results();
            for (one, other) in run.records.causes.iter().zip(&expected.records.causes) {
                assert_eq!(one, other, "{name}, {options:?}");
            }
            assert!(run == expected, "{name}, {options:?}");
        }
    }
}
