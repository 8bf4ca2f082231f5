//! Routing: all next hops on minimal paths of a healthy fabric.
//!
//! Models: arithmetic on ids in a leaf-spine Clos, in a fat tree and in a rail-optimised fabric; arithmetic and tables
//! of one group in a dragonfly and a Dragonfly+; tables from breadth-first search in any other graph.
//! Leaves out: failed links (the engine subtracts ports that a node knows to be dead, or uses an overlay for the parts
//! that [`crate::reroute`] recomputed); non-minimal paths, except those in tables.
//!
//! Invariants: minimal paths are the shortest ones, except in fabrics of groups, where they are those of the
//! literature: the fewest global links, and of those the paths of [`dragonfly`] and [`dragonfly_plus`]. The result
//! lists every local port on a minimal path to another host, in local order, and nothing else; hosts never forward.
//! Memory: constant for arithmetic; switches times destination groups for tables, never hosts squared.

mod dealing;
pub mod dragonfly;
pub mod dragonfly_plus;
mod fat_tree;
mod leaf_spine;
mod overlay;
mod rail;
mod tables;

use std::num::NonZeroU32;

use netloom_policy::balance::destination_modulo::DestinationModulo;
use netloom_units::{HostId, NodeId};

use crate::fabric::Fabric;
use crate::reroute;

pub use dealing::{Arrangement, GlobalLinkMap};
pub use dragonfly::{Dragonfly, DragonflyShape};
pub use dragonfly_plus::{DragonflyPlus, DragonflyPlusShape};
pub use fat_tree::{FatTree, FatTreeNode};
pub use leaf_spine::LeafSpine;
pub use overlay::Overlay;
pub use rail::{Rail, RailNode};
pub use tables::Tables;

pub(crate) use overlay::Difference;
pub(crate) use tables::{Direct, Lists};

/// Local port indices of one node, in rising order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortSet<'a> {
    /// The contiguous ports `first..first + count`.
    Range {
        /// First local index.
        first: u32,
        /// Number of ports.
        count: u32,
    },
    /// These ports.
    List(&'a [u32]),
}

impl PortSet<'_> {
    /// Number of ports to choose from.
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

/// The kind of the link behind a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortKind {
    /// It ends at a host, or begins at one.
    Host,
    /// It joins switches, of the same group where there are groups.
    Local,
    /// It joins switches of different groups.
    Global,
}

/// How next hops are computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Routing {
    /// By arithmetic on the ids of a two-tier Clos.
    LeafSpine(LeafSpine),
    /// By arithmetic on the ids of a three-tier Clos.
    FatTree(FatTree),
    /// By arithmetic and short tables in a dragonfly.
    Dragonfly(Dragonfly),
    /// By arithmetic and short tables in a Dragonfly+.
    DragonflyPlus(DragonflyPlus),
    /// By arithmetic on the ids of a rail-optimised fabric.
    Rail(Rail),
    /// By tables.
    Tables(Tables),
}

impl Routing {
    /// All next hops of `node` on minimal paths to `destination`.
    #[inline]
    pub fn next_hops(&self, node: NodeId, destination: HostId) -> PortSet<'_> {
        match self {
            Routing::LeafSpine(shape) => shape.next_hops(node, destination),
            Routing::FatTree(shape) => shape.next_hops(node, destination),
            Routing::Dragonfly(dragonfly) => dragonfly.next_hops(node, destination),
            Routing::DragonflyPlus(dragonfly) => dragonfly.next_hops(node, destination),
            Routing::Rail(shape) => shape.next_hops(node, destination),
            Routing::Tables(tables) => tables.next_hops(node, destination),
        }
    }

    /// Number of groups of switches joined by global links; 0 if a fabric has none.
    pub fn n_groups(&self) -> u32 {
        match self {
            Routing::Dragonfly(dragonfly) => dragonfly.dealing().groups(),
            Routing::DragonflyPlus(dragonfly) => dragonfly.dealing().groups(),
            Routing::LeafSpine(_) | Routing::FatTree(_) | Routing::Rail(_) | Routing::Tables(_) => 0,
        }
    }

    /// The group of a node; for a host, that of the switches above it. 0 in a fabric without groups.
    #[inline]
    pub fn group_of(&self, node: NodeId) -> u32 {
        match self {
            Routing::Dragonfly(dragonfly) => dragonfly.group_of(node),
            Routing::DragonflyPlus(dragonfly) => dragonfly.group_of(node),
            Routing::LeafSpine(_) | Routing::FatTree(_) | Routing::Rail(_) | Routing::Tables(_) => 0,
        }
    }

    /// The group of a host; 0 in a fabric without groups.
    #[inline]
    pub fn group_of_host(&self, host: HostId) -> u32 {
        match self {
            Routing::Dragonfly(dragonfly) => dragonfly.group_of_host(host),
            Routing::DragonflyPlus(dragonfly) => dragonfly.group_of_host(host),
            Routing::LeafSpine(_) | Routing::FatTree(_) | Routing::Rail(_) | Routing::Tables(_) => 0,
        }
    }

    /// Hosts of each group, and hosts of each block of a group: those that share next hops at all switches but the ones
    /// they are attached to. `None` in a fabric without groups.
    pub fn hosts_of_groups(&self) -> Option<(NonZeroU32, NonZeroU32)> {
        let (group, block) = match self {
            Routing::Dragonfly(dragonfly) => {
                (dragonfly.shape().hosts_per_group(), dragonfly.shape().hosts_per_block)
            }
            Routing::DragonflyPlus(dragonfly) => {
                (dragonfly.shape().hosts_per_group(), dragonfly.shape().hosts_per_leaf)
            }
            Routing::LeafSpine(_) | Routing::FatTree(_) | Routing::Rail(_) | Routing::Tables(_) => {
                return None;
            }
        };
        NonZeroU32::new(group).zip(NonZeroU32::new(block))
    }

    /// Next hops of a node on the minimal paths to any switch of another group: its own global links to that group if
    /// it has any, else the local links towards switches that have. Within the group itself: the links to all its other
    /// switches, in a group of one tier; none in a group of two tiers, and in a fabric without groups.
    #[inline]
    pub fn towards_group(&self, node: NodeId, group: u32) -> PortSet<'_> {
        match self {
            Routing::Dragonfly(dragonfly) => dragonfly.towards_group(node, group),
            Routing::DragonflyPlus(dragonfly) => dragonfly.towards_group(node, group),
            Routing::LeafSpine(_) | Routing::FatTree(_) | Routing::Rail(_) | Routing::Tables(_) => {
                PortSet::List(&[])
            }
        }
    }

    /// The kind of the link behind a local port. In a fabric without groups every link between switches is local.
    pub fn port_kind(&self, node: NodeId, port: u32) -> PortKind {
        let is_host = match self {
            Routing::Dragonfly(dragonfly) => return dragonfly.port_kind(node, port),
            Routing::DragonflyPlus(dragonfly) => return dragonfly.port_kind(node, port),
            Routing::LeafSpine(shape) => shape.leads_to_host(node, port),
            Routing::FatTree(shape) => shape.leads_to_host(node, port),
            Routing::Rail(shape) => shape.leads_to_host(node, port),
            Routing::Tables(tables) => tables.leads_to_host(node, port),
        };
        if is_host { PortKind::Host } else { PortKind::Local }
    }

    /// Next hops of `node` towards `destination` on paths one link longer than minimal, where they are known: to
    /// neighbours at the same distance.
    #[inline]
    pub fn longer(&self, node: NodeId, destination: HostId) -> &[u32] {
        match self {
            Routing::Tables(tables) => tables.longer(node, destination),
            Routing::LeafSpine(_)
            | Routing::FatTree(_)
            | Routing::Dragonfly(_)
            | Routing::DragonflyPlus(_)
            | Routing::Rail(_) => &[],
        }
    }

    /// Whether paths one link longer than minimal are known, and there are any.
    pub fn has_longer(&self) -> bool {
        matches!(self, Routing::Tables(tables) if tables.has_longer())
    }

    /// The same, with the non-minimal paths of this fabric. In a Clos there are none; in a fabric of groups they lead
    /// through other groups, and are left to policies that support groups.
    #[must_use]
    pub fn with_longer(self, fabric: &Fabric) -> Routing {
        match self {
            Routing::Tables(_) => Routing::Tables(reroute::tables_with_longer(fabric)),
            arithmetic => arithmetic,
        }
    }

    /// Number of uplinks in each tier that has any, from the lowest: these choices identify a path. Empty with tables,
    /// and where paths involve more choices than uplinks.
    pub fn choices_up(&self) -> Vec<u32> {
        match self {
            Routing::LeafSpine(shape) => vec![shape.spines * shape.fabric_links],
            Routing::Rail(shape) => vec![shape.spines * shape.fabric_links],
            Routing::FatTree(shape) => vec![
                shape.aggregations_per_pod * shape.leaf_links,
                shape.cores_per_aggregation * shape.core_links,
            ],
            Routing::Dragonfly(_) | Routing::DragonflyPlus(_) | Routing::Tables(_) => Vec::new(),
        }
    }

    /// Number of switch tiers below a node; 0 if there are no tiers, and with tables.
    pub fn tier(&self, node: NodeId) -> usize {
        match self {
            Routing::LeafSpine(shape) => usize::from(node.0 >= shape.n_hosts() + shape.leaves),
            Routing::FatTree(shape) => match shape.what_is(node) {
                FatTreeNode::Host(_) | FatTreeNode::Leaf(_) => 0,
                FatTreeNode::Aggregation(_) => 1,
                FatTreeNode::Core(_) => 2,
            },
            Routing::DragonflyPlus(dragonfly) => dragonfly.tier(node),
            Routing::Rail(shape) => usize::from(matches!(shape.what_is(node), RailNode::Spine(_))),
            Routing::Dragonfly(_) | Routing::Tables(_) => 0,
        }
    }

    /// Number of bits for the choices of the tiers below a node.
    pub fn bits_below(&self, node: NodeId) -> u32 {
        self.choices_up().iter().take(self.tier(node)).map(|&choices| bits(choices)).sum()
    }

    /// How a node distributes destinations over next hops in turn.
    ///
    /// In a fat tree a leaf has distributed them over its uplinks before an aggregation switch sees them, which
    /// therefore distributes the rest of their numbers. Downwards, parallel links are chosen as upwards over the
    /// same bundle.
    pub fn deal(&self, node: NodeId) -> DestinationModulo {
        match self {
            Routing::LeafSpine(_)
            | Routing::Dragonfly(_)
            | Routing::DragonflyPlus(_)
            | Routing::Rail(_)
            | Routing::Tables(_) => DestinationModulo::PLAIN,
            Routing::FatTree(shape) => {
                let (per_pod, n_uplinks) =
                    (shape.hosts_per_pod(), shape.aggregations_per_pod * shape.leaf_links);
                match shape.what_is(node) {
                    FatTreeNode::Host(_) | FatTreeNode::Leaf(_) => DestinationModulo::PLAIN,
                    FatTreeNode::Aggregation(number) => DestinationModulo::upwards(
                        (number / shape.aggregations_per_pod * per_pod, per_pod),
                        n_uplinks,
                    ),
                    FatTreeNode::Core(_) => DestinationModulo::downwards(n_uplinks),
                }
            }
        }
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Routing::LeafSpine(_) | Routing::FatTree(_) | Routing::Rail(_) => 0,
            Routing::Dragonfly(dragonfly) => dragonfly.heap_bytes(),
            Routing::DragonflyPlus(dragonfly) => dragonfly.heap_bytes(),
            Routing::Tables(tables) => tables.heap_bytes(),
        }
    }
}

/// Number of bits for one of `choices` choices.
pub fn bits(choices: u32) -> u32 {
    choices.max(1).next_power_of_two().ilog2()
}
