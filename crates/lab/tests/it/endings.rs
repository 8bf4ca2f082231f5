//! Runs that do not complete their work: the reasons, with names.

use std::sync::atomic::AtomicBool;

use netloom_lab::{
    Control, ExitCode, LabError, Observer, Options, Progress, RunProgress, States, Status, Style, Watch,
    simulate,
};
use netloom_records::{Batch, MemorySink, Sink, SinkError};

use crate::scenes::{TWO_JOBS, prepared, simulated};

/// Four hosts on two leaves, with additional sections.
fn ring(more: &str) -> String {
    format!(
        "
netloom: 1
fabric: {{ leaf_spine: {{ leaves: 2, spines: 2, hosts_per_leaf: 2, host_rate: 100Gbps }} }}
jobs: [ {{ name: ring, phases: [ {{ ring_all_reduce: {{ size: 64KiB }} }} ] }} ]
{more}"
    )
}

#[test]
fn a_host_without_links_is_unreachable() {
    let (done, _) =
        simulated(&prepared(&ring("faults: { failed: [leaf0.host0.nic0] }"), None), Options::default());
    assert_eq!(done.outcome.status, Status::Unreachable);
    assert_eq!(ExitCode::of(&done.outcome), ExitCode::StoppedEarly);
    let text = done.outcome.details.join("\n");
    for part in ["job `ring`: 4 of 4 ranks are blocked", "leaf0.host0", "no live next hop", "did not arrive"]
    {
        assert!(text.contains(part), "`{part}` in:\n{text}");
    }
}

#[test]
fn a_full_queue_stalls_the_receivers_of_dropped_packets() {
    let (done, sink) = simulated(&prepared(&ring("queues: { host_limit: 8KiB }"), None), Options::default());
    assert_eq!(done.outcome.status, Status::Stalled);
    let text = done.outcome.details.join("\n");
    assert!(text.contains("the queue was full") && text.contains("towards link leaf0.host0.nic0"), "{text}");
    assert_eq!(done.summary.drops.packets, sink.drops.iter().map(|row| row.packets).sum::<u64>());
    assert!(done.summary.jobs[0].time_s.is_none() && done.summary.unfinished > 0);
}

#[test]
fn a_deadline_reports_the_progress_of_the_run() {
    let (done, _) = simulated(&prepared(&ring("deadline: 5us"), None), Options::default());
    assert_eq!(done.outcome.status, Status::Deadline);
    assert_eq!(done.outcome.details[0], "the deadline was reached at 5 us of simulated time");
    assert_eq!(done.outcome.details[1], "0 of 1 step finished");
}

#[test]
fn very_many_steps_that_take_no_time_are_refused() {
    let steps = |phases: &str, steps: &str| {
        format!(
            "
netloom: 1
fabric: {{ single_switch: {{ hosts: 2 }} }}
jobs: [ {{ name: still, steps: {steps}, phases: [ {phases} ] }} ]
deadline: 1ms
"
        )
    };
    let resolved = netloom_scenario::resolve(&steps("{ compute: 0ns }", "100000000"), "still.yaml");
    let error = resolved
        .and_then(|resolved| netloom_scenario::compile(&resolved))
        .expect_err("all are at one instant");
    let error = error.render(Style::Plain);
    assert!(error.contains("waits for nothing, so all its steps would be at one instant"), "{error}");
}

#[test]
fn a_run_can_be_stopped_within_an_instant() {
    let text = "
netloom: 1
fabric: { single_switch: { hosts: 2 } }
jobs: [ { name: still, steps: 50000, phases: [ { compute: 0ns } ] } ]
";
    let stop = AtomicBool::new(true);
    let watch = Watch { stop: Some(&stop), ..Watch::default() };
    let mut sink = MemorySink::default();
    let done = simulate(&prepared(text, None), &mut sink, Options::default(), watch).expect("it runs");
    assert_eq!(done.outcome.status, Status::Stopped);
    assert!(sink.steps.len() < 1000, "{} of 50000 steps, which are all at one instant", sink.steps.len());
}

/// Stops after a number of windows.
struct After(u64);

impl Observer for After {
    fn at_window(&mut self, progress: &Progress, _: &dyn States) -> Control {
        if progress.windows >= self.0 { Control::Stop } else { Control::Continue }
    }
}

#[test]
fn a_stop_flag_or_an_observer_stops_a_run() {
    let prepared = prepared(TWO_JOBS, None);
    let stop = AtomicBool::new(true);
    let mut after = After(5);
    let mut reported: Vec<RunProgress> = Vec::new();
    let mut on_progress = |progress: &RunProgress| reported.push(*progress);
    let by_flag = Watch { stop: Some(&stop), on_progress: Some(&mut on_progress), ..Watch::default() };
    let by_observer = Watch { observer: Some(&mut after), ..Watch::default() };
    for (watch, windows) in [(by_flag, 1), (by_observer, 5)] {
        let mut sink = MemorySink::default();
        let done = simulate(&prepared, &mut sink, Options::default(), watch).expect("it runs");
        assert_eq!(done.outcome.status, Status::Stopped);
        assert_eq!(done.engine.windows, windows);
        assert_eq!(sink.jobs.len(), 2, "the records are complete");
    }
    assert!(reported.is_empty(), "a run this short gives no progress report");
}

/// A sink without space.
struct Full;

impl Sink for Full {
    fn accept(&mut self, _: Batch<'_>) -> Result<(), SinkError> {
        Err(SinkError("no space".to_owned()))
    }
}

#[test]
fn a_full_disk_ends_a_run_early() {
    let refused = simulate(&prepared(TWO_JOBS, None), &mut Full, Options::default(), Watch::default());
    let error = refused.expect_err("it cannot be stored");
    assert_eq!(error.exit_code(), ExitCode::StoppedEarly);
    assert!(error.to_string().ends_with("could not be stored: no space"), "{error}");
}

#[test]
fn numbers_of_threads_out_of_range_are_refused() {
    for threads in [0, 1_000_000_000] {
        let options = Options { threads, ..Options::default() };
        let refused = simulate(&prepared(TWO_JOBS, None), &mut Full, options, Watch::default());
        assert!(matches!(refused, Err(LabError::Threads(_))));
    }
}
