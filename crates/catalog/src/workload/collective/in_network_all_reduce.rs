//! # Idea
//! The bound of an all-reduce in which switches add (SHARP, NVLS): each rank sends its vector once and receives the sum
//! once.
//!
//! # Source
//! Graham et al., "Scalable Hierarchical Aggregation Protocol (SHArP): A Hardware Architecture for Efficient Data
//! Reduction", COM-HPC 2016. That a neighbour exchange represents it is a modelling assumption.
//!
//! # Parameters
//! None.
//!
//! # Invariants
//! Every member sends S bytes to the next one and receives S from the one before: on the link of a host S bytes in each
//! direction, without incast, as under reduction in the network. There are no dependencies, so `dependent` changes
//! nothing. `busbw` counts 2(n - 1)/n as for every all-reduce, and so may exceed the rate of the links.
//!
//! # When it misleads
//! A bound on the bytes of NICs; traffic inside the fabric is that of a neighbour exchange. Where ranks are placed leaf
//! by leaf, one message leaves and one enters each leaf, as partial sums and sums do on a reduction tree; in any other
//! order there are more. Switches add at no cost, and their limits (memory, message size, number of groups) are not
//! modelled.

use netloom_units::{Settings, Spec};

use super::{Algorithm, Demand, Factor, Frame, Posted, Step, at_once};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "in_network_all_reduce",
    summary: "bound of an all-reduce in switches: each NIC sends and receives the vector once",
    source: "Graham et al., COM-HPC 2016; neighbour exchange: modelling assumption",
    parameters: &[],
};

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InNetworkAllReduce {
    frame: Frame,
}

impl InNetworkAllReduce {
    /// Number of messages that a member sends.
    fn n_messages(&self) -> u32 {
        u32::from(self.frame.n_ranks > 1 && self.frame.size > 0)
    }
}

impl Algorithm for InNetworkAllReduce {
    fn new(frame: Frame, _: &Settings) -> Result<Self, String> {
        Ok(InNetworkAllReduce { frame })
    }

    fn operation(&self, position: u32, index: u64) -> Option<Step> {
        let n_messages = self.n_messages();
        at_once(index, n_messages.into(), n_messages, |_| (self.frame.after(position, 1), self.frame.size))
    }

    fn n_tags(&self) -> u64 {
        1
    }

    fn bus_factor(&self) -> Factor {
        Factor::all_reduce(self.frame.n_ranks)
    }

    fn demand(&self) -> Demand {
        Demand::Vector
    }

    fn total_bytes(&self) -> u128 {
        u128::from(self.n_messages()) * u128::from(self.frame.n_ranks) * u128::from(self.frame.size)
    }

    fn sends_first(&self) -> bool {
        true
    }

    fn lists_receives(&self) -> bool {
        true
    }

    fn posted(&self, position: u32, index: u64, number: u32) -> Option<Posted> {
        let is_first = index == 0 && number < self.n_messages();
        is_first.then(|| Posted { from: self.frame.before(position, 1), tag: 0, bytes: self.frame.size })
    }
}
