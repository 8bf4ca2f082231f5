//! What is told of a run at the moment: put up by the thread that simulates, read by those that answer.
//!
//! Invariants: nobody waits for a reader for longer than it takes to copy a pointer.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

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
pub struct Board {
    state: Mutex<Arc<State>>,
    asked: Mutex<Option<Instant>>,
}

/// What is behind a lock is whole at all times, whoever panicked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Board {
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

    /// Puts up how the run ended.
    pub fn end(&self, done: &Result<RunReport, LabError>) {
        let last = self.state();
        let mut state = State { number: last.number + 1, left: None, ..State::clone(&last) };
        let ending = match done {
            Ok(report) => {
                let outcome = &report.manifest.outcome;
                (state.simulated, state.hops) = (report.manifest.simulated_ps, report.manifest.hops);
                if outcome.status == Status::Complete {
                    state.share = Some(1.0);
                }
                Ending { status: Some(outcome.status), details: outcome.details.clone() }
            }
            Err(error) => Ending { status: None, details: vec![harmless(&error.to_string()).into_owned()] },
        };
        state.ended = Some(ending);
        self.put(state);
    }
}
