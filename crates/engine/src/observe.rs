//! Looking at a run from outside, and stopping it.
//!
//! Models: how far a run has come; what has happened at its ports by then, and the state behind it, for those who ask.
//! Leaves out: how often anybody should look.
//!
//! Invariants: reading changes nothing; what nobody asks for is not worked out.

use netloom_units::{Bytes, Duration, Time};

/// How far a run has come, at the end of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time.
    pub now: Time,
    /// Windows so far.
    pub windows: u64,
    /// Packets that have crossed a link.
    pub hops: u64,
    /// Steps finished by all ranks.
    pub steps: u64,
    /// Steps there are.
    pub total_steps: u64,
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// End the run here; what has been recorded stays valid.
    Stop,
}

/// What has happened at a port since the run began, and what waits there now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PortState {
    /// Bytes whose transmission has begun.
    pub sent: Bytes,
    /// Bytes that wait.
    pub waiting: Bytes,
    /// For how long the other end kept a class from being sent.
    pub paused: Duration,
    /// Packets dropped.
    pub dropped: u64,
}

/// The state behind a run, to be read between windows.
pub trait States {
    /// All ports at the end of the window, by id; reading takes time for each of them.
    fn ports(&self) -> Vec<PortState>;

    /// How many partitions there are.
    fn n_partitions(&self) -> usize;

    /// All that a partition's later behaviour depends on, as words relative to `base`.
    fn state(&self, partition: usize, base: Time) -> Vec<u64>;
}

/// Sees a run at window bounds; may stop it, never change it.
pub trait Observer {
    /// A window has ended.
    fn at_window(&mut self, progress: &Progress, states: &dyn States) -> Control;
}

/// Lets the run go on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn at_window(&mut self, _: &Progress, _: &dyn States) -> Control {
        Control::Continue
    }
}
