//! The estimated cost of a run against the run.

use std::fs;
use std::path::{Path, PathBuf};

use netloom_lab::{Options, Overrides, Source, Style, Watch, cost, prepare, simulate};
use netloom_records::MemorySink;

/// Scenarios without faults, in folders with most kinds of traffic.
fn scenarios() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let in_folder = |name: &&str| fs::read_dir(root.join(name)).expect("the folder can be read").flatten();
    let paths = ["background", "collectives", "demo"].iter().flat_map(in_folder).map(|entry| entry.path());
    let mut found: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "yaml")).collect();
    found.sort();
    found
}

#[test]
fn packets_and_packet_hops_are_estimated_within_a_factor_of_two() {
    let scenarios = scenarios();
    assert!(scenarios.len() >= 8, "{scenarios:?}");
    for path in scenarios {
        let prepared = prepare(&Source::file(path.clone()), &Overrides::default());
        let prepared = prepared.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)));
        let expected = cost(&prepared).expect("it can be estimated");
        let mut sink = MemorySink::default();
        let run = simulate(&prepared, &mut sink, Options::default(), Watch::default()).expect("it runs");
        let near = |reported: f64, found: u64, what: &str| {
            let found = found as f64;
            let is_near = reported <= 2.0 * found && found <= 2.0 * reported;
            assert!(is_near, "{}: {reported} {what} estimated, {found} found", path.display());
        };
        near(expected.messages, run.summary.messages, "messages");
        near(expected.packets, run.summary.packets.expect("counted"), "packets");
        near(expected.packet_hops, run.summary.hops.expect("counted"), "packet-hops");
    }
}

#[test]
fn a_step_of_very_many_messages_is_estimated_by_its_bytes() {
    let text = "
netloom: 1
fabric: { leaf_spine: { leaves: 8, spines: 2, hosts_per_leaf: 8 } }
jobs: [{ steps: 3, phases: [{ ring_all_reduce: { size: 1GB, chunk: 1KiB } }] }]
";
    let prepared = prepare(&Source::text("ring.yaml", text), &Overrides::default());
    let prepared = prepared.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)));
    let chunks_of_part = (1e9_f64 / 64.0 / 1024.0).ceil();
    let expected = 3.0 * 64.0 * 126.0 * chunks_of_part;
    let found = cost(&prepared).expect("it can be estimated").messages;
    assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
}

#[test]
fn an_endless_job_is_counted_as_often_as_it_fits_into_the_others() {
    let text = "
netloom: 1
fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 8 } }
transport: { window: { packets: 64 } }
jobs:
- { steps: 8, placement: { list: [leaf0.host0, leaf1.host0] }, phases: [{ ring_all_gather: { size: 8MiB } }] }
- name: incast
  steps: endless
  placement: { list: [leaf0.host1, leaf0.host2, leaf0.host3, leaf1.host1, leaf1.host2] }
  phases: [{ incast: { size: 256KiB } }, barrier]
";
    let prepared = prepare(&Source::text("endless.yaml", text), &Overrides::default());
    let prepared = prepared.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)));
    let found = cost(&prepared).expect("it can be estimated");
    let mut sink = MemorySink::default();
    let run = simulate(&prepared, &mut sink, Options::default(), Watch::default()).expect("it runs");
    let ratio = found.packet_hops / run.summary.hops.expect("counted") as f64;
    assert!((0.5..2.0).contains(&ratio), "{ratio}");
    assert!(found.but.iter().any(|why| why.contains("endless")));
}
