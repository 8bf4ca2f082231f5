//! Next hops in a Dragonfly+.
//!
//! Models: groups of leaves and spines, every leaf joined to every spine of its group, spines joined to spines of other
//! groups by global links; the minimal paths of Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi, "Dragonfly+: Low Cost
//! Topology for Scaling Datacenters", `HiPINEB` 2017: leaf, spine, spine of the other group, leaf; within a group leaf,
//! spine, leaf.
//! Leaves out: paths through a third group (policies choose them), failed links.
//!
//! Invariants: a leaf forwards up to spines that have global links to the destination's group, and to no other; a spine
//! without such a link, which is on no minimal path, forwards down to any leaf of its group. Memory: groups times
//! spines of a group.

use netloom_units::{HostId, NodeId};

use super::dealing::GlobalLinkMap;
use super::tables::Lists;
use super::{PortKind, PortSet};

/// The dimensions of a Dragonfly+; nodes are numbered hosts, then leaves, then spines, each group by group.
///
/// Local ports: a host has `host_links` to its leaf; a leaf has `host_links` per host, then `local_links` per spine of
/// its group; a spine has `local_links` per leaf of its group, then its global links in the order of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DragonflyPlusShape {
    /// Number of groups.
    pub groups: u32,
    /// Leaves in each group.
    pub leaves_per_group: u32,
    /// Spines in each group.
    pub spines_per_group: u32,
    /// Hosts below each leaf.
    pub hosts_per_leaf: u32,
    /// Parallel links (NIC ports) between a host and its leaf.
    pub host_links: u32,
    /// Parallel links between a leaf and a spine of its group.
    pub local_links: u32,
}

/// The position of a node.
enum Position {
    Host,
    /// Number over all groups.
    Leaf(u32),
    /// Group, and number within it.
    Spine(u32, u32),
}

impl DragonflyPlusShape {
    /// Hosts in each group.
    #[inline]
    pub fn hosts_per_group(&self) -> u32 {
        self.leaves_per_group * self.hosts_per_leaf
    }

    /// Number of hosts.
    #[inline]
    pub fn n_hosts(&self) -> u32 {
        self.groups * self.hosts_per_group()
    }

    /// Number of leaves.
    #[inline]
    pub fn n_leaves(&self) -> u32 {
        self.groups * self.leaves_per_group
    }

    /// Number of switches.
    pub fn n_switches(&self) -> u32 {
        self.n_leaves() + self.groups * self.spines_per_group
    }

    /// The node of a leaf, numbered over all groups.
    pub fn leaf(&self, number: u32) -> NodeId {
        NodeId(self.n_hosts() + number)
    }

    /// The node of a spine of a group.
    pub fn spine(&self, group: u32, number: u32) -> NodeId {
        NodeId(self.n_hosts() + self.n_leaves() + group * self.spines_per_group + number)
    }

    #[inline]
    fn position(&self, node: NodeId) -> Position {
        let Some(number) = node.0.checked_sub(self.n_hosts()) else { return Position::Host };
        match number.checked_sub(self.n_leaves()) {
            Some(spine) => Position::Spine(spine / self.spines_per_group, spine % self.spines_per_group),
            None => Position::Leaf(number),
        }
    }

    /// Ports of a leaf to hosts.
    #[inline]
    fn host_ports(&self) -> u32 {
        self.hosts_per_leaf * self.host_links
    }

    /// Ports of a spine to leaves.
    #[inline]
    fn leaf_ports(&self) -> u32 {
        self.leaves_per_group * self.local_links
    }
}

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DragonflyPlus {
    shape: DragonflyPlusShape,
    dealing: GlobalLinkMap,
    /// By rank of a group: the ports of a leaf to spines with global links to that group.
    up: Lists,
}

impl DragonflyPlus {
    /// The Dragonfly+ of this shape, its global links distributed over the spines of each group.
    pub fn new(shape: DragonflyPlusShape, dealing: GlobalLinkMap) -> DragonflyPlus {
        let mut up = Lists { starts: vec![0], ports: Vec::new() };
        for rank in 0..dealing.n_ranks() {
            let owners = (0..shape.spines_per_group).filter(|&spine| dealing.count(spine, rank) > 0);
            let ports = owners.flat_map(|spine| {
                let first = shape.host_ports() + spine * shape.local_links;
                first..first + shape.local_links
            });
            up.ports.extend(ports);
            up.starts.push(up.ports.len() as u32);
        }
        DragonflyPlus { shape, dealing, up }
    }

    /// Its dimensions.
    pub fn shape(&self) -> &DragonflyPlusShape {
        &self.shape
    }

    /// Which spines own which global links.
    pub fn dealing(&self) -> &GlobalLinkMap {
        &self.dealing
    }

    /// The group of a host.
    #[inline]
    pub fn group_of_host(&self, host: HostId) -> u32 {
        host.0 / self.shape.hosts_per_group()
    }

    /// The group of a node.
    #[inline]
    pub fn group_of(&self, node: NodeId) -> u32 {
        match self.shape.position(node) {
            Position::Host => self.group_of_host(HostId(node.0)),
            Position::Leaf(leaf) => leaf / self.shape.leaves_per_group,
            Position::Spine(group, _) => group,
        }
    }

    /// Tiers of switches below a node.
    pub fn tier(&self, node: NodeId) -> usize {
        usize::from(matches!(self.shape.position(node), Position::Spine(..)))
    }

    /// All minimal next hops.
    #[inline]
    pub fn next_hops(&self, node: NodeId, destination: HostId) -> PortSet<'_> {
        let shape = &self.shape;
        let (leaf, group) = (destination.0 / shape.hosts_per_leaf, self.group_of_host(destination));
        match shape.position(node) {
            Position::Host => PortSet::Range { first: 0, count: shape.host_links },
            Position::Leaf(own) if own == leaf => {
                let below = destination.0 % shape.hosts_per_leaf;
                PortSet::Range { first: below * shape.host_links, count: shape.host_links }
            }
            Position::Leaf(own) => self.up(own / shape.leaves_per_group, group),
            Position::Spine(own, _) if own == group => {
                let below = leaf % shape.leaves_per_group;
                PortSet::Range { first: below * shape.local_links, count: shape.local_links }
            }
            Position::Spine(own, spine) => self.across(own, spine, group),
        }
    }

    /// Minimal next hops to another group; none within the group, where all paths are minimal.
    #[inline]
    pub fn towards_group(&self, node: NodeId, group: u32) -> PortSet<'_> {
        match self.shape.position(node) {
            Position::Host => PortSet::Range { first: 0, count: self.shape.host_links },
            _ if self.group_of(node) == group => PortSet::List(&[]),
            Position::Leaf(own) => self.up(own / self.shape.leaves_per_group, group),
            Position::Spine(own, spine) => self.across(own, spine, group),
        }
    }

    /// The uplinks of a leaf: all of them within its group, else those to spines with links to the other group.
    #[inline]
    fn up(&self, own: u32, group: u32) -> PortSet<'_> {
        let all = self.shape.spines_per_group * self.shape.local_links;
        if own != group {
            let ports = self.up.get(self.dealing.rank(own, group));
            if ports.len() < all as usize {
                return PortSet::List(ports);
            }
        }
        PortSet::Range { first: self.shape.host_ports(), count: all }
    }

    /// The global links of a spine to another group; all its downlinks if it has none.
    #[inline]
    fn across(&self, own: u32, spine: u32, group: u32) -> PortSet<'_> {
        match self.dealing.bundle(own, spine, self.dealing.rank(own, group)) {
            (_, 0) => PortSet::Range { first: 0, count: self.shape.leaf_ports() },
            (first, count) => PortSet::Range { first: self.shape.leaf_ports() + first, count },
        }
    }

    /// The kind of the link behind a port.
    #[inline]
    pub fn port_kind(&self, node: NodeId, port: u32) -> PortKind {
        match self.shape.position(node) {
            Position::Host => PortKind::Host,
            Position::Leaf(_) if port < self.shape.host_ports() => PortKind::Host,
            Position::Leaf(_) => PortKind::Local,
            Position::Spine(..) if port < self.shape.leaf_ports() => PortKind::Local,
            Position::Spine(..) => PortKind::Global,
        }
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.dealing.heap_bytes() + self.up.heap_bytes()
    }
}
