//! What is told of a run at the moment: put up by the thread that simulates, read by those that answer.
//!
//! Invariants: nobody waits for a reader for longer than it takes to copy a pointer.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use netloom_model::Job;
use netloom_records::Status;
use serde::{Serialize, Serializer};

use crate::error::LabError;
use crate::line::RunReport;
use crate::words::harmless;

/// What a page is told; `web/src/live/data.ts` describes the same.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct State {
    /// Rises with every state.
    pub number: u64,
    /// How the run ended; absent while it goes on.
    pub ended: Option<Ending>,
    /// Whether this is the second run, for the paths of the slowest messages.
    pub again: bool,
    /// Simulated time, in ps.
    pub simulated: u64,
    /// Packets that have crossed a link.
    pub hops: u64,
    /// Steps finished by all ranks.
    pub steps: u64,
    /// Steps there are.
    pub total_steps: u64,
    /// Wall time so far, in seconds.
    pub elapsed: f64,
    /// Packet-hops per second of wall time.
    pub rate: f64,
    /// How much is done, from 0 to 1; absent where nothing tells.
    pub share: Option<f64>,
    /// Wall time left, in seconds; absent where nothing tells.
    pub left: Option<f64>,
    /// What has happened at the edges by `read`, by edge.
    #[serde(serialize_with = "shared")]
    pub edges: Arc<Edges>,
}

/// What has happened at the edges since the run began, and what waits there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Edges {
    /// The simulated time of all this, in ps.
    pub read: u64,
    /// Bytes whose transmission has begun.
    pub sent: Vec<u64>,
    /// Bytes that wait at the port where most do.
    pub waiting: Vec<u64>,
    /// For how long the other end kept a class from being sent, summed over ports, in ps.
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
    /// In a word; absent where there is no run folder, since it failed.
    pub status: Option<Status>,
    /// For people.
    pub details: Vec<String>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct LiveState {
    state: Mutex<Arc<State>>,
    asked: Mutex<Option<Instant>>,
}

/// What is behind a lock is whole at all times, whoever panicked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LiveState {
    /// Puts up a state.
    pub fn put(&self, state: State) {
        let state = Arc::new(state);
        *lock(&self.state) = state;
    }

    /// The state at the moment.
    pub fn state(&self) -> Arc<State> {
        Arc::clone(&lock(&self.state))
    }

    /// The state, for a page.
    pub fn ask(&self) -> Arc<State> {
        *lock(&self.asked) = Some(Instant::now());
        self.state()
    }

    /// When a page asked last.
    pub fn asked(&self) -> Option<Instant> {
        *lock(&self.asked)
    }

    /// Puts up how the run of these jobs ended, and how far it came by then; ports are not read once more.
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
                    // Who repeats until a mean is known may have done fewer than it could.
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

/// Steps done and steps there are, those of endless jobs left out: they have no number to reach.
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

    /// A job of three steps, and one that goes on for as long.
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

    /// What stands on the board in the end, where the last look was long before.
    fn last(scene: &str) -> (RunReport, Arc<State>) {
        let place = tempfile::tempdir().expect("a folder");
        let source = || Source::text("scene.yaml", scene);
        let folder = Some(place.path().join("run"));
        let done = run(RunRequest { folder, ..RunRequest::new(source()) });
        let prepared = prepare(&source(), &Overrides::default()).expect("it is a scenario");
        let live_state = LiveState::default();
        live_state.put(State { number: 7, steps: 1, total_steps: 3, share: Some(0.3), ..State::default() });
        live_state.end(&done, &prepared.compiled.model.workload.jobs);
        (done.expect("it runs"), live_state.state())
    }

    #[test]
    fn the_last_state_is_the_one_the_records_have() {
        let (report, state) = last(SCENE);
        let [small, beside] = &report.summary.jobs[..] else { panic!("two jobs") };
        assert!(small.steps == 3 && beside.steps > 0, "{small:?} {beside:?}");
        assert_eq!((state.number, state.steps, state.total_steps, state.share), (8, 3, 3, Some(1.0)));
        assert_eq!((state.simulated, Some(state.hops)), (report.manifest.simulated_ps, report.manifest.hops));
        assert_eq!(state.elapsed.to_bits(), report.manifest.wall_time_s.to_bits());
        assert!(state.elapsed > 0.0 && state.left.is_none() && state.ended.is_some());
    }

    #[test]
    fn a_run_that_its_deadline_ends_says_how_many_steps_are_missing() {
        // Within the third step, which computes until 60 us at least.
        let (report, state) = last(&format!("{SCENE}deadline: 55us\n"));
        assert_eq!(report.manifest.outcome.status, Status::Deadline);
        assert_eq!((state.steps, state.total_steps), (u64::from(report.summary.jobs[0].steps), 3));
        assert!(state.steps < 3);
    }
}
