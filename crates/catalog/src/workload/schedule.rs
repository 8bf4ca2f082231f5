//! The phase streams of a job: phases that overlap, and the signals by which one waits for another.
//!
//! Models: phases of one stream follow each other; a phase may wait for earlier phases of other streams at its rank; a
//! step begins in stream 0, and ends when all streams have ended it.
//! Leaves out: waits between ranks, which follow from messages.
//!
//! Invariants: a phase waits only for earlier ones, so that no wait is circular. A signal is sent and awaited once in
//! each step, and all signals of a step are awaited before the next step begins: one tag for each is enough.

use netloom_model::ScheduledPhase;

use super::error::WorkloadError;

/// The number of a signal of a job: a tag that its ranks deliver to themselves.
pub(super) type Signal = u16;

/// Which signals the phases of a job send and await.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    /// The stream of each phase; empty if there is only one.
    streams: Vec<u16>,
    /// Per phase: signals that are awaited before it.
    pub(super) before: Vec<Vec<Signal>>,
    /// Per phase: signals that are sent after it.
    pub(super) behind: Vec<Vec<Signal>>,
    /// Per stream but the first: the signals of the begin and of the end of a step.
    pub(super) steps: Vec<[Signal; 2]>,
    n_signals: u32,
}

impl Schedule {
    /// The signals of these phases of a job.
    pub(super) fn new(
        job: usize,
        phases: &[ScheduledPhase],
        n_phases: usize,
    ) -> Result<Schedule, WorkloadError> {
        let n_streams = phases.iter().map(|phase| usize::from(phase.stream) + 1).max().unwrap_or(1);
        if n_streams == 1 {
            return Ok(Schedule::default());
        }
        if phases.len() != n_phases {
            let reason = String::from("the schedule is not one of these phases");
            return Err(WorkloadError::Schedule { job, phase: 0, reason });
        }
        let mut schedule = Schedule {
            streams: phases.iter().map(|phase| phase.stream).collect(),
            before: vec![Vec::new(); n_phases],
            behind: vec![Vec::new(); n_phases],
            ..Schedule::default()
        };
        for _ in 1..n_streams {
            let signals = [schedule.signal(), schedule.signal()];
            schedule.steps.push(signals.map(|signal| signal.expect("there are few streams")));
        }
        for (number, phase) in phases.iter().enumerate() {
            for &before in &phase.after {
                schedule.wait(job, number, usize::from(before))?;
            }
        }
        Ok(schedule)
    }

    /// Lets a phase wait for an earlier one.
    fn wait(&mut self, job: usize, phase: usize, before: usize) -> Result<(), WorkloadError> {
        if before >= phase {
            let reason = String::from("it waits for a phase that does not come before it");
            return Err(WorkloadError::Schedule { job, phase, reason });
        }
        // A stream has an order of its own.
        if self.streams[phase] != self.streams[before] {
            let signal = self.signal().ok_or(WorkloadError::TooManyWaits { job, phase })?;
            self.before[phase].push(signal);
            self.behind[before].push(signal);
        }
        Ok(())
    }

    /// One more signal, if its number is left.
    pub(super) fn signal(&mut self) -> Option<Signal> {
        let signal = Signal::try_from(self.n_signals).ok()?;
        self.n_signals += 1;
        Some(signal)
    }

    /// Whether phases overlap.
    pub(super) fn overlaps(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Number of streams.
    pub(super) fn n_streams(&self) -> usize {
        1 + self.steps.len()
    }

    /// Number of signals.
    pub(super) fn n_signals(&self) -> u32 {
        self.n_signals
    }

    /// The stream of a phase.
    pub(super) fn stream_of(&self, phase: usize) -> usize {
        self.streams.get(phase).map_or(0, |&stream| stream.into())
    }
}
