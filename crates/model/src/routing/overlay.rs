//! Next hops distributed to nodes after links have died.
//!
//! Models: differences from the next hops that each node computes by itself, for one set of dead links.
//! Leaves out: when they take effect (the engine decides), how they are computed: [`crate::reroute`].
//!
//! Invariants: nothing is stored where a node's own next hops are correct.

use netloom_units::{HostId, NodeId};

use super::PortSet;
use super::tables::Lists;

/// Where live shortest paths differ from those that a node computes by itself, for one set of dead links.
///
/// A node by itself subtracts its own dead ports from the healthy next hops; global failure awareness goes further.
/// Only the differences are kept, by class of sending node and group of destinations. Built by
/// [`crate::reroute::overlay`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overlay {
    pub(crate) group_of_host: Vec<u32>,
    pub(crate) class_of_node: Vec<u32>,
    /// Start of each group's entries, with one closing entry.
    pub(crate) group_starts: Vec<u32>,
    /// The differences, group by group, in rising order of classes.
    pub(crate) entries: Vec<Difference>,
    /// Pairs of hosts joined by a live link, sorted: they need no entry.
    pub(crate) joined: Vec<(NodeId, HostId)>,
    pub(crate) lists: Lists,
}

/// The next hops of a class of nodes towards a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The sending nodes.
    pub(crate) class: u32,
    /// Their ports.
    pub(crate) list: u32,
}

impl Overlay {
    /// The live next hops of `node` towards another host, or `None` where they are the healthy ones without the node's
    /// own dead ports. An empty set means that the destination cannot be reached.
    #[inline]
    pub fn next_hops(&self, node: NodeId, destination: HostId) -> Option<PortSet<'_>> {
        if self.entries.is_empty() {
            return None;
        }
        let group = self.group_of_host[destination.index()] as usize;
        let range = self.group_starts[group] as usize..self.group_starts[group + 1] as usize;
        let differences = &self.entries[range];
        let class = self.class_of_node[node.index()];
        let found = differences.binary_search_by_key(&class, |entry| entry.class).ok()?;
        if self.joined.binary_search(&(node, destination)).is_ok() {
            return None;
        }
        Some(PortSet::List(self.lists.get(differences[found].list)))
    }

    /// Whether the own next hops of every node are correct.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
