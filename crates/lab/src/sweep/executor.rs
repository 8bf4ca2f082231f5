//! Who computes the points of a sweep: the cores of this machine, or whatever implements [`Executor`].
//!
//! Models: tasks in, an answer for each as soon as it is known, in any order.
//! Leaves out: which points are needed, and what becomes of the answers.
//!
//! Invariants: every task is answered at most once; a task without an answer was not computed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::task::{PointAnswer, PointTask};
use crate::error::LabError;
use crate::spread::{SweepProgress, spread};

/// Whether a sweep is to end: its user has stopped it, or an answer could not be stored.
#[derive(Debug)]
pub struct EndOfSweep<'a> {
    stop: &'a AtomicBool,
    ended: AtomicBool,
}

impl<'a> EndOfSweep<'a> {
    /// A sweep that its user stops by this flag.
    pub(super) fn new(stop: &'a AtomicBool) -> EndOfSweep<'a> {
        EndOfSweep { stop, ended: AtomicBool::new(false) }
    }

    /// Ends it: runs in progress are finished.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Whether no more points may begin.
    pub fn is_reached(&self) -> bool {
        self.ended.load(Ordering::Relaxed) || self.stop.load(Ordering::Relaxed)
    }
}

/// Computes points.
pub trait Executor: Sync {
    /// Computes tasks, the longest first, until the sweep is to end; calls `answered` with the index of each and its answer, from
    /// any thread.
    ///
    /// # Errors
    /// Why no more tasks can be computed; those answered by then remain.
    fn compute(
        &self,
        tasks: &Arc<Vec<PointTask>>,
        end: &EndOfSweep<'_>,
        answered: &(dyn Fn(usize, PointAnswer) + Sync),
    ) -> Result<(), LabError>;

    /// Whether it puts the run folders elsewhere than below the folder of the sweep.
    fn keeps_folders(&self) -> bool {
        false
    }
}

/// Receives the progress of a sweep.
type OnProgress<'a> = Option<&'a (dyn Fn(&SweepProgress) + Sync)>;

/// The cores of this machine.
pub(super) struct LocalExecutor<'a> {
    /// Number of runs at a time; `None` uses all cores.
    pub threads: Option<usize>,
    /// Called with the progress.
    pub on_progress: OnProgress<'a>,
}

impl Executor for LocalExecutor<'_> {
    fn compute(
        &self,
        tasks: &Arc<Vec<PointTask>>,
        end: &EndOfSweep<'_>,
        answered: &(dyn Fn(usize, PointAnswer) + Sync),
    ) -> Result<(), LabError> {
        let indices: Vec<usize> = (0..tasks.len()).collect();
        spread(
            &indices,
            self.threads,
            self.on_progress,
            |&index| weight(&tasks[index]),
            |&index, mut task| {
                if end.is_reached() {
                    return;
                }
                // A point is finished only when its records are stored, not at its last step.
                let answer =
                    tasks[index].compute(None, end.stop, &mut |hops, share| task.note(hops, share.min(0.99)));
                match &answer {
                    PointAnswer::Finished { report, .. } => {
                        task.finish(report.summary.hops.unwrap_or_default());
                    }
                    PointAnswer::Failed(_) => task.finish(0),
                    PointAnswer::Stopped | PointAnswer::OtherBuild { .. } => {}
                }
                answered(index, answer);
            },
        )?;
        Ok(())
    }
}

/// The expected time of a task, in microseconds.
fn weight(task: &PointTask) -> u64 {
    (task.seconds * 1e6) as u64
}

/// Counts answers, for the progress of an executor that reports none itself.
pub(super) struct AnswerProgress<'a> {
    on_progress: OnProgress<'a>,
    begun: Instant,
    total: f64,
    state: std::sync::Mutex<SweepProgress>,
}

impl<'a> AnswerProgress<'a> {
    pub fn new(tasks: &[PointTask], on_progress: OnProgress<'a>) -> AnswerProgress<'a> {
        let begun = Instant::now();
        let none =
            SweepProgress { finished: 0, total: tasks.len(), hops: 0, elapsed: begun.elapsed(), share: 0.0 };
        let total = tasks.iter().map(|task| task.seconds).sum::<f64>().max(1e-9);
        AnswerProgress { on_progress, begun, total, state: none.into() }
    }

    /// Counts the answer to a task.
    pub fn count(&self, task: &PointTask, answer: &PointAnswer) {
        let (Some(on_progress), Ok(mut state)) = (self.on_progress, self.state.lock()) else { return };
        if let PointAnswer::Finished { report, .. } = answer {
            state.hops += report.summary.hops.unwrap_or_default();
        }
        state.finished += 1;
        state.share = (state.share + task.seconds / self.total).min(1.0);
        state.elapsed = self.begun.elapsed();
        on_progress(&state);
    }
}
