//! The only threads of the engine: a crew that advances the due partitions of a round.
//!
//! Models: workers that wait for a round, claim partitions from its list and advance them.
//! Leaves out: what a round is for; the coordinator prepares the board and reads the reports.
//!
//! Invariants: a partition is advanced by one thread per round (it is locked for that); between rounds no worker touches
//! anything, so the coordinator may change the board. Results do not depend on who advances what, in which order.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, RwLock};

use netloom_model::{Model, Overlay};

use crate::activity::Activity;
use crate::flow::Flow;
use crate::partition::{Harvest, Partition, Scratch};
use crate::round::Round;

/// What a round works on; written between rounds.
#[derive(Default)]
pub struct Board {
    /// The messages handed out.
    pub flows: Vec<Flow>,
    /// Next hops recomputed after failures.
    pub overlay: Option<Overlay>,
    /// Bytes waiting at every port at the last snapshot, where somebody asks.
    pub known: Vec<u64>,
    /// Partitions to advance.
    pub due: Vec<u32>,
    /// Number of the window.
    pub window: u64,
    /// Start of the window, in ps.
    pub start: u64,
    /// End of the window, in ps.
    pub end: u64,
}

/// Everything the threads share.
pub struct Hall<'a> {
    /// The model.
    pub model: &'a Model,
    /// The partitions.
    pub partitions: Vec<Mutex<Partition>>,
    /// Who has something to do.
    pub activity: Activity,
    /// The board.
    pub board: RwLock<Board>,
    /// What the workers' partitions left behind in this round.
    harvest: Mutex<Harvest>,
    /// Next place of the due list to claim.
    next: AtomicUsize,
    /// Number of the round; workers start when it rises.
    round: AtomicU64,
    /// Workers still at work in this round.
    working: AtomicUsize,
    /// Set when the run is over.
    over: AtomicBool,
    /// Set when a worker panicked.
    failed: AtomicBool,
}

/// Rounds with fewer due partitions are not worth waking anyone.
const WORTH_SHARING: usize = 4;

/// How often a thread claims in a round, about: often enough that no claim holds most of the switches, which are few and
/// have most to do.
const CLAIMS: usize = 64;

/// Most partitions of a claim.
const CLAIM: usize = 16;

/// Turns of a waiting loop before the thread lets others run.
const SPINS: u32 = 2_000;

impl<'a> Hall<'a> {
    /// A hall for these partitions.
    pub fn new(model: &'a Model, partitions: Vec<Partition>, activity: Activity) -> Hall<'a> {
        Hall {
            model,
            partitions: partitions.into_iter().map(Mutex::new).collect(),
            activity,
            board: RwLock::default(),
            harvest: Mutex::default(),
            next: AtomicUsize::new(0),
            round: AtomicU64::new(0),
            working: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            failed: AtomicBool::new(false),
        }
    }

    /// Locks a partition. Between rounds, or by who has claimed it: never contended.
    pub fn partition(&self, number: usize) -> MutexGuard<'_, Partition> {
        self.partitions[number].lock().expect("no thread panicked while holding a partition")
    }

    /// Claims and advances partitions until the list is used up.
    fn work(&self, scratch: &mut Scratch, n_threads: usize) {
        let board = self.board.read().expect("the coordinator did not panic");
        let round = Round {
            model: self.model,
            overlay: board.overlay.as_ref(),
            known: &board.known,
            flows: &board.flows,
            activity: &self.activity,
            window: board.window,
            start: board.start,
            end: board.end,
        };
        let n_due = board.due.len();
        let chunk = (n_due / (n_threads * CLAIMS)).clamp(1, CLAIM);
        loop {
            let first = self.next.fetch_add(chunk, Ordering::Relaxed);
            if first >= n_due {
                return;
            }
            // From the end: switches, which have most to do, come last in the numbering and should be claimed first.
            for place in first..(first + chunk).min(n_due) {
                let number = board.due[n_due - 1 - place];
                self.partition(number as usize).advance(&round, scratch);
            }
        }
    }

    fn serve(&self, n_threads: usize) {
        let mut scratch = Scratch::default();
        let mut seen = 0;
        loop {
            let mut spins = 0;
            while self.round.load(Ordering::Acquire) == seen {
                if self.over.load(Ordering::Acquire) {
                    return;
                }
                relax(&mut spins);
            }
            seen += 1;
            let done = Done { hall: self };
            self.work(&mut scratch, n_threads);
            self.harvest.lock().expect("adding cannot panic").append(&mut scratch.harvest);
            drop(done);
        }
    }
}

/// Signs off from the round, also when the work panics.
struct Done<'h, 'a> {
    hall: &'h Hall<'a>,
}

impl Drop for Done<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.hall.failed.store(true, Ordering::Release);
        }
        self.hall.working.fetch_sub(1, Ordering::AcqRel);
    }
}

fn relax(spins: &mut u32) {
    *spins += 1;
    if *spins < SPINS {
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}

/// Lets the coordinator run rounds.
pub struct Crew<'h, 'a> {
    /// What the threads share.
    pub hall: &'h Hall<'a>,
    n_threads: usize,
    scratch: Scratch,
}

impl Crew<'_, '_> {
    /// Advances all due partitions of the board; what they left behind, in the order of partitions.
    pub fn run_round(&mut self) -> &Harvest {
        let hall = self.hall;
        self.scratch.harvest.clear();
        hall.next.store(0, Ordering::Relaxed);
        let n_due = hall.board.read().expect("the coordinator did not panic").due.len();
        let n_workers = if n_due < WORTH_SHARING { 0 } else { self.n_threads - 1 };
        if n_workers > 0 {
            hall.working.store(n_workers, Ordering::Release);
            hall.round.fetch_add(1, Ordering::AcqRel);
        }
        hall.work(&mut self.scratch, if n_workers == 0 { 1 } else { self.n_threads });
        let mut spins = 0;
        while n_workers > 0 && hall.working.load(Ordering::Acquire) > 0 {
            relax(&mut spins);
        }
        assert!(!hall.failed.load(Ordering::Acquire), "a worker thread panicked");
        let harvest = &mut self.scratch.harvest;
        if n_workers > 0 {
            harvest.append(&mut hall.harvest.lock().expect("adding cannot panic"));
        }
        harvest.paused.sort_unstable();
        harvest.reporting.sort_unstable();
        harvest
    }
}

/// Runs `body` with a crew of `n_threads` threads, the caller's own included.
pub fn with_crew<R>(hall: &Hall<'_>, n_threads: usize, body: impl FnOnce(&mut Crew<'_, '_>) -> R) -> R {
    std::thread::scope(|scope| {
        for _ in 1..n_threads {
            scope.spawn(|| hall.serve(n_threads));
        }
        let over = Over { hall };
        let result = body(&mut Crew { hall, n_threads, scratch: Scratch::default() });
        drop(over);
        result
    })
}

/// Sends the workers home, also when the coordinator panics.
struct Over<'h, 'a> {
    hall: &'h Hall<'a>,
}

impl Drop for Over<'_, '_> {
    fn drop(&mut self) {
        self.hall.over.store(true, Ordering::Release);
    }
}
