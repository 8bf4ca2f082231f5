//! Next hops at a switch of a fabric of groups, listed once: the part of the routing that depends on the switch alone.
//!
//! Models: the ports to each group, to each block of hosts of the own group (those that share next hops at other
//! switches), and to each host attached to this switch; the ingresses whose packets may choose a path.
//! Leaves out: dead ports and overlays (the node applies them); sets of ports that are not contiguous, which the
//! model's routing has as lists.
//!
//! Invariants: equal to [`Routing::next_hops`] and [`Routing::towards_group`] of the switch. Memory: groups plus blocks
//! of a group, whatever the number of hosts.

use std::num::NonZeroU32;

use netloom_model::{PortKind, PortSet, Routing};
use netloom_units::{HostId, NodeId};

use crate::route::Bundle;

/// See the module.
#[derive(Debug)]
pub struct GroupRoutes {
    node: NodeId,
    /// The switch's own group.
    own: u32,
    hosts_per_group: NonZeroU32,
    hosts_per_block: NonZeroU32,
    /// The first host of the own group.
    first_host: u32,
    /// The first of the hosts attached to this switch, and their number.
    attached: (u32, u32),
    /// Number of ports to each of those.
    host_links: u32,
    /// For each group the ports towards it; an empty bundle where only the model has them.
    towards: Box<[Bundle]>,
    /// The same for each block of the own group; unused for the one whose hosts are attached here.
    blocks: Box<[Bundle]>,
    /// For each in-link, and for packets of the switch itself: whether packets from there may choose a path.
    choosing: Box<[bool]>,
}

impl GroupRoutes {
    /// Those of a switch with this number of ports; packets may choose a path at the source's switch, or at every switch
    /// of its group. `None` in a fabric without groups.
    pub fn of(routing: &Routing, node: NodeId, n_ports: u32, chooses_in_group: bool) -> Option<GroupRoutes> {
        let (hosts_per_group, hosts_per_block) = routing.hosts_of_groups()?;
        let own = routing.group_of(node);
        let first_host = own * hosts_per_group.get();
        let first_of_block = |block: u32| HostId(first_host + block * hosts_per_block.get());
        let n_blocks = hosts_per_group.get() / hosts_per_block;
        let next_hops = |block: u32| routing.next_hops(node, first_of_block(block));
        let is_attached = |block: &u32| leads_to_host(routing, node, next_hops(*block));
        let below = (0..n_blocks).find(is_attached);
        let may_choose = |port: u32| match routing.port_kind(node, port) {
            PortKind::Host => true,
            PortKind::Local => chooses_in_group,
            PortKind::Global => false,
        };
        Some(GroupRoutes {
            node,
            own,
            hosts_per_group,
            hosts_per_block,
            first_host,
            attached: below.map_or((0, 0), |block| (first_of_block(block).0, hosts_per_block.get())),
            host_links: below.map_or(0, |block| next_hops(block).len() as u32),
            towards: (0..routing.n_groups())
                .map(|group| bundle(routing.towards_group(node, group)))
                .collect(),
            blocks: (0..n_blocks).map(|block| bundle(next_hops(block))).collect(),
            choosing: (0..n_ports).map(may_choose).chain([true]).collect(),
        })
    }

    /// The switch's own group.
    #[inline]
    pub fn own(&self) -> u32 {
        self.own
    }

    /// Whether a packet from an in-link may choose a path, unless its path is decided.
    #[inline]
    pub fn may_choose(&self, ingress: u32, destination: HostId) -> bool {
        self.choosing[ingress as usize] && !self.is_attached(destination)
    }

    /// Whether a host is attached to this switch.
    #[inline]
    fn is_attached(&self, host: HostId) -> bool {
        host.0.wrapping_sub(self.attached.0) < self.attached.1
    }

    /// All minimal next hops to a host.
    #[inline]
    pub fn next_hops<'a>(&self, routing: &'a Routing, destination: HostId) -> PortSet<'a> {
        let attached = destination.0.wrapping_sub(self.attached.0);
        if attached < self.attached.1 {
            return PortSet::Range { first: attached * self.host_links, count: self.host_links };
        }
        let within = destination.0.wrapping_sub(self.first_host);
        let listed = if within < self.hosts_per_group.get() {
            self.blocks[(within / self.hosts_per_block) as usize]
        } else {
            self.towards[(destination.0 / self.hosts_per_group) as usize]
        };
        match listed {
            Bundle { count: 0, .. } => routing.next_hops(self.node, destination),
            Bundle { first, count } => PortSet::Range { first, count },
        }
    }

    /// Minimal next hops to a group; within the own group the ports to all its other switches, if it has one tier.
    #[inline]
    pub fn towards<'a>(&self, routing: &'a Routing, group: u32) -> PortSet<'a> {
        match self.towards[group as usize] {
            Bundle { count: 0, .. } => routing.towards_group(self.node, group),
            Bundle { first, count } => PortSet::Range { first, count },
        }
    }
}

/// Whether next hops are those to an attached host.
fn leads_to_host(routing: &Routing, node: NodeId, set: PortSet<'_>) -> bool {
    !set.is_empty() && routing.port_kind(node, set.get(0)) == PortKind::Host
}

/// The bundle of a set that is contiguous; else an empty one.
fn bundle(set: PortSet<'_>) -> Bundle {
    let count = set.len() as u32;
    let first = if count == 0 { 0 } else { set.get(0) };
    let is_contiguous = set.iter().zip(first..).all(|(port, expected)| port == expected);
    Bundle { first, count: if is_contiguous { count } else { 0 } }
}

#[cfg(test)]
mod tests {
    use netloom_model::{
        Arrangement, Dragonfly, DragonflyPlus, DragonflyPlusShape, DragonflyShape, GlobalLinkMap, LeafSpine,
    };

    use super::*;

    fn assert_the_model_is_seen(routing: &Routing, n_hosts: u32, n_nodes: u32) {
        for node in (n_hosts..n_nodes).map(NodeId) {
            let routes = GroupRoutes::of(routing, node, 0, false).expect("the fabric has groups");
            assert_eq!(routes.own(), routing.group_of(node));
            for host in (0..n_hosts).map(HostId) {
                let (seen, next_hops) = (routes.next_hops(routing, host), routing.next_hops(node, host));
                assert!(
                    seen.iter().eq(next_hops.iter()),
                    "{node:?} to {host:?}: {seen:?}, not {next_hops:?}"
                );
                assert_eq!(routes.is_attached(host), leads_to_host(routing, node, next_hops));
            }
            for group in 0..routing.n_groups() {
                let (seen, towards) = (routes.towards(routing, group), routing.towards_group(node, group));
                assert!(seen.iter().eq(towards.iter()), "{node:?} to group {group}");
            }
        }
    }

    #[test]
    fn next_hops_in_a_dragonfly_agree_with_the_model() {
        for (nic_switches, nics, per_pair) in [(1, 1, 1), (2, 1, 3), (2, 2, 2)] {
            let shape = DragonflyShape {
                groups: 5,
                switches_per_group: 4,
                hosts_per_block: 3,
                nic_switches,
                nics,
                host_links: 2,
                local_links: 2,
            };
            let dealing = GlobalLinkMap::new(5, 4, per_pair, Arrangement::Relative);
            let n_nodes = shape.n_hosts() + shape.n_switches();
            assert_the_model_is_seen(
                &Routing::Dragonfly(Dragonfly::new(shape, dealing)),
                shape.n_hosts(),
                n_nodes,
            );
        }
    }

    #[test]
    fn next_hops_in_a_dragonfly_plus_agree_with_the_model() {
        for per_pair in [1, 2, 5] {
            let shape = DragonflyPlusShape {
                groups: 4,
                leaves_per_group: 3,
                spines_per_group: 4,
                hosts_per_leaf: 3,
                host_links: 2,
                local_links: 2,
            };
            let dealing = GlobalLinkMap::new(4, 4, per_pair, Arrangement::Absolute);
            let n_nodes = shape.n_hosts() + shape.n_switches();
            let routing = Routing::DragonflyPlus(DragonflyPlus::new(shape, dealing));
            assert_the_model_is_seen(&routing, shape.n_hosts(), n_nodes);
        }
    }

    #[test]
    fn packets_choose_where_they_enter_the_group_and_at_its_switches_if_the_policy_chooses_there() {
        let shape = DragonflyShape {
            groups: 3,
            switches_per_group: 2,
            hosts_per_block: 1,
            nic_switches: 1,
            nics: 1,
            host_links: 1,
            local_links: 1,
        };
        let routing =
            Routing::Dragonfly(Dragonfly::new(shape, GlobalLinkMap::new(3, 2, 1, Arrangement::Absolute)));
        // Ports: a host, the other switch, a global link; then packets of the switch itself.
        for (in_group, expected) in [(false, [true, false, false, true]), (true, [true, true, false, true])] {
            let routes =
                GroupRoutes::of(&routing, shape.switch(0, 0), 3, in_group).expect("the fabric has groups");
            let may_choose = |host| [0, 1, 2, 3].map(|ingress| routes.may_choose(ingress, HostId(host)));
            assert_eq!(may_choose(4), expected);
            assert_eq!(may_choose(0), [false; 4], "its host is attached");
        }
        let clos = LeafSpine { leaves: 2, spines: 1, hosts_per_leaf: 1, host_links: 1, fabric_links: 1 };
        assert!(GroupRoutes::of(&Routing::LeafSpine(clos), NodeId(2), 2, false).is_none());
    }
}
