//! # Idea
//! Every member that has the data sends all of it to one that has not, so that the number of members with the data
//! doubles each round.
//!
//! # Source
//! The binomial tree of MPI libraries; Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication
//! Operations in MPICH", IJHPCA 2005.
//!
//! # Parameters
//! `root`: the member that has the data.
//!
//! # Invariants
//! ceil(log2 n) rounds; every member but the root receives S bytes once; the root sends ceil(log2 n) times S.
//!
//! # When it misleads
//! All sends of a member start together once it has the data, so its later children share its links with the earlier
//! ones instead of being served in turn. With `dependent: false` members send data they do not have.

use netloom_units::{Settings, Spec};

use super::broadcast_chain::{ROOT, root};
use super::{Algorithm, Demand, Factor, Frame, Step, at_once};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "broadcast_tree",
    summary: "broadcast along a binomial tree",
    source: "binomial tree of MPI libraries",
    parameters: &[ROOT],
};

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadcastTree {
    frame: Frame,
    root: u32,
}

impl BroadcastTree {
    /// Distance of the first child from `node`, counted from the root; every later child is twice as far.
    fn first_distance(node: u32) -> u64 {
        // The round in which a node receives is the index of its highest bit; it sends in all later ones.
        u64::from(node).checked_ilog2().map_or(1, |round| 2 << round)
    }

    fn n_children(&self, node: u32) -> u64 {
        let reach = u64::from(self.frame.n_ranks - 1 - node);
        (reach / Self::first_distance(node)).checked_ilog2().map_or(0, |rounds| u64::from(rounds) + 1)
    }
}

impl Algorithm for BroadcastTree {
    fn new(frame: Frame, settings: &Settings) -> Result<Self, String> {
        Ok(BroadcastTree { frame, root: root(frame, settings)? })
    }

    fn operation(&self, position: u32, index: u64) -> Option<Step> {
        let Frame { size, dependent, .. } = self.frame;
        let node = self.frame.before(position, self.root);
        let n_messages = u32::from(node != 0 && size > 0);
        let n_children = self.n_children(node);
        let send =
            |child: u64| (self.frame.after(position, (Self::first_distance(node) << child) as u32), size);
        if !dependent {
            return at_once(index, n_children, n_messages, send);
        }
        let Some(child) = index.checked_sub(1) else { return Some(Step::receive(0, n_messages)) };
        let (to, bytes) = (child < n_children).then(|| send(child))?;
        Some(Step::send(to, 0, bytes))
    }

    fn n_tags(&self) -> u64 {
        1
    }

    fn bus_factor(&self) -> Factor {
        Factor::ONE
    }

    fn demand(&self) -> Demand {
        Demand::Vector
    }

    fn total_bytes(&self) -> u128 {
        u128::from(self.frame.n_ranks - 1) * u128::from(self.frame.size)
    }

    fn sends_first(&self) -> bool {
        !self.frame.dependent
    }
}
