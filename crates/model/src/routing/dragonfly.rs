//! Next hops in a dragonfly.
//!
//! Models: groups of switches, all switches of a group joined to each other, every two groups joined by the same number
//! of global links; the minimal paths of Kim, Dally, Scott, Abts, ISCA 2008: at most one local link, one global link
//! and one local link, over any global link between the two groups.
//! Leaves out: paths through a third group, or a third switch of a group (policies choose them), failed links.
//!
//! Invariants: a switch with global links to the destination's group uses one of these, any other switch forwards to
//! such a switch; so minimal paths need not be shortest: a global link that ends at the destination's switch counts the
//! same as one that ends beside it. Memory: switches times local ports of a group, whatever the number of hosts.

use netloom_units::{HostId, NodeId};

use super::dealing::GlobalLinkMap;
use super::tables::Lists;
use super::{PortKind, PortSet};

/// The dimensions of a dragonfly; nodes are numbered hosts, then switches, both group by group.
///
/// The hosts of a group are attached to blocks of `nic_switches` neighbouring switches, `hosts_per_block` to each: NIC
/// `n` of a host is joined to the `n`-th switch of its block. Local ports: a host has `host_links` per NIC; a switch
/// has `host_links` per host it is joined to, then `local_links` per other switch of its group, then its global links
/// in the order of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DragonflyShape {
    /// Number of groups.
    pub groups: u32,
    /// Switches in each group.
    pub switches_per_group: u32,
    /// Hosts below each block of switches.
    pub hosts_per_block: u32,
    /// Switches in each block.
    pub nic_switches: u32,
    /// NICs of a host, each joined to a switch of its own.
    pub nics: u32,
    /// Parallel links between a NIC and its switch.
    pub host_links: u32,
    /// Parallel links between two switches of a group.
    pub local_links: u32,
}

impl DragonflyShape {
    /// Hosts in each group.
    #[inline]
    pub fn hosts_per_group(&self) -> u32 {
        self.switches_per_group / self.nic_switches * self.hosts_per_block
    }

    /// Number of hosts.
    #[inline]
    pub fn n_hosts(&self) -> u32 {
        self.groups * self.hosts_per_group()
    }

    /// Number of switches.
    pub fn n_switches(&self) -> u32 {
        self.groups * self.switches_per_group
    }

    /// The node of a switch of a group.
    pub fn switch(&self, group: u32, number: u32) -> NodeId {
        NodeId(self.n_hosts() + group * self.switches_per_group + number)
    }

    /// The first switch above a host, by its number within the group.
    #[inline]
    pub fn first_switch(&self, host: HostId) -> u32 {
        host.0 % self.hosts_per_group() / self.hosts_per_block * self.nic_switches
    }

    /// Ports of a switch to hosts.
    #[inline]
    fn host_ports(&self, switch: u32) -> u32 {
        let has_hosts = switch % self.nic_switches < self.nics;
        if has_hosts { self.hosts_per_block * self.host_links } else { 0 }
    }

    /// Ports of a switch to other switches of its group.
    #[inline]
    fn local_ports(&self) -> u32 {
        (self.switches_per_group - 1) * self.local_links
    }

    /// The first port of a switch to another one of its group.
    #[inline]
    fn port_to(&self, switch: u32, other: u32) -> u32 {
        self.host_ports(switch) + (other - u32::from(other > switch)) * self.local_links
    }
}

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dragonfly {
    shape: DragonflyShape,
    dealing: GlobalLinkMap,
    /// By switch of a group and rank of a group: the local ports to switches with global links to that group; none if
    /// the switch has such a link.
    detours: Lists,
}

impl Dragonfly {
    /// The dragonfly of this shape, its global links distributed over all switches of each group.
    pub fn new(shape: DragonflyShape, dealing: GlobalLinkMap) -> Dragonfly {
        let mut detours = Lists { starts: vec![0], ports: Vec::new() };
        for switch in 0..shape.switches_per_group {
            for rank in 0..dealing.n_ranks() {
                let has_link = |other: u32| dealing.count(other, rank) > 0;
                if !has_link(switch) {
                    let owners = (0..shape.switches_per_group).filter(|&other| has_link(other));
                    let ports = owners.flat_map(|owner| {
                        let first = shape.port_to(switch, owner);
                        first..first + shape.local_links
                    });
                    detours.ports.extend(ports);
                }
                detours.starts.push(detours.ports.len() as u32);
            }
        }
        Dragonfly { shape, dealing, detours }
    }

    /// Its dimensions.
    pub fn shape(&self) -> &DragonflyShape {
        &self.shape
    }

    /// Which switches own which global links.
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
        match node.0.checked_sub(self.shape.n_hosts()) {
            Some(switch) => switch / self.shape.switches_per_group,
            None => self.group_of_host(HostId(node.0)),
        }
    }

    /// All minimal next hops.
    #[inline]
    pub fn next_hops(&self, node: NodeId, destination: HostId) -> PortSet<'_> {
        let shape = &self.shape;
        let group = self.group_of_host(destination);
        let Some(number) = node.0.checked_sub(shape.n_hosts()) else { return self.nics() };
        let (own, switch) = (number / shape.switches_per_group, number % shape.switches_per_group);
        if own != group {
            return self.to_other_group(own, switch, group);
        }
        let first = shape.first_switch(destination);
        let position = switch.wrapping_sub(first);
        if position < shape.nics {
            let below = destination.0 % shape.hosts_per_block;
            return PortSet::Range { first: below * shape.host_links, count: shape.host_links };
        }
        PortSet::Range { first: shape.port_to(switch, first), count: shape.nics * shape.local_links }
    }

    /// Minimal next hops to another group; within the group the ports to all its other switches.
    #[inline]
    pub fn towards_group(&self, node: NodeId, group: u32) -> PortSet<'_> {
        let shape = &self.shape;
        let Some(number) = node.0.checked_sub(shape.n_hosts()) else { return self.nics() };
        let (own, switch) = (number / shape.switches_per_group, number % shape.switches_per_group);
        if own == group {
            return PortSet::Range { first: shape.host_ports(switch), count: shape.local_ports() };
        }
        self.to_other_group(own, switch, group)
    }

    #[inline]
    fn to_other_group(&self, own: u32, switch: u32, group: u32) -> PortSet<'_> {
        let rank = self.dealing.rank(own, group);
        let (first, count) = self.dealing.bundle(own, switch, rank);
        if count == 0 {
            return PortSet::List(self.detours.get(switch * self.dealing.n_ranks() + rank));
        }
        PortSet::Range { first: self.shape.host_ports(switch) + self.shape.local_ports() + first, count }
    }

    fn nics(&self) -> PortSet<'_> {
        PortSet::Range { first: 0, count: self.shape.nics * self.shape.host_links }
    }

    /// The kind of the link behind a port.
    #[inline]
    pub fn port_kind(&self, node: NodeId, port: u32) -> PortKind {
        let Some(number) = node.0.checked_sub(self.shape.n_hosts()) else { return PortKind::Host };
        let to_hosts = self.shape.host_ports(number % self.shape.switches_per_group);
        if port < to_hosts {
            PortKind::Host
        } else if port < to_hosts + self.shape.local_ports() {
            PortKind::Local
        } else {
            PortKind::Global
        }
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.dealing.heap_bytes() + self.detours.heap_bytes()
    }
}
