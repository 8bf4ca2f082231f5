//! Next hops in a rail-optimised fabric.
//!
//! Models: servers of several GPUs, which are the hosts, joined by a switch inside the server; GPUs of equal number on
//! leaves of their own, the rails, block by block of servers; spines above all leaves. Paths lead within a server
//! through its inner switch, on one rail of a block through its leaf, else leaf, spine, leaf.
//! Leaves out: forwarding by the GPUs of other rails, failed links.
//!
//! Invariants: no memory; equal to a breadth-first search.

use netloom_units::{HostId, NodeId};

use super::PortSet;

/// The ids of a rail-optimised fabric: hosts, server by server, then inner switches, then leaves, block by block, then
/// spines.
///
/// Local ports: a host has one to its inner switch, then `host_links` to its leaf; an inner switch has one per host of
/// its server; a leaf has `host_links` per server of its block, then `fabric_links` per spine; a spine has
/// `fabric_links` per leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rail {
    /// Number of servers.
    pub servers: u32,
    /// Hosts in each server, and leaves in each block.
    pub gpus_per_server: u32,
    /// Servers that share leaves.
    pub servers_per_block: u32,
    /// Number of spines.
    pub spines: u32,
    /// Parallel links (NIC ports) between a host and its leaf.
    pub host_links: u32,
    /// Parallel links between a leaf and a spine.
    pub fabric_links: u32,
}

/// The kind of a node of a rail-optimised fabric, with its number within its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RailNode {
    /// A host.
    Host(u32),
    /// The inner switch of a server.
    Inner(u32),
    /// A leaf; those of the first block come first.
    Leaf(u32),
    /// A spine.
    Spine(u32),
}

impl Rail {
    /// Number of hosts.
    #[inline]
    pub fn n_hosts(&self) -> u32 {
        self.servers * self.gpus_per_server
    }

    /// Number of leaves.
    pub fn n_leaves(&self) -> u32 {
        self.servers / self.servers_per_block * self.gpus_per_server
    }

    /// Number of switches, including inner ones.
    pub fn n_switches(&self) -> u32 {
        self.servers + self.n_leaves() + self.spines
    }

    /// The inner switch of a server.
    pub fn inner(&self, server: u32) -> NodeId {
        NodeId(self.n_hosts() + server)
    }

    /// The node of a leaf, numbered over all blocks.
    pub fn leaf(&self, number: u32) -> NodeId {
        NodeId(self.n_hosts() + self.servers + number)
    }

    /// The node of a spine.
    pub fn spine(&self, number: u32) -> NodeId {
        NodeId(self.n_hosts() + self.servers + self.n_leaves() + number)
    }

    /// The leaf above a host, numbered over all blocks.
    #[inline]
    pub fn leaf_of(&self, host: HostId) -> u32 {
        let (server, gpu) = (host.0 / self.gpus_per_server, host.0 % self.gpus_per_server);
        server / self.servers_per_block * self.gpus_per_server + gpu
    }

    /// The kind of a node.
    #[inline]
    pub fn what_is(&self, node: NodeId) -> RailNode {
        let mut number = node.0;
        for (n_nodes, kind) in [
            (self.n_hosts(), RailNode::Host as fn(u32) -> RailNode),
            (self.servers, RailNode::Inner),
            (self.n_leaves(), RailNode::Leaf),
        ] {
            if number < n_nodes {
                return kind(number);
            }
            number -= n_nodes;
        }
        RailNode::Spine(number)
    }

    /// Whether a port's link joins a host and a switch.
    pub(super) fn leads_to_host(&self, node: NodeId, port: u32) -> bool {
        match self.what_is(node) {
            RailNode::Host(_) | RailNode::Inner(_) => true,
            RailNode::Leaf(_) => port < self.servers_per_block * self.host_links,
            RailNode::Spine(_) => false,
        }
    }

    /// All shortest-path next hops, by arithmetic.
    #[inline]
    pub fn next_hops(&self, node: NodeId, destination: HostId) -> PortSet<'static> {
        let (server, leaf) = (destination.0 / self.gpus_per_server, self.leaf_of(destination));
        match self.what_is(node) {
            RailNode::Host(own) if own / self.gpus_per_server == server => {
                PortSet::Range { first: 0, count: 1 }
            }
            RailNode::Host(_) => PortSet::Range { first: 1, count: self.host_links },
            RailNode::Inner(own) if own == server => {
                PortSet::Range { first: destination.0 % self.gpus_per_server, count: 1 }
            }
            RailNode::Inner(_) => PortSet::List(&[]),
            RailNode::Leaf(own) if own == leaf => {
                let below = server % self.servers_per_block;
                PortSet::Range { first: below * self.host_links, count: self.host_links }
            }
            RailNode::Leaf(_) => PortSet::Range {
                first: self.servers_per_block * self.host_links,
                count: self.spines * self.fabric_links,
            },
            RailNode::Spine(_) => {
                PortSet::Range { first: leaf * self.fabric_links, count: self.fabric_links }
            }
        }
    }
}
