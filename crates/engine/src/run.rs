//! The entry point of the engine: takes a model, its work and a sink; returns an outcome.

use netloom_model::{Model, Partitions, Work};
use netloom_records::{Sink, SinkError};
use netloom_units::{ActorId, Duration, HostId, PortId, Time};

use crate::assemble::{Assembly, assemble};
use crate::coordinator::Coordinator;
pub use crate::governor::Clock;
use crate::hook::PlacedHook;
use crate::observe::{Observer, Unobserved};
use crate::parallel::{SchedulerState, with_worker_pool};
use crate::program::Program;

/// How to run; none of these options changes any result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Number of threads, the caller's own included; at least one.
    pub threads: usize,
    /// Whether ports may compute transmission starts at enqueue where that is exact.
    pub shortcut: bool,
    /// Number of neighbouring partitions joined into one.
    pub coarsen: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { threads: 1, shortcut: true, coarsen: 1 }
    }
}

/// Optional extensions of a run.
#[derive(Default)]
pub struct Extensions<'a> {
    /// Middleboxes at switches.
    pub hooks: Vec<PlacedHook>,
    /// The observer.
    pub observer: Option<&'a mut dyn Observer>,
    /// A program that starts messages during the run.
    pub program: Option<&'a mut dyn Program>,
    /// Any steady clock, in ns: several threads share the rounds of a window only while that is faster by this clock.
    /// Without one they share all but the smallest rounds.
    pub clock: Option<Clock<'a>>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Why it ended.
    pub status: Status,
    /// The instant up to which all events were processed.
    pub end: Time,
    /// Number of windows.
    pub windows: u64,
    /// The largest possible window.
    pub window: Duration,
    /// Number of packets that crossed a link, counted at every link.
    pub hops: u64,
    /// Number of data packets created.
    pub packets: u64,
}

/// Why a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Status {
    /// All work was done.
    Complete,
    /// The deadline was reached.
    Deadline,
    /// The observer stopped it.
    Stopped,
    /// No event was left although work was not done.
    Stalled(Stall),
    /// An actor did ever more operations at one instant, so that simulated time would never pass.
    Standstill(Standstill),
    /// Buffers waited for each other in a cycle.
    Deadlock(Deadlock),
    /// Rows could not be stored.
    SinkFailed(SinkError),
}

/// An actor that did ever more operations at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standstill {
    /// The first such actor.
    pub actor: ActorId,
    /// Its host.
    pub host: HostId,
    /// The instant.
    pub at: Time,
}

/// What was left waiting when no event remained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stall {
    /// Actors that had not finished.
    pub waiting: Vec<Waiting>,
    /// Queue pairs that had too many timeouts in a row.
    pub given_up: Vec<FailedQueuePair>,
    /// Number of messages that started and never arrived.
    pub unfinished: u64,
}

/// A queue pair that stopped sending after too many timeouts in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FailedQueuePair {
    /// The sending host.
    pub source: HostId,
    /// Its number among the sender's queue pairs.
    pub number: u32,
    /// The receiving host.
    pub destination: HostId,
    /// Number of timeouts in a row.
    pub timeouts: u32,
}

/// Buffers that waited for each other in a cycle, so that no packet in them could ever move again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadlock {
    /// Egress ports of switches: each waited for credits of the buffer at the other end of its link, which waited for
    /// the next port, and the last for the first.
    pub cycle: Vec<PortId>,
    /// Number of messages that started and never arrived.
    pub unfinished: u64,
}

/// An actor left waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// The actor.
    pub actor: ActorId,
    /// Its host.
    pub host: HostId,
    /// Number of messages it still waited for.
    pub messages: u64,
    /// Whether it waited at a barrier.
    pub at_barrier: bool,
}

/// Simulates a model to its end.
///
/// Equal models and work give equal rows, at any number of threads and with any options.
///
/// # Panics
/// On a broken invariant, never on anything a checked model may contain.
pub fn run(
    model: &Model,
    work: &mut dyn Work,
    sink: &mut dyn Sink,
    options: Options,
    extensions: Extensions<'_>,
) -> Outcome {
    let n_threads = options.threads.max(1);
    let finest = Partitions::of(&model.fabric);
    let partitions =
        if options.coarsen > 1 { finest.coarser(&model.fabric, options.coarsen) } else { finest };
    let has_hooks = !extensions.hooks.is_empty();
    let Assembly { partitions: built, activity, placement } =
        assemble(model, &partitions, extensions.hooks, options.shortcut);
    let scheduler = SchedulerState::new(model, built, activity);
    let mut unobserved = Unobserved;
    let observer = extensions.observer.unwrap_or(&mut unobserved);
    with_worker_pool(&scheduler, n_threads, extensions.clock, |pool| {
        let coordinator = Coordinator::new(&scheduler, &placement, partitions.lookahead(), work, sink);
        let program = extensions.program.map(|program| -> &mut dyn Program { program });
        coordinator.with_hooks(has_hooks).with_program(program).run(pool, observer)
    })
}
