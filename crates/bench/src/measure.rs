//! Runs cases: once for time, or in a child process under callgrind for instructions.
//!
//! Instructions are the difference between two runs that differ only in their length, so that building the fabric and
//! starting the process are not counted.

use std::time::Instant;

use netloom_engine::{Extensions, Options, Status, run};
use netloom_records::{Batch, MemorySink, Sink, SinkError};
use serde_json::{Value, json};

use crate::callgrind;
use crate::heap::HeapRun;
use crate::workload::{self, Case};

/// Runs a case in this process; returns hops and nanoseconds.
pub fn time(case: &Case, threads: usize) -> (u64, u64) {
    let model = case.model();
    let mut work = case.work();
    let mut sink = MemorySink::default();
    let options = Options { threads, ..Options::default() };
    let begin = Instant::now();
    let clock = || begin.elapsed().as_nanos() as u64;
    let extensions = Extensions { clock: Some(&clock), ..Extensions::default() };
    let outcome = run(&model, &mut work, &mut sink, options, extensions);
    assert_eq!(outcome.status, Status::Complete, "the benchmark's traffic ends by itself");
    (outcome.hops, begin.elapsed().as_nanos() as u64)
}

/// Runs a case in this process without keeping records; returns hops.
pub fn run_unrecorded(case: &Case) -> u64 {
    let (model, mut work) = (case.model(), case.work());
    let outcome = run(&model, &mut work, &mut Nowhere, Options::default(), Extensions::default());
    assert_eq!(outcome.status, Status::Complete, "the benchmark's traffic ends by itself");
    outcome.hops
}

/// Discards all rows.
struct Nowhere;

impl Sink for Nowhere {
    fn accept(&mut self, _: Batch<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

/// Runs a case with the heap design; returns hops and nanoseconds.
pub fn time_heap(case: &Case) -> (u64, u64) {
    let begin = Instant::now();
    let hops = HeapRun::play(case);
    (hops, begin.elapsed().as_nanos() as u64)
}

/// A case by its name on the command line.
pub fn named(name: &str) -> Option<Case> {
    workload::CASES.iter().find(|(known, _)| *known == name).map(|(_, case)| *case)
}

/// Instructions per packet-hop of a case; `heap` selects the heap design.
///
/// # Errors
/// If valgrind cannot be run or prints no count.
pub fn instructions_per_hop(name: &str, heap: bool) -> Result<f64, String> {
    let rounds = named(name).ok_or_else(|| format!("no case `{name}`"))?.rounds;
    let short = count(name, rounds, heap)?;
    let long = count(name, 2 * rounds, heap)?;
    Ok((long.0 - short.0) / (long.1 - short.1))
}

/// Instructions and hops of one run.
fn count(name: &str, rounds: u32, heap: bool) -> Result<(f64, f64), String> {
    callgrind::count(|command| {
        command.args(["run", name, "--rounds", &rounds.to_string()]);
        if heap {
            command.arg("--heap");
        }
    })
}

/// One run as JSON.
pub fn report(name: &str, hops: u64, nanoseconds: u64) -> Value {
    json!({
        "case": name,
        "hops": hops,
        "nanoseconds_per_hop": nanoseconds as f64 / hops as f64,
        "hops_per_second": hops as f64 * 1e9 / nanoseconds as f64,
    })
}
