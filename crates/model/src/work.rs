//! The seam between workload and engine: a stream of operations per actor.
//!
//! An *actor* is whoever issues work on a host: one rank of one job, one host's share of background traffic, or one
//! staged flow.
//! Built-in collectives implement [`Work`] now; trace readers and Python programs may later.
//!
//! Rules: operations of one lane run in order; lanes run side by side; [`Operation::Join`] waits for all lanes.
//! The engine calls [`Work::refill`] only between rounds of a window, never in parallel, and pauses a host that runs dry
//! until it has been refilled: results do not depend on how much is handed out at a time.

use std::collections::VecDeque;

use netloom_units::{ActorId, Bytes, Duration, HostId, Rate, Time};

/// Operations handed to the engine, lane by lane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Item {
    /// The lane it belongs to, below [`Item::STREAMS`].
    pub stream: u8,
    /// What to do.
    pub operation: Operation,
}

impl Item {
    /// Number of lanes an actor has.
    pub const STREAMS: usize = 16;
}

/// What an actor does next in a lane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operation {
    /// Be busy for a span.
    Compute(Duration),
    /// Wait until an instant; nothing if it has passed.
    Until(Time),
    /// Do nothing from an instant on: if it has come, what follows is passed over, in all lanes.
    StopAt(Time),
    /// Start a message; the lane goes on at once.
    Send(Message),
    /// Start a message when one with this tag has come, and take that; the lane goes on at once.
    SendWhen {
        /// What is started.
        message: Message,
        /// The tag it waits for; of several that wait for one tag, the first goes first.
        tag: u64,
        /// From then until the start; the same in all operations of a run.
        after: Duration,
    },
    /// Wait until this many messages with this tag have completely arrived, or are complete at the sender where that is
    /// told (and take them).
    Receive {
        /// The tag the senders gave.
        tag: u64,
        /// How many messages.
        messages: u32,
    },
    /// Arrive at a modelled barrier and wait for its release.
    Barrier {
        /// Which group of actors; its size comes from [`Work::barrier_size`].
        group: u32,
    },
    /// Report that something begins or ends here.
    Mark(Mark),
    /// Wait until all lanes have done everything before this; nothing after it begins earlier, in any lane.
    Join,
}

/// A message to start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Message {
    /// The receiving host.
    pub to: HostId,
    /// The actor that may wait for it there; `None` for background traffic.
    pub notify: Option<ActorId>,
    /// The actor at the sender that may wait until all of it is acknowledged; never told in an open loop.
    pub completion: Option<ActorId>,
    /// What both wait for.
    pub tag: u64,
    /// Size; at least one byte.
    pub size: Bytes,
    /// Pace in an open loop, overriding the transport's; limit of the queue pair that is made for it, which other messages
    /// on that share. A window paces itself.
    pub rate: Option<Rate>,
    /// The traffic class of its packets; `None` is that of data ([`crate::PriorityMap`]).
    pub class: Option<u8>,
    /// Whether its packets may overtake each other on their way; switches that adapt leave all others on one path.
    pub may_reorder: bool,
    /// The job it belongs to; [`Message::BACKGROUND`] for background traffic, [`Message::STAGED`] for staged flows.
    pub job: u16,
    /// The step of the job, or the number of the staged flow.
    pub step: u32,
    /// Phase of the step and bucket of the phase.
    pub phase: u16,
    /// Bucket of the phase.
    pub bucket: u16,
}

impl Message {
    /// The job number of background traffic.
    pub const BACKGROUND: u16 = u16::MAX;
    /// The job number of staged flows.
    pub const STAGED: u16 = u16::MAX - 1;

    /// The number of the staged flow it belongs to: all messages of one share a queue pair and a path.
    #[inline]
    pub fn staged_flow(&self) -> Option<u32> {
        (self.job == Message::STAGED).then_some(self.step)
    }
}

/// Something begins or ends at one actor; the engine joins the marks of all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// A step begins.
    StepBegins {
        /// Job number.
        job: u16,
        /// Step number.
        step: u32,
    },
    /// A step ends.
    StepEnds {
        /// Job number.
        job: u16,
        /// Step number.
        step: u32,
    },
    /// A phase begins, or goes on after a barrier between its buckets.
    PhaseBegins {
        /// Job number.
        job: u16,
        /// Step number.
        step: u32,
        /// Phase of the step.
        phase: u16,
    },
    /// A phase ends, or comes to a barrier.
    PhaseEnds {
        /// Job number.
        job: u16,
        /// Step number.
        step: u32,
        /// Phase of the step.
        phase: u16,
    },
    /// A rank arrives at a modelled barrier: a phase of its own, or after buckets or messages of a phase.
    BarrierBegins {
        /// Job number.
        job: u16,
        /// Step number.
        step: u32,
        /// Phase of the step.
        phase: u16,
    },
    /// The barrier lets the rank go on.
    BarrierEnds {
        /// Job number.
        job: u16,
        /// Step number.
        step: u32,
        /// Phase of the step.
        phase: u16,
    },
    /// A collective (one bucket of one phase) begins.
    CollectiveBegins {
        /// Job number.
        job: u16,
        /// Step number.
        step: u32,
        /// Phase of the step.
        phase: u16,
        /// Bucket of the phase.
        bucket: u16,
    },
    /// A collective ends.
    CollectiveEnds {
        /// Job number.
        job: u16,
        /// Step number.
        step: u32,
        /// Phase of the step.
        phase: u16,
        /// Bucket of the phase.
        bucket: u16,
    },
}

/// A source of operations.
pub trait Work: Send {
    /// The host of each actor; an actor's id is its place here.
    fn actors(&self) -> &[HostId];

    /// How many actors meet at a barrier of this group.
    fn barrier_size(&self, group: u32) -> u32;

    /// Length and pause of the next burst of a job; absent if its steps follow each other. Asked once per burst.
    fn next_burst(&mut self, _job: u16) -> Option<(Duration, Duration)> {
        None
    }

    /// Appends the actor's next operations; appends nothing when it has finished.
    ///
    /// A good source appends one phase or so at a time: memory then does not grow with messages not yet started.
    fn refill(&mut self, actor: ActorId, queue: &mut VecDeque<Item>);
}
