//! Arithmetic, tables and overlays agree with an exhaustive search, for every node and destination.

use std::collections::VecDeque;
use std::time::{Duration as WallTime, Instant};

use netloom_catalog::routing;
use netloom_catalog::topology::{self, Built, SPECS, Topology, custom, fat_tree, leaf_spine};
use netloom_model::{Fabric, FabricBuilder, ReroutePaths, Routing, reroute};
use netloom_units::{Duration, HostId, Kind, NodeId, Parameter, Rate, Settings, Value};
use proptest::prelude::*;

use crate::topologies::{fat_tree_of, leaf_spine_settings};

/// Hops from every node to `host` over live links, hosts not forwarding.
pub fn distances(fabric: &Fabric, dead: &[bool], host: HostId) -> Vec<Option<u32>> {
    let mut distance = vec![None; fabric.n_nodes()];
    distance[host.index()] = Some(0);
    let mut queue = VecDeque::from([NodeId(host.0)]);
    while let Some(node) = queue.pop_front() {
        if fabric.is_host(node) && node.0 != host.0 {
            continue;
        }
        for port in fabric.ports_of(node) {
            let end = fabric.port(port.peer).node.index();
            if !dead[port.link.index()] && distance[end].is_none() {
                distance[end] = distance[node.index()].map(|hops| hops + 1);
                queue.push_back(NodeId(end as u32));
            }
        }
    }
    distance
}

/// The minimal paths of a fabric and their lengths, found by a search that does not use the structure of the fabric.
struct NaiveRoutes<'a> {
    fabric: &'a Fabric,
    /// The group of each node; none where path lengths are counted in links only.
    groups: Option<Vec<u32>>,
}

impl<'a> NaiveRoutes<'a> {
    fn new(fabric: &'a Fabric, routing: &Routing) -> NaiveRoutes<'a> {
        let nodes = (0..fabric.n_nodes() as u32).map(NodeId);
        let groups = (routing.n_groups() > 0).then(|| nodes.map(|node| routing.group_of(node)).collect());
        NaiveRoutes { fabric, groups }
    }

    /// Global and local links on the path from `node` through `end`, whose own path is known.
    fn through(&self, node: NodeId, end: NodeId, path: (u32, u32)) -> (u32, u32) {
        let (global, local) = path;
        match &self.groups {
            None => (0, local + 1),
            // All NICs of a host are equal as long as one local link crosses its group, or the destination's.
            Some(_) if self.fabric.is_host(node) => (global, local.max(if global == 0 { 1 } else { 2 })),
            // All switches of a group are equal ends of a global link if they are at most one local link away.
            Some(groups) if groups[node.index()] != groups[end.index()] => (global + 1, local.max(1)),
            Some(_) => (global, local + 1),
        }
    }

    /// The path lengths of all switches to the host, by relaxing all links until nothing changes.
    fn paths(&self, dead: &[bool], host: HostId) -> Vec<Option<(u32, u32)>> {
        let mut paths = vec![None; self.fabric.n_nodes()];
        loop {
            let before = paths.clone();
            for port in self.fabric.ports().iter().filter(|port| !dead[port.link.index()]) {
                let (node, end) = (port.node, self.fabric.port(port.peer).node);
                let found = match paths[end.index()] {
                    _ if self.fabric.is_host(node) => None,
                    _ if end.0 == host.0 => Some((0, 0)),
                    path => path.map(|path| self.through(node, end, path)),
                };
                let known = &mut paths[node.index()];
                *known = [*known, found].into_iter().flatten().min();
            }
            if paths == before {
                return paths;
            }
        }
    }

    fn next_hops(&self, dead: &[bool], node: NodeId, host: HostId, paths: &[Option<(u32, u32)>]) -> Vec<u32> {
        let ports = || (0_u32..).zip(self.fabric.ports_of(node)).filter(|(_, port)| !dead[port.link.index()]);
        let end = |port: &netloom_model::Port| self.fabric.port(port.peer).node;
        let straight: Vec<u32> =
            ports().filter(|(_, port)| end(port).0 == host.0).map(|(local, _)| local).collect();
        if !straight.is_empty() {
            return straight;
        }
        let path = |port: &netloom_model::Port| {
            paths[end(port).index()].map(|path| self.through(node, end(port), path))
        };
        let best = ports().filter_map(|(_, port)| path(port)).min();
        ports().filter(|(_, port)| best.is_some() && path(port) == best).map(|(local, _)| local).collect()
    }
}

/// The next hops of a node with the overlay and without it, and whether the overlay has an entry for them.
pub fn believed(
    fabric: &Fabric,
    routing: &Routing,
    overlay: &netloom_model::Overlay,
    dead: &[bool],
    node: NodeId,
    host: HostId,
) -> (Vec<u32>, Vec<u32>, bool) {
    let ports = fabric.ports_of(node);
    let live = |local: &u32| !dead[ports[*local as usize].link.index()];
    let alone: Vec<u32> = routing.next_hops(node, host).iter().filter(live).collect();
    match overlay.next_hops(node, host) {
        Some(reported) => (reported.iter().collect(), alone, true),
        None => (alone.clone(), alone, false),
    }
}

fn check(fabric: &Fabric, routing: &Routing, dead: &[bool], compact: bool) {
    let healthy = vec![false; dead.len()];
    let overlay = reroute::overlay(fabric, routing, dead, ReroutePaths::Shortest);
    assert!(reroute::overlay(fabric, routing, &healthy, ReroutePaths::Shortest).is_empty());
    let naive = NaiveRoutes::new(fabric, routing);
    for host in (0..fabric.n_hosts() as u32).map(HostId) {
        let before = naive.paths(&healthy, host);
        let after = naive.paths(dead, host);
        for node in (0..fabric.n_nodes() as u32).map(NodeId).filter(|node| node.0 != host.0) {
            let routes: Vec<u32> = routing.next_hops(node, host).iter().collect();
            let expected = naive.next_hops(&healthy, node, host, &before);
            assert_eq!(routes, expected, "healthy: {node:?} to {host:?}");
            let (found, alone, reported) = believed(fabric, routing, &overlay, dead, node, host);
            let expected = naive.next_hops(dead, node, host, &after);
            assert_eq!(found, expected, "with dead links: {node:?} to {host:?}");
            assert!(!compact || !reported || found != alone, "it repeats the routing: {node:?} to {host:?}");
        }
    }
}

fn some_dead(n_links: usize) -> impl Strategy<Value = Vec<bool>> {
    let one = |weight: f64| prop::collection::vec(prop::bool::weighted(weight), n_links);
    prop_oneof![one(0.05), one(0.3), one(0.7)]
}

/// Small numbers for all counts, defaults for all other parameters.
fn some_value(parameter: &'static Parameter) -> BoxedStrategy<(&'static str, Value)> {
    let name = parameter.name;
    match parameter.kind {
        Kind::Count { minimum, .. } | Kind::Optional(&Kind::Count { minimum, .. }) => {
            (minimum..minimum + 3).prop_map(move |n| (name, Value::Count(n))).boxed()
        }
        _ => Just((name, parameter.default.clone().expect("only numbers are required"))).boxed(),
    }
}

/// Any small fabric of the registry that is built from parameters, with some failed links.
pub fn parametric() -> impl Strategy<Value = (Built, Vec<bool>)> {
    let numbers = (0..SPECS.len()).filter(|&number| SPECS[number].name != custom::SPEC.name);
    let settings = |number: usize| {
        let values: Vec<_> = SPECS[number].parameters.iter().map(some_value).collect();
        values.prop_map(move |values| (number, Settings::new(values)))
    };
    proptest::sample::select(numbers.collect::<Vec<_>>())
        .prop_flat_map(settings)
        .prop_filter_map("makes no sense", |(number, settings)| {
            topology::build(&Topology::Parametric { number, settings }).ok()
        })
        .prop_flat_map(|built| {
            let dead = some_dead(built.fabric.links().len());
            (Just(built), dead)
        })
}

/// Any graph of up to six hosts and seven switches, parallel and missing links included.
fn graphs() -> impl Strategy<Value = (u32, u32, Vec<(u32, u32)>, Vec<bool>)> {
    (1..7_u32, 0..8_u32)
        .prop_flat_map(|(hosts, switches)| {
            let node = 0..hosts + switches;
            (Just(hosts), Just(switches), prop::collection::vec((node.clone(), node), 0..40))
        })
        .prop_flat_map(|(hosts, switches, mut links)| {
            links.retain(|(from, to)| from != to);
            let dead = some_dead(links.len());
            (Just(hosts), Just(switches), Just(links), dead)
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_topology_routes_as_a_search_does((built, dead) in parametric()) {
        check(&built.fabric, &built.routing, &dead, true);
        let tables = Routing::Tables(routing::tables(&built.fabric));
        check(&built.fabric, &tables, &dead, true);
    }

    #[test]
    fn any_graph_routes_as_a_search_does((hosts, switches, links, dead) in graphs()) {
        let mut builder = FabricBuilder::new(hosts, switches);
        let mut between_hosts = false;
        for (from, to) in links {
            between_hosts |= from < hosts && to < hosts;
            builder.link(NodeId(from), NodeId(to), Rate(1), Duration(1));
        }
        let fabric = builder.build();
        let tables = Routing::Tables(routing::tables(&fabric));
        check(&fabric, &tables, &dead, !between_hosts);
    }
}

#[test]
fn routing_memory_per_host_is_flat() {
    let routing_of = |leaves, hosts_per_leaf| {
        let settings = leaf_spine_settings([leaves, 16, hosts_per_leaf, 1, 1]);
        let built = leaf_spine::build(&settings).unwrap();
        assert_eq!(built.routing.heap_bytes(), 0, "arithmetic takes no memory");
        let tables = routing::tables(&built.fabric);
        (tables.heap_bytes() as f64 / (leaves * hosts_per_leaf) as f64, built.fabric.n_hosts())
    };
    let (few, n_few) = routing_of(32, 32);
    let (many, n_many) = routing_of(256, 256);
    assert_eq!((n_few, n_many), (1024, 65_536));
    assert!(many <= 1.05 * few, "{few} bytes per host with {n_few} hosts, {many} with {n_many}");
    assert!(many < 64.0, "{many} bytes per host");
}

#[test]
fn an_overlay_is_small_with_few_failures() {
    let mut settings = leaf_spine_settings([64, 16, 32, 1, 1]);
    settings = settings.with("fabric_links", Value::Count(2));
    let built = leaf_spine::build(&settings).unwrap();
    let mut dead = vec![false; built.fabric.links().len()];
    let both = built.link_names.iter().enumerate().filter(|(_, name)| name.starts_with("leaf5-spine3."));
    both.for_each(|(link, _)| dead[link] = true);
    let overlay = reroute::overlay(&built.fabric, &built.routing, &dead, ReroutePaths::Shortest);
    // All other leaves must avoid spine 3 towards leaf 5; no other node has to change.
    let leaf = |number: u32| NodeId(64 * 32 + number);
    let towards = HostId(5 * 32 + 7);
    assert_eq!(overlay.next_hops(leaf(9), towards).map(|ports| ports.len()), Some(30));
    assert!(overlay.next_hops(leaf(5), HostId(0)).is_none(), "it sees its own dead ports");
    assert!(overlay.next_hops(leaf(9), HostId(0)).is_none());
    assert!(overlay.next_hops(NodeId(0), towards).is_none());
}

/// Shortest paths from a node to a host, next hop by next hop.
fn n_paths(built: &Built, node: NodeId, to: HostId) -> u64 {
    if node.0 == to.0 {
        return 1;
    }
    let ports = built.fabric.ports_of(node);
    let next = |local: u32| built.fabric.port(ports[local as usize].peer).node;
    built.routing.next_hops(node, to).iter().map(|local| n_paths(built, next(local), to)).sum()
}

#[test]
fn pods_have_one_shortest_path_per_core() {
    for k in [2, 4, 6, 8, 32] {
        let built = fat_tree::build(&fat_tree_of(k)).unwrap();
        let half = k / 2;
        let (leaf, pod) = (half as u32, (half * half) as u32);
        let last = built.fabric.n_hosts() as u32 - 1;
        assert_eq!(n_paths(&built, NodeId(0), HostId(pod)), half * half, "k = {k}");
        assert_eq!(n_paths(&built, NodeId(last), HostId(0)), half * half, "k = {k}");
        if k > 2 {
            assert_eq!(n_paths(&built, NodeId(0), HostId(1)), 1, "k = {k}");
            assert_eq!(n_paths(&built, NodeId(0), HostId(leaf)), half, "k = {k}");
        }
    }
}

#[test]
fn eight_thousand_hosts_are_built_fast_and_without_tables() {
    let start = Instant::now();
    let built = fat_tree::build(&fat_tree_of(32)).unwrap();
    let took = start.elapsed();
    assert!(took < WallTime::from_secs(1), "{took:?}");
    assert_eq!(built.routing.heap_bytes(), 0);
    assert_eq!((built.fabric.n_hosts(), built.fabric.n_switches()), (8192, 512 + 512 + 256));
    assert_eq!(built.fabric.links().len(), 3 * 8192);
}

#[test]
fn an_overlay_avoids_a_failed_core_link() {
    let built = fat_tree::build(&fat_tree_of(8)).unwrap();
    let Routing::FatTree(shape) = built.routing else { panic!("a fat tree routes by arithmetic") };
    let mut dead = vec![false; built.fabric.links().len()];
    let core_link =
        |name: &str| built.link_names.iter().position(|link| link == name).expect("there is such a link");
    dead[core_link("pod5.aggregation2-core2.1.0")] = true;
    let overlay = reroute::overlay(&built.fabric, &built.routing, &dead, ReroutePaths::Shortest);
    // Every other pod's aggregation switch of this group must avoid the core on paths to pod 5, and leaves need
    // not change: three cores above that switch are left.
    let towards = HostId(5 * 16 + 3);
    let ports = |node| overlay.next_hops(node, towards).map(|ports| ports.iter().collect::<Vec<_>>());
    for pod in [0, 4, 6] {
        assert_eq!(ports(shape.aggregation(4 * pod + 2)), Some(vec![4, 6, 7]), "pod {pod}");
        assert_eq!(ports(shape.aggregation(4 * pod + 1)), None, "pod {pod}");
        assert_eq!(ports(shape.leaf(4 * pod)), None, "pod {pod}");
    }
    // Packets that go up to the core turn back below it, in any other pod.
    assert_eq!(ports(shape.core(4 * 2 + 1)), Some(vec![0, 1, 2, 3, 4, 6, 7]));
    assert_eq!(overlay.next_hops(shape.aggregation(4 * 5 + 2), HostId(0)), None, "it sees its own dead port");
    // If all cores above that switch are unreachable, the leaves of other pods avoid it, too.
    for core in 0..4 {
        dead[core_link(&format!("pod5.aggregation2-core2.{core}.0"))] = true;
    }
    let overlay = reroute::overlay(&built.fabric, &built.routing, &dead, ReroutePaths::Shortest);
    let ports = overlay.next_hops(shape.leaf(0), towards).map(|ports| ports.iter().collect::<Vec<_>>());
    assert_eq!(ports, Some(vec![4, 5, 7]));
}
