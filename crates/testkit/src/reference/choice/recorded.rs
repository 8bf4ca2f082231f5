//! Choices replayed from the record of another simulator.
//!
//! Models: the two families of policies with their random numbers given from outside, so that a differential test
//! compares the network and not the generators.
//! Leaves out: how the record is stored; a closure looks it up by [`Decision::node`], [`Decision::flow`] and
//! [`Decision::packet`], or by order of call.
//! Invariant: the reference simulator itself computes what is not random: the index from the hash, the set of shortest
//! queues.

use super::{Choice, Decision, shortest};

/// Equal-cost multipath by a hash that a closure supplies: the port is the hash modulo the number of candidates.
pub struct RecordedHash<F>(
    /// The hash of the packet at this node.
    pub F,
);

/// The shortest queue, with ties broken by a closure.
pub struct RecordedDraw<F>(
    /// Given the decision and the number of ties, returns which of the ties is taken, counted from 0; for a recorded
    /// random number for instance `draw % n_ties`.
    pub F,
);

impl<F: FnMut(&Decision<'_>) -> u64> Choice for RecordedHash<F> {
    fn pick(&mut self, decision: &Decision<'_>) -> usize {
        ((self.0)(decision) % decision.candidates.len() as u64) as usize
    }
}

impl<F: FnMut(&Decision<'_>, usize) -> usize> Choice for RecordedDraw<F> {
    fn pick(&mut self, decision: &Decision<'_>) -> usize {
        let ties = shortest(decision.queue_lengths);
        ties[(self.0)(decision, ties.len())]
    }
}
