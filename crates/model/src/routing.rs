//! Where a packet may go next: all shortest-path next hops of a healthy fabric.
//!
//! Models: in a leaf-spine Clos and in a fat tree, arithmetic on ids; in any other graph, tables from breadth-first
//! search.
//! Leaves out: failed links (the engine subtracts what a node knows to be dead, or asks an overlay for the parts that
//! [`crate::reroute`] recomputed).
//!
//! Invariants: the answer lists every local port on a shortest path to another host, in local order, and nothing else;
//! hosts never forward. Memory: constant for arithmetic; switches times destination groups for tables, never hosts
//! squared.

use netloom_policy::balance::deal::Deal;
use netloom_units::{HostId, NodeId};

use crate::fabric::Fabric;
use crate::reroute;

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
    /// By arithmetic on the ids of a three-tier Clos.
    FatTree(FatTree),
    /// By tables.
    Tables(Tables),
}

impl Routing {
    /// All shortest-path next hops of `node` towards `destination`.
    #[inline]
    pub fn next_hops(&self, node: NodeId, destination: HostId) -> PortSet<'_> {
        match self {
            Routing::LeafSpine(shape) => shape.next_hops(node, destination),
            Routing::FatTree(shape) => shape.next_hops(node, destination),
            Routing::Tables(tables) => tables.next_hops(node, destination),
        }
    }

    /// Next hops of `node` towards `destination` on ways one link longer, where such are known: to neighbours that are no
    /// nearer and no farther.
    #[inline]
    pub fn longer(&self, node: NodeId, destination: HostId) -> &[u32] {
        match self {
            Routing::LeafSpine(_) | Routing::FatTree(_) => &[],
            Routing::Tables(tables) => tables.longer(node, destination),
        }
    }

    /// The same, with the longer ways of this fabric known. In a Clos there are none.
    #[must_use]
    pub fn with_longer(self, fabric: &Fabric) -> Routing {
        match self {
            Routing::Tables(_) => Routing::Tables(reroute::tables_with_longer(fabric)),
            clos => clos,
        }
    }

    /// Next hops upwards of the tiers that have any, from the lowest: what names a path. None where tables are asked.
    pub fn choices_up(&self) -> Vec<u32> {
        match self {
            Routing::LeafSpine(shape) => vec![shape.spines * shape.fabric_links],
            Routing::FatTree(shape) => vec![
                shape.aggregations_per_pod * shape.leaf_links,
                shape.cores_per_aggregation * shape.core_links,
            ],
            Routing::Tables(_) => Vec::new(),
        }
    }

    /// Tiers of switches below a node; none where tables are asked.
    pub fn tier(&self, node: NodeId) -> usize {
        match self {
            Routing::LeafSpine(shape) => usize::from(node.0 >= shape.n_hosts() + shape.leaves),
            Routing::FatTree(shape) => match shape.what_is(node) {
                FatTreeNode::Host(_) | FatTreeNode::Leaf(_) => 0,
                FatTreeNode::Aggregation(_) => 1,
                FatTreeNode::Core(_) => 2,
            },
            Routing::Tables(_) => 0,
        }
    }

    /// Bits that the choices of the tiers below a node take.
    pub fn bits_below(&self, node: NodeId) -> u32 {
        self.choices_up().iter().take(self.tier(node)).map(|&choices| bits(choices)).sum()
    }

    /// How a node deals destinations over next hops in turn.
    ///
    /// In a fat tree a leaf has dealt them over its ways up before an aggregation switch sees them, which therefore deals
    /// what is left of their numbers. On the way down parallel links are dealt as on the way up over the same bundle.
    pub fn deal(&self, node: NodeId) -> Deal {
        match self {
            Routing::LeafSpine(_) | Routing::Tables(_) => Deal::PLAIN,
            Routing::FatTree(shape) => {
                let (per_pod, ways_up) =
                    (shape.hosts_per_pod(), shape.aggregations_per_pod * shape.leaf_links);
                match shape.what_is(node) {
                    FatTreeNode::Host(_) | FatTreeNode::Leaf(_) => Deal::PLAIN,
                    FatTreeNode::Aggregation(number) => {
                        Deal::upwards((number / shape.aggregations_per_pod * per_pod, per_pod), ways_up)
                    }
                    FatTreeNode::Core(_) => Deal::downwards(ways_up),
                }
            }
        }
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Routing::LeafSpine(_) | Routing::FatTree(_) => 0,
            Routing::Tables(tables) => tables.heap_bytes(),
        }
    }
}

/// Bits that a choice among so many takes.
pub fn bits(choices: u32) -> u32 {
    choices.max(1).next_power_of_two().ilog2()
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

/// The ids of a three-tier Clos: hosts, then leaves and then aggregation switches, both pod by pod, then cores, group by
/// group; bundles of parallel links.
///
/// Core `c` of group `a` is joined to aggregation switch `a` of every pod. Local ports: a host has `host_links` to its
/// leaf; a leaf has `host_links` per host, then `leaf_links` per aggregation switch of its pod; an aggregation switch has
/// `leaf_links` per leaf of its pod, then `core_links` per core of its group; a core has `core_links` per pod.
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
    /// Cores in each group, so above each aggregation switch.
    pub cores_per_aggregation: u32,
    /// Parallel links (NIC ports) between a host and its leaf.
    pub host_links: u32,
    /// Parallel links between a leaf and an aggregation switch.
    pub leaf_links: u32,
    /// Parallel links between an aggregation switch and a core.
    pub core_links: u32,
}

/// What a node of a fat tree is, by its number within its tier.
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

    /// The node of a leaf, counted through all pods.
    pub fn leaf(&self, number: u32) -> NodeId {
        NodeId(self.n_hosts() + number)
    }

    /// The node of an aggregation switch, counted through all pods.
    pub fn aggregation(&self, number: u32) -> NodeId {
        NodeId(self.n_hosts() + self.n_leaves() + number)
    }

    /// The node of a core, counted through all groups.
    pub fn core(&self, number: u32) -> NodeId {
        NodeId(self.n_hosts() + self.n_leaves() + self.n_aggregations() + number)
    }

    /// What a node is.
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

    /// All shortest-path next hops, by arithmetic: down where the destination lies below, else any way up.
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
    /// Cells of a row: one of each group, and as many more where longer ways are known.
    pub(crate) n_columns: u32,
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
        let neighbours = self.neighbours(node);
        if let Ok(found) = neighbours.binary_search_by_key(&destination, |entry| entry.host) {
            return neighbours[found].list;
        }
        self.cells[self.cell(node, destination)]
    }

    #[inline]
    fn cell(&self, node: NodeId, destination: HostId) -> usize {
        let row = self.row_of_node[node.index()] as usize;
        let group = self.group_of_host[destination.index()] as usize;
        row * self.n_columns as usize + group
    }

    /// Whether longer ways are known, and there are any.
    pub(crate) fn has_longer(&self) -> bool {
        let of_row =
            |row: &[u32]| row[self.n_groups as usize..].iter().any(|&list| !self.lists.get(list).is_empty());
        self.cells.chunks_exact(self.n_columns.max(1) as usize).any(of_row)
    }

    /// Next hops on ways one link longer, where they are known. The last hop has none.
    #[inline]
    fn longer(&self, node: NodeId, destination: HostId) -> &[u32] {
        if self.n_columns == self.n_groups || self.is_last(node, destination) {
            return &[];
        }
        self.lists.get(self.cells[self.cell(node, destination) + self.n_groups as usize])
    }

    fn neighbours(&self, node: NodeId) -> &[Direct] {
        &self.direct[self.direct_starts[node.index()] as usize..self.direct_starts[node.index() + 1] as usize]
    }

    fn is_last(&self, node: NodeId, destination: HostId) -> bool {
        self.neighbours(node).binary_search_by_key(&destination, |entry| entry.host).is_ok()
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
