//! Where a packet may go next: all shortest-path next hops of a healthy fabric.
//!
//! Models: in a leaf-spine Clos, arithmetic on ids; in any other graph, tables from breadth-first search.
//! Leaves out: failed links (the engine subtracts what a node knows to be dead, or asks an overlay for the parts that
//! [`crate::reroute`] recomputed).
//!
//! Invariants: the answer lists every local port on a shortest path to another host, in local order, and nothing else;
//! hosts never forward. Memory: constant for arithmetic; switches times destination groups for tables, never hosts
//! squared.

use netloom_units::{HostId, NodeId};

/// Local port indices of one node, in rising order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortSet<'a> {
    /// The contiguous ports `first..first + count`.
    Range {
        /// First local index.
        first: u32,
        /// How many.
        count: u32,
    },
    /// These ports.
    List(&'a [u32]),
}

impl PortSet<'_> {
    /// How many ports there are to choose from.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            PortSet::Range { count, .. } => *count as usize,
            PortSet::List(ports) => ports.len(),
        }
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The local index of the `choice`-th port.
    #[inline]
    pub fn get(&self, choice: usize) -> u32 {
        match self {
            PortSet::Range { first, .. } => first + choice as u32,
            PortSet::List(ports) => ports[choice],
        }
    }

    /// All local indices.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).map(|choice| self.get(choice))
    }
}

/// How next hops are found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Routing {
    /// By arithmetic on the ids of a two-tier Clos.
    LeafSpine(LeafSpine),
    /// By tables.
    Tables(Tables),
}

impl Routing {
    /// All shortest-path next hops of `node` towards `destination`.
    #[inline]
    pub fn next_hops(&self, node: NodeId, destination: HostId) -> PortSet<'_> {
        match self {
            Routing::LeafSpine(shape) => shape.next_hops(node, destination),
            Routing::Tables(tables) => tables.next_hops(node, destination),
        }
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Routing::LeafSpine(_) => 0,
            Routing::Tables(tables) => tables.heap_bytes(),
        }
    }
}

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

/// Lists of local port indices, each kept once and named by its number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lists {
    /// Start of each list in `ports`, with one closing entry.
    pub(crate) starts: Vec<u32>,
    /// Local port indices, list after list.
    pub(crate) ports: Vec<u32>,
}

impl Lists {
    #[inline]
    fn get(&self, number: u32) -> &[u32] {
        let number = number as usize;
        &self.ports[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

/// Next hops by table: per node and destination group, the number of a shared list.
///
/// Hosts attached to the same switches share a group, and nodes whose next hops are the same share a row. The last hop,
/// which tells the hosts of a group apart, is looked up first. Built by [`crate::reroute::tables`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tables {
    pub(crate) group_of_host: Vec<u32>,
    pub(crate) row_of_node: Vec<u32>,
    pub(crate) n_groups: u32,
    /// The list of each (row, group), row-major.
    pub(crate) cells: Vec<u32>,
    /// Start of each node's entries in `direct`, with one closing entry.
    pub(crate) direct_starts: Vec<u32>,
    /// Host neighbours, node by node, in rising order of hosts.
    pub(crate) direct: Vec<Direct>,
    pub(crate) lists: Lists,
}

/// The ports of a node that lead straight to `host`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Direct {
    /// The host at the other end.
    pub(crate) host: HostId,
    /// The list of ports.
    pub(crate) list: u32,
}

impl Tables {
    /// All shortest-path next hops, by table.
    pub fn next_hops(&self, node: NodeId, destination: HostId) -> PortSet<'_> {
        PortSet::List(self.lists.get(self.list_towards(node, destination)))
    }

    #[inline]
    fn list_towards(&self, node: NodeId, destination: HostId) -> u32 {
        let first = self.direct_starts[node.index()] as usize;
        let end = self.direct_starts[node.index() + 1] as usize;
        let neighbours = &self.direct[first..end];
        if let Ok(found) = neighbours.binary_search_by_key(&destination, |entry| entry.host) {
            return neighbours[found].list;
        }
        let row = self.row_of_node[node.index()] as usize;
        let group = self.group_of_host[destination.index()] as usize;
        self.cells[row * self.n_groups as usize + group]
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let words = self.group_of_host.len()
            + self.row_of_node.len()
            + self.cells.len()
            + self.direct_starts.len()
            + self.lists.starts.len()
            + self.lists.ports.len();
        4 * words + size_of::<Direct>() * self.direct.len()
    }
}

/// Where live shortest paths differ from what a node sees by itself, for one set of dead links.
///
/// A node by itself subtracts its own dead ports from the healthy next hops; global knowledge goes further. Only the
/// differences are kept, by class of sending node and group of destinations. Built by [`crate::reroute::overlay`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overlay {
    pub(crate) group_of_host: Vec<u32>,
    pub(crate) class_of_node: Vec<u32>,
    /// Start of each group's entries, with one closing entry.
    pub(crate) group_starts: Vec<u32>,
    /// The differences, group by group, in rising order of classes.
    pub(crate) entries: Vec<Difference>,
    /// Pairs of hosts joined by a live link, sorted: they need nobody's advice.
    pub(crate) joined: Vec<(NodeId, HostId)>,
    pub(crate) lists: Lists,
}

/// The next hops of a class of nodes towards a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The nodes that send.
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

    /// Whether every node is right by itself.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
