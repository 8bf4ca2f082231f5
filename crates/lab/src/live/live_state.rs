//! The current state of a run: published by the simulating thread, read by the threads that serve requests.
//!
//! Invariants: no thread waits for a reader for longer than it takes to copy a pointer.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use netloom_model::Job;
use netloom_records::Status;
use serde::{Serialize, Serializer};

use crate::error::LabError;
use crate::line::RunReport;
use crate::words::harmless;

/// The data sent to a page; `web/src/live/data.ts` describes the same.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct State {
    /// Increases with every state.
    pub number: u64,
    /// How the run ended; absent while it is running.
    pub ended: Option<Ending>,
    /// Whether this is the second run, for the paths of the slowest messages.
    pub again: bool,
    /// Simulated time, in ps.
    pub simulated: u64,
    /// Packets that have crossed a link.
    pub hops: u64,
    /// Steps finished by all ranks.
    pub steps: u64,
    /// Total number of steps.
    pub total_steps: u64,
    /// Wall time so far, in seconds.
    pub elapsed: f64,
    /// Packet-hops per second of wall time.
    pub rate: f64,
    /// Progress from 0 to 1; absent if unknown.
    pub share: Option<f64>,
    /// Remaining wall time, in seconds; absent if unknown.
    pub left: Option<f64>,
    /// Counters of the edges at time `read`, by edge.
    #[serde(serialize_with = "shared")]
    pub edges: Arc<Edges>,
}

/// Counters of the edges since the run began, and their queues.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Edges {
    /// The simulated time of these values, in ps.
    pub read: u64,
    /// Bytes whose transmission has begun.
    pub sent: Vec<u64>,
    /// Bytes in the longest queue of a port.
    pub waiting: Vec<u64>,
    /// How long the other end paused a class, summed over ports, in ps.
    pub paused: Vec<u64>,
    /// Packets dropped.
    pub dropped: Vec<u64>,
}

fn shared<S: Serializer>(edges: &Arc<Edges>, to: S) -> Result<S::Ok, S::Error> {
    Edges::serialize(edges, to)
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ending {
    /// The status; absent if there is no run folder, since the run failed.
    pub status: Option<Status>,
    /// Explanations for users.
    pub details: Vec<String>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct LiveState {
    state: Mutex<Arc<State>>,
    asked: Mutex<Option<Instant>>,
}

/// The data behind a lock is consistent at all times, also after a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LiveState {
    /// Publishes a state.
    pub fn put(&self, state: State) {
        let state = Arc::new(state);
        *lock(&self.state) = state;
    }

    /// The current state.
    pub fn state(&self) -> Arc<State> {
        Arc::clone(&lock(&self.state))
    }

    /// The current state, for a request of a page; the time of the request is recorded.
    pub fn ask(&self) -> Arc<State> {
        *lock(&self.asked) = Some(Instant::now());
        self.state()
    }

    /// When a page last requested the state.
    pub fn asked(&self) -> Option<Instant> {
        *lock(&self.asked)
    }

    /// Publishes how the run of these jobs ended, and its final progress; ports are not read again.
    pub fn end(&self, done: &Result<RunReport, LabError>, jobs: &[Job]) {
        let last = self.state();
        let mut state = State { number: last.number + 1, left: None, ..State::clone(&last) };
        let ending = match done {
            Ok(report) => {
                let outcome = &report.manifest.outcome;
                state.simulated = report.manifest.simulated_ps;
                state.hops = report.manifest.hops.unwrap_or_default();
                state.elapsed = report.manifest.wall_time_s;
                (state.steps, state.total_steps) = steps(report, jobs);
                if outcome.status == Status::Complete {
                    // A job that repeats until a mean is precise may have finished fewer steps than its maximum.
                    (state.share, state.total_steps) = (Some(1.0), state.steps);
                }
                Ending { status: Some(outcome.status), details: outcome.details.clone() }
            }
            Err(error) => Ending { status: None, details: vec![harmless(&error.to_string()).into_owned()] },
        };
        state.ended = Some(ending);
        self.put(state);
    }
}

/// Finished and total number of steps, without those of endless jobs, which have no total.
fn steps(report: &RunReport, jobs: &[Job]) -> (u64, u64) {
    let all = report.summary.jobs.iter().zip(jobs);
    let finite = all.filter(|(_, job)| !job.repetition.endless);
    finite.fold((0, 0), |(done, there_are), (reported, job)| {
        (done + u64::from(reported.steps), there_are + u64::from(job.steps))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Overrides;
    use crate::line::{RunRequest, run};
    use crate::prepare::prepare;
    use crate::source::Source;

    /// A job of three steps, and one that runs as long as it does.
    const SCENE: &str = "
netloom: 1
fabric: { leaf_spine: { leaves: 2, spines: 1, hosts_per_leaf: 2 } }
jobs:
  - name: small
    placement: { list: [leaf0.host0, leaf1.host0] }
    steps: 3
    phases: [ { compute: 20us }, { ring_all_gather: { size: 64KiB } } ]
  - name: beside
    placement: { list: [leaf0.host1, leaf1.host1] }
    steps: endless
    phases: [ { ring_all_gather: { size: 4KiB } } ]
";

    /// The final state, if the last periodic one was long before.
    fn last(scene: &str) -> (RunReport, Arc<State>) {
        let home = tempfile::tempdir().expect("a folder");
        let source = || Source::text("scene.yaml", scene);
        let folder = Some(home.path().join("run"));
        let done = run(RunRequest { folder, ..RunRequest::new(source()) });
        let prepared = prepare(&source(), &Overrides::default()).expect("it is a scenario");
        let live_state = LiveState::default();
        live_state.put(State { number: 7, steps: 1, total_steps: 3, share: Some(0.3), ..State::default() });
        live_state.end(&done, &prepared.compiled.model.workload.jobs);
        (done.expect("it runs"), live_state.state())
    }

    #[test]
    fn the_last_state_equals_the_records() {
        let (report, state) = last(SCENE);
        let [small, beside] = &report.summary.jobs[..] else { panic!("two jobs") };
        assert!(small.steps == 3 && beside.steps > 0, "{small:?} {beside:?}");
        assert_eq!((state.number, state.steps, state.total_steps, state.share), (8, 3, 3, Some(1.0)));
        assert_eq!((state.simulated, Some(state.hops)), (report.manifest.simulated_ps, report.manifest.hops));
        assert_eq!(state.elapsed.to_bits(), report.manifest.wall_time_s.to_bits());
        assert!(state.elapsed > 0.0 && state.left.is_none() && state.ended.is_some());
    }

    #[test]
    fn a_run_that_reaches_its_deadline_reports_the_missing_steps() {
        // Within the third step, which computes until 60 us at least.
        let (report, state) = last(&format!("{SCENE}deadline: 55us\n"));
        assert_eq!(report.manifest.outcome.status, Status::Deadline);
        assert_eq!((state.steps, state.total_steps), (u64::from(report.summary.jobs[0].steps), 3));
        assert!(state.steps < 3);
    }
}
