//! Forwarding tables and groups of ports: every packet of a key takes one path, static routes are followed, and groups
//! are balanced evenly.
//!
//! Paths are read from recorded packets, hop by hop.

use std::collections::{BTreeMap, BTreeSet};

use netloom_engine::{Extensions, Options, Status};
use netloom_model::static_routes::Entry;
use netloom_model::{FabricBuilder, Fault, FaultAction, Model, PortSet};
use netloom_policy::balance::Chosen;
use netloom_records::{PacketKind, PacketRow};
use netloom_testkit::fixture::{
    Cable, Clos, ListedWork, Run, Sending, ThreeTiers, Wiring, everything_joined, model, policy, simulate,
    simulate_with,
};
use netloom_units::{HostId, LinkId, NodeId, Time, Value};

use crate::cases::{traffic, transports};

fn tables(key: &'static str) -> Chosen {
    policy("deterministic", &[("key", Value::Choice(key))])
}

fn groups(group: &'static str, choice: &'static str) -> Chosen {
    policy("adaptive_infiniband", &[("group", Value::Choice(group)), ("choice", Value::Choice(choice))])
}

/// The policy at all nodes, with everything recorded.
fn scene(wiring: Wiring, chosen: &Chosen) -> Model {
    let mut model = model(wiring);
    model.balances.host = chosen.clone();
    model.balances.switch = chosen.clone();
    model.recording.packets_from = (0..model.fabric.n_hosts() as u32).map(HostId).collect();
    model
}

/// A message of some packets from every host to every other one.
fn everybody(n_hosts: u32, bytes: u64) -> ListedWork {
    let others = |from: u32| (0..n_hosts).filter(move |&to| to != from);
    let all = (0..n_hosts).flat_map(|from| others(from).map(move |to| Sending::new(0, from, to, bytes)));
    ListedWork::new(&all.collect::<Vec<_>>())
}

/// The sender and the receiver of the data of a packet's queue pair, as the packet sees them: for ACKs and the like in
/// reverse.
fn ends(row: &PacketRow) -> (HostId, HostId) {
    match row.kind {
        PacketKind::Data => (row.source, row.destination),
        _ => (row.destination, row.source),
    }
}

/// The ports by which each node sent the packets of each key.
fn paths<K: Ord>(run: &Run, key: impl Fn((HostId, HostId)) -> K) -> BTreeMap<(NodeId, K), BTreeSet<u32>> {
    let mut paths: BTreeMap<_, BTreeSet<u32>> = BTreeMap::new();
    for row in &run.records.packets {
        let port = row.port.expect("no packet is dropped").0;
        paths.entry((row.node, key(ends(row)))).or_default().insert(port);
    }
    paths
}

/// Fabrics with parallel links everywhere.
fn fabrics() -> [(Wiring, u32); 2] {
    let mut clos = Clos::new(4, 3, 3);
    (clos.shape.fabric_links, clos.shape.host_links) = (2, 2);
    let mut tree = ThreeTiers::new(4);
    (tree.shape.leaf_links, tree.shape.core_links) = (2, 3);
    [(clos.wiring(), 12), (tree.wiring(), 16)]
}

#[test]
fn packets_of_one_key_take_one_path() {
    for (wiring, n_hosts) in fabrics() {
        for (_, kind, control) in transports() {
            let with = |key| {
                let mut model = scene(wiring.clone(), &tables(key));
                (model.transport.kind, model.classes.control) = (kind, control);
                simulate(&model, everybody(n_hosts, 3_000))
            };
            let run = with("destination");
            assert!(paths(&run, |(_, to)| to).values().all(|ports| ports.len() == 1));
            let run = with("pair");
            assert!(paths(&run, |pair| pair).values().all(|ports| ports.len() == 1));
            // The path depends on the sender.
            assert!(paths(&run, |(_, to)| to).values().any(|ports| ports.len() > 1));
        }
    }
}

/// Packets on each port between switches.
fn loads(run: &Run, n_hosts: u32) -> BTreeMap<(NodeId, NodeId, u32), u64> {
    let inner = run.records.ports.iter().filter(|port| port.node.0 >= n_hosts && port.peer.0 >= n_hosts);
    inner.map(|port| ((port.node, port.peer, port.index), port.packets)).collect()
}

#[test]
fn every_tier_of_a_tree_carries_destinations_evenly() {
    let clos = |hosts_per_leaf, fabric_links| {
        let mut clos = Clos::new(4, 4 / fabric_links, hosts_per_leaf);
        clos.shape.fabric_links = fabric_links;
        (clos.wiring(), 4 * hosts_per_leaf)
    };
    let tree = |k, parallel| {
        let mut tree = ThreeTiers::new(k);
        (tree.shape.aggregations_per_pod, tree.shape.leaf_links) = (k / 2 / parallel, parallel);
        (tree.shape.cores_per_aggregation, tree.shape.core_links) = (k / 2 / parallel, parallel);
        (tree.wiring(), tree.shape.n_hosts())
    };
    for (wiring, n_hosts) in [clos(4, 1), clos(4, 2), clos(8, 4), tree(4, 1), tree(8, 1), tree(8, 2)] {
        let mut model = scene(wiring, &Chosen::named("deterministic"));
        model.recording.packets_from.clear();
        let loads = loads(&simulate(&model, everybody(n_hosts, 100)), n_hosts);
        // On each switch all uplinks carry the same number of packets, and so do all downlinks.
        let mut by_side: BTreeMap<(NodeId, bool), BTreeSet<u64>> = BTreeMap::new();
        for ((node, peer, _), packets) in &loads {
            by_side.entry((*node, peer > node)).or_default().insert(*packets);
        }
        for (side, packets) in &by_side {
            assert!(packets.len() == 1 && !packets.contains(&0), "{n_hosts} hosts, {side:?}: {packets:?}");
        }
    }
}

#[test]
fn ports_differ_by_at_most_two_destinations_in_any_clos() {
    for (spines, hosts_per_leaf) in [(2, 3), (3, 4), (5, 3), (7, 2)] {
        let mut model = scene(Clos::new(4, spines, hosts_per_leaf).wiring(), &Chosen::named("deterministic"));
        model.recording.packets_from.clear();
        let n_hosts = 4 * hosts_per_leaf;
        let loads = loads(&simulate(&model, everybody(n_hosts, 100)), n_hosts);
        for leaf in (n_hosts..n_hosts + 4).map(NodeId) {
            // Each host of the leaf sends to every destination below other leaves.
            let up: Vec<u64> =
                loads.iter().filter(|((node, ..), _)| *node == leaf).map(|(_, n)| *n).collect();
            let spread = up.iter().max().unwrap() - up.iter().min().unwrap();
            assert!(spread <= 2 * u64::from(hosts_per_leaf), "{spines} spines: {up:?}");
        }
    }
}

const CABLE: Cable = Cable::new(100_000_000_000, 500_000);
const LEFT: NodeId = NodeId(6);
const RIGHT: NodeId = NodeId(7);
const FAR: NodeId = NodeId(8);

/// Hosts 0 to 2 at one switch, 3 to 5 at another, two links between these; a third switch with one link to each.
fn triangle() -> Wiring {
    let mut builder = FabricBuilder::new(6, 3);
    (0..6).for_each(|host| CABLE.lay(&mut builder, host, if host < 3 { LEFT.0 } else { RIGHT.0 }));
    for (from, to) in [(LEFT, RIGHT), (LEFT, RIGHT), (RIGHT, FAR), (FAR, LEFT)] {
        CABLE.lay(&mut builder, from.0, to.0);
    }
    Wiring::shortest(builder)
}

/// Local ports of the left switch: to the right one, and to the far one.
const OVER: [u32; 2] = [3, 4];
const AROUND: u32 = 5;

fn entry(at: NodeId, from: Option<u32>, to: u32, port: u32) -> Entry {
    Entry { at, from: from.map(HostId), to: HostId(to), port }
}

/// The local port by which the left switch sends each pair of hosts.
fn across(model: &Model, run: &Run) -> BTreeMap<(u32, u32), BTreeSet<u32>> {
    let first = model.fabric.port_range(LEFT).start;
    let at_left = run.records.packets.iter().filter(|row| row.node == LEFT && ends(row).0.0 < 3);
    let mut found: BTreeMap<_, BTreeSet<u32>> = BTreeMap::new();
    for row in at_left {
        let (from, to) = ends(row);
        found.entry((from.0, to.0)).or_default().insert(row.port.expect("no packet is dropped").0 - first);
    }
    found
}

fn pairs_across() -> ListedWork {
    let pairs = (0..3).flat_map(|from| (3..6).map(move |to| Sending::new(0, from, to, 5_000)));
    ListedWork::new(&pairs.collect::<Vec<_>>())
}

#[test]
fn static_routes_are_followed_and_other_paths_do_not_change() {
    let plain = scene(triangle(), &tables("pair"));
    let before = across(&plain, &simulate(&plain, pairs_across()));
    let mut listed = plain.clone();
    let other = |pair: (u32, u32)| OVER[usize::from(before[&pair].contains(&OVER[0]))];
    listed.balances.static_routes = vec![
        entry(LEFT, None, 3, OVER[1]),
        entry(LEFT, Some(1), 3, OVER[0]),
        entry(LEFT, Some(2), 4, other((2, 4))),
        // Entries for other packets, and of another switch.
        entry(LEFT, Some(2), 1, 1),
        entry(RIGHT, None, 0, 3),
    ];
    let run = simulate(&listed, pairs_across());
    let mut expected = before.clone();
    expected.extend(
        [((0, 3), OVER[1]), ((1, 3), OVER[0]), ((2, 3), OVER[1]), ((2, 4), other((2, 4)))]
            .map(|(pair, port)| (pair, BTreeSet::from([port]))),
    );
    assert_eq!(across(&listed, &run), expected);
    assert_ne!(expected, before);
    for options in [Options { threads: 2, ..Options::default() }, everything_joined()] {
        let again = simulate_with(&listed, pairs_across(), options, Extensions::default());
        assert!(again.results() == run.clone().results(), "{options:?}");
    }
}

#[test]
fn control_packets_follow_static_routes_if_tables_route_them() {
    let mut model = scene(triangle(), &tables("pair"));
    (model.transport.kind, model.classes.control) = (transports()[3].1, transports()[3].2);
    // Data of host 3, and ACKs for data sent to host 3, reach the left switch from the right one.
    model.balances.static_routes = vec![entry(RIGHT, Some(3), 0, 4), entry(RIGHT, Some(4), 0, 3)];
    let first = model.fabric.port_range(RIGHT).start;
    let work = || ListedWork::new(&[Sending::new(0, 0, 3, 9_000), Sending::new(0, 0, 4, 9_000)]);
    let responses = |model: &Model| {
        let run = simulate(model, work());
        let at_right = |row: &&PacketRow| row.node == RIGHT && row.kind == PacketKind::Acknowledgement;
        let taken = |row: &PacketRow| (ends(row).0.0, row.port.expect("no packet is dropped").0 - first);
        run.records.packets.iter().filter(at_right).map(taken).collect::<BTreeSet<_>>()
    };
    assert_eq!(responses(&model), BTreeSet::from([(3, 4), (4, 3)]));
    model.balances.control = Some(policy("round_robin", &[]));
    assert_eq!(responses(&model), BTreeSet::from([(3, 3), (3, 4), (4, 3), (4, 4)]));
}

#[test]
fn a_static_route_applies_while_its_link_is_up() {
    let mut model = scene(triangle(), &tables("destination"));
    model.balances.static_routes = vec![entry(LEFT, None, 3, OVER[0]), entry(LEFT, None, 4, OVER[0])];
    let (down, up) = (Time(40_000_000), Time(80_000_000));
    let fault = |at, action| Fault { at, link: LinkId(6), action };
    model.faults = vec![fault(down, FaultAction::Down), fault(up, FaultAction::Up)];
    let sendings: Vec<Sending> =
        (0..60).map(|k| Sending::new(k * 2_000_000, 0, 3 + k as u32 % 2, 1_000)).collect();
    let run = simulate(&model, ListedWork::new(&sendings));
    let first = model.fabric.port_range(LEFT).start;
    let at_left = run.records.packets.iter().filter(|row| row.node == LEFT);
    let mut n_by_phase = [0; 3];
    for row in at_left {
        let phase = usize::from(row.arrival >= down) + usize::from(row.arrival >= up);
        n_by_phase[phase] += 1;
        let expected = if phase == 1 { OVER[1] } else { OVER[0] };
        assert_eq!(row.port.map(|port| port.0 - first), Some(expected), "{row:?}");
    }
    assert!(n_by_phase.iter().all(|&packets| packets > 15), "{n_by_phase:?}");
}

#[test]
fn a_static_route_may_take_a_non_minimal_path() {
    let mut model = scene(triangle(), &tables("destination"));
    model.balances.static_routes = vec![entry(LEFT, None, 3, AROUND)];
    let run = simulate(&model, pairs_across());
    assert_eq!(run.outcome.status, Status::Complete);
    for row in &run.records.flows {
        // Links of the path: host, switches in between, host.
        let links = if row.destination == HostId(3) { 4 } else { 3 };
        assert_eq!(row.hops, links * u64::from(row.packets), "{row:?}");
    }
    assert!(run.records.packets.iter().any(|row| row.node == FAR));
}

#[test]
fn static_routes_in_a_loop_keep_packets_until_the_deadline() {
    let mut model = scene(triangle(), &tables("destination"));
    model.recording.packets_from.clear();
    model.deadline = Some(Time(1_000_000_000));
    // Port 3 of the right switch leads back to the left one.
    model.balances.static_routes = vec![entry(RIGHT, None, 4, 3)];
    let work = ListedWork::new(&[Sending::new(0, 0, 4, 3_000), Sending::new(0, 0, 5, 3_000)]);
    let run = simulate(&model, work);
    assert_eq!(run.outcome.status, Status::Deadline);
    let ended: Vec<HostId> =
        run.records.flows.iter().filter(|row| row.end.is_some()).map(|row| row.destination).collect();
    assert_eq!(ended, [HostId(5)]);
    // Three packets, over a link every 580 ns.
    assert!((4_000..6_000).contains(&run.outcome.hops), "{} hops", run.outcome.hops);
}

/// The number of packets of each stream on each port of a node: counts by stream.
fn counts<K: Ord>(
    run: &Run,
    node: NodeId,
    stream: impl Fn(&PacketRow) -> Option<K>,
) -> BTreeMap<K, BTreeMap<u32, u64>> {
    let mut counts: BTreeMap<K, BTreeMap<u32, u64>> = BTreeMap::new();
    for row in run.records.packets.iter().filter(|row| row.node == node) {
        let Some(stream) = stream(row) else { continue };
        let port = row.port.expect("no packet is dropped").0;
        *counts.entry(stream).or_default().entry(port).or_default() += 1;
    }
    counts
}

fn assert_even<K: std::fmt::Debug>(counts: &BTreeMap<K, BTreeMap<u32, u64>>, n_ports: usize) {
    for (stream, ports) in counts {
        let (least, most) = (ports.values().min().unwrap(), ports.values().max().unwrap());
        assert!(most - least <= 1 && ports.len() == n_ports, "{stream:?}: {ports:?}");
    }
}

#[test]
fn groups_are_balanced_to_within_one_packet_for_every_in_link() {
    // Loads far below and far above the capacity of the links.
    for gap in [0, 3_000_000] {
        let mut sendings = traffic(3, 6, 300, 700);
        (0..).zip(&mut sendings).for_each(|(slot, sending)| sending.at = Time(gap * slot));
        for group in ["tree", "lag"] {
            let run = simulate(&scene(triangle(), &groups(group, "turns")), ListedWork::new(&sendings));
            for (node, near) in [(LEFT, 0..3), (RIGHT, 3..6)] {
                // Every host has an in-link of its own, and all hosts on the other side are behind one group.
                let across = |row: &PacketRow| {
                    let (from, to) = ends(row);
                    (near.contains(&from.0) && !near.contains(&to.0)).then_some(from)
                };
                let counts = counts(&run, node, across);
                assert_eq!(counts.len(), 3);
                assert_even(&counts, 2);
            }
        }
    }
}

#[test]
fn group_tree_uses_all_next_hops_and_group_lag_the_links_to_one_neighbour() {
    let mut clos = Clos::new(3, 2, 2);
    clos.shape.fabric_links = 3;
    let leaf = NodeId(6);
    let own_packets = |row: &PacketRow| (ends(row).0.0 < 2 && ends(row).1.0 >= 2).then_some(ends(row));
    let run = |group| simulate(&scene(clos.wiring(), &groups(group, "turns")), everybody(6, 40_000));
    let tree = run("tree");
    assert_even(&counts(&tree, leaf, |row| own_packets(row).map(|(from, _)| from)), 6);
    let lag = run("lag");
    let fabric = clos.wiring().fabric;
    for ((_, to), ports) in counts(&lag, leaf, own_packets) {
        let spines: BTreeSet<NodeId> =
            ports.keys().map(|&port| fabric.neighbour(netloom_units::PortId(port))).collect();
        assert_eq!(spines, BTreeSet::from([clos.shape.spine(to.0 % 2)]));
    }
    // For each in-link and neighbour.
    assert_even(&counts(&lag, leaf, |row| own_packets(row).map(|(from, to)| (from, to.0 % 2))), 3);
}

#[test]
fn the_choice_by_load_shares_packets_evenly_among_ports() {
    for group in ["tree", "lag"] {
        let run = simulate(&scene(triangle(), &groups(group, "load")), pairs_across());
        let over = counts(&run, LEFT, |row| (ends(row).0.0 < 3).then_some(()));
        let loads: Vec<u64> = over[&()].values().copied().collect();
        // Forty-five packets arrive on three links and leave on two.
        assert!(loads.len() == 2 && loads.iter().sum::<u64>() == 45, "{loads:?}");
        assert!(loads[0].abs_diff(loads[1]) <= 3, "{loads:?}");
    }
}

#[test]
fn positions_list_the_nodes_behind_their_ports() {
    let model = scene(triangle(), &Chosen::named("adaptive_infiniband"));
    let neighbours = model.fabric.neighbours(LEFT);
    assert_eq!(neighbours, [0, 1, 2, RIGHT.0, RIGHT.0, FAR.0].map(NodeId));
    assert_eq!(model.position(LEFT, &neighbours, &[]).n_ports(), 6);
    let next = model.routing.next_hops(LEFT, HostId(3));
    assert_eq!(next, PortSet::List(&OVER));
}
