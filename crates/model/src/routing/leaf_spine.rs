//! Next hops in a two-tier Clos.
//!
//! Models: bundles of parallel links, by arithmetic on ids.
//! Leaves out: failed links.
//!
//! Invariants: no memory; equal to a breadth-first search.

use netloom_units::{HostId, NodeId};

use super::PortSet;

/// The ids of a two-tier Clos: hosts, then leaves, then spines; bundles of parallel links.
///
/// Local ports: a host has `host_links` to its leaf; a leaf has `host_links` per host, host by host, then
/// `fabric_links` per spine, spine by spine; a spine has `fabric_links` per leaf, leaf by leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeafSpine {
    /// Number of leaves.
    pub leaves: u32,
    /// Number of spines.
    pub spines: u32,
    /// Hosts below each leaf.
    pub hosts_per_leaf: u32,
    /// Parallel links (NIC ports) between a host and its leaf.
    pub host_links: u32,
    /// Parallel links between a leaf and a spine.
    pub fabric_links: u32,
}

impl LeafSpine {
    /// Number of hosts.
    pub fn n_hosts(&self) -> u32 {
        self.leaves * self.hosts_per_leaf
    }

    /// The leaf node above a host.
    #[inline]
    pub fn leaf_of(&self, host: HostId) -> NodeId {
        NodeId(self.n_hosts() + host.0 / self.hosts_per_leaf)
    }

    /// The `number`-th spine's node.
    pub fn spine(&self, number: u32) -> NodeId {
        NodeId(self.n_hosts() + self.leaves + number)
    }

    /// Whether a port's link joins a host and a leaf.
    pub(super) fn leads_to_host(&self, node: NodeId, port: u32) -> bool {
        let is_leaf = node.0 < self.n_hosts() + self.leaves;
        node.0 < self.n_hosts() || is_leaf && port < self.hosts_per_leaf * self.host_links
    }

    /// All shortest-path next hops, by arithmetic.
    #[inline]
    pub fn next_hops(&self, node: NodeId, destination: HostId) -> PortSet<'static> {
        let n_hosts = self.n_hosts();
        if node.0 < n_hosts {
            return PortSet::Range { first: 0, count: self.host_links };
        }
        let leaf = destination.0 / self.hosts_per_leaf;
        let switch = node.0 - n_hosts;
        if switch >= self.leaves {
            return PortSet::Range { first: leaf * self.fabric_links, count: self.fabric_links };
        }
        if switch == leaf {
            let below = destination.0 - leaf * self.hosts_per_leaf;
            return PortSet::Range { first: below * self.host_links, count: self.host_links };
        }
        PortSet::Range {
            first: self.hosts_per_leaf * self.host_links,
            count: self.spines * self.fabric_links,
        }
    }
}
