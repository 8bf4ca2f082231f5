//! The interface between workload and engine: streams of operations for each actor.
//!
//! An *actor* issues work on a host: one rank of one job, one host's share of background traffic or of finite flows, or
//! one staged flow.
//! Built-in collectives implement [`Work`] now; trace readers and Python programs may later.
//!
//! Rules: operations of one stream run in order; streams run concurrently; [`Operation::Join`] waits for all streams.
//! The engine calls [`Work::refill`] only between rounds of a window, never in parallel, and pauses a host that runs
//! out of operations until it has been refilled: results do not depend on the number of operations handed out at a
//! time, but for the order in which several streams of one actor act at one instant.

use std::collections::VecDeque;

use netloom_units::{ActorId, Bytes, Duration, HostId, Rate, Time};

/// An operation handed to the engine, with its stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Item {
    /// The stream it belongs to, below [`Item::STREAMS`].
    pub stream: u8,
    /// The operation.
    pub operation: Operation,
}

impl Item {
    /// Number of streams of an actor.
    pub const STREAMS: usize = 16;
}

/// The next operation of an actor in a stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operation {
    /// Be busy for a span.
    Compute(Duration),
    /// Wait until an instant; no wait if it has passed.
    Until(Time),
    /// Stop at an instant: once it has come, the operations that follow are skipped, in all streams.
    StopAt(Time),
    /// Start a message; the stream continues at once.
    Send(Message),
    /// Start a message when one with this tag has arrived, and consume that; the stream continues at once.
    SendWhen {
        /// The message to start.
        message: Message,
        /// The tag it waits for; several operations that wait for one tag are served in order.
        tag: u64,
        /// Delay from then until the start; the same in all operations of a run.
        after: Duration,
    },
    /// As [`Operation::SendWhen`], with a delay of its own, and for several operations that wait for one message.
    SendAfter {
        /// The message to start.
        message: Message,
        /// The tag it waits for.
        tag: u64,
        /// Delay from then until the start.
        delay: Duration,
        /// Whether it is the last that waits for that message: one that is not does not consume it.
        is_last: bool,
    },
    /// Wait until this number of messages with this tag have completely arrived; consume them.
    Receive {
        /// The tag the senders gave, or [`Message::completion_tag`] of it for the actor's own messages to be complete.
        tag: u64,
        /// Number of messages.
        messages: u32,
    },
    /// Deliver a tag to an actor of the same host at once, as the arrival of a message does: to this actor, whose other
    /// streams may wait for it, or to another one. Nothing is sent.
    Notify {
        /// The actor.
        actor: ActorId,
        /// The tag.
        tag: u64,
    },
    /// Arrive at a modelled barrier and wait for its release.
    Barrier {
        /// Which group of actors; its size comes from [`Work::barrier_size`].
        group: u32,
    },
    /// Report that something begins or ends here.
    Mark(Mark),
    /// Wait until all streams have completed everything before this; nothing after it begins earlier, in any stream.
    Join,
}

/// A message to start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Message {
    /// The receiving host.
    pub to: HostId,
    /// The actor at the receiver that may wait for it; `None` for background traffic.
    pub notify: Option<ActorId>,
    /// The actor at the sender that may wait for [`Message::completion_tag`], until all of it is acknowledged; never
    /// notified in an open loop.
    pub completion: Option<ActorId>,
    /// The tag that the receiver waits for, below 2^63.
    pub tag: u64,
    /// Size; at least one byte.
    pub size: Bytes,
    /// Rate in an open loop, overriding the transport's; rate limit of the queue pair that is created for it, which
    /// other messages on that queue pair share. A window transport paces itself.
    pub rate: Option<Rate>,
    /// Traffic class of its packets; `None` selects that of data ([`crate::PriorityMap`]).
    pub class: Option<u8>,
    /// Whether its packets may overtake each other; switches with adaptive routing keep those of all other messages on
    /// one path.
    pub may_reorder: bool,
    /// The job it belongs to; [`Message::BACKGROUND`] for background traffic, [`Message::STAGED`] for staged flows,
    /// [`Message::FINITE`] for finite flows.
    pub job: u16,
    /// The step of the job, or the number of the flow.
    pub step: u32,
    /// Phase of the step; of a finite flow its service.
    pub phase: u16,
    /// Bucket of the phase.
    pub bucket: u16,
}

impl Message {
    /// The job number of background traffic.
    pub const BACKGROUND: u16 = u16::MAX;
    /// The job number of staged flows.
    pub const STAGED: u16 = u16::MAX - 1;
    /// The job number of finite flows.
    pub const FINITE: u16 = u16::MAX - 2;
    /// Numbers of jobs are below this one.
    pub const FIRST_OF_OTHERS: u16 = Message::FINITE;

    /// The tag of the completion, at the sender, of a message with this tag: another one, as an actor may wait for its
    /// own messages and for those of others under one number.
    #[inline]
    pub const fn completion_tag(tag: u64) -> u64 {
        tag | 1 << 63
    }

    /// Number of the staged flow it belongs to: all messages of one flow share a queue pair and a path.
    #[inline]
    pub fn staged_flow(&self) -> Option<u32> {
        (self.job == Message::STAGED).then_some(self.step)
    }
}

/// An activity begins or ends at one actor; the engine combines the marks of all ranks.
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
    /// A phase begins, or continues after a barrier between its buckets.
    PhaseBegins {
        /// Job number.
        job: u16,
        /// Step number.
        step: u32,
        /// Phase of the step.
        phase: u16,
    },
    /// A phase ends, or reaches a barrier.
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
    /// The barrier releases the rank.
    BarrierEnds {
        /// Job number.
        job: u16,
        /// Step number.
        step: u32,
        /// Phase of the step.
        phase: u16,
    },
    /// A rank begins to compute the forward or the backward pass of a microbatch.
    ComputeBegins {
        /// Job number.
        job: u16,
        /// Step number.
        step: u32,
        /// Phase of the step.
        phase: u16,
        /// The microbatch.
        microbatch: u16,
    },
    /// It ends.
    ComputeEnds {
        /// Job number.
        job: u16,
        /// Step number.
        step: u32,
        /// Phase of the step.
        phase: u16,
        /// The microbatch.
        microbatch: u16,
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
    /// The host of each actor; an actor's id is its index here.
    fn actors(&self) -> &[HostId];

    /// Number of actors that meet at a barrier of this group.
    fn barrier_size(&self, group: u32) -> u32;

    /// Length and pause of the next burst of a job; `None` if its steps follow each other. Called once per burst.
    fn next_burst(&mut self, _job: u16) -> Option<(Duration, Duration)> {
        None
    }

    /// Appends the actor's next operations; appends nothing when it has finished.
    ///
    /// An implementation should append about one phase at a time, so that memory does not grow with messages not yet
    /// started.
    fn refill(&mut self, actor: ActorId, queue: &mut VecDeque<Item>);
}
