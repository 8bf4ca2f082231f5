//! Reads the state of a run periodically and publishes it.
//!
//! Models: sums over the ports of an edge; the longest queue of one of its ports.
//!
//! Invariants: sums are exact in bytes, packets and picoseconds; reading the ports takes a small share of the time,
//! independent of their number.

use std::sync::Arc;
use std::time::{Duration, Instant};

use netloom_engine::observe::States;

use super::live_state::{Edges, LiveState, State};
use crate::watch::RunProgress;

/// Interval at which ports are read.
const INTERVAL: Duration = Duration::from_millis(250);
/// If reading takes long, the pause after it is this multiple of its duration.
const REST: u32 = 50;

/// See the module.
pub struct Recorder {
    live_state: Arc<LiveState>,
    edge_of: Vec<u32>,
    n_edges: usize,
    number: u64,
    again: bool,
    /// Wall time of the run at which ports are read next.
    next: Duration,
    edges: Arc<Edges>,
}

impl Recorder {
    /// A recorder for a fabric whose ports are in these edges.
    pub fn new(live_state: Arc<LiveState>, edge_of: Vec<u32>, n_edges: usize) -> Recorder {
        let recorder = Recorder {
            live_state,
            edge_of,
            n_edges,
            number: 0,
            again: false,
            next: Duration::ZERO,
            edges: Arc::default(),
        };
        recorder.live_state.put(State { edges: Arc::new(recorder.nothing()), ..State::default() });
        recorder
    }

    fn nothing(&self) -> Edges {
        let none = || vec![0; self.n_edges];
        Edges { read: 0, sent: none(), waiting: none(), paused: none(), dropped: none() }
    }

    /// Publishes the progress of the run and, if they are due, the counters of its ports.
    pub fn look(&mut self, progress: &RunProgress, states: &dyn States) {
        if self.again != progress.again {
            (self.again, self.next) = (progress.again, Duration::ZERO);
        }
        if progress.elapsed >= self.next {
            let begun = Instant::now();
            self.edges = Arc::new(self.read(progress.simulated.0, states));
            self.next = progress.elapsed + INTERVAL.max(begun.elapsed() * REST);
        }
        self.number += 1;
        self.live_state.put(State {
            number: self.number,
            ended: None,
            again: progress.again,
            simulated: progress.simulated.0,
            hops: progress.hops,
            steps: progress.steps,
            total_steps: progress.total_steps,
            elapsed: progress.elapsed.as_secs_f64(),
            rate: progress.rate,
            share: progress.share,
            left: progress.left.map(|left| left.as_secs_f64()),
            edges: Arc::clone(&self.edges),
        });
    }

    fn read(&self, now: u64, states: &dyn States) -> Edges {
        let mut edges = Edges { read: now, ..self.nothing() };
        for (&edge, port) in self.edge_of.iter().zip(states.ports()) {
            let edge = edge as usize;
            edges.sent[edge] += port.sent.0;
            edges.waiting[edge] = edges.waiting[edge].max(port.waiting.0);
            edges.paused[edge] += port.paused.0;
            edges.dropped[edge] += port.dropped;
        }
        edges
    }
}

#[cfg(test)]
mod tests {
    use netloom_engine::observe::PortState;
    use netloom_units::{Bytes, Time};

    use super::*;

    struct Ports(Vec<PortState>);

    impl States for Ports {
        fn ports(&self) -> Vec<PortState> {
            self.0.clone()
        }

        fn n_partitions(&self) -> usize {
            0
        }

        fn state(&self, _: usize, _: Time) -> Vec<u64> {
            Vec::new()
        }
    }

    fn at(milliseconds: u64, again: bool) -> RunProgress {
        RunProgress {
            simulated: Time(milliseconds),
            hops: 1,
            steps: 2,
            total_steps: 4,
            elapsed: Duration::from_millis(milliseconds),
            rate: 1.0,
            share: Some(0.5),
            left: None,
            again,
        }
    }

    #[test]
    fn edges_are_summed_and_read_rarely() {
        let port = |sent, waiting| PortState {
            sent: Bytes(sent),
            waiting: Bytes(waiting),
            dropped: 1,
            ..PortState::default()
        };
        let ports = |scale: u64| Ports(vec![port(scale, 7), port(2 * scale, 9), port(4 * scale, 0)]);
        let live_state = Arc::new(LiveState::default());
        let mut recorder = Recorder::new(Arc::clone(&live_state), vec![1, 1, 0], 2);
        assert_eq!(live_state.state().edges.sent, [0, 0]);
        recorder.look(&at(100, false), &ports(1));
        let first = live_state.state();
        assert_eq!((&first.edges.sent[..], &first.edges.waiting[..]), (&[4, 3][..], &[0, 9][..]));
        assert_eq!((&first.edges.dropped[..], first.edges.read), (&[1, 2][..], 100));
        recorder.look(&at(200, false), &ports(10));
        let second = live_state.state();
        assert_eq!(
            (second.edges.read, second.simulated, second.number),
            (100, 200, 2),
            "too early to read again"
        );
        recorder.look(&at(9_000, false), &ports(10));
        assert_eq!(live_state.state().edges.sent, [40, 30]);
        recorder.look(&at(100, true), &ports(0));
        assert_eq!(
            (live_state.state().edges.read, live_state.state().again),
            (100, true),
            "another run is read at once"
        );
    }
}
