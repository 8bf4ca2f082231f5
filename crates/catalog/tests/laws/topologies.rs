//! Topologies build what they say, name everything once, and refuse what makes no sense.

use std::collections::BTreeSet;

use netloom_catalog::TopologyError;
use netloom_catalog::placement::hosts_by_leaf;
use netloom_catalog::topology::custom::{Bundle, Graph};
use netloom_catalog::topology::{self, Built, SPECS, Topology, leaf_spine};
use netloom_units::{Duration, HostId, LinkId, NodeId, PortId, Rate, Settings, Value};

/// Leaves, spines, hosts per leaf, host links and fabric links.
pub fn leaf_spine_settings(numbers: [u64; 5]) -> Settings {
    let names = ["leaves", "spines", "hosts_per_leaf", "host_links", "fabric_links"];
    let value = |parameter: &netloom_units::Parameter| {
        let place = names.iter().position(|name| *name == parameter.name);
        let value = place.map(|place| Value::Count(numbers[place])).or(parameter.default);
        (parameter.name, value.expect("only numbers are required"))
    };
    Settings::new(leaf_spine::SPEC.parameters.iter().map(value).collect())
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
fn absurd_sizes_are_refused_before_memory_is_taken() {
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
    let refused = TopologyError::Oversubscription { wanted: 1.0, actual: 2.0 };
    assert_eq!(rate_of(&wrong), Err(refused));
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
fn graphs_that_make_no_sense_are_refused() {
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
