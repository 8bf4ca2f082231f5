//! The modelled barrier before each step of an aligned job: it decides whether another step is done, and when.
//!
//! Models: bursts, whose end is checked when all ranks have reached the barrier; jobs that stop when their mean step
//! time is known precisely enough; endless jobs, which end with the others.
//! Leaves out: how burst lengths and pauses are drawn; the workload does that.
//!
//! Invariants: a decision depends only on completed steps, never on threads or window bounds: the last rank to arrive
//! has reported its step before, and the release is at least a window later.

use netloom_model::{Job, Work};
use netloom_records::{MeasureRow, TallyRow};
use netloom_units::Duration;

use super::Coordinator;
use super::global_events::GlobalEvent;
use crate::context::TimerKind;
use crate::measure;

/// The current burst of a job: when it began, its length, and the pause after it, in ps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Burst {
    began: u64,
    length: u64,
    pause: u64,
}

impl Burst {
    /// The next burst of a job, if the job has bursts.
    fn next(work: &mut dyn Work, job: u16, began: u64) -> Option<Burst> {
        let (length, pause) = work.next_burst(job)?;
        Some(Burst { began, length: length.0, pause: pause.0 })
    }
}

impl Coordinator<'_, '_> {
    /// All ranks of a job have reached the barrier before a step, which would release them at an instant.
    #[inline(never)]
    pub(super) fn wait_at_step_barrier(&mut self, group: u32, actors: Vec<u32>, release: u64) {
        let job = (group - Job::FIRST_STEP_BARRIER) as u16;
        if self.ledger.has_enough(job) {
            self.ledger.end_early(job);
            for actor in actors {
                self.dismiss(actor, release);
            }
            return self.end_with_last(release);
        }
        let at = self.paced(job, release);
        for actor in actors {
            self.release(actor, at);
        }
    }

    /// When the next step begins that could begin at an instant: after a pause, if a burst is over.
    fn paced(&mut self, job: u16, release: u64) -> u64 {
        let Some(current) = self.bursts.get(&job).copied() else {
            if let Some(first) = Burst::next(self.work, job, release) {
                self.bursts.insert(job, first);
            }
            return release;
        };
        if release - current.began < current.length {
            return release;
        }
        let at = release + current.pause;
        self.bursts.extend(Burst::next(self.work, job, at).map(|next| (job, next)));
        at
    }

    /// Ends an actor at an instant, even if work is left.
    fn dismiss(&self, actor: u32, at: u64) {
        let address = self.addresses[actor as usize];
        let mut partition = self.scheduler.partition(address.partition as usize);
        partition.context.set_timer(at, address.node, TimerKind::Dismiss { actor: address.actor });
        self.scheduler.activity.bring_forward(address.partition as usize, at);
    }

    /// If only endless jobs have work left, the run ends at an instant.
    pub(super) fn end_with_last(&mut self, at: u64) {
        if self.has_endless && !self.is_over && self.ledger.all_but_endless_ended() {
            self.is_over = true;
            let index = self.global_events.partition_point(|cut| *cut < (at, GlobalEvent::Over));
            self.global_events.insert(index, (at, GlobalEvent::Over));
        }
    }

    /// Checks whether a job that has done its last step was the last job to end.
    pub(super) fn end_if_last(&mut self) {
        if let Some(end) = self.ledger.take_ended() {
            self.end_with_last(end.0 + self.model.coordination_delay.0);
        }
    }

    /// One row per measured job.
    pub(super) fn measure_rows(&self) -> Vec<MeasureRow> {
        let row = |(number, job): (usize, &Job)| {
            let times = self.ledger.times(number as u16)?;
            let found = measure::estimate(times, job.repetition.warm_up)?;
            Some(MeasureRow {
                job: number as u16,
                steps: found.steps as u32,
                warm_up: found.warm_up as u32,
                mean: Duration(found.mean.round() as u64),
                half_interval: found.half(),
                precise: job.repetition.precision.map(|precision| found.meets(&precision)),
            })
        };
        self.model.workload.jobs.iter().enumerate().filter_map(row).collect()
    }

    /// The sums of messages that arrived and have no rows of their own.
    pub(super) fn tally_rows(&self) -> Vec<TallyRow> {
        self.unreported.values().copied().collect()
    }
}
