//! # Idea
//! A three-tier Clos: pods of leaves and aggregation switches, each leaf joined to every aggregation switch of its pod;
//! cores above, each joined to one aggregation switch of every pod.
//!
//! # Source
//! Al-Fares, Loukissas, Vahdat, "A Scalable, Commodity Data Center Network Architecture", SIGCOMM 2008, section 3.
//! Their edge switches are called leaves here. Modelling assumptions: numbers that differ from those of a k-ary tree,
//! bundles and oversubscription.
//!
//! # Parameters
//! `k` alone builds the tree of the paper: k pods of k/2 leaves and k/2 aggregation switches, k/2 hosts below each
//! leaf, k/2 cores above each aggregation switch, so k^3/4 hosts and (k/2)^2 shortest paths between pods. Each of these
//! numbers may be given by itself, without `k` or overriding it. Rates, delays and parallel links of the three kinds of
//! links: host links, leaf links (to aggregation switches), core links. Each oversubscription sets the rate of the tier
//! if that is not given, and is checked against it if it is.
//!
//! # Invariants
//! Aggregation switch `a` of each pod is joined to the cores of group `a`. Nodes in order: hosts, leaves, aggregation
//! switches, each pod by pod, then cores, group by group. Links in order: for each host and NIC the host link; for each
//! leaf, aggregation switch of its pod and parallel link the leaf link; for each aggregation switch, core of its group
//! and parallel link the core link. Names: `pod0.leaf1.host2`, `pod0.leaf1`, `pod0.aggregation1`, `core1.0` (group,
//! then index in it); links `pod0.leaf1.host2.nic0`, `pod0.leaf1-aggregation0.0`, `pod0.aggregation1-core1.0.0`.
//! Routing is arithmetic and takes no memory.
//!
//! # When it misleads
//! All pods are alike and all links of a kind equally long, unlike in any data centre: core links are the longest by
//! far. A packet can be steered only upwards, since there is one path down from each core: a policy that selects a core
//! by the local state of a switch does not know the queue on the path down. Rails and planes are other topologies.

use netloom_model::{FabricBuilder, FatTree, Routing};
use netloom_units::{Duration, Kind, NodeId, Parameter, Rate, Settings, Spec, Value};

use super::uplink::Uplinks;
use super::{Built, MAXIMUM_HOSTS, MAXIMUM_LINKS, MAXIMUM_SWITCHES, TopologyError, product, sum, within};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "fat_tree",
    summary: "three tiers: pods of leaves and aggregation switches, cores above them",
    source: "Al-Fares et al., SIGCOMM 2008",
    parameters: &[
        of_k(
            "k",
            2,
            "number of ports of each switch in a k-ary fat tree, even; the five numbers below follow from it \
             unless given",
        ),
        of_k("pods", 1, "number of pods; without it `k`"),
        of_k("leaves_per_pod", 1, "leaves (edge switches) in each pod; without it `k`/2"),
        of_k("hosts_per_leaf", 1, "hosts below each leaf; without it `k`/2"),
        of_k("aggregations_per_pod", 1, "aggregation switches in each pod; without it `k`/2"),
        of_k("cores_per_aggregation", 1, "cores above each aggregation switch; without it `k`/2"),
        links("host_links", "parallel links (NIC ports) between a host and its leaf"),
        links("leaf_links", "parallel links between a leaf and an aggregation switch"),
        links("core_links", "parallel links between an aggregation switch and a core"),
        Parameter {
            name: "host_rate",
            kind: Kind::Rate,
            default: Some(Value::Rate(Rate(400_000_000_000))),
            meaning: "rate of each host link",
        },
        rate(
            "leaf_rate",
            "rate of each leaf link; without it `host_rate`, or as `oversubscription_leaf` requires",
        ),
        rate(
            "core_rate",
            "rate of each core link; without it that of leaf links, or as `oversubscription_aggregation` \
             requires",
        ),
        delay("host_delay", "propagation delay of each host link"),
        delay("leaf_delay", "propagation delay of each leaf link"),
        delay("core_delay", "propagation delay of each core link"),
        ratio("oversubscription_leaf", "capacity of a leaf's host links over that of its leaf links"),
        ratio(
            "oversubscription_aggregation",
            "capacity of an aggregation switch's leaf links over that of its core links",
        ),
    ],
};

/// The numbers that follow from `k`, and the divisor of `k` for each.
const NUMBERS: [(&str, u64); 5] = [
    ("pods", 1),
    ("leaves_per_pod", 2),
    ("hosts_per_leaf", 2),
    ("aggregations_per_pod", 2),
    ("cores_per_aggregation", 2),
];

const ANY: Kind = Kind::Count { minimum: 1, maximum: MAXIMUM_LINKS };
const ANY_ARITY: Kind = Kind::Count { minimum: 2, maximum: MAXIMUM_LINKS };

const fn of_k(name: &'static str, minimum: u64, meaning: &'static str) -> Parameter {
    let kind = if minimum == 2 { Kind::Optional(&ANY_ARITY) } else { Kind::Optional(&ANY) };
    Parameter { name, kind, default: Some(Value::Absent), meaning }
}

const fn links(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter { name, kind: ANY, default: Some(Value::Count(1)), meaning }
}

const fn rate(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Optional(&Kind::Rate), default: Some(Value::Absent), meaning }
}

const fn delay(name: &'static str, meaning: &'static str) -> Parameter {
    let default = Some(Value::Duration(Duration::from_micros(1)));
    Parameter { name, kind: Kind::Duration, default, meaning }
}

const fn ratio(name: &'static str, meaning: &'static str) -> Parameter {
    let kind = Kind::Optional(&Kind::Fraction { minimum: 0.001, maximum: 1000.0 });
    Parameter { name, kind, default: Some(Value::Absent), meaning }
}

/// Builds the fabric that the settings describe.
///
/// # Errors
/// When it is too large or inconsistent.
pub fn build(settings: &Settings) -> Result<Built, TopologyError> {
    let shape = shape(settings)?;
    let [host_rate, leaf_rate, core_rate] = rates(settings, &shape)?;
    let [host_delay, leaf_delay, core_delay] =
        ["host_delay", "leaf_delay", "core_delay"].map(|name| settings.duration(name));
    let mut builder = FabricBuilder::new(shape.n_hosts(), shape.n_switches());
    for (host, leaf) in host_links(shape) {
        builder.link(host, leaf, host_rate, host_delay);
    }
    for (leaf, aggregation) in leaf_links(shape) {
        builder.link(leaf, aggregation, leaf_rate, leaf_delay);
    }
    for (aggregation, core) in core_links(shape) {
        builder.link(aggregation, core, core_rate, core_delay);
    }
    let node_names = node_names(&shape);
    Ok(Built {
        fabric: builder.build(),
        routing: Routing::FatTree(shape),
        link_names: link_names(&shape, &node_names),
        node_names,
    })
}

/// The dimensions, once they are known to be small enough for ids.
fn shape(settings: &Settings) -> Result<FatTree, TopologyError> {
    let [pods, leaves, below, aggregations, cores] = numbers(settings)?;
    let parallel = ["host_links", "leaf_links", "core_links"].map(|name| (name, settings.count(name)));
    if let Some((name, _)) = parallel.iter().find(|(_, links)| *links == 0) {
        return Err(TopologyError::Zero(name));
    }
    let [host_links, leaf_links, core_links] = parallel.map(|(_, links)| links);
    let hosts = product(&[pods, leaves, below]);
    within("hosts", "pods x leaves_per_pod x hosts_per_leaf", hosts, MAXIMUM_HOSTS)?;
    let switches =
        sum(&[product(&[pods, leaves]), product(&[pods, aggregations]), product(&[aggregations, cores])]);
    let terms =
        "pods x leaves_per_pod + pods x aggregations_per_pod + aggregations_per_pod x cores_per_aggregation";
    within("switches", terms, switches, MAXIMUM_SWITCHES)?;
    let links = sum(&[
        product(&[pods, leaves, below, host_links]),
        product(&[pods, leaves, aggregations, leaf_links]),
        product(&[pods, aggregations, cores, core_links]),
    ]);
    let terms = "hosts x host_links + leaves x aggregations_per_pod x leaf_links \
                 + aggregation switches x cores_per_aggregation x core_links";
    within("links", terms, links, MAXIMUM_LINKS)?;
    Ok(FatTree {
        pods: pods as u32,
        leaves_per_pod: leaves as u32,
        hosts_per_leaf: below as u32,
        aggregations_per_pod: aggregations as u32,
        cores_per_aggregation: cores as u32,
        host_links: host_links as u32,
        leaf_links: leaf_links as u32,
        core_links: core_links as u32,
    })
}

/// The numbers in [`NUMBERS`]: as given, else from `k`.
fn numbers(settings: &Settings) -> Result<[u64; 5], TopologyError> {
    let given = |name: &str| match settings.optional(name) {
        Some(Value::Count(number)) => Some(number),
        _ => None,
    };
    let k = given("k");
    if let Some(k) = k.filter(|k| !k.is_multiple_of(2)) {
        return Err(TopologyError::Odd { name: "k", value: k });
    }
    let missing: Vec<_> =
        NUMBERS.map(|(name, _)| name).into_iter().filter(|name| given(name).is_none()).collect();
    if k.is_none() && !missing.is_empty() {
        return Err(TopologyError::Missing { instead: "k", names: missing });
    }
    let found = NUMBERS.map(|(name, divisor)| (name, given(name).or(k.map(|k| k / divisor)).unwrap_or(0)));
    match found.iter().find(|(_, number)| *number == 0) {
        Some((name, _)) => Err(TopologyError::Zero(name)),
        None => Ok(found.map(|(_, number)| number)),
    }
}

/// The rates of host, leaf and core links.
fn rates(settings: &Settings, shape: &FatTree) -> Result<[Rate; 3], TopologyError> {
    let host_rate = settings.rate("host_rate");
    if host_rate.0 == 0 {
        return Err(TopologyError::Zero("host_rate"));
    }
    let links = |nodes: u32, parallel: u32| u64::from(nodes) * u64::from(parallel);
    let leaf_rate = Uplinks {
        rate: "leaf_rate",
        oversubscription: "oversubscription_leaf",
        down: (links(shape.hosts_per_leaf, shape.host_links), host_rate),
        up: links(shape.aggregations_per_pod, shape.leaf_links),
    }
    .rate(settings)?;
    let core_rate = Uplinks {
        rate: "core_rate",
        oversubscription: "oversubscription_aggregation",
        down: (links(shape.leaves_per_pod, shape.leaf_links), leaf_rate),
        up: links(shape.cores_per_aggregation, shape.core_links),
    }
    .rate(settings)?;
    Ok([host_rate, leaf_rate, core_rate])
}

/// The ends of the host links in order.
fn host_links(shape: FatTree) -> impl Iterator<Item = (NodeId, NodeId)> {
    let pair = move |host| (NodeId(host), shape.leaf(host / shape.hosts_per_leaf));
    bundles((0..shape.n_hosts()).map(pair), shape.host_links)
}

/// The ends of the leaf links in order.
fn leaf_links(shape: FatTree) -> impl Iterator<Item = (NodeId, NodeId)> {
    let pairs = (0..shape.n_leaves()).flat_map(move |leaf| {
        let first = leaf / shape.leaves_per_pod * shape.aggregations_per_pod;
        (first..first + shape.aggregations_per_pod)
            .map(move |aggregation| (shape.leaf(leaf), shape.aggregation(aggregation)))
    });
    bundles(pairs, shape.leaf_links)
}

/// The ends of the core links in order.
fn core_links(shape: FatTree) -> impl Iterator<Item = (NodeId, NodeId)> {
    let pairs = (0..shape.n_aggregations()).flat_map(move |aggregation| {
        let first = aggregation % shape.aggregations_per_pod * shape.cores_per_aggregation;
        (first..first + shape.cores_per_aggregation)
            .map(move |core| (shape.aggregation(aggregation), shape.core(core)))
    });
    bundles(pairs, shape.core_links)
}

/// Each pair once for each of its parallel links.
fn bundles(
    pairs: impl Iterator<Item = (NodeId, NodeId)>,
    parallel: u32,
) -> impl Iterator<Item = (NodeId, NodeId)> {
    pairs.flat_map(move |pair| std::iter::repeat_n(pair, parallel as usize))
}

fn node_names(shape: &FatTree) -> Vec<String> {
    let (pods, below) = (0..shape.pods, shape.hosts_per_leaf);
    let leaves = pods.clone().flat_map(|pod| (0..shape.leaves_per_pod).map(move |leaf| (pod, leaf)));
    let hosts = leaves
        .clone()
        .flat_map(|(pod, leaf)| (0..below).map(move |host| format!("pod{pod}.leaf{leaf}.host{host}")));
    let leaves = leaves.map(|(pod, leaf)| format!("pod{pod}.leaf{leaf}"));
    let aggregations = pods.flat_map(|pod| {
        (0..shape.aggregations_per_pod).map(move |number| format!("pod{pod}.aggregation{number}"))
    });
    let cores = (0..shape.aggregations_per_pod)
        .flat_map(|group| (0..shape.cores_per_aggregation).map(move |core| format!("core{group}.{core}")));
    hosts.chain(leaves).chain(aggregations).chain(cores).collect()
}

/// A host link is named by its host and NIC, any other by its lower end, its upper end, and its index in the bundle.
fn link_names(shape: &FatTree, node_names: &[String]) -> Vec<String> {
    let name = |node: NodeId| node_names[node.index()].as_str();
    let hosts = (0..shape.n_hosts()).map(|host| name(NodeId(host)));
    let host_links = hosts.flat_map(|host| (0..shape.host_links).map(move |nic| format!("{host}.nic{nic}")));
    let positions = |links: u32| (0..links).cycle();
    // Both ends of a leaf link are in the same pod, which is named once.
    let leaf_links =
        leaf_links(*shape).zip(positions(shape.leaf_links)).map(|((leaf, aggregation), position)| {
            let above = name(aggregation).split_once('.').map_or("", |(_, above)| above);
            format!("{}-{above}.{position}", name(leaf))
        });
    let core_links = core_links(*shape)
        .zip(positions(shape.core_links))
        .map(|((aggregation, core), position)| format!("{}-{}.{position}", name(aggregation), name(core)));
    host_links.chain(leaf_links).chain(core_links).collect()
}
