//! The only threads of the engine: a worker pool that advances the due partitions of a round.
//!
//! Models: worker threads that wait for a round, claim partitions from its list and advance them.
//! Leaves out: what a round is for; the coordinator prepares the [`RoundState`] and reads the reports.
//!
//! Invariants: a partition is advanced by one thread per round (it is locked for that); between rounds no worker thread
//! touches anything, so the coordinator may change the round state. Results do not depend on which thread advances
//! which partition, or in which order.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, RwLock};

use netloom_model::{Model, Overlay};

use crate::activity::Activity;
use crate::event_count::EventCount;
use crate::flow::Flow;
use crate::governor::{Clock, Governor};
use crate::partition::{Harvest, Partition, Scratch};
use crate::prefetch::prefetch;
use crate::round::Round;

/// The input of a round; written between rounds.
#[derive(Default)]
pub struct RoundState {
    /// The flow table: messages handed out so far.
    pub flows: Vec<Flow>,
    /// Next hops recomputed after failures.
    pub overlay: Option<Overlay>,
    /// Bytes waiting at every port at the last snapshot, if a policy needs them.
    pub port_bytes: Vec<u64>,
    /// Partitions to advance.
    pub due: Vec<u32>,
    /// Number of the window.
    pub window: u64,
    /// Start of the window, in ps.
    pub start: u64,
    /// End of the window, in ps.
    pub end: u64,
}

/// State shared by all threads.
pub struct SchedulerState<'a> {
    /// The model.
    pub model: &'a Model,
    /// The partitions.
    pub partitions: Vec<Mutex<Partition>>,
    /// Number of in-links of each partition: its work in a round grows with them.
    weights: Vec<usize>,
    /// Which partitions have something to do.
    pub activity: Activity,
    /// The state of the current round.
    pub round_state: RwLock<RoundState>,
    /// Results of the worker threads' partitions in this round.
    harvest: Mutex<Harvest>,
    /// Next index of the due list to claim.
    next: CacheLine<AtomicUsize>,
    /// Whether a round is open, and the number of worker threads inside.
    gate: CacheLine<RoundGate>,
}

/// Keeps data that several threads write out of their neighbours' cache lines; two lines, which processors fetch in
/// pairs.
#[derive(Default)]
#[repr(align(128))]
struct CacheLine<T>(T);

/// Controls how worker threads enter and leave a round.
///
/// A worker thread that arrives after all partitions have been claimed stays outside, so a round never waits for a
/// sleeping thread.
#[derive(Default)]
struct RoundGate {
    /// From the high bits down: number of the round, whether workers may still enter, number of workers inside.
    state: AtomicU64,
    /// Set when the run is over.
    over: AtomicBool,
    /// Set when a worker panicked.
    failed: AtomicBool,
    /// Where workers wait for a round.
    opened: EventCount,
    /// Where the coordinator waits for workers to leave.
    left: EventCount,
}

/// The bit of the gate's state that allows workers to enter.
const OPEN: u64 = 1 << 16;

/// Position of the round number in the state.
const ROUND: u32 = 17;

/// The bits of the gate's state that count the workers inside.
const INSIDE: u64 = OPEN - 1;

impl RoundGate {
    /// Opens the next round.
    fn open(&self) {
        // No worker is inside: no other thread writes the state.
        let state = self.state.load(Ordering::SeqCst);
        self.state.store(((state >> ROUND) + 1) << ROUND | OPEN, Ordering::SeqCst);
        self.opened.notify();
    }

    /// Closes the round and waits until all workers have left it.
    fn close(&self) {
        self.state.fetch_and(!OPEN, Ordering::SeqCst);
        self.left.wait_for(|| (self.state.load(Ordering::SeqCst) & INSIDE == 0).then_some(()));
    }

    /// Waits for a round other than the last one left and enters it; returns its number, or `None` when the run is
    /// over.
    fn enter(&self, last: u64) -> Option<u64> {
        self.opened.wait_for(|| {
            if self.over.load(Ordering::SeqCst) {
                return Some(None);
            }
            let is_new = |state: u64| state & OPEN != 0 && (state >> ROUND) != last;
            let entered = self
                .state
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |state| is_new(state).then_some(state + 1));
            entered.ok().map(|state| Some(state >> ROUND))
        })
    }

    /// Leaves a round.
    fn leave(&self) {
        let before = self.state.fetch_sub(1, Ordering::SeqCst);
        if before & INSIDE == 1 {
            self.left.notify();
        }
    }
}

/// Approximate number of claims of a thread in a round: enough that no claim holds most of the switches, which are few
/// and have the most work.
const CLAIMS: usize = 64;

/// Largest number of partitions in a claim.
const CLAIM: usize = 16;

/// Up to this many partitions nothing is prefetched: their state is in the caches.
const FEW: usize = 512;

impl<'a> SchedulerState<'a> {
    /// The scheduler state of these partitions.
    pub fn new(model: &'a Model, partitions: Vec<Partition>, activity: Activity) -> SchedulerState<'a> {
        SchedulerState {
            model,
            weights: partitions.iter().map(|partition| partition.in_links.len()).collect(),
            partitions: partitions.into_iter().map(Mutex::new).collect(),
            activity,
            round_state: RwLock::default(),
            harvest: Mutex::default(),
            next: CacheLine::default(),
            gate: CacheLine::default(),
        }
    }

    /// Locks a partition. Called between rounds, or by the thread that has claimed it: never contended.
    pub fn partition(&self, number: usize) -> MutexGuard<'_, Partition> {
        self.partitions[number].lock().expect("no thread panicked while holding a partition")
    }

    /// Claims and advances partitions until the due list is exhausted.
    fn work(&self, scratch: &mut Scratch, n_threads: usize) {
        let round_state = self.round_state.read().expect("the coordinator did not panic");
        let round = Round {
            model: self.model,
            overlay: round_state.overlay.as_ref(),
            port_bytes: &round_state.port_bytes,
            flows: &round_state.flows,
            activity: &self.activity,
            prefetches: self.partitions.len() > FEW,
            window: round_state.window,
            start: round_state.start,
            end: round_state.end,
        };
        let n_due = round_state.due.len();
        let chunk = (n_due / (n_threads * CLAIMS)).clamp(1, CLAIM);
        loop {
            let first = self.next.0.fetch_add(chunk, Ordering::Relaxed);
            if first >= n_due {
                return;
            }
            // From the end, where the partitions with most in-links are: the last claims should be small.
            for index in first..(first + chunk).min(n_due) {
                let position = n_due - 1 - index;
                if round.prefetches && position > 0 {
                    // Another thread may advance that one; a prefetch reads nothing.
                    prefetch(&self.partitions[round_state.due[position - 1] as usize]);
                }
                self.partition(round_state.due[position] as usize).advance(&round, scratch);
            }
        }
    }

    fn serve(&self, n_threads: usize) {
        let mut scratch = Scratch::default();
        let mut last = 0;
        while let Some(round) = self.gate.0.enter(last) {
            last = round;
            let done = LeaveGuard { gate: &self.gate.0 };
            self.work(&mut scratch, n_threads);
            self.harvest.lock().expect("adding cannot panic").append(&mut scratch.harvest);
            drop(done);
        }
    }
}

/// Leaves the round on drop, also when the work panics.
struct LeaveGuard<'h> {
    gate: &'h RoundGate,
}

impl Drop for LeaveGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.gate.failed.store(true, Ordering::SeqCst);
        }
        self.gate.leave();
    }
}

/// Runs rounds for the coordinator.
pub struct WorkerPool<'h, 'a> {
    /// State shared by the threads.
    pub scheduler: &'h SchedulerState<'a>,
    n_threads: usize,
    scratch: Scratch,
    governor: Governor<'h>,
}

impl WorkerPool<'_, '_> {
    /// Advances all due partitions of the round state; returns their results, in the order of partitions.
    pub fn run_round(&mut self) -> &Harvest {
        let scheduler = self.scheduler;
        self.scratch.harvest.clear();
        scheduler.next.0.store(0, Ordering::Relaxed);
        if self.n_threads == 1 {
            scheduler.work(&mut self.scratch, 1);
        } else {
            let n_due = scheduler.round_state.read().expect("the coordinator did not panic").due.len();
            let shares = self.governor.start_round(n_due);
            scheduler.activity.set_single_thread(!shares);
            if shares {
                self.share_round();
            } else {
                scheduler.work(&mut self.scratch, 1);
            }
            self.governor.end_round(n_due, self.scratch.harvest.hops);
        }
        let harvest = &mut self.scratch.harvest;
        harvest.paused.sort_unstable();
        harvest.reporting.sort_unstable();
        harvest
    }

    fn share_round(&mut self) {
        let (scheduler, gate) = (self.scheduler, &self.scheduler.gate.0);
        // Mostly sorted already: hosts, then switches.
        let mut round_state = scheduler.round_state.write().expect("the coordinator did not panic");
        round_state.due.sort_unstable_by_key(|&number| (scheduler.weights[number as usize], number));
        drop(round_state);
        gate.open();
        scheduler.work(&mut self.scratch, self.n_threads);
        gate.close();
        assert!(!gate.failed.load(Ordering::SeqCst), "a worker thread panicked");
        self.scratch.harvest.append(&mut scheduler.harvest.lock().expect("adding cannot panic"));
    }
}

/// Runs `body` with a worker pool of `n_threads` threads, the caller's own included.
///
/// A round is shared while that is faster by the clock; without a clock, unless it is tiny.
pub fn with_worker_pool<R>(
    scheduler: &SchedulerState<'_>,
    n_threads: usize,
    clock: Option<Clock<'_>>,
    body: impl FnOnce(&mut WorkerPool<'_, '_>) -> R,
) -> R {
    std::thread::scope(|scope| {
        for _ in 1..n_threads {
            scope.spawn(|| scheduler.serve(n_threads));
        }
        let over = ShutdownGuard { gate: &scheduler.gate.0 };
        let result = body(&mut WorkerPool {
            scheduler,
            n_threads,
            scratch: Scratch::default(),
            governor: Governor::new(clock),
        });
        drop(over);
        result
    })
}

/// Ends the worker threads on drop, also when the coordinator panics.
struct ShutdownGuard<'h> {
    gate: &'h RoundGate,
}

impl Drop for ShutdownGuard<'_> {
    fn drop(&mut self) {
        self.gate.over.store(true, Ordering::SeqCst);
        self.gate.opened.notify();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worker threads that count the rounds they enter, until the run is over.
    fn with_workers(n: usize, gate: &RoundGate, visits: &AtomicUsize, body: impl FnOnce()) {
        std::thread::scope(|scope| {
            for _ in 0..n {
                scope.spawn(|| {
                    let mut last = 0;
                    while let Some(round) = gate.enter(last) {
                        last = round;
                        visits.fetch_add(1, Ordering::SeqCst);
                        gate.leave();
                    }
                });
            }
            let over = ShutdownGuard { gate };
            body();
            drop(over);
        });
    }

    #[test]
    fn a_worker_is_inside_only_while_a_round_lasts_and_once_per_round() {
        const ROUNDS: usize = 20_000;
        let (gate, visits) = (RoundGate::default(), AtomicUsize::new(0));
        with_workers(3, &gate, &visits, || {
            for round in 1..=ROUNDS {
                gate.open();
                gate.close();
                let seen = visits.load(Ordering::SeqCst);
                assert!(seen <= 3 * round, "{seen} visits in {round} rounds");
                assert_eq!(gate.state.load(Ordering::SeqCst) & INSIDE, 0);
            }
        });
    }

    #[test]
    fn workers_that_sleep_are_woken_by_a_round_and_by_the_end() {
        let (gate, visits) = (RoundGate::default(), AtomicUsize::new(0));
        with_workers(2, &gate, &visits, || {
            for round in 1..=50 {
                // Longer than a waiting thread spins.
                std::thread::sleep(core::time::Duration::from_millis(1));
                gate.open();
                while visits.load(Ordering::SeqCst) < 2 * round {
                    std::thread::yield_now();
                }
                gate.close();
            }
        });
        assert_eq!(visits.into_inner(), 100);
    }

    #[test]
    fn a_worker_that_panics_leaves_its_round() {
        let gate = RoundGate::default();
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                assert!(gate.enter(0).is_some());
                let _done = LeaveGuard { gate: &gate };
                panic!("a mistake in a partition");
            });
            gate.open();
            assert!(worker.join().is_err());
            gate.close();
        });
        assert!(gate.failed.into_inner());
    }
}
