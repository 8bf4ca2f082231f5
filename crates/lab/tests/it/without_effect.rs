//! Settings without effect: each gives a warning, and without it the records are the same.

use netloom_lab::{Digest, Overrides, Point, Source, Style, Sweep, prepare, sweep};

const CLOS: &str =
    "netloom: 1\nfabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 2, fabric_delay: 1us } }\n";
const TREE: &str = "netloom: 1\nfabric: { single_switch: { hosts: 4 } }\n";
const RING: &str = "jobs: [ { phases: [ { ring_all_reduce: { size: 256KiB } } ] } ]\ntransport: nic_sr\n";
const CREDITS: &str =
    "transport: { ideal: {} }\njobs: [ { phases: [ { ring_all_reduce: { size: 256KiB } } ] } ]\n";

/// Fabric and workload, a setting, its replacement, and the beginning of its warning.
type Case = (&'static str, &'static str, &'static str, &'static str, &'static str);

const CASES: [Case; 19] = [
    (
        CLOS,
        RING,
        "balance: { flowlet: { by: packets, gap: 3us } }",
        "balance: { flowlet: { by: packets } }",
        "`gap` of",
    ),
    (
        CLOS,
        RING,
        "balance: { flowlet: { by: gap, packets: 3 } }",
        "balance: { flowlet: { by: gap } }",
        "`packets` of",
    ),
    (
        CLOS,
        RING,
        "balance: { deterministic: { key: pair, together: 4 } }",
        "balance: { deterministic: { key: pair } }",
        "`together` of",
    ),
    (
        CLOS,
        RING,
        "congestion: { dcqcn: { notify: acknowledgement, cnp_interval: 9us } }",
        "congestion: { dcqcn: { notify: acknowledgement } }",
        "`cnp_interval` of",
    ),
    (CLOS, RING, "queues: { alpha: 2 }", "", "`alpha` of"),
    (CLOS, RING, "queues: { xon_gap: 9KB }", "", "`xon_gap`"),
    (CLOS, RING, "queues: { headroom: 9KB }", "", "`headroom`"),
    (
        CLOS,
        RING,
        "queues: { marking: { minimum: 10KB, maximum: 40KB, ai_steps: 3 } }\ncongestion: dcqcn",
        "queues: { marking: { minimum: 10KB, maximum: 40KB } }\ncongestion: dcqcn",
        "`ai_steps` of",
    ),
    (
        CLOS,
        CREDITS,
        "queues: { credits: { forwarding: store_and_forward, header: 128B } }",
        "queues: { credits: { forwarding: store_and_forward } }",
        "`header` of",
    ),
    (TREE, RING, "balance: spray", "", "load balancing by `spray`"),
    (TREE, RING, "balance: adaptive", "", "load balancing by `adaptive`"),
    (
        CLOS,
        RING,
        "balance: { adaptive_spectrum: { non_minimal_hops: 2 } }",
        "balance: adaptive_spectrum",
        "`non_minimal_hops` of",
    ),
    (
        CLOS,
        "jobs: [ { phases: [ { ring_all_reduce: { size: 256KiB } } ] } ]\ntransport: { nic_sr: { nack: ignore } }\n",
        "congestion: dcqcn",
        "",
        "congestion control `dcqcn`",
    ),
    (
        CLOS,
        RING,
        "queues: { switch_limit: 100KB, marking: { minimum: 100KB, maximum: 400KB } }\ncongestion: dcqcn",
        "queues: { switch_limit: 100KB }\ncongestion: dcqcn",
        "`marking`",
    ),
    (CLOS, RING, "faults: { detection: 1ms }", "", "`detection`"),
    (CLOS, RING, "faults: { awareness: global }", "", "`awareness`"),
    (CLOS, RING, "coordination_delay: 50us", "", "`coordination_delay`"),
    (CLOS, RING, "hosts: { handshake: 5us }", "", "`handshake`"),
    (CLOS, RING, "hosts: { local_rate: 1Tbps }", "", "`local_rate`"),
];

/// The first line of each warning.
fn warnings(text: &str) -> Vec<String> {
    let prepared = prepare(&Source::text("case.yaml", text), &Overrides::default());
    let prepared = prepared.unwrap_or_else(|error| panic!("{text}\n{}", error.headed(Style::Plain)));
    prepared.compiled.warnings.problems().iter().map(|problem| problem.message().to_owned()).collect()
}

fn digests(texts: [String; 2]) -> Vec<Digest> {
    let points = texts.map(|text| Point::new(Source::text("case.yaml", text))).into();
    let reports = sweep(&Sweep { points, ..Sweep::default() });
    reports.into_iter().map(|report| report.expect("it runs").digest).collect()
}

#[test]
fn settings_reported_as_without_effect_have_none() {
    for (fabric, work, setting, instead, message) in CASES {
        let [with, without] = [setting, instead].map(|setting| format!("{fabric}{work}{setting}\n"));
        let reported = warnings(&with);
        assert!(reported.iter().any(|reported| reported.starts_with(message)), "`{setting}`: {reported:?}");
        let left = warnings(&without);
        assert!(!left.iter().any(|reported| reported.starts_with(message)), "`{instead}`: {left:?}");
        let digests = digests([with, without]);
        assert_eq!(digests[0], digests[1], "`{setting}` has an effect");
    }
}

#[test]
fn congestion_control_without_marks_is_reported() {
    let reported = warnings(&format!("{CLOS}{RING}congestion: dcqcn\n"));
    assert_eq!(reported, ["congestion control `dcqcn` slows down on NACKs only"]);
    let marked = "queues: { marking: { minimum: 10KB, maximum: 40KB } }\n";
    assert_eq!(warnings(&format!("{CLOS}{RING}{marked}")), ["no sender reacts to marks here"]);
    assert!(warnings(&format!("{CLOS}{RING}{marked}congestion: dcqcn\n")).is_empty());
}
