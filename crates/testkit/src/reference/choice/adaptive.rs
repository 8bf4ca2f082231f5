//! Adaptive spraying as in the seed simulator: the shortest local queue, ties broken by the Mersenne Twister.
//!
//! Models: one decision per packet from local queue lengths.
//! Leaves out: bytes, remote congestion, memory.
//! Invariant: a random number is drawn even when a single candidate remains.
//! Source: specification of the seed simulator, section 5.

use super::super::mersenne::Twister;
use super::{Choice, Decision, shortest};

/// Picks uniformly among the candidates with the shortest queue.
#[derive(Clone, Debug)]
pub struct AdaptiveTwister {
    twister: Twister,
}

impl AdaptiveTwister {
    /// Breaks ties with this generator, from its present state on.
    pub fn new(twister: Twister) -> Self {
        AdaptiveTwister { twister }
    }
}

impl Choice for AdaptiveTwister {
    fn pick(&mut self, decision: &Decision<'_>) -> usize {
        *self.twister.choice(&shortest(decision.queue_lengths))
    }
}
