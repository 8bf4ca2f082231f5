//! The choice of a path: one decision per packet and node, made by an object that the caller supplies.
//!
//! Models: a choice among live candidate ports that knows the local queue lengths only.
//! Leaves out: everything remote; a choice gets no information other than its decisions.
//! Invariant: `pick` returns a position in the list of candidates, which is never empty.
//! Source: specification of the seed simulator, section 5.

pub(super) mod adaptive;
pub(super) mod hash;
pub(super) mod recorded;

use super::fabric::{NodeIdx, PortIdx};
use super::packet::{FlowIdx, Message};

/// What is known when a port is chosen for a packet.
#[derive(Clone, Debug)]
pub struct Decision<'a> {
    /// Where the packet is; the sending host decides too.
    pub node: NodeIdx,
    /// The packet's flow.
    pub flow: FlowIdx,
    /// The packet's index within its flow.
    pub packet: usize,
    /// The message it is a part of.
    pub message: &'a Message,
    /// When that message was injected, in seconds.
    pub injected_at: f64,
    /// The live ports towards the destination, in the order they were installed.
    pub candidates: &'a [PortIdx],
    /// Packets queued at each candidate, without the one on the wire.
    pub queue_lengths: &'a [usize],
}

/// A policy for choosing among candidate ports.
pub trait Choice {
    /// The position within `decision.candidates` of the port to take.
    fn pick(&mut self, decision: &Decision<'_>) -> usize;
}

/// The positions with the shortest queue, in order.
pub fn shortest(queue_lengths: &[usize]) -> Vec<usize> {
    let least = queue_lengths.iter().min();
    (0..queue_lengths.len()).filter(|&position| Some(&queue_lengths[position]) == least).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_shortest_queues_are_found_in_order() {
        assert_eq!(shortest(&[3, 1, 2, 1]), [1, 3]);
        assert_eq!(shortest(&[0, 0]), [0, 1]);
    }
}
