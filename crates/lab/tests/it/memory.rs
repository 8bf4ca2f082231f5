//! Runs that need more memory than there is.

use netloom_lab::sweep::{Grid, Keep, grid};
use netloom_lab::{
    ExitCode, LabError, MemoryLimit, Overrides, RunRequest, Simulation, SimulationOptions, Source, cost, run,
};

use crate::scenes::prepared;

/// Every host sends a message, all of them four times what the uplinks of the leaves carry.
fn permutation(size: &str) -> String {
    format!(
        "
netloom: 1
name: permutation
fabric: {{ leaf_spine: {{ leaves: 4, spines: 4, hosts_per_leaf: 64, host_rate: 100Gbps, fabric_rate: 400Gbps }} }}
jobs: [ {{ name: one, phases: [ {{ permutation: {{ size: {size} }} }} ] }} ]
"
    )
}

#[test]
fn packets_that_wait_are_in_the_estimate() {
    let estimate = |scenario: &str| cost(&prepared(scenario, None)).expect("it is known").memory_bytes;
    let is_close = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 0.01, "{found}");
    // 256 messages of 100 GB in packets of 4096 B, each of 40 B while it waits.
    let all = 256.0 * 100e9 / 4096.0 * 40.0;
    let large = permutation("100GB");
    is_close(estimate(&large), 0.75 * all);
    is_close(estimate(&(large.clone() + "record: { queue_packets: true }\n")), all);
    for bounded in [
        permutation("1MB"),
        large.clone() + "transport: { irn: { window: 64KiB } }\n",
        large.replace("fabric_rate: 400Gbps", "fabric_rate: 1600Gbps"),
        large + "queues: { switch_limit: 1MB }\n",
    ] {
        assert!(estimate(&bounded) < 60e6, "{bounded}: {}", estimate(&bounded));
    }
}

#[test]
fn runs_and_sweeps_beyond_the_limit_are_refused() {
    let home = tempfile::tempdir().expect("a folder");
    let request = |limit: Option<MemoryLimit>, size: &str| RunRequest {
        folder: Some(home.path().join("run")),
        memory_limit: limit,
        ..RunRequest::new(Source::text("permutation.yaml", permutation(size)))
    };
    let refused = |error: LabError, expected: &str| {
        assert_eq!(error.exit_code(), ExitCode::BadInput);
        assert!(error.to_string().contains(expected), "{error}");
    };
    // Larger than any machine.
    let huge = run(request(None, "1000GB")).expect_err("it is too large");
    refused(huge, "permutation is expected to need 1746 GiB");
    let given = run(request(Some(MemoryLimit(1_000_000)), "1KB")).expect_err("the limit is lower");
    refused(given, "more than the limit of 976.6 KiB");
    let options =
        SimulationOptions { memory_limit: Some(MemoryLimit(1_000_000)), ..SimulationOptions::default() };
    let source = Source::text("permutation.yaml", permutation("1KB"));
    let stepwise = Simulation::start(&source, &Overrides::default(), options).expect_err("so it is here");
    refused(stepwise, "more than the limit of 976.6 KiB");
    assert!(!home.path().join("run").exists());
    assert!(run(request(Some(MemoryLimit(1 << 30)), "1KB")).is_ok());
    let of = |limit: Option<MemoryLimit>| Grid {
        scenarios: vec![Source::text("permutation.yaml", permutation("1KB"))],
        vary: vec!["jobs.0.phases.0.permutation.size=1KB,1000GB".parse().expect("it is one")],
        folder: home.path().join("sweep"),
        keep: Keep::Summary,
        memory_limit: limit,
        ..Grid::default()
    };
    refused(grid(&of(None)).expect_err("a variant is too large"), "1000GB is expected to need");
}
