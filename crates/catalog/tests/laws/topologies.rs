//! Topologies build what their settings describe, give unique names, and reject invalid settings.

use std::collections::BTreeSet;

use netloom_catalog::TopologyError;
use netloom_catalog::placement::hosts_by_leaf;
use netloom_catalog::topology::custom::{Bundle, Graph};
use netloom_catalog::topology::{self, Built, SPECS, Topology, fat_tree, leaf_spine};
use netloom_model::Routing;
use netloom_units::{Duration, HostId, LinkId, NodeId, PortId, Rate, Settings, Value};

/// Leaves, spines, hosts per leaf, host links and fabric links.
pub fn leaf_spine_settings(numbers: [u64; 5]) -> Settings {
    let names = ["leaves", "spines", "hosts_per_leaf", "host_links", "fabric_links"];
    let value = |parameter: &netloom_units::Parameter| {
        let index = names.iter().position(|name| *name == parameter.name);
        let value = index.map(|index| Value::Count(numbers[index])).or(parameter.default.clone());
        (parameter.name, value.expect("only numbers are required"))
    };
    Settings::new(leaf_spine::SPEC.parameters.iter().map(value).collect())
}

/// The tree of switches with `k` ports.
pub fn fat_tree_of(k: u64) -> Settings {
    fat_tree::SPEC.defaults().with("k", Value::Count(k))
}

/// Pods, leaves, hosts per leaf, aggregation switches, cores per aggregation switch; host, leaf and core links.
fn fat_tree_settings(numbers: [u64; 8]) -> Settings {
    let names = [
        "pods",
        "leaves_per_pod",
        "hosts_per_leaf",
        "aggregations_per_pod",
        "cores_per_aggregation",
        "host_links",
        "leaf_links",
        "core_links",
    ];
    let with = |settings: Settings, (name, number)| settings.with(name, Value::Count(number));
    names.into_iter().zip(numbers).fold(fat_tree::SPEC.defaults(), with)
}

fn link_ends(built: &Built, link: usize) -> (NodeId, NodeId) {
    let ends = built.fabric.links()[link].ends;
    (built.fabric.port(ends[0]).node, built.fabric.port(ends[1]).node)
}

#[test]
fn the_published_fabric_has_its_links_and_ports_in_order() {
    let built = leaf_spine::build(&leaf_spine_settings([8, 4, 4, 8, 8])).unwrap();
    assert_eq!(built.fabric.n_hosts(), 32);
    assert_eq!(built.fabric.n_switches(), 12);
    assert_eq!(built.fabric.links().len(), 512);
    let name = |link: usize| built.link_names[link].as_str();
    assert_eq!(name(0), "leaf0.host0.nic0");
    assert_eq!(name(8 * (4 * 2 + 1) + 5), "leaf2.host1.nic5");
    assert_eq!(name(256 + 8 * (4 * 7 + 3) + 4), "leaf7-spine3.4");
    assert_eq!(link_ends(&built, 8 * 9), (NodeId(9), NodeId(32 + 2)));
    assert_eq!(link_ends(&built, 256 + 32 * 7 + 8 * 3), (NodeId(32 + 7), NodeId(40 + 3)));
    assert_eq!(built.node_names[9], "leaf2.host1");
    assert_eq!(built.node_names[39], "leaf7");
    assert_eq!(built.node_names[43], "spine3");
    // A leaf's ports: 8 per host, then 8 per spine.
    let leaf = built.fabric.port_range(NodeId(34)).start;
    assert_eq!(built.fabric.neighbour(PortId(leaf + 8 + 5)), NodeId(9));
    assert_eq!(built.fabric.neighbour(PortId(leaf + 32 + 8 * 3)), NodeId(43));
    assert_eq!(built.fabric.port(PortId(leaf + 13)).link, LinkId(8 * 9 + 5));
}

fn assert_unique(names: &[String]) {
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
}

#[test]
fn names_are_unique_and_leaves_are_found_again() {
    let built = leaf_spine::build(&leaf_spine_settings([12, 11, 13, 2, 3])).unwrap();
    assert_unique(&built.node_names);
    assert_unique(&built.link_names);
    assert_eq!(built.node_names.len(), built.fabric.n_nodes());
    assert_eq!(built.link_names.len(), built.fabric.links().len());
    let leaves = hosts_by_leaf(&built.fabric);
    assert_eq!(leaves.len(), 12);
    for (leaf, hosts) in leaves.iter().enumerate() {
        let first = 13 * leaf as u32;
        assert!(hosts.iter().copied().eq((first..first + 13).map(HostId)));
    }
}

#[test]
fn a_fat_tree_has_its_links_and_ports_in_order() {
    let built = fat_tree::build(&fat_tree_settings([3, 2, 4, 5, 2, 2, 1, 3])).unwrap();
    let Routing::FatTree(shape) = built.routing else { panic!("a fat tree routes by arithmetic") };
    assert_eq!((built.fabric.n_hosts(), built.fabric.n_switches()), (24, 6 + 15 + 10));
    assert_eq!(built.fabric.links().len(), 48 + 30 + 90);
    let link = |name: &str| {
        let number = built.link_names.iter().position(|link| link == name);
        number.unwrap_or_else(|| panic!("there is no link {name}"))
    };
    let node = |name: &str| {
        let number = built.node_names.iter().position(|node| node == name);
        NodeId(number.unwrap_or_else(|| panic!("there is no node {name}")) as u32)
    };
    assert_eq!(link("pod1.leaf0.host3.nic1"), 2 * (8 + 3) + 1);
    assert_eq!(link("pod2.leaf1-aggregation4.0"), 48 + 29);
    assert_eq!(link("pod1.aggregation2-core2.1.2"), 48 + 30 + 3 * (2 * 7 + 1) + 2);
    assert_eq!(link_ends(&built, 22), (node("pod1.leaf0.host3"), node("pod1.leaf0")));
    assert_eq!(link_ends(&built, 48 + 29), (node("pod2.leaf1"), node("pod2.aggregation4")));
    assert_eq!(link_ends(&built, 48 + 30 + 47), (node("pod1.aggregation2"), node("core2.1")));
    assert_eq!(node("pod2.leaf1"), shape.leaf(5));
    assert_eq!(node("pod1.aggregation2"), shape.aggregation(7));
    assert_eq!(node("core4.1"), shape.core(9));
    // A core's ports: a bundle per pod, to the aggregation switch of its group's number.
    let ends: Vec<NodeId> =
        built.fabric.ports_of(shape.core(5)).iter().map(|port| built.fabric.port(port.peer).node).collect();
    let expected = [2, 7, 12].map(|number| [shape.aggregation(number); 3]);
    assert_eq!(ends, expected.concat());
}

#[test]
fn a_k_ary_fat_tree_is_that_of_the_paper() {
    for k in [2, 4, 10, 16] {
        let built = fat_tree::build(&fat_tree_of(k)).unwrap();
        let n = k as usize;
        assert_eq!(built.fabric.n_hosts(), n * n * n / 4);
        assert_eq!(built.fabric.n_switches(), n * n + n * n / 4);
        let switches = (built.fabric.n_hosts()..built.fabric.n_nodes()).map(|node| NodeId(node as u32));
        for switch in switches {
            assert_eq!(built.fabric.ports_of(switch).len(), n, "{switch:?}");
        }
        assert_unique(&built.node_names);
        assert_unique(&built.link_names);
        assert_eq!(built.node_names.len(), built.fabric.n_nodes());
        assert_eq!(built.link_names.len(), built.fabric.links().len());
        let leaves = hosts_by_leaf(&built.fabric);
        assert_eq!(leaves.len(), n * n / 2);
        assert!(leaves.concat().into_iter().eq((0..built.fabric.n_hosts() as u32).map(HostId)));
    }
}

#[test]
fn numbers_of_a_fat_tree_may_be_given_against_k() {
    let pair = fat_tree_of(8).with("pods", Value::Count(2)).with("hosts_per_leaf", Value::Count(1));
    let built = fat_tree::build(&pair).unwrap();
    assert_eq!((built.fabric.n_hosts(), built.fabric.n_switches()), (8, 16 + 16));
    let nothing = fat_tree::SPEC.defaults().with("pods", Value::Count(2));
    let names = vec!["leaves_per_pod", "hosts_per_leaf", "aggregations_per_pod", "cores_per_aggregation"];
    assert_eq!(fat_tree::build(&nothing), Err(TopologyError::Missing { instead: "k", names }));
    let odd = fat_tree::build(&fat_tree_of(7));
    assert_eq!(odd, Err(TopologyError::Odd { name: "k", value: 7 }));
    for name in ["k", "pods", "cores_per_aggregation", "core_links"] {
        let zero = fat_tree::build(&fat_tree_of(4).with(name, Value::Count(0)));
        assert!(matches!(zero, Err(TopologyError::Zero(_))), "{name}: {zero:?}");
    }
}

#[test]
fn too_large_fat_trees_are_rejected_before_allocation() {
    for k in [160, 20_000, 2_642_246, u64::MAX - 1] {
        let refused = fat_tree::build(&fat_tree_of(k));
        assert!(matches!(refused, Err(TopologyError::TooLarge { what: "hosts", .. })), "{k}: {refused:?}");
    }
    let most = u64::MAX;
    for (numbers, too_many) in [
        ([1, 1, 1, most, 1, 1, 1, 1], "switches"),
        ([1, 1, 1, most, most, 1, 1, 1], "switches"),
        ([2, 2, 2, 2, 2, 1, most, 1], "links"),
        ([2, 2, 2, 2, 2, 1, 1, most], "links"),
        ([1000, 1000, 1, 1000, 1, 1, 1, 1], "switches"),
        ([100, 100, 1, 1000, 1, 1, 1, 1], "links"),
    ] {
        let refused = fat_tree::build(&fat_tree_settings(numbers));
        let is_expected = matches!(refused, Err(TopologyError::TooLarge { what, .. }) if what == too_many);
        assert!(is_expected, "{numbers:?}: {:?}", refused.err());
    }
}

#[test]
fn each_tier_of_a_fat_tree_has_its_oversubscription() {
    let rates = |settings: &Settings| {
        let built = fat_tree::build(settings)?;
        let Routing::FatTree(shape) = built.routing else { panic!("a fat tree routes by arithmetic") };
        let last = |node: NodeId| built.fabric.ports_of(node).last().expect("it has ports").rate.0;
        Ok([last(NodeId(0)), last(shape.leaf(0)), last(shape.aggregation(0))])
    };
    let gbps = |rate: u64| Value::Rate(Rate(rate * 1_000_000_000));
    let base = fat_tree_of(8).with("host_rate", gbps(100));
    let ratio = |settings: &Settings, tier: &str, wanted: f64| {
        settings.clone().with(&format!("oversubscription_{tier}"), Value::Fraction(wanted))
    };
    let given = |expected: [u64; 3]| Ok(expected.map(|rate| rate * 1_000_000_000));
    assert_eq!(rates(&base), given([100, 100, 100]));
    assert_eq!(rates(&base.clone().with("leaf_rate", gbps(400))), given([100, 400, 400]));
    let leaf = ratio(&base, "leaf", 2.0);
    assert_eq!(rates(&leaf), given([100, 50, 50]));
    assert_eq!(rates(&ratio(&leaf, "aggregation", 5.0)), given([100, 50, 10]));
    assert_eq!(rates(&leaf.clone().with("leaf_rate", gbps(50))), given([100, 50, 50]));
    let wrong = leaf.with("leaf_rate", gbps(100));
    let (rate, oversubscription) = ("leaf_rate", "oversubscription_leaf");
    let refused = TopologyError::Oversubscription { rate, oversubscription, wanted: 2.0, actual: 1.0 };
    assert_eq!(rates(&wrong), Err(refused));
    let wrong = ratio(&base, "aggregation", 3.0).with("core_rate", gbps(50));
    let (rate, oversubscription) = ("core_rate", "oversubscription_aggregation");
    let refused = TopologyError::Oversubscription { rate, oversubscription, wanted: 3.0, actual: 2.0 };
    assert_eq!(rates(&wrong), Err(refused));
    let slow = ratio(&base.with("leaf_rate", Value::Rate(Rate(3))), "aggregation", 1000.0);
    assert_eq!(rates(&slow), Err(TopologyError::NoRate { rate, oversubscription }));
}

#[test]
fn too_large_sizes_are_rejected_before_allocation() {
    for numbers in [
        [1_000_000, 4, 1_000_000, 1, 1],
        [u64::MAX, 4, u64::MAX, 1, 1],
        [1_000, u64::MAX, 1, 1, u64::MAX],
        [1_000, 1_000, 1_000, 1, 8],
        [2, 2, 2, u64::MAX, 1],
    ] {
        let refused = leaf_spine::build(&leaf_spine_settings(numbers));
        assert!(matches!(refused, Err(TopologyError::TooLarge { .. })), "{numbers:?}: {refused:?}");
    }
    let refused = leaf_spine::build(&leaf_spine_settings([2, 0, 2, 1, 1]));
    assert_eq!(refused, Err(TopologyError::NoSpines(2)));
    assert!(leaf_spine::build(&leaf_spine_settings([1, 0, 2, 1, 1])).is_ok(), "one switch");
    let refused = leaf_spine::build(&leaf_spine_settings([0, 1, 2, 1, 1]));
    assert_eq!(refused, Err(TopologyError::Zero("leaves")));
}

#[test]
fn oversubscription_sets_the_fabric_rate_or_checks_it() {
    let base = leaf_spine_settings([4, 4, 8, 1, 1]);
    let rate_of = |settings: &Settings| {
        let built = leaf_spine::build(settings)?;
        Ok(built.fabric.ports()[built.fabric.port_range(NodeId(39)).start as usize].rate)
    };
    assert_eq!(rate_of(&base), Ok(Rate(400_000_000_000)));
    let double = base.clone().with("oversubscription", Value::Fraction(2.0));
    assert_eq!(rate_of(&double), Ok(Rate(400_000_000_000)));
    let even = base.with("oversubscription", Value::Fraction(1.0));
    assert_eq!(rate_of(&even), Ok(Rate(800_000_000_000)));
    let wrong = even.with("fabric_rate", Value::Rate(Rate(400_000_000_000)));
    let (rate, oversubscription) = ("fabric_rate", "oversubscription");
    let refused = TopologyError::Oversubscription { rate, oversubscription, wanted: 1.0, actual: 2.0 };
    assert_eq!(rate_of(&wrong), Err(refused));
}

/// 80 hosts of 200 Gb/s on a leaf, 24 links of 400 Gb/s above it: 5 to 3, written with two digits.
#[test]
fn a_ratio_of_five_to_three_may_be_written_with_two_digits() {
    let gbps = |rate: u64| Value::Rate(Rate(rate * 1_000_000_000));
    let base = leaf_spine_settings([10, 4, 80, 1, 6]).with("host_rate", gbps(200));
    let with = |ratio: f64| {
        let settings = base.clone().with("fabric_rate", gbps(400));
        leaf_spine::build(&settings.with("oversubscription", Value::Fraction(ratio)))
    };
    let uplink = |built: Built| built.fabric.ports_of(NodeId(800))[80].rate;
    assert_eq!(with(1.67).map(uplink), Ok(Rate(400_000_000_000)));
    assert_eq!(with(5.0 / 3.0).map(uplink), Ok(Rate(400_000_000_000)));
    for wrong in [1.66, 1.68, 1.0, 2.0] {
        assert!(matches!(with(wrong), Err(TopologyError::Oversubscription { .. })), "{wrong}");
    }
    let alone = leaf_spine::build(&base.clone().with("oversubscription", Value::Fraction(5.0 / 3.0)));
    assert_eq!(alone.map(uplink), Ok(Rate(400_000_000_000)));
}

fn graph(hosts: &[&str], switches: &[&str], links: &[(&str, &str, u32)]) -> Graph {
    let names = |list: &[&str]| list.iter().map(|name| String::from(*name)).collect();
    let bundle = |&(from, to, count): &(&str, &str, u32)| Bundle {
        from: from.into(),
        to: to.into(),
        rate: Rate(100),
        delay: Duration(7),
        count,
    };
    Graph { hosts: names(hosts), switches: names(switches), links: links.iter().map(bundle).collect() }
}

fn build(hosts: &[&str], switches: &[&str], links: &[(&str, &str, u32)]) -> Result<Built, TopologyError> {
    topology::build(&Topology::Custom(graph(hosts, switches, links)))
}

#[test]
fn a_custom_graph_keeps_the_order_of_its_lists() {
    let links = [("a", "s", 2), ("b", "s", 1), ("b", "t", 1), ("s", "t", 1), ("t", "s", 1), ("a", "b", 1)];
    let built = build(&["a", "b"], &["s", "t"], &links).unwrap();
    assert_eq!(built.node_names, ["a", "b", "s", "t"]);
    assert_eq!(built.link_names, ["a-s.0", "a-s.1", "b-s", "b-t", "s-t.0", "t-s.1", "a-b"]);
    assert_eq!(built.fabric.ports()[0].delay, Duration(7));
    let direct: Vec<u32> = built.routing.next_hops(NodeId(0), HostId(1)).iter().collect();
    assert_eq!(direct, [2]);
}

#[test]
fn invalid_graphs_are_rejected() {
    let name = String::from;
    let refused = build(&["a", "b"], &["a"], &[]);
    assert_eq!(refused, Err(TopologyError::RepeatedNode(name("a"))));
    let refused = build(&["a", "b"], &[], &[("a", "b", 1), ("a", "c", 1)]);
    assert_eq!(refused, Err(TopologyError::UnknownNode { link: 1, name: name("c") }));
    let refused = build(&["a"], &[], &[("a", "a", 1)]);
    assert_eq!(refused, Err(TopologyError::Loop { link: 0, name: name("a") }));
    let refused = build(&["a", "b"], &[], &[("a", "b", 0)]);
    assert_eq!(refused, Err(TopologyError::Useless { link: 0, name: name("a") }));
    let refused = build(&["a", "b"], &["s", "t"], &[("a", "s", 1), ("b", "t", 1)]);
    assert_eq!(refused, Err(TopologyError::Unreachable { from: name("a"), to: name("b") }));
    let refused = build(&["a", "b", "c"], &[], &[("a", "b", 1), ("b", "c", 1)]);
    assert_eq!(refused, Err(TopologyError::Unreachable { from: name("a"), to: name("c") }));
    let many = build(&["a", "b"], &[], &[("a", "b", u32::MAX), ("a", "b", u32::MAX)]);
    assert!(matches!(many, Err(TopologyError::TooLarge { what: "links", .. })));
    let links = [("a", "b-c", 1), ("a-b", "c", 1), ("a", "c", 1), ("a-b", "b-c", 1)];
    let clash = build(&["c", "b-c"], &["a", "a-b"], &links);
    assert_eq!(clash, Err(TopologyError::RepeatedLink(name("a-b-c"))));
    assert!(build(&["a", "b", "c"], &[], &[("a", "b", 1), ("b", "c", 1), ("c", "a", 1)]).is_ok());
}

#[test]
fn registered_topologies_have_distinct_names_and_parameters() {
    let names: BTreeSet<_> = SPECS.iter().map(|spec| spec.name).collect();
    assert_eq!(names.len(), SPECS.len());
    for spec in SPECS {
        let parameters: BTreeSet<_> = spec.parameters.iter().map(|parameter| parameter.name).collect();
        assert_eq!(parameters.len(), spec.parameters.len(), "{}", spec.name);
        assert_eq!(topology::number_of(spec.name).map(|number| SPECS[number].name), Some(spec.name));
    }
    let number = topology::number_of("leaf_spine").unwrap();
    let settings = leaf_spine_settings([2, 2, 2, 1, 1]);
    assert!(topology::build(&Topology::Parametric { number, settings }).is_ok());
}
