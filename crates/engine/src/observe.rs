//! Observing a run from outside, and stopping it.
//!
//! Models: the progress of a run, what has happened at its ports so far, and the state behind it, on request.
//! Leaves out: how often an observer should read them.
//!
//! Invariants: reading changes nothing; what is not requested is not computed.

use netloom_units::{Bytes, Duration, Time};

/// The progress of a run at the end of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time.
    pub now: Time,
    /// Number of windows so far.
    pub windows: u64,
    /// Number of packets that have crossed a link, counted at every link.
    pub hops: u64,
    /// Number of steps finished by all ranks.
    pub steps: u64,
    /// Number of steps in total.
    pub total_steps: u64,
}

/// Whether to continue the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Continue.
    Continue,
    /// End the run here; what has been recorded stays valid.
    Stop,
}

/// Counters of a port since the run began, and its current queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PortState {
    /// Bytes whose transmission has begun.
    pub sent: Bytes,
    /// Bytes waiting now.
    pub waiting: Bytes,
    /// Time for which the other end of the link blocked a class.
    pub paused: Duration,
    /// Number of packets dropped.
    pub dropped: u64,
}

/// The state of a run, readable between windows.
pub trait States {
    /// All ports at the end of the window, by id; the cost is proportional to the number of ports.
    fn ports(&self) -> Vec<PortState>;

    /// Number of partitions.
    fn n_partitions(&self) -> usize;

    /// The state that a partition's later behaviour depends on, as words relative to `base`.
    fn state(&self, partition: usize, base: Time) -> Vec<u64>;
}

/// Observes a run at window boundaries; may stop it, never change it.
pub trait Observer {
    /// A window has ended.
    fn at_window(&mut self, progress: &Progress, states: &dyn States) -> Control;

    /// Whether it will stop the run at the end of this window; asked in windows that take long.
    fn is_stopping(&self) -> bool {
        false
    }
}

/// An observer that never stops the run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn at_window(&mut self, _: &Progress, _: &dyn States) -> Control {
        Control::Continue
    }
}
