//! The causes of completion times: they add up, agree with recorded packets under every transport, and recording them
//! changes no other table.

use netloom_engine::{Extensions, Options};
use netloom_model::{Credits, Forwarding, Model};
use netloom_records::{Cause, CauseRow, Fate, FlowRow, PacketKind, PacketRow};
use netloom_testkit::fixture::{ListedWork, Run, everything_joined, simulate, simulate_with};
use netloom_units::{Bytes, HostId, PortId};

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
        model.recording.causes = true;
    }
    scenes
}

/// A part: cause, port and length.
type Part = (Cause, Option<PortId>, u64);

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

/// The parts of a message by the packets recorded of it.
fn by_definition(flow: &FlowRow, hops: &[&PacketRow]) -> Vec<Part> {
    let start = |row: &PacketRow| row.start.expect("it was sent").0;
    let mut parts = vec![(Cause::Sender, None, start(hops[0]) - flow.start.0)];
    parts.extend(hops[1..].iter().map(|row| (Cause::Queue, row.port, start(row) - row.arrival.0)));
    let arrived = hops[hops.len() - 1].end.expect("it arrived").0;
    parts.push((Cause::Recovery, None, flow.end.expect("it arrived").0 - arrived));
    let others: u64 = parts.iter().map(|(.., time)| time).sum();
    parts.push((Cause::Transmission, None, flow.end.expect("it arrived").0 - flow.start.0 - others));
    parts.retain(|(.., time)| *time > 0);
    parts
}

fn recorded(run: &Run, flow: &FlowRow) -> Vec<Part> {
    let is_of = |row: &&CauseRow| (row.source, row.number) == (flow.source, flow.number);
    run.records.causes.iter().filter(is_of).map(|row| (row.cause, row.port, row.time.0)).collect()
}

#[test]
fn causes_add_up_and_agree_with_recorded_packets() {
    for seed in 0..3 {
        for (name, mut model, work) in scenes(seed) {
            model.recording.packets_from = (0..model.fabric.n_hosts() as u32).map(HostId).collect();
            let first_psn = model.transport.rdma().map_or(0, |rdma| rdma.first_psn);
            let run = simulate(&model, work);
            let (mut compared, mut unclear) = (0, 0);
            for flow in run.records.flows.iter().filter(|flow| flow.end.is_some()) {
                let parts = recorded(&run, flow);
                let sum: u64 = parts.iter().map(|(.., time)| time).sum();
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
                if n_transmissions > 2 && parts == [(Cause::Recovery, None, sum)] || hops.is_empty() {
                    unclear += 1;
                    continue;
                }
                assert_eq!(parts, by_definition(flow, &hops), "{name}, {flow:?}");
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
        silent.recording.causes = false;
        assert!(simulate(&silent, work.clone()).results() == without, "{name}");
        for options in [
            Options { threads: 4, shortcut: false, ..Options::default() },
            Options { coarsen: 7, ..Options::default() },
            everything_joined(),
        ] {
            let run = simulate_with(&model, work.clone(), options, Extensions::default()).results();
            assert!(run == expected, "{name}, {options:?}");
        }
    }
}
