//! Operations that a program outside netloom supplies, for phases of kind `program`.
//!
//! Models: a rank's operations in one phase of one step, pulled some at a time while the run goes on.
//! Leaves out: where the program is, and the language it is written in; whether its operations make sense together:
//! a rank that waits for a message that no rank sends is a deadlock, as in any other work.
//!
//! Invariants: operations are pulled in order, by one thread at a time, and only by ranks that have used up what they
//! have; how many are pulled at a time changes no result.

use std::fmt;

use netloom_units::{Bytes, Duration};

/// An operation of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankOperation {
    /// Start a message to another rank; the rank goes on at once.
    Send {
        /// The rank that receives it.
        to: u32,
        /// Its size; at least one byte.
        size: Bytes,
        /// The tag that the receiver waits for.
        tag: u32,
    },
    /// Wait until messages with a tag have completely arrived in this phase, from whatever ranks; consume them.
    Receive {
        /// The tag.
        tag: u32,
        /// Number of messages.
        messages: u32,
    },
    /// Be busy for a span.
    Compute(Duration),
    /// Wait until all ranks of the job have come to a barrier.
    Barrier,
}

/// A rank in a phase of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RankPhase {
    /// The job.
    pub job: u16,
    /// The rank in it.
    pub rank: u32,
    /// The step.
    pub step: u32,
    /// The phase of the step.
    pub phase: u16,
}

/// A program that supplies the operations of ranks.
pub trait Supply: Send {
    /// Appends the next operations of a rank in a phase, at most about `limit` of them; returns whether there may be
    /// more. Not called again for a phase that is over.
    fn pull(&mut self, whose: RankPhase, limit: usize, operations: &mut Vec<RankOperation>) -> bool;

    /// Whether it supplies nothing any more, for no rank: it has failed, or the run is being stopped.
    fn has_ended(&self) -> bool;
}

/// The program of a run, if there is one.
#[derive(Default)]
pub(super) struct Supplied {
    supply: Option<Box<dyn Supply>>,
    /// Operations that were just pulled.
    pulled: Vec<RankOperation>,
}

impl fmt::Debug for Supplied {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Supplied").field("is_there", &self.supply.is_some()).finish_non_exhaustive()
    }
}

impl Supplied {
    /// By this program.
    pub(super) fn by(supply: Box<dyn Supply>) -> Supplied {
        Supplied { supply: Some(supply), pulled: Vec::new() }
    }

    /// Whether nothing is to be expected of ranks of programs.
    pub(super) fn has_ended(&self) -> bool {
        self.supply.as_ref().is_some_and(|supply| supply.has_ended())
    }

    /// The next operations of a rank in a phase, and whether there may be more.
    pub(super) fn pull(
        &mut self,
        whose: RankPhase,
        limit: usize,
    ) -> (std::vec::Drain<'_, RankOperation>, bool) {
        let Supplied { supply, pulled } = self;
        pulled.clear();
        // One that supplies nothing could be asked for ever.
        let going_on = supply.as_mut().filter(|supply| !supply.has_ended());
        let more = going_on.is_some_and(|supply| supply.pull(whose, limit, pulled)) && !pulled.is_empty();
        (pulled.drain(..), more)
    }
}
