//! The up-down order of nodes: which of two is above the other.
//!
//! Models: the number of hops from the nearest host in the healthy fabric; of two nodes at the same distance the one
//! with the higher number is above (modelling assumption), so that the nodes of any fabric are ordered. In trees that
//! is the tier.
//! Leaves out: which paths packets take.

use netloom_units::NodeId;

use crate::fabric::Fabric;

/// See the module.
pub(crate) struct Levels {
    /// By node: higher nodes have higher ranks.
    ranks: Vec<u64>,
    /// The switches, highest first.
    pub(crate) falling: Vec<NodeId>,
}

impl Levels {
    /// The levels of all nodes of a fabric.
    pub(crate) fn new(fabric: &Fabric) -> Levels {
        let hops = fabric.tiers();
        let ranks: Vec<u64> = (0..).zip(&hops).map(|(node, &hops)| u64::from(hops) << 32 | node).collect();
        let mut falling: Vec<NodeId> =
            (fabric.n_hosts() as u32..fabric.n_nodes() as u32).map(NodeId).collect();
        falling.sort_unstable_by_key(|node| std::cmp::Reverse(ranks[node.index()]));
        Levels { ranks, falling }
    }

    /// Whether one node is above another one.
    pub(crate) fn is_above(&self, upper: NodeId, lower: NodeId) -> bool {
        self.ranks[upper.index()] > self.ranks[lower.index()]
    }
}
