//! Dragonflies, Dragonfly+ and rails: which nodes are connected, by which kind of link, over how many hops.

use std::collections::{BTreeMap, BTreeSet};

use netloom_catalog::TopologyError;
use netloom_catalog::placement::hosts_by_leaf;
use netloom_catalog::topology::{Built, dragonfly, dragonfly_plus, rail, single_switch};
use netloom_model::{PortKind, Routing};
use netloom_units::{HostId, NodeId, PortId, Rate, Settings, Spec, Value};

/// Settings from numbers by name, defaults for all others.
fn settings(spec: &'static Spec, numbers: &[(&str, u64)]) -> Settings {
    let value = |parameter: &netloom_units::Parameter| {
        let given = numbers.iter().find(|(name, _)| *name == parameter.name);
        let value = given.map(|&(_, number)| Value::Count(number)).or(parameter.default.clone());
        (parameter.name, value.unwrap_or_else(|| panic!("`{}` is required", parameter.name)))
    };
    assert!(numbers.iter().all(|(name, _)| spec.parameter(name).is_some()));
    Settings::new(spec.parameters.iter().map(value).collect())
}

fn dragonfly_of(numbers: &[(&str, u64)]) -> Built {
    dragonfly::build(&settings(&dragonfly::SPEC, numbers)).unwrap()
}

fn dragonfly_plus_of(numbers: &[(&str, u64)]) -> Built {
    dragonfly_plus::build(&settings(&dragonfly_plus::SPEC, numbers)).unwrap()
}

/// The balanced dragonfly of the paper with `p` hosts below each switch.
fn balanced(p: u64, arrangement: &'static str) -> Built {
    let (a, h) = (2 * p, p);
    let numbers = [("groups", a * h + 1), ("switches_per_group", a), ("hosts_per_switch", p)];
    let settings = settings(&dragonfly::SPEC, &numbers).with("arrangement", Value::Choice(arrangement));
    dragonfly::build(&settings).unwrap()
}

const LUMI: &[(&str, u64)] = &[
    ("groups", 24),
    ("switches_per_group", 32),
    ("hosts_per_switch", 16),
    ("nics", 4),
    ("global_links", 20),
];

const LEONARDO: &[(&str, u64)] = &[
    ("groups", 23),
    ("leaves_per_group", 18),
    ("spines_per_group", 18),
    ("hosts_per_leaf", 10),
    ("host_links", 4),
];

/// The group in a node's name.
fn named_group(built: &Built, node: NodeId) -> u32 {
    let name = &built.node_names[node.index()];
    name.strip_prefix("group").and_then(|name| name.split('.').next()).unwrap().parse().unwrap()
}

fn nodes(built: &Built) -> impl Iterator<Item = NodeId> + use<> {
    (0..built.fabric.n_nodes() as u32).map(NodeId)
}

/// Names must agree with ports, kinds and groups.
fn check_kinds(built: &Built) {
    let Built { fabric, routing, .. } = built;
    for node in nodes(built) {
        assert_eq!(routing.group_of(node), named_group(built, node));
        for (local, port) in (0_u32..).zip(fabric.ports_of(node)) {
            let end = fabric.port(port.peer).node;
            let expected = if fabric.is_host(node) || fabric.is_host(end) {
                PortKind::Host
            } else if named_group(built, node) == named_group(built, end) {
                PortKind::Local
            } else {
                PortKind::Global
            };
            assert_eq!(routing.port_kind(node, local), expected, "{}", built.node_names[node.index()]);
        }
    }
    for host in 0..fabric.n_hosts() as u32 {
        assert_eq!(routing.group_of_host(HostId(host)), named_group(built, NodeId(host)));
    }
    assert_eq!(named_group(built, NodeId(fabric.n_nodes() as u32 - 1)) + 1, routing.n_groups());
    for names in [&built.node_names, &built.link_names] {
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
    assert_eq!(built.node_names.len(), fabric.n_nodes());
    assert_eq!(built.link_names.len(), fabric.links().len());
    for (link, name) in fabric.links().iter().zip(&built.link_names) {
        let ends = link.ends.map(|port| built.node_names[fabric.port(port).node.index()].as_str());
        let last = |name: &str| name.rsplit('.').next().unwrap().to_owned();
        let holds_both = name.starts_with(ends[0]) && (name.contains(&last(ends[1])) || name.contains("nic"));
        assert!(holds_both, "{name} joins {ends:?}");
    }
}

/// Links between every two groups.
fn links_per_pair(built: &Built) -> BTreeMap<(u32, u32), usize> {
    let mut found = BTreeMap::new();
    for link in built.fabric.links() {
        let groups = link.ends.map(|port| named_group(built, built.fabric.port(port).node));
        if groups[0] != groups[1] {
            assert!(groups[0] < groups[1], "the lower group comes first");
            *found.entry((groups[0], groups[1])).or_default() += 1;
        }
    }
    found
}

fn kinds_of(built: &Built, node: NodeId) -> [usize; 3] {
    let ports = 0..built.fabric.ports_of(node).len() as u32;
    let mut found = [0; 3];
    for port in ports {
        found[built.routing.port_kind(node, port) as usize] += 1;
    }
    found
}

/// Follows every minimal path from a switch or host: the kinds of links of each, without host links.
fn paths(built: &Built, node: NodeId, to: HostId, so_far: &mut Vec<PortKind>, found: &mut BTreeSet<Vec<u8>>) {
    if node.0 == to.0 {
        let path = so_far.iter().filter(|kind| **kind != PortKind::Host).map(|&kind| kind as u8);
        found.insert(path.collect());
        return;
    }
    assert!(so_far.len() < 12, "an endless path");
    assert!(so_far.is_empty() || !built.fabric.is_host(node), "hosts do not forward");
    let set = built.routing.next_hops(node, to);
    assert!(!set.is_empty());
    for local in set.iter() {
        so_far.push(built.routing.port_kind(node, local));
        let port = PortId(built.fabric.port_range(node).start + local);
        paths(built, built.fabric.neighbour(port), to, so_far, found);
        so_far.pop();
    }
}

fn paths_between(built: &Built, from: u32, to: u32) -> BTreeSet<Vec<u8>> {
    let mut found = BTreeSet::new();
    paths(built, NodeId(from), HostId(to), &mut Vec::new(), &mut found);
    found
}

const L: u8 = PortKind::Local as u8;
const G: u8 = PortKind::Global as u8;

#[test]
fn balanced_dragonflies_are_those_of_the_paper() {
    for (p, arrangement) in [(1, "absolute"), (2, "absolute"), (2, "relative"), (4, "relative")] {
        let built = balanced(p, arrangement);
        let (a, p) = (2 * p as usize, p as usize);
        assert_eq!(built.fabric.n_switches(), a * (a * p + 1));
        assert_eq!(built.fabric.n_hosts(), p * built.fabric.n_switches());
        check_kinds(&built);
        let pairs = links_per_pair(&built);
        assert_eq!(pairs.len(), a * p * (a * p + 1) / 2);
        assert!(pairs.values().all(|&links| links == 1));
        for node in nodes(&built).skip(built.fabric.n_hosts()) {
            assert_eq!(kinds_of(&built, node), [p, a - 1, p]);
        }
    }
}

#[test]
fn dragonfly_paths_take_a_local_a_global_and_a_local_link() {
    let built = balanced(2, "absolute");
    let minimal: BTreeSet<Vec<u8>> = [vec![], vec![L], vec![G], vec![L, G], vec![G, L], vec![L, G, L]].into();
    let mut found = BTreeSet::new();
    for (from, to) in
        (0..72).flat_map(|from| (0..72).map(move |to| (from, to))).filter(|(from, to)| from != to)
    {
        let paths = paths_between(&built, from, to);
        assert_eq!(paths.len(), 1, "one global link between two groups, one local link between two switches");
        let crosses = from / 8 != to / 8;
        assert!(paths.iter().all(|path| path.contains(&G) == crosses));
        found.extend(paths);
    }
    assert_eq!(found, minimal);
}

#[test]
fn any_global_link_between_two_groups_is_minimal() {
    // Three links between two groups, on three of four switches: those that end at the destination are no better.
    let built = dragonfly_of(&[
        ("groups", 2),
        ("switches_per_group", 4),
        ("hosts_per_switch", 1),
        ("global_links", 3),
    ]);
    check_kinds(&built);
    let paths = paths_between(&built, 3, 4);
    assert_eq!(paths, [vec![L, G], vec![L, G, L]].into());
    let paths = paths_between(&built, 0, 4);
    assert_eq!(paths, [vec![G]].into(), "a switch that has a global link takes its own");
    let Routing::Dragonfly(shape) = &built.routing else { panic!("it routes by groups") };
    let without = shape.shape().switch(0, 3);
    assert_eq!(built.routing.towards_group(without, 1).len(), 3);
    assert_eq!(built.routing.towards_group(without, 1), built.routing.next_hops(without, HostId(5)));
    assert_eq!(built.routing.towards_group(without, 0).len(), 3, "to every other switch of its own group");
}

#[test]
fn lumi_can_be_built_at_full_size() {
    let built = dragonfly_of(LUMI);
    let fabric = &built.fabric;
    assert_eq!((fabric.n_hosts(), fabric.n_switches()), (24 * 128, 24 * 32));
    assert_eq!(fabric.links().len(), 24 * 128 * 4 + 24 * 32 * 31 / 2 + 276 * 20);
    check_kinds(&built);
    let pairs = links_per_pair(&built);
    assert!(pairs.len() == 276 && pairs.values().all(|&links| links == 20));
    for switch in nodes(&built).skip(fabric.n_hosts()) {
        let [hosts, local, global] = kinds_of(&built, switch);
        assert_eq!((hosts, local), (16, 31));
        assert!([14, 15].contains(&global), "460 over 32 switches: {global}");
    }
    // NIC n of host h of a group is on switch h / 16 * 4 + n of the group.
    let host = NodeId(128 * 5 + 37);
    let switches: Vec<&str> =
        fabric.neighbours(host).iter().map(|end| built.node_names[end.index()].as_str()).collect();
    assert_eq!(switches, ["group5.switch8", "group5.switch9", "group5.switch10", "group5.switch11"]);
    assert_eq!(built.node_names[host.index()], "group5.switch8.host5");
    let racks = hosts_by_leaf(fabric);
    assert_eq!(racks.len(), 24 * 8, "hosts of a block share a rack");
    assert!(racks.iter().all(|rack| rack.len() == 16));
    assert_eq!(built.routing.heap_bytes(), 4 * (32 * 24 + 32 * 23 + 1 + 23 * 12 * 20), "no table by host");
    // Links of a pair of groups end at distant switches: no switch has two of them.
    let switch = fabric.n_hosts() as u32 + 3;
    for group in 1..24 {
        let set = built.routing.towards_group(NodeId(switch), group);
        let own = set.iter().all(|port| built.routing.port_kind(NodeId(switch), port) == PortKind::Global);
        assert_eq!(set.len(), if own { 1 } else { 20 });
    }
}

#[test]
fn one_nic_of_four_can_be_modelled_in_isolation() {
    let one = [("nics", 1), ("nic_switches", 4)];
    let numbers: Vec<_> = LUMI.iter().copied().filter(|(name, _)| *name != "nics").chain(one).collect();
    let built = dragonfly_of(&numbers);
    check_kinds(&built);
    assert_eq!(built.fabric.n_hosts(), 24 * 128);
    for switch in nodes(&built).skip(built.fabric.n_hosts()) {
        let number = switch.index() - built.fabric.n_hosts();
        assert_eq!(kinds_of(&built, switch)[0], if number.is_multiple_of(4) { 16 } else { 0 });
    }
    let full = dragonfly_of(LUMI);
    for host in (0..full.fabric.n_hosts() as u32).map(NodeId) {
        assert_eq!(built.fabric.neighbours(host)[..], full.fabric.neighbours(host)[..1]);
    }
}

#[test]
fn leonardo_can_be_built_at_full_size() {
    let gbps = |rate: u64| Value::Rate(Rate(rate * 1_000_000_000));
    let settings =
        settings(&dragonfly_plus::SPEC, LEONARDO).with("host_rate", gbps(100)).with("local_rate", gbps(200));
    let built = dragonfly_plus::build(&settings).unwrap();
    let fabric = &built.fabric;
    assert_eq!((fabric.n_hosts(), fabric.n_switches()), (23 * 180, 23 * 36));
    check_kinds(&built);
    let pairs = links_per_pair(&built);
    assert!(pairs.len() == 253 && pairs.values().all(|&links| links == 18));
    let Routing::DragonflyPlus(shape) = &built.routing else { panic!("it routes by groups") };
    for (group, number) in (0..23).flat_map(|group| (0..18).map(move |number| (group, number))) {
        let spine = shape.shape().spine(group, number);
        assert_eq!(kinds_of(&built, spine), [0, 18, 22]);
        let ports = fabric.ports_of(spine).iter().zip(fabric.neighbours(spine)).skip(18);
        for (port, end) in ports {
            assert_eq!(port.rate, Rate(200_000_000_000));
            assert!(built.node_names[end.index()].ends_with(&format!(".spine{number}")), "of equal number");
        }
    }
    for leaf in 0..23 * 18 {
        assert_eq!(kinds_of(&built, shape.shape().leaf(leaf)), [40, 18, 0]);
    }
    assert_eq!(hosts_by_leaf(fabric).len(), 23 * 18);
    assert_eq!(built.routing.heap_bytes(), 4 * (18 * 23 + 23 + 22 * 18), "no table by host");
}

#[test]
fn paths_in_a_dragonfly_plus_go_up_across_and_down() {
    let built = dragonfly_plus_of(&[
        ("groups", 4),
        ("leaves_per_group", 2),
        ("spines_per_group", 3),
        ("hosts_per_leaf", 2),
        ("global_links", 2),
    ]);
    check_kinds(&built);
    assert!(links_per_pair(&built).values().all(|&links| links == 6));
    for (from, to) in
        (0..16).flat_map(|from| (0..16).map(move |to| (from, to))).filter(|(from, to)| from != to)
    {
        let expected = match (from / 2 == to / 2, from / 4 == to / 4) {
            (true, _) => vec![],
            (_, true) => vec![L, L],
            _ => vec![L, G, L],
        };
        assert_eq!(paths_between(&built, from, to), [expected].into());
    }
}

#[test]
fn spines_may_serve_some_groups_each() {
    // Seven groups, three spines of two ports: a spine reaches two of the six others.
    let numbers = [
        ("groups", 7),
        ("leaves_per_group", 2),
        ("spines_per_group", 3),
        ("hosts_per_leaf", 1),
        ("global_ports", 2),
    ];
    let built = dragonfly_plus_of(&numbers);
    check_kinds(&built);
    assert!(links_per_pair(&built).values().all(|&links| links == 1));
    let Routing::DragonflyPlus(shape) = &built.routing else { panic!("it routes by groups") };
    for (group, number) in (0..7).flat_map(|group| (0..3).map(move |number| (group, number))) {
        let spine = shape.shape().spine(group, number);
        assert_eq!(kinds_of(&built, spine), [0, 2, 2]);
        let leads = (0..7).filter(|&other| other != group).filter(|&other| {
            let first = built.routing.towards_group(spine, other).get(0);
            built.routing.port_kind(spine, first) == PortKind::Global
        });
        assert_eq!(leads.count(), 2, "other spines lead down first");
    }
    for (from, to) in (0..14).flat_map(|from| (0..14).map(move |to| (from, to))) {
        if from / 2 != to / 2 {
            assert_eq!(paths_between(&built, from, to), [vec![L, G, L]].into());
        }
    }
    let leaf = shape.shape().leaf(0);
    assert_eq!(built.routing.next_hops(leaf, HostId(13)).len(), 1, "only the spine that leads there");
    let with = |name, value| {
        let settings = settings(&dragonfly_plus::SPEC, &numbers).with(name, Value::Count(value));
        dragonfly_plus::build(&settings).map(|built| links_per_pair(&built).values().copied().max())
    };
    assert_eq!(with("global_ports", 4), Ok(Some(2)));
    assert_eq!(with("global_ports", 3), Err(TopologyError::UnevenGroups { ports: 9, others: 6 }));
    assert_eq!(with("global_ports", 1), Err(TopologyError::UnevenGroups { ports: 3, others: 6 }));
    let (name, other) = ("global_ports", "global_links");
    let refused = TopologyError::Disagree { name, value: 2, other, value_of_other: 1, wanted: 6 };
    assert_eq!(with("global_links", 1), Err(refused));
}

#[test]
fn invalid_dragonflies_are_rejected() {
    let base = [("groups", 4), ("switches_per_group", 6), ("hosts_per_switch", 2)];
    let with = |changes: &[(&str, u64)]| {
        let all = settings(&dragonfly::SPEC, &base);
        dragonfly::build(&changes.iter().fold(all, |all, (name, value)| all.with(name, Value::Count(*value))))
            .map(|built| built.fabric.n_hosts())
    };
    assert_eq!(with(&[]), Ok(48));
    assert_eq!(with(&[("nics", 3)]), Ok(16));
    for name in ["groups", "switches_per_group", "nics", "nic_switches", "global_links"] {
        assert_eq!(with(&[(name, 0)]), Err(TopologyError::Zero(name)));
    }
    let above = TopologyError::Above { name: "nics", value: 3, most: "nic_switches", limit: 2 };
    assert_eq!(with(&[("nics", 3), ("nic_switches", 2)]), Err(above));
    let name = "switches_per_group";
    let refused = TopologyError::Indivisible { name, value: 6, divisor: "nic_switches", by: 4 };
    assert_eq!(with(&[("nics", 3), ("nic_switches", 4)]), Err(refused));
    let most = u64::MAX;
    for (changes, too_many) in [
        (&[("groups", most)][..], "hosts"),
        (&[("hosts_per_switch", most)], "hosts"),
        (
            &[("groups", 20_000), ("switches_per_group", 100), ("nics", 100), ("hosts_per_switch", 1)],
            "switches",
        ),
        (&[("local_links", most)], "links"),
        (&[("global_links", most)], "links"),
        (&[("groups", 5000)], "links"),
    ] {
        let refused = with(changes);
        let is_expected = matches!(refused, Err(TopologyError::TooLarge { what, .. }) if what == too_many);
        assert!(is_expected, "{changes:?}: {refused:?}");
    }
}

#[test]
fn rails_connect_gpus_of_equal_position() {
    let numbers = [("servers", 6), ("gpus_per_server", 4), ("servers_per_block", 3), ("spines", 2)];
    let built = rail::build(&settings(&rail::SPEC, &numbers)).unwrap();
    let fabric = &built.fabric;
    assert_eq!((fabric.n_hosts(), fabric.n_switches()), (24, 6 + 8 + 2));
    assert_eq!(fabric.links().len(), 24 + 24 + 16);
    let name = |node: NodeId| built.node_names[node.index()].as_str();
    let ends: Vec<&str> = fabric.neighbours(NodeId(4 * 4 + 2)).into_iter().map(name).collect();
    assert_eq!((name(NodeId(18)), ends), ("server4.gpu2", vec!["server4.inner", "block1.rail2"]));
    let path = |from: u32, to: u32| {
        let (mut node, mut path) = (NodeId(from), Vec::new());
        while node.0 != to {
            let first = built.routing.next_hops(node, HostId(to)).get(0);
            node = fabric.neighbour(PortId(fabric.port_range(node).start + first));
            path.push(name(node));
        }
        path.join(" ")
    };
    assert_eq!(path(0, 3), "server0.inner server0.gpu3");
    assert_eq!(path(1, 9), "block0.rail1 server2.gpu1");
    assert_eq!(path(1, 10), "block0.rail1 spine0 block0.rail2 server2.gpu2");
    assert_eq!(path(1, 13), "block0.rail1 spine0 block1.rail1 server3.gpu1");
    assert_eq!(built.link_names[5], "server1.gpu1-inner");
    assert_eq!(built.link_names[24 + 23], "server5.gpu3.nic0");
    assert_eq!(built.link_names[48 + 15], "block1.rail3-spine1.0");
    let racks = hosts_by_leaf(fabric);
    assert_eq!(racks.len(), 6, "a server is a rack");
    assert_eq!(racks[4], [16, 17, 18, 19].map(HostId));
    assert_eq!(built.routing.heap_bytes(), 0);
}

#[test]
fn a_single_switch_has_all_hosts_below_it() {
    let built =
        single_switch::build(&settings(&single_switch::SPEC, &[("hosts", 5), ("host_links", 2)])).unwrap();
    assert_eq!((built.fabric.n_hosts(), built.fabric.n_switches()), (5, 1));
    assert_eq!(built.node_names, ["host0", "host1", "host2", "host3", "host4", "switch"]);
    assert_eq!(built.link_names[3], "host1.nic1");
    assert_eq!(built.routing.next_hops(NodeId(5), HostId(3)).iter().collect::<Vec<_>>(), [6, 7]);
    assert_eq!(hosts_by_leaf(&built.fabric).len(), 1);
}
