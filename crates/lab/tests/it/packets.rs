//! Packets and paths, from the scenario to the output of `show` for the stored run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use netloom_lab::show::{self, ShowError};
use netloom_lab::{LabError, Options, Overwrite, RunRequest, Source, run};
use netloom_records::{Fate, MemorySink, PacketKind, PacketRow};
use netloom_units::Duration;

use crate::scenes::{prepared, simulated};

const SCENE: &str = "
netloom: 1
fabric: { leaf_spine: { leaves: 3, spines: 2, hosts_per_leaf: 3, host_rate: 100Gbps } }
balance: spray
transport: { window: { packets: 8 } }
jobs: [ { name: many, steps: 2, phases: [ { all_to_all_linear: { size: 128KiB } } ] } ]
background: { mice: { end: 100us, interval: 10us } }
";

fn scene(record: &str) -> String {
    format!("{SCENE}record: {record}\n")
}

fn everything() -> MemorySink {
    let hosts: Vec<String> = (0..9).map(|host| format!("leaf{}.host{}", host / 3, host % 3)).collect();
    let text = scene(&format!("{{ packets_from: [{}] }}", hosts.join(", ")));
    simulated(&prepared(&text, None), Options::default()).1
}

#[test]
fn digests_of_packets_and_paths_do_not_depend_on_threads() {
    let text =
        scene("{ packets_of: [leaf0.host0->leaf1.host0], packets_on: [leaf0-spine0.0], slowest_flows: 4 }");
    let prepared = prepared(&text, None);
    let digest = |options| {
        let (_, sink) = simulated(&prepared, options);
        sink.digest(&prepared.names()).expect("rows are in order")
    };
    let first = digest(Options::default());
    assert!(first.tables["packets"].rows > 0 && first.tables["paths"].rows > 0);
    for threads in [1, 2, 4] {
        assert_eq!(digest(Options { threads, ..Options::default() }), first, "{threads} threads");
    }
    assert_eq!(digest(Options { shortcut: false, coarsen: 3, ..Options::default() }), first);
}

#[test]
fn paths_are_the_sums_of_the_packets_of_the_slowest() {
    let all = everything();
    let (_, found) = simulated(&prepared(&scene("{ slowest_flows: 5 }"), None), Options::default());
    let mut slow: Vec<_> =
        all.flows.iter().filter_map(|row| Some((row.end?.since(row.start), row))).collect();
    slow.sort_by_key(|(time, row)| {
        (std::cmp::Reverse(*time), row.start, row.source, row.destination, row.number)
    });
    let ranks: Vec<u32> = found.paths.chunk_by(|a, b| a.rank == b.rank).map(|path| path[0].rank).collect();
    assert_eq!(ranks, [0, 1, 2, 3, 4]);
    for path in found.paths.chunk_by(|a, b| a.rank == b.rank) {
        let flow = slow[path[0].rank as usize].1;
        assert_eq!(
            (path[0].source, path[0].destination, path[0].number),
            (flow.source, flow.destination, flow.number)
        );
        let is_its = |row: &&PacketRow| {
            row.kind == PacketKind::Data
                && (row.source, row.destination, row.number) == (flow.source, flow.destination, flow.number)
        };
        let mut waits: BTreeMap<_, (u32, Duration)> = BTreeMap::new();
        for row in all.packets.iter().filter(is_its) {
            let sum = waits.entry(row.port.expect("nothing is lost")).or_default();
            sum.0 += 1;
            sum.1.0 += row.start.expect("it was sent").since(row.arrival).0;
        }
        let stated = path.iter().map(|row| (row.port, (row.packets, row.waited)));
        assert_eq!(waits, stated.collect());
        let whole: u64 = path.iter().map(|row| row.waited.0 + row.serialization.0 + row.propagation.0).sum();
        let lives = all.packets.iter().filter(is_its);
        let by_packet: u64 = lives.map(|row| row.end.expect("it arrived").since(row.arrival).0).sum();
        assert_eq!(whole, by_packet);
    }
}

#[test]
fn the_second_run_does_not_change_the_records_of_the_first() {
    let plain = simulated(&prepared(SCENE, None), Options::default());
    let (mut with, mut sink) = simulated(&prepared(&scene("{ slowest_flows: 9 }"), None), Options::default());
    assert!(!sink.paths.is_empty());
    sink.paths.clear();
    with.wall_time_s = plain.0.wall_time_s;
    assert!(sink == plain.1);
    assert_eq!((with.engine, with.outcome), (plain.0.engine, plain.0.outcome));
}

/// A stored run in a temporary folder.
fn stored(record: &str) -> (tempfile::TempDir, PathBuf) {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let request = RunRequest {
        folder: Some(workspace.path().join("run")),
        overwrite: Overwrite::Replace,
        ..RunRequest::new(Source::text("packets.yaml", scene(record)))
    };
    let report = run(request).expect("it runs");
    (workspace, report.folder)
}

#[test]
fn a_life_is_reported_hop_by_hop_and_adds_up() {
    let (_workspace, folder) = stored("{ packets_of: [leaf0.host0->leaf1.host0] }");
    let flows = show::flows(&folder).expect("there are some");
    assert!(flows.iter().all(|flow| flow.flow.starts_with("leaf0.host0->leaf1.host0#")), "{flows:?}");
    let flow = &flows[0];
    assert!(flow.packets > 1 && flow.packets == flow.acknowledgements && flow.dropped == 0);
    let last = show::packet(&folder, &flow.flow, None).expect("it is recorded");
    let data = last.data.expect("it has hops");
    assert_eq!(data.hops.len(), 4);
    assert_eq!(data.hops[3].end_ps, last.flow_end_ps, "the last packet ends the flow");
    assert_eq!(data.total_ps, Some(data.waited_ps + data.serialization_ps + data.propagation_ps));
    assert_eq!(
        (data.hops[0].node.as_str(), data.hops[3].to.as_deref()),
        ("leaf0.host0", Some("leaf1.host0"))
    );
    let ack = last.acknowledgement.expect("it was answered");
    assert_eq!(ack.hops[0].arrival_ps, data.hops[3].end_ps.expect("it arrived"));
    let first = show::packet(&folder, &flow.flow, Some(0)).expect("it is recorded");
    assert_eq!(first.data.expect("it has hops").hops[0].arrival_ps, first.flow_start_ps.expect("it started"));
}

#[test]
fn a_record_of_one_link_shows_one_hop_and_no_sum() {
    let (_workspace, folder) = stored("{ packets_on: [leaf0-spine0.0] }");
    let flows = show::flows(&folder).expect("there are some");
    let life = show::packet(&folder, &flows[0].flow, None).expect("it is recorded");
    let journey = life.data.or(life.acknowledgement).expect("one of them crossed");
    assert_eq!((journey.hops.len(), journey.is_whole), (1, false));
    assert_eq!(journey.fate, Fate::Forwarded.word());
}

#[test]
fn packets_that_were_not_recorded_are_refused_with_a_hint() {
    let refused = |asked: Result<show::PacketLife, LabError>| match asked {
        Err(LabError::Show(error)) => error,
        other => panic!("{other:?}"),
    };
    let (_workspace, folder) = stored("{ packets_of: [leaf0.host0->leaf1.host0] }");
    let ask = |flow: &str, packet| refused(show::packet(&folder, flow, packet));
    assert_eq!(ask("leaf0.host0", None), ShowError::NoFlowName("leaf0.host0".to_owned()));
    let ShowError::NoHost { hint, .. } = ask("leaf0.hots0->leaf1.host0", None) else { panic!("a host") };
    assert_eq!(hint.as_deref(), Some("did you mean `leaf0.host0`?"));
    let several = ask("leaf0.host0->leaf1.host0", None);
    assert!(matches!(&several, ShowError::Several { known, .. } if known.contains('#')), "{several}");
    let other = ask("leaf0.host0->leaf2.host0#1", None).to_string();
    assert!(other.contains("recorded were leaf0.host0->leaf1.host0#"), "{other}");
    let flow = show::flows(&folder).expect("there are some")[0].flow.clone();
    let missing = ask(&flow, Some(1_000_000)).to_string();
    assert!(missing.contains("recorded: 0 to "), "{missing}");

    let (_workspace, nothing) = stored("{}");
    assert!(matches!(refused(show::packet(&nothing, &flow, None)), ShowError::NoPackets(_)));
    assert!(matches!(show::flows(&nothing), Err(LabError::Show(ShowError::NoPackets(_)))));
    assert!(matches!(show::paths(&nothing), Err(LabError::Show(ShowError::NoPaths(_)))));
}

#[test]
fn the_paths_of_the_slowest_are_reported_in_their_order() {
    let (_workspace, folder) = stored("{ slowest_flows: 3 }");
    let flows = show::paths(&folder).expect("they are recorded");
    assert_eq!(flows.iter().map(|flow| flow.rank).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(flows.is_sorted_by(|a, b| a.time_ps >= b.time_ps));
    for flow in &flows {
        let bytes_at =
            |hop| flow.links.iter().filter(|link| link.hop == hop).map(|link| link.bytes).sum::<u64>();
        assert_eq!(bytes_at(0), flow.bytes, "all bytes leave the host");
    }
}
