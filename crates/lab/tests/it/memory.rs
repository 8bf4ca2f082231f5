//! Runs that need more memory than there is.

use netloom_lab::sweep::{Grid, Keep, grid};
use netloom_lab::{ExitCode, LabError, MemoryLimit, RunRequest, Source, cost, run};

use crate::scenes::prepared;

/// Every host sends a message.
fn permutation(size: &str) -> String {
    format!(
        "
netloom: 1
name: permutation
fabric: {{ leaf_spine: {{ leaves: 4, spines: 4, hosts_per_leaf: 64 }} }}
jobs: [ {{ name: one, phases: [ {{ permutation: {{ size: {size} }} }} ] }} ]
"
    )
}

#[test]
fn packets_that_wait_at_their_senders_are_in_the_estimate() {
    let estimate = |size: &str| cost(&prepared(&permutation(size), None)).expect("it is known").memory_bytes;
    // 256 messages of 100 GB in packets of 4096 B, each of 40 B while it waits.
    let expected = 256.0 * 100e9 / 4096.0 * 40.0;
    assert!((estimate("100GB") / expected - 1.0).abs() < 0.01, "{}", estimate("100GB"));
    assert!(estimate("1MB") < 60e6);
    let paced = permutation("100GB") + "transport: { irn: { window: 64KiB } }\n";
    assert!(cost(&prepared(&paced, None)).expect("it is known").memory_bytes < 60e6);
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
    refused(huge, "permutation is expected to need 2328 GiB");
    let given = run(request(Some(MemoryLimit(1_000_000)), "1KB")).expect_err("the limit is lower");
    refused(given, "more than the limit of 976.6 KiB");
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
