//! Many tasks over the cores of the machine, and how far they have come.
//!
//! Models: one task per core at a time, the one expected to take longest first; progress by expected length.
//! Leaves out: what a task is.
//!
//! Invariants: answers come in the order of the tasks, whatever order they were done in; what a report costs does not
//! grow with the number of tasks.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rayon::iter::{ParallelBridge, ParallelIterator};

use crate::error::{LabError, check_threads};

/// Shares of all the work are counted in these.
const PARTS: f64 = 1e15;

/// How many threads the machine runs at a time.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// How far many runs have come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweepProgress {
    /// Points that are done.
    pub finished: usize,
    /// Points there are.
    pub total: usize,
    /// Packets that have crossed a link, in all points together.
    pub hops: u64,
    /// Wall time so far.
    pub elapsed: Duration,
    /// How much is done, from 0 to 1.
    pub share: f64,
}

impl SweepProgress {
    /// Packet-hops per second of wall time.
    pub fn rate(&self) -> f64 {
        self.hops as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// Wall time left if things go on as before.
    pub fn left(&self) -> Option<Duration> {
        let seconds = self.elapsed.as_secs_f64() * (1.0 - self.share) / self.share;
        (self.share > 0.0 && seconds < 1e9).then(|| Duration::from_secs_f64(seconds.max(0.0)))
    }
}

/// Who wants to be told how far many runs are.
pub(crate) type OnProgress<'a> = Option<&'a (dyn Fn(&SweepProgress) + Sync)>;

/// Does all tasks; `threads` says how many at a time, `None` takes all cores.
///
/// `weight` says how long a task is expected to take, in any unit.
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
    // A bridge hands the tasks out one by one and in order, so that no long one is left for the end.
    let all = || order.iter().copied().par_bridge().map(one).collect::<Vec<_>>();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.min(tasks.len().max(1))).build();
    let mut answers = match pool {
        Ok(pool) => pool.install(all),
        // Without threads of its own the work is still done, one task after the other.
        Err(_) => order.iter().copied().map(one).collect(),
    };
    answers.sort_by_key(|(number, _)| *number);
    Ok(answers.into_iter().map(|(_, answer)| answer).collect())
}

/// What all tasks share.
struct SharedProgress<'a> {
    tell: OnProgress<'a>,
    begun: Instant,
    total: usize,
    total_weight: f64,
    finished: AtomicUsize,
    hops: AtomicU64,
    /// Work done, in [`PARTS`] of all.
    parts: AtomicU64,
}

impl<'a> SharedProgress<'a> {
    fn new(weights: &[u64], tell: OnProgress<'a>) -> SharedProgress<'a> {
        SharedProgress {
            tell,
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
        let Some(tell) = self.tell else { return };
        tell(&SweepProgress {
            finished: self.finished.load(Ordering::Relaxed),
            total: self.total,
            hops: self.hops.load(Ordering::Relaxed),
            elapsed: self.begun.elapsed(),
            share: (self.parts.load(Ordering::Relaxed) as f64 / PARTS).min(1.0),
        });
    }
}

/// One task's part in the progress.
pub(crate) struct Task<'a> {
    progress: &'a SharedProgress<'a>,
    /// Its part of all the work.
    parts: u64,
    /// How much of that has been noted, and how many packet-hops.
    noted: u64,
    hops: u64,
}

impl Task<'_> {
    /// Notes how far it is; neither number ever falls.
    pub fn note(&mut self, hops: u64, share: f64) {
        let parts = ((self.parts as f64 * share.clamp(0.0, 1.0)) as u64).max(self.noted);
        let hops = hops.max(self.hops);
        self.progress.parts.fetch_add(parts - self.noted, Ordering::Relaxed);
        self.progress.hops.fetch_add(hops - self.hops, Ordering::Relaxed);
        (self.noted, self.hops) = (parts, hops);
        self.progress.report_progress();
    }

    /// Notes that it is done.
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
    fn the_longest_begin_first_and_answers_keep_their_order() {
        let begun = Mutex::new(Vec::new());
        let reported = Mutex::new(Vec::new());
        let tell = |progress: &SweepProgress| reported.lock().expect("nobody panicked").push(*progress);
        let work = |task: &u64, progress: Task<'_>| {
            begun.lock().expect("nobody panicked").push(*task);
            progress.finish(10);
            task * 2
        };
        let answers = spread(&[3, 5, 1], Some(1), Some(&tell), |task| *task, work).expect("one thread");
        assert_eq!(answers, [6, 10, 2]);
        assert_eq!(begun.into_inner().expect("nobody panicked"), [5, 3, 1]);
        let reported = reported.into_inner().expect("nobody panicked");
        let shares: Vec<f64> = reported.iter().map(|progress| (progress.share * 9.0).round()).collect();
        assert_eq!(shares, [5.0, 8.0, 9.0]);
        assert_eq!((reported[2].finished, reported[2].total, reported[2].hops), (3, 3, 30));
    }

    #[test]
    fn nothing_to_do_is_done() {
        assert_eq!(spread(&[], None, None, |(): &()| 1, |(), _| 0).expect("fine"), Vec::<i32>::new());
        assert!(spread(&[()], Some(0), None, |()| 1, |(), _| 0).is_err());
    }
}
