//! Scenarios for tests, and helpers to run them.

use std::path::PathBuf;

use netloom_lab::text::Look;
use netloom_lab::{
    LabError, Options, Over, Overrides, Prepared, ReportOutputs, Simulated, Source, Style, Watch, prepare,
    report, simulate,
};
use netloom_records::MemorySink;

/// Two jobs and mice on sixteen hosts.
pub const TWO_JOBS: &str = "
netloom: 1
name: two jobs
fabric: { leaf_spine: { leaves: 4, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps } }
balance: adaptive
jobs:
  - { name: large, placement: { rack_balanced: { ranks: 12 } }, steps: 4, phases: [ { compute: 10us }, { ring_all_reduce: { size: 1MiB } } ] }
  - { name: small, placement: contiguous, steps: 2, phases: [ { all_to_all_linear: { size: 256KiB } } ] }
background: { mice: { end: 500us, interval: 10us } }
record: { queue_packets: true }
";

/// Compiles a valid text.
pub fn prepared(text: &str, seed: Option<u64>) -> Prepared {
    let overrides = Overrides { seed, ..Overrides::default() };
    prepare(&Source::text("scene.yaml", text), &overrides).unwrap_or_else(|error| {
        panic!("{}", error.render(Style::Plain));
    })
}

/// Simulates it with all rows in memory.
pub fn simulated(prepared: &Prepared, options: Options) -> (Simulated, MemorySink) {
    let mut sink = MemorySink::default();
    let simulated = simulate(prepared, &mut sink, options, Watch::default()).expect("memory does not fail");
    (simulated, sink)
}

/// The report on these runs as text.
pub fn text(folders: &[PathBuf], over: Over, look: Look) -> Result<String, LabError> {
    let outputs = ReportOutputs { text: Some(look), ..ReportOutputs::default() };
    report(folders, over, None, None, outputs).map(|text| text.expect("it is wanted"))
}
