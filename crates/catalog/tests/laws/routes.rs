//! Arithmetic, tables and overlays all say what a search by hand says, for every node and destination.

use std::collections::VecDeque;

use netloom_catalog::{routing, topology::leaf_spine};
use netloom_model::{Fabric, FabricBuilder, Routing, reroute};
use netloom_units::{Duration, HostId, NodeId, Rate, Value};
use proptest::prelude::*;

use crate::topologies::leaf_spine_settings;

/// Hops from every node to `host` over live links, hosts not forwarding.
fn distances(fabric: &Fabric, dead: &[bool], host: HostId) -> Vec<Option<u32>> {
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

fn by_hand(fabric: &Fabric, dead: &[bool], node: NodeId, host: HostId, distance: &[Option<u32>]) -> Vec<u32> {
    let own = distance[node.index()];
    let leads = |end: NodeId| {
        let forwards = !fabric.is_host(end) || end.0 == host.0;
        forwards && distance[end.index()].is_some_and(|hops| own == Some(hops + 1))
    };
    (0_u32..)
        .zip(fabric.ports_of(node))
        .filter(|(_, port)| !dead[port.link.index()] && leads(fabric.port(port.peer).node))
        .map(|(local, _)| local)
        .collect()
}

/// What a node that asks the overlay takes for its next hops, and whether the overlay told it.
fn believed(
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
        Some(told) => (told.iter().collect(), alone, true),
        None => (alone.clone(), alone, false),
    }
}

fn check(fabric: &Fabric, routing: &Routing, dead: &[bool], compact: bool) {
    let healthy = vec![false; dead.len()];
    let overlay = reroute::overlay(fabric, routing, dead);
    assert!(reroute::overlay(fabric, routing, &healthy).is_empty());
    for host in (0..fabric.n_hosts() as u32).map(HostId) {
        let before = distances(fabric, &healthy, host);
        let after = distances(fabric, dead, host);
        for node in (0..fabric.n_nodes() as u32).map(NodeId).filter(|node| node.0 != host.0) {
            let routes: Vec<u32> = routing.next_hops(node, host).iter().collect();
            let expected = by_hand(fabric, &healthy, node, host, &before);
            assert_eq!(routes, expected, "healthy: {node:?} to {host:?}");
            let (found, alone, told) = believed(fabric, routing, &overlay, dead, node, host);
            let expected = by_hand(fabric, dead, node, host, &after);
            assert_eq!(found, expected, "with dead links: {node:?} to {host:?}");
            assert!(!compact || !told || found != alone, "told what it knew: {node:?} to {host:?}");
        }
    }
}

fn some_dead(n_links: usize) -> impl Strategy<Value = Vec<bool>> {
    let one = |weight: f64| prop::collection::vec(prop::bool::weighted(weight), n_links);
    prop_oneof![one(0.05), one(0.3), one(0.7)]
}

fn leaf_spines() -> impl Strategy<Value = ([u64; 5], Vec<bool>)> {
    (1..5_u64, 1..4_u64, 1..4_u64, 1..4_u64, 1..4_u64).prop_flat_map(
        |(leaves, spines, hosts, nics, links)| {
            let n_links = leaves * hosts * nics + leaves * spines * links;
            (Just([leaves, spines, hosts, nics, links]), some_dead(n_links as usize))
        },
    )
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
    fn a_leaf_spine_routes_as_a_search_does((numbers, dead) in leaf_spines()) {
        let built = leaf_spine::build(&leaf_spine_settings(numbers)).unwrap();
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
fn an_overlay_is_small_when_little_is_dead() {
    let mut settings = leaf_spine_settings([64, 16, 32, 1, 1]);
    settings = settings.with("fabric_links", Value::Count(2));
    let built = leaf_spine::build(&settings).unwrap();
    let mut dead = vec![false; built.fabric.links().len()];
    let both = built.link_names.iter().enumerate().filter(|(_, name)| name.starts_with("leaf5-spine3."));
    both.for_each(|(link, _)| dead[link] = true);
    let overlay = reroute::overlay(&built.fabric, &built.routing, &dead);
    // Every other leaf must avoid spine 3 towards leaf 5, and nobody else need change.
    let leaf = |number: u32| NodeId(64 * 32 + number);
    let towards = HostId(5 * 32 + 7);
    assert_eq!(overlay.next_hops(leaf(9), towards).map(|ports| ports.len()), Some(30));
    assert!(overlay.next_hops(leaf(5), HostId(0)).is_none(), "it sees its own dead ports");
    assert!(overlay.next_hops(leaf(9), HostId(0)).is_none());
    assert!(overlay.next_hops(NodeId(0), towards).is_none());
}
