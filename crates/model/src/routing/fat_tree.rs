//! Next hops in a three-tier Clos.
//!
//! Models: bundles of parallel links, by arithmetic on ids.
//! Leaves out: failed links.
//!
//! Invariants: no memory; equal to a breadth-first search.

use netloom_units::{HostId, NodeId};

use super::PortSet;

/// The ids of a three-tier Clos: hosts, then leaves and then aggregation switches, both pod by pod, then cores, group
/// by group; bundles of parallel links.
///
/// Core `c` of group `a` is joined to aggregation switch `a` of every pod. Local ports: a host has `host_links` to its
/// leaf; a leaf has `host_links` per host, then `leaf_links` per aggregation switch of its pod; an aggregation switch
/// has `leaf_links` per leaf of its pod, then `core_links` per core of its group; a core has `core_links` per pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FatTree {
    /// Number of pods.
    pub pods: u32,
    /// Leaves in each pod.
    pub leaves_per_pod: u32,
    /// Hosts below each leaf.
    pub hosts_per_leaf: u32,
    /// Aggregation switches in each pod, and groups of cores.
    pub aggregations_per_pod: u32,
    /// Cores in each group, and so above each aggregation switch.
    pub cores_per_aggregation: u32,
    /// Parallel links (NIC ports) between a host and its leaf.
    pub host_links: u32,
    /// Parallel links between a leaf and an aggregation switch.
    pub leaf_links: u32,
    /// Parallel links between an aggregation switch and a core.
    pub core_links: u32,
}

/// The kind of a node of a fat tree, with its number within its tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FatTreeNode {
    /// A host.
    Host(u32),
    /// A leaf; those of the first pod come first.
    Leaf(u32),
    /// An aggregation switch; those of the first pod come first.
    Aggregation(u32),
    /// A core; those of the first group come first.
    Core(u32),
}

impl FatTree {
    /// Number of hosts.
    pub fn n_hosts(&self) -> u32 {
        self.pods * self.hosts_per_pod()
    }

    /// Number of hosts in each pod.
    #[inline]
    pub fn hosts_per_pod(&self) -> u32 {
        self.leaves_per_pod * self.hosts_per_leaf
    }

    /// Number of leaves.
    pub fn n_leaves(&self) -> u32 {
        self.pods * self.leaves_per_pod
    }

    /// Number of aggregation switches.
    pub fn n_aggregations(&self) -> u32 {
        self.pods * self.aggregations_per_pod
    }

    /// Number of cores.
    pub fn n_cores(&self) -> u32 {
        self.aggregations_per_pod * self.cores_per_aggregation
    }

    /// Number of switches.
    pub fn n_switches(&self) -> u32 {
        self.n_leaves() + self.n_aggregations() + self.n_cores()
    }

    /// The node of a leaf, numbered over all pods.
    pub fn leaf(&self, number: u32) -> NodeId {
        NodeId(self.n_hosts() + number)
    }

    /// The node of an aggregation switch, numbered over all pods.
    pub fn aggregation(&self, number: u32) -> NodeId {
        NodeId(self.n_hosts() + self.n_leaves() + number)
    }

    /// The node of a core, numbered over all groups.
    pub fn core(&self, number: u32) -> NodeId {
        NodeId(self.n_hosts() + self.n_leaves() + self.n_aggregations() + number)
    }

    /// The kind of a node.
    #[inline]
    pub fn what_is(&self, node: NodeId) -> FatTreeNode {
        let mut number = node.0;
        for (n_nodes, tier) in [
            (self.n_hosts(), FatTreeNode::Host as fn(u32) -> FatTreeNode),
            (self.n_leaves(), FatTreeNode::Leaf),
            (self.n_aggregations(), FatTreeNode::Aggregation),
        ] {
            if number < n_nodes {
                return tier(number);
            }
            number -= n_nodes;
        }
        FatTreeNode::Core(number)
    }

    /// Whether a port's link joins a host and a leaf.
    pub(super) fn leads_to_host(&self, node: NodeId, port: u32) -> bool {
        match self.what_is(node) {
            FatTreeNode::Host(_) => true,
            FatTreeNode::Leaf(_) => port < self.hosts_per_leaf * self.host_links,
            FatTreeNode::Aggregation(_) | FatTreeNode::Core(_) => false,
        }
    }

    /// All shortest-path next hops, by arithmetic: down if the destination is below, else all uplinks.
    #[inline]
    pub fn next_hops(&self, node: NodeId, destination: HostId) -> PortSet<'static> {
        let (leaf, pod) = (destination.0 / self.hosts_per_leaf, destination.0 / self.hosts_per_pod());
        let bundle = |number: u32, links: u32| PortSet::Range { first: number * links, count: links };
        match self.what_is(node) {
            FatTreeNode::Host(_) => bundle(0, self.host_links),
            FatTreeNode::Leaf(own) if own == leaf => {
                bundle(destination.0 % self.hosts_per_leaf, self.host_links)
            }
            FatTreeNode::Leaf(_) => PortSet::Range {
                first: self.hosts_per_leaf * self.host_links,
                count: self.aggregations_per_pod * self.leaf_links,
            },
            FatTreeNode::Aggregation(own) if own / self.aggregations_per_pod == pod => {
                bundle(leaf % self.leaves_per_pod, self.leaf_links)
            }
            FatTreeNode::Aggregation(_) => PortSet::Range {
                first: self.leaves_per_pod * self.leaf_links,
                count: self.cores_per_aggregation * self.core_links,
            },
            FatTreeNode::Core(_) => bundle(pod, self.core_links),
        }
    }
}
