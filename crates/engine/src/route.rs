//! Next hops as one node sees them: the part of the routing that depends on the node alone, precomputed.
//!
//! Models: in a Clos of two or three tiers, and within servers of a rail-optimised fabric, one comparison and at most
//! one division; elsewhere the model's routing is called.
//! Leaves out: dead ports and overlays; the node applies them.

use std::num::NonZeroU32;

use netloom_model::{FatTree, FatTreeNode, LeafSpine, PortSet, Rail, RailNode, Routing};
use netloom_units::{HostId, NodeId};

/// See the module.
///
/// One form for all nodes of a Clos: hosts in a contiguous range are reached over a bundle of their own (or of their
/// leaf, or of their pod), all others over one bundle. At a host the range is empty; at a spine or a core it contains
/// all hosts.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    first_host: u32,
    n_hosts: u32,
    /// Number of hosts that share a bundle.
    divisor: NonZeroU32,
    /// Number of ports of each bundle within the range.
    links: u32,
    /// Ports towards all other hosts; empty where only tables contain them.
    others: Bundle,
}

/// Next hops of a leaf or a spine of a rail-optimised fabric, where hosts that share a bundle are not contiguous.
#[derive(Debug, Clone, Copy)]
pub struct RailRoute {
    gpus: NonZeroU32,
    servers_per_block: NonZeroU32,
    /// Number of the leaf, over all blocks; `None` at a spine.
    own: Option<u32>,
    /// Number of ports to a host of a leaf, or to a leaf.
    links: u32,
    others: Bundle,
}

impl RailRoute {
    /// The routing of `node`, if it is such a switch.
    pub fn of(routing: &Routing, node: NodeId) -> Option<RailRoute> {
        let Routing::Rail(shape) = routing else { return None };
        let (own, links, others) = match shape.what_is(node) {
            RailNode::Host(_) | RailNode::Inner(_) => return None,
            RailNode::Leaf(own) => {
                let first = shape.servers_per_block * shape.host_links;
                (Some(own), shape.host_links, Bundle { first, count: shape.spines * shape.fabric_links })
            }
            RailNode::Spine(_) => (None, shape.fabric_links, Bundle { first: 0, count: 0 }),
        };
        let (gpus, servers_per_block) =
            (at_least_one(shape.gpus_per_server), at_least_one(shape.servers_per_block));
        Some(RailRoute { gpus, servers_per_block, own, links, others })
    }

    /// All shortest-path next hops.
    #[inline]
    pub fn bundle(&self, destination: HostId) -> Bundle {
        let server = destination.0 / self.gpus;
        let leaf = server / self.servers_per_block * self.gpus.get() + destination.0 % self.gpus;
        let index = match self.own {
            None => leaf,
            Some(own) if own == leaf => server % self.servers_per_block,
            Some(_) => return self.others,
        };
        Bundle { first: index * self.links, count: self.links }
    }
}

/// Contiguous ports.
#[derive(Debug, Clone, Copy)]
pub struct Bundle {
    /// First local port.
    pub first: u32,
    /// Number of ports; 0 if the next hops do not follow from arithmetic.
    pub count: u32,
}

impl Route {
    /// The routing of `node`.
    pub fn of(routing: &Routing, node: NodeId) -> Route {
        match routing {
            Routing::LeafSpine(shape) => Route::in_leaf_spine(shape, node),
            Routing::FatTree(shape) => Route::in_fat_tree(shape, node),
            Routing::Rail(shape) => Route::on_rails(shape, node),
            Routing::Dragonfly(_) | Routing::DragonflyPlus(_) | Routing::Tables(_) => Route::unknown(),
        }
    }

    /// Without precomputed next hops.
    pub fn unknown() -> Route {
        Route::always(Bundle { first: 0, count: 0 })
    }

    fn always(others: Bundle) -> Route {
        Route { first_host: 0, n_hosts: 0, divisor: NonZeroU32::MIN, links: 0, others }
    }

    fn in_leaf_spine(shape: &LeafSpine, node: NodeId) -> Route {
        let n_hosts = shape.n_hosts();
        if node.0 < n_hosts {
            return Route::always(Bundle { first: 0, count: shape.host_links });
        }
        let switch = node.0 - n_hosts;
        let others = Bundle {
            first: shape.hosts_per_leaf * shape.host_links,
            count: shape.spines * shape.fabric_links,
        };
        if switch >= shape.leaves {
            let (divisor, links) = (at_least_one(shape.hosts_per_leaf), shape.fabric_links);
            return Route { first_host: 0, n_hosts, divisor, links, others };
        }
        Route {
            first_host: switch * shape.hosts_per_leaf,
            n_hosts: shape.hosts_per_leaf,
            divisor: NonZeroU32::MIN,
            links: shape.host_links,
            others,
        }
    }

    fn in_fat_tree(shape: &FatTree, node: NodeId) -> Route {
        let (per_leaf, per_pod) = (shape.hosts_per_leaf, shape.hosts_per_pod());
        match shape.what_is(node) {
            FatTreeNode::Host(_) => Route::always(Bundle { first: 0, count: shape.host_links }),
            FatTreeNode::Leaf(leaf) => Route {
                first_host: leaf * per_leaf,
                n_hosts: per_leaf,
                divisor: NonZeroU32::MIN,
                links: shape.host_links,
                others: Bundle {
                    first: per_leaf * shape.host_links,
                    count: shape.aggregations_per_pod * shape.leaf_links,
                },
            },
            FatTreeNode::Aggregation(aggregation) => Route {
                first_host: aggregation / shape.aggregations_per_pod * per_pod,
                n_hosts: per_pod,
                divisor: at_least_one(per_leaf),
                links: shape.leaf_links,
                others: Bundle {
                    first: shape.leaves_per_pod * shape.leaf_links,
                    count: shape.cores_per_aggregation * shape.core_links,
                },
            },
            FatTreeNode::Core(_) => Route {
                first_host: 0,
                n_hosts: shape.n_hosts(),
                divisor: at_least_one(per_pod),
                links: shape.core_links,
                others: Bundle { first: 0, count: 0 },
            },
        }
    }

    /// Hosts and inner switches: the hosts of a server are contiguous. For leaves and spines see [`RailRoute`].
    fn on_rails(shape: &Rail, node: NodeId) -> Route {
        let gpus = shape.gpus_per_server;
        let within = |server: u32, divisor: u32, others: Bundle| Route {
            first_host: server * gpus,
            n_hosts: gpus,
            divisor: at_least_one(divisor),
            links: 1,
            others,
        };
        match shape.what_is(node) {
            RailNode::Host(host) => within(host / gpus, gpus, Bundle { first: 1, count: shape.host_links }),
            RailNode::Inner(server) => within(server, 1, Bundle { first: 0, count: 0 }),
            RailNode::Leaf(_) | RailNode::Spine(_) => Route::unknown(),
        }
    }

    /// All shortest-path next hops where they follow from arithmetic, else an empty bundle.
    #[inline(always)]
    pub fn bundle(&self, destination: HostId) -> Bundle {
        let within = destination.0.wrapping_sub(self.first_host);
        if within < self.n_hosts {
            return Bundle { first: within / self.divisor * self.links, count: self.links };
        }
        self.others
    }

    /// All shortest-path next hops; equal to [`Routing::next_hops`] of the node.
    pub fn next_hops<'a>(&self, routing: &'a Routing, node: NodeId, destination: HostId) -> PortSet<'a> {
        match self.bundle(destination) {
            Bundle { count: 0, .. } => routing.next_hops(node, destination),
            Bundle { first, count } => PortSet::Range { first, count },
        }
    }
}

/// Number of hosts that share a bundle, at least one; unused where there are no hosts.
fn at_least_one(hosts: u32) -> NonZeroU32 {
    NonZeroU32::new(hosts).unwrap_or(NonZeroU32::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_the_model_is_seen(routing: &Routing, n_hosts: u32, n_nodes: u32) {
        for node in (0..n_nodes).map(NodeId) {
            let route = Route::of(routing, node);
            for host in (0..n_hosts).map(HostId) {
                let seen = route.next_hops(routing, node, host);
                assert_eq!(seen, routing.next_hops(node, host), "{node:?} to {host:?}");
            }
        }
    }

    /// For the first `n_nodes` nodes.
    fn assert_arithmetic_knows(routing: &Routing, n_hosts: u32, n_nodes: u32) {
        for route in (0..n_nodes).map(|node| Route::of(routing, NodeId(node))) {
            assert!((0..n_hosts).all(|host| route.bundle(HostId(host)).count != 0), "{route:?}");
        }
    }

    #[test]
    fn next_hops_in_two_tiers_agree_with_the_model() {
        let shape = LeafSpine { leaves: 5, spines: 3, hosts_per_leaf: 4, host_links: 2, fabric_links: 3 };
        assert_the_model_is_seen(&Routing::LeafSpine(shape), 20, 28);
        assert_arithmetic_knows(&Routing::LeafSpine(shape), 20, 28);
    }

    #[test]
    fn next_hops_in_three_tiers_agree_with_the_model() {
        let shape = FatTree {
            pods: 4,
            leaves_per_pod: 3,
            hosts_per_leaf: 5,
            aggregations_per_pod: 2,
            cores_per_aggregation: 6,
            host_links: 2,
            leaf_links: 3,
            core_links: 4,
        };
        let n_nodes = shape.n_hosts() + shape.n_switches();
        assert_the_model_is_seen(&Routing::FatTree(shape), shape.n_hosts(), n_nodes);
        assert_arithmetic_knows(&Routing::FatTree(shape), shape.n_hosts(), n_nodes);
    }

    #[test]
    fn next_hops_on_rails_agree_with_the_model() {
        let shape = Rail {
            servers: 6,
            gpus_per_server: 4,
            servers_per_block: 3,
            spines: 2,
            host_links: 2,
            fabric_links: 3,
        };
        assert_the_model_is_seen(&Routing::Rail(shape), 24, 24 + shape.n_switches());
        assert_arithmetic_knows(&Routing::Rail(shape), 24, 24);
        let routing = Routing::Rail(shape);
        let first_leaf = 24 + shape.servers;
        for node in (first_leaf..24 + shape.n_switches()).map(NodeId) {
            let route = RailRoute::of(&routing, node).expect("it is a leaf or a spine");
            for host in (0..24).map(HostId) {
                let Bundle { first, count } = route.bundle(host);
                assert_eq!(
                    PortSet::Range { first, count },
                    routing.next_hops(node, host),
                    "{node:?} to {host:?}"
                );
            }
        }
        assert!((0..first_leaf).all(|node| RailRoute::of(&routing, NodeId(node)).is_none()));
    }
}
