//! Runs many tasks on the cores of the machine, and reports progress.
//!
//! Models: one task per core at a time, the one with the longest expected time first; progress by expected time.
//! Leaves out: the tasks themselves.
//!
//! Invariants: results are in the order of the tasks, independent of the order of execution; the cost of a progress
//! report does not grow with the number of tasks.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rayon::iter::{ParallelBridge, ParallelIterator};

use crate::error::{LabError, check_threads};

/// Units in which shares of the total work are counted.
const PARTS: f64 = 1e15;

/// Number of threads that the machine runs at a time.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Progress of many runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweepProgress {
    /// Number of finished points.
    pub finished: usize,
    /// Number of points.
    pub total: usize,
    /// Packets that have crossed a link, in all points together.
    pub hops: u64,
    /// Wall time so far.
    pub elapsed: Duration,
    /// Share of the work that is done, from 0 to 1.
    pub share: f64,
}

impl SweepProgress {
    /// How far they are, in words.
    pub fn words(&self) -> String {
        format!("{} of {} runs", self.finished, self.total)
    }

    /// Packet-hops per second of wall time.
    pub fn rate(&self) -> f64 {
        self.hops as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// Estimated wall time left, at the rate so far.
    pub fn left(&self) -> Option<Duration> {
        let seconds = self.elapsed.as_secs_f64() * (1.0 - self.share) / self.share;
        (self.share > 0.0 && seconds < 1e9).then(|| Duration::from_secs_f64(seconds.max(0.0)))
    }
}

/// Receives the progress of many runs.
pub(crate) type OnProgress<'a> = Option<&'a (dyn Fn(&SweepProgress) + Sync)>;

/// Executes all tasks, at most `threads` at a time; `None` uses all cores.
///
/// `weight` gives the expected time of a task, in any unit.
pub(crate) fn spread<T: Sync, R: Send>(
    tasks: &[T],
    threads: Option<usize>,
    on_progress: OnProgress<'_>,
    weight: impl Fn(&T) -> u64,
    work: impl Fn(&T, Task<'_>) -> R + Sync,
) -> Result<Vec<R>, LabError> {
    let threads = threads.unwrap_or_else(cores);
    check_threads(threads)?;
    let weights: Vec<u64> = tasks.iter().map(weight).collect();
    let progress = SharedProgress::new(&weights, on_progress);
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    order.sort_by_key(|&number| std::cmp::Reverse(weights[number]));
    let one = |number: usize| (number, work(&tasks[number], progress.task(weights[number])));
    // A bridge distributes the tasks one by one and in order, so that no long one begins last.
    let all = || order.iter().copied().par_bridge().map(one).collect::<Vec<_>>();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.min(tasks.len().max(1))).build();
    let mut answers = match pool {
        Ok(pool) => pool.install(all),
        // If no thread pool can be made, the tasks are executed one after the other.
        Err(_) => order.iter().copied().map(one).collect(),
    };
    answers.sort_by_key(|(number, _)| *number);
    Ok(answers.into_iter().map(|(_, answer)| answer).collect())
}

/// State that all tasks share.
struct SharedProgress<'a> {
    on_progress: OnProgress<'a>,
    begun: Instant,
    total: usize,
    total_weight: f64,
    finished: AtomicUsize,
    hops: AtomicU64,
    /// Work done, in units of 1 / [`PARTS`] of the total.
    parts: AtomicU64,
}

impl<'a> SharedProgress<'a> {
    fn new(weights: &[u64], on_progress: OnProgress<'a>) -> SharedProgress<'a> {
        SharedProgress {
            on_progress,
            begun: Instant::now(),
            total: weights.len(),
            total_weight: weights.iter().map(|&weight| weight as f64).sum::<f64>().max(1.0),
            finished: AtomicUsize::new(0),
            hops: AtomicU64::new(0),
            parts: AtomicU64::new(0),
        }
    }

    fn task(&self, weight: u64) -> Task<'_> {
        Task { progress: self, parts: (weight as f64 / self.total_weight * PARTS) as u64, noted: 0, hops: 0 }
    }

    fn report_progress(&self) {
        let Some(on_progress) = self.on_progress else { return };
        on_progress(&SweepProgress {
            finished: self.finished.load(Ordering::Relaxed),
            total: self.total,
            hops: self.hops.load(Ordering::Relaxed),
            elapsed: self.begun.elapsed(),
            share: (self.parts.load(Ordering::Relaxed) as f64 / PARTS).min(1.0),
        });
    }
}

/// The progress of one task.
pub(crate) struct Task<'a> {
    progress: &'a SharedProgress<'a>,
    /// Its part of the total work.
    parts: u64,
    /// The part of it that has been reported, and the packet-hops reported.
    noted: u64,
    hops: u64,
}

impl Task<'_> {
    /// Reports its progress; neither number ever decreases.
    pub fn note(&mut self, hops: u64, share: f64) {
        let parts = ((self.parts as f64 * share.clamp(0.0, 1.0)) as u64).max(self.noted);
        let hops = hops.max(self.hops);
        self.progress.parts.fetch_add(parts - self.noted, Ordering::Relaxed);
        self.progress.hops.fetch_add(hops - self.hops, Ordering::Relaxed);
        (self.noted, self.hops) = (parts, hops);
        self.progress.report_progress();
    }

    /// Reports that it is finished.
    pub fn finish(mut self, hops: u64) {
        self.progress.finished.fetch_add(1, Ordering::Relaxed);
        self.note(hops, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn the_longest_tasks_begin_first_and_results_keep_their_order() {
        let begun = Mutex::new(Vec::new());
        let reported = Mutex::new(Vec::new());
        let on_progress =
            |progress: &SweepProgress| reported.lock().expect("no thread panicked").push(*progress);
        let work = |task: &u64, progress: Task<'_>| {
            begun.lock().expect("no thread panicked").push(*task);
            progress.finish(10);
            task * 2
        };
        let answers =
            spread(&[3, 5, 1], Some(1), Some(&on_progress), |task| *task, work).expect("one thread");
        assert_eq!(answers, [6, 10, 2]);
        assert_eq!(begun.into_inner().expect("no thread panicked"), [5, 3, 1]);
        let reported = reported.into_inner().expect("no thread panicked");
        let shares: Vec<f64> = reported.iter().map(|progress| (progress.share * 9.0).round()).collect();
        assert_eq!(shares, [5.0, 8.0, 9.0]);
        assert_eq!((reported[2].finished, reported[2].total, reported[2].hops), (3, 3, 30));
    }

    #[test]
    fn an_empty_list_of_tasks_gives_no_results() {
        assert_eq!(spread(&[], None, None, |(): &()| 1, |(), _| 0).expect("fine"), Vec::<i32>::new());
        assert!(spread(&[()], Some(0), None, |()| 1, |(), _| 0).is_err());
    }
}
