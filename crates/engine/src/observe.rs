//! Looking at a run from outside, and stopping it.

use netloom_units::Time;

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

/// The state behind a run, to be read between windows.
pub trait States {
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
