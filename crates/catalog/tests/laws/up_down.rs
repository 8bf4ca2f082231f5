//! Where packets go up and then down, buffers cannot wait for each other in a cycle, whichever links have failed.

use std::collections::{BTreeMap, BTreeSet};

use netloom_catalog::topology::{Built, leaf_spine};
use netloom_model::{Fabric, Overlay, ReroutePaths, reroute};
use netloom_units::{HostId, NodeId, PortId};
use proptest::prelude::*;

use crate::routes::{believed, distances, parametric};
use crate::topologies::leaf_spine_settings;

/// For each port, the ports that packets which have left by it may wait for at the other end.
type Waits = BTreeMap<PortId, BTreeSet<PortId>>;

/// A fabric with failed links, and the overlay of its nodes.
struct Damaged<'a> {
    built: &'a Built,
    dead: &'a [bool],
    overlay: Overlay,
}

impl Damaged<'_> {
    fn new<'a>(built: &'a Built, dead: &'a [bool], paths: ReroutePaths) -> Damaged<'a> {
        Damaged { built, dead, overlay: reroute::overlay(&built.fabric, &built.routing, dead, paths) }
    }

    fn next_ports(&self, node: NodeId, host: HostId) -> Vec<PortId> {
        let Built { fabric, routing, .. } = self.built;
        let (locals, ..) = believed(fabric, routing, &self.overlay, self.dead, node, host);
        let first = fabric.port_range(node).start;
        locals.into_iter().map(|local| PortId(first + local)).collect()
    }

    /// Follows all paths that packets from one host to another may take; returns whether all of them arrive.
    fn follow(&self, from: HostId, to: HostId, waits: &mut Waits) -> bool {
        let mut seen = BTreeSet::new();
        let mut queue = self.next_ports(NodeId(from.0), to);
        let mut all_arrive = !queue.is_empty();
        while let Some(port) = queue.pop() {
            let end = self.built.fabric.neighbour(port);
            if !seen.insert(port) || end.0 == to.0 {
                continue;
            }
            let next = self.next_ports(end, to);
            all_arrive &= !next.is_empty();
            waits.entry(port).or_default().extend(&next);
            queue.extend(next);
        }
        all_arrive
    }

    /// Which ports wait for which, and the pairs of hosts between which packets arrive.
    fn play(&self) -> (Waits, BTreeSet<(u32, u32)>) {
        let mut waits = Waits::new();
        let n_hosts = self.built.fabric.n_hosts() as u32;
        let pairs = (0..n_hosts).flat_map(|from| (0..n_hosts).map(move |to| (from, to)));
        let arrive = pairs
            .filter(|(from, to)| from != to)
            .filter(|&(from, to)| self.follow(HostId(from), HostId(to), &mut waits))
            .collect();
        (waits, arrive)
    }
}

/// Whether some ports wait for each other in a cycle: those left after removing, repeatedly, ports that wait for none.
fn has_ring(mut waits: Waits) -> bool {
    loop {
        let free: BTreeSet<PortId> =
            waits.iter().filter(|(_, behind)| behind.is_empty()).map(|(&port, _)| port).collect();
        let n_before = waits.len();
        waits.retain(|port, _| !free.contains(port));
        let left: BTreeSet<PortId> = waits.keys().copied().collect();
        for behind in waits.values_mut() {
            behind.retain(|port| left.contains(port));
        }
        if waits.len() == n_before && waits.values().all(|behind| !behind.is_empty()) {
            return !waits.is_empty();
        }
    }
}

/// Nodes that a host reaches by live links from tier to higher tier.
fn above(fabric: &Fabric, dead: &[bool], tiers: &[u32], host: u32) -> BTreeSet<NodeId> {
    let mut found = BTreeSet::from([NodeId(host)]);
    let mut queue = vec![NodeId(host)];
    while let Some(node) = queue.pop() {
        for port in fabric.ports_of(node) {
            let end = fabric.port(port.peer).node;
            let is_up = tiers[end.index()] > tiers[node.index()];
            if is_up && !dead[port.link.index()] && found.insert(end) {
                queue.push(end);
            }
        }
    }
    found
}

/// Hops of every node from the nearest host while all links are up.
fn tiers(fabric: &Fabric) -> Vec<u32> {
    let healthy = vec![false; fabric.links().len()];
    let from_each = (0..fabric.n_hosts() as u32).map(|host| distances(fabric, &healthy, HostId(host)));
    let nearer = |mut least: Vec<u32>, found: Vec<Option<u32>>| {
        least.iter_mut().zip(found).for_each(|(least, hops)| *least = hops.unwrap_or(u32::MAX).min(*least));
        least
    };
    from_each.fold(vec![u32::MAX; fabric.n_nodes()], nearer)
}

/// Any small fabric of the registry except those of groups, whose paths do not go up and then down without failures.
fn trees() -> impl Strategy<Value = (Built, Vec<bool>)> {
    parametric().prop_filter("not a tree", |(built, _)| built.routing.n_groups() == 0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn trees_with_failed_links_have_no_cycle_and_connect_all_reachable_hosts((built, dead) in trees()) {
        let (waits, arrive) = Damaged::new(&built, &dead, ReroutePaths::UpDown).play();
        prop_assert!(!has_ring(waits));
        let tiers = tiers(&built.fabric);
        let n_hosts = built.fabric.n_hosts() as u32;
        let reach: Vec<_> = (0..n_hosts).map(|host| above(&built.fabric, &dead, &tiers, host)).collect();
        for (from, to) in (0..n_hosts).flat_map(|from| (0..n_hosts).map(move |to| (from, to))) {
            let meet = reach[from as usize].intersection(&reach[to as usize]).next().is_some();
            prop_assert_eq!(from != to && meet, arrive.contains(&(from, to)), "{} to {}", from, to);
        }
    }
}

/// Any small fabric of groups, with some failed links.
fn of_groups() -> impl Strategy<Value = (Built, Vec<bool>)> {
    parametric().prop_filter("no groups", |(built, _)| built.routing.n_groups() > 0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Minimal paths through groups need VLs, or they form cycles; paths that go up and then down need none.
    #[test]
    fn up_down_paths_in_fabrics_of_groups_have_no_cycle((built, dead) in of_groups()) {
        let (waits, _) = Damaged::new(&built, &dead, ReroutePaths::UpDown).play();
        prop_assert!(!dead.contains(&true) || !has_ring(waits));
    }

    #[test]
    fn packets_reach_all_connected_hosts_without_loops((built, dead) in of_groups()) {
        let damaged = Damaged::new(&built, &dead, ReroutePaths::Shortest);
        let n_hosts = built.fabric.n_hosts() as u32;
        for to in 0..n_hosts {
            let joined = distances(&built.fabric, &dead, HostId(to));
            let mut waits = Waits::new();
            for from in (0..n_hosts).filter(|&from| from != to) {
                let arrives = damaged.follow(HostId(from), HostId(to), &mut waits);
                prop_assert_eq!(arrives, joined[from as usize].is_some(), "{} to {}", from, to);
            }
            prop_assert!(!has_ring(waits), "to {} round and round", to);
        }
    }
}

/// Leaf 0 has lost spine 0 and leaf 1 spine 1: packets between the two go down to another leaf and up again, and
/// buffers wait for each other across the two spines. With up-down paths only, the two do not reach each other.
#[test]
fn shortest_paths_around_two_failures_form_a_cycle() {
    let built = leaf_spine::build(&leaf_spine_settings([4, 2, 1, 1, 1])).unwrap();
    let is_dead = |name: &String| name.starts_with("leaf0-spine0") || name.starts_with("leaf1-spine1");
    let dead: Vec<bool> = built.link_names.iter().map(is_dead).collect();
    assert_eq!(dead.iter().filter(|&&dead| dead).count(), 2);
    let (waits, arrive) = Damaged::new(&built, &dead, ReroutePaths::Shortest).play();
    assert!(has_ring(waits));
    assert_eq!(arrive.len(), 12);
    let (waits, arrive) = Damaged::new(&built, &dead, ReroutePaths::UpDown).play();
    assert!(!has_ring(waits));
    assert_eq!(arrive.len(), 10);
    assert!(!arrive.contains(&(0, 1)) && !arrive.contains(&(1, 0)));
}
