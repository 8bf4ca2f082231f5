//! # Idea
//! A two-tier Clos: every leaf is joined to every spine, hosts are attached to leaves; bundles of parallel links
//! everywhere.
//!
//! # Source
//! Al-Fares, Loukissas, Vahdat, "A Scalable, Commodity Data Center Network Architecture", SIGCOMM 2008, two of its
//! three tiers; the order of links is that of the simulator behind `zeltser2026`, so that its random failures can be
//! repeated.
//!
//! # Parameters
//! Numbers of leaves, spines, hosts and parallel links; rates and delays of the two kinds of links; `oversubscription`
//! sets `fabric_rate` if that is not given, and is checked against it if it is.
//!
//! # Invariants
//! Links in order: for each leaf, host and NIC the host link; then for each leaf, spine and parallel link the fabric
//! link. Routing is arithmetic and takes no memory.
//!
//! # When it misleads
//! All leaves have the same number of hosts and all links of a kind the same length; real data centres are less even,
//! and rails or planes (one leaf per NIC) are other topologies.

use netloom_model::{FabricBuilder, LeafSpine, Routing};
use netloom_units::{Duration, Kind, NodeId, Parameter, Rate, Settings, Spec, Value};

use super::uplink::Uplinks;
use super::{Built, MAXIMUM_HOSTS, MAXIMUM_LINKS, MAXIMUM_SWITCHES, TopologyError, product, sum, within};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "leaf_spine",
    summary: "two tiers: hosts below leaves, every leaf joined to every spine",
    source: "Al-Fares et al., SIGCOMM 2008 (two tiers)",
    parameters: &[
        count("leaves", 1, None, "number of leaves"),
        count("spines", 0, None, "number of spines; may be 0 with a single leaf"),
        count("hosts_per_leaf", 1, None, "hosts below each leaf"),
        count(
            "host_links",
            1,
            Some(Value::Count(1)),
            "parallel links (NIC ports) between a host and its leaf",
        ),
        count("fabric_links", 1, Some(Value::Count(1)), "parallel links between a leaf and a spine"),
        Parameter {
            name: "host_rate",
            kind: Kind::Rate,
            default: Some(Value::Rate(Rate(400_000_000_000))),
            meaning: "rate of each host link",
        },
        Parameter {
            name: "fabric_rate",
            kind: Kind::Optional(&Kind::Rate),
            default: Some(Value::Absent),
            meaning: "rate of each fabric link; without it `host_rate`, or as `oversubscription` requires",
        },
        delay("host_delay", "propagation delay of each host link"),
        delay("fabric_delay", "propagation delay of each fabric link"),
        Parameter {
            name: "oversubscription",
            kind: Kind::Optional(&Kind::Fraction { minimum: 0.001, maximum: 1000.0 }),
            default: Some(Value::Absent),
            meaning: "capacity of a leaf's host links over that of its fabric links",
        },
    ],
};

const fn count(name: &'static str, minimum: u64, default: Option<Value>, meaning: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Count { minimum, maximum: MAXIMUM_LINKS }, default, meaning }
}

const fn delay(name: &'static str, meaning: &'static str) -> Parameter {
    let default = Some(Value::Duration(Duration::from_micros(1)));
    Parameter { name, kind: Kind::Duration, default, meaning }
}

/// Builds the fabric that the settings describe.
///
/// # Errors
/// When it is too large or inconsistent.
pub fn build(settings: &Settings) -> Result<Built, TopologyError> {
    let shape = shape(settings)?;
    let host_rate = settings.rate("host_rate");
    if host_rate.0 == 0 {
        return Err(TopologyError::Zero("host_rate"));
    }
    let fabric_rate = fabric_rate(settings, &shape)?;
    let host_delay = settings.duration("host_delay");
    let fabric_delay = settings.duration("fabric_delay");
    let mut builder = FabricBuilder::new(shape.n_hosts(), shape.leaves + shape.spines);
    for (host, leaf) in host_links(&shape) {
        builder.link(host, leaf, host_rate, host_delay);
    }
    for (leaf, spine) in fabric_links(&shape) {
        builder.link(leaf, spine, fabric_rate, fabric_delay);
    }
    Ok(Built {
        fabric: builder.build(),
        routing: Routing::LeafSpine(shape),
        node_names: node_names(&shape),
        link_names: link_names(&shape),
    })
}

/// The dimensions, once they are known to be small enough for ids.
fn shape(settings: &Settings) -> Result<LeafSpine, TopologyError> {
    let [leaves, spines, below, host_links, fabric_links] =
        ["leaves", "spines", "hosts_per_leaf", "host_links", "fabric_links"].map(|name| settings.count(name));
    for (name, value) in [("leaves", leaves), ("hosts_per_leaf", below), ("host_links", host_links)] {
        if value == 0 {
            return Err(TopologyError::Zero(name));
        }
    }
    if leaves > 1 && (spines == 0 || fabric_links == 0) {
        return Err(TopologyError::NoSpines(leaves));
    }
    within("hosts", "leaves x hosts_per_leaf", product(&[leaves, below]), MAXIMUM_HOSTS)?;
    within("switches", "leaves + spines", sum(&[Some(leaves), Some(spines)]), MAXIMUM_SWITCHES)?;
    let links = sum(&[product(&[leaves, below, host_links]), product(&[leaves, spines, fabric_links])]);
    let terms = "leaves x (hosts_per_leaf x host_links + spines x fabric_links)";
    within("links", terms, links, MAXIMUM_LINKS)?;
    Ok(LeafSpine {
        leaves: leaves as u32,
        spines: spines as u32,
        hosts_per_leaf: below as u32,
        host_links: host_links as u32,
        // Without spines there are no fabric links, whatever the size of each bundle.
        fabric_links: if spines == 0 { 0 } else { fabric_links as u32 },
    })
}

/// The rate of a fabric link: as given, or as the oversubscription requires.
fn fabric_rate(settings: &Settings, shape: &LeafSpine) -> Result<Rate, TopologyError> {
    let uplinks = Uplinks {
        rate: "fabric_rate",
        oversubscription: "oversubscription",
        down: (u64::from(shape.hosts_per_leaf) * u64::from(shape.host_links), settings.rate("host_rate")),
        up: u64::from(shape.spines) * u64::from(shape.fabric_links),
    };
    uplinks.rate(settings)
}

/// The ends of the host links in order.
fn host_links(shape: &LeafSpine) -> impl Iterator<Item = (NodeId, NodeId)> {
    let n_hosts = shape.n_hosts();
    let (below, parallel) = (shape.hosts_per_leaf, shape.host_links as usize);
    (0..n_hosts)
        .flat_map(move |host| std::iter::repeat_n((NodeId(host), NodeId(n_hosts + host / below)), parallel))
}

/// The ends of the fabric links in order.
fn fabric_links(shape: &LeafSpine) -> impl Iterator<Item = (NodeId, NodeId)> {
    let shape = *shape;
    let leaf = move |number| NodeId(shape.n_hosts() + number);
    let pairs =
        (0..shape.leaves).flat_map(move |l| (0..shape.spines).map(move |s| (leaf(l), shape.spine(s))));
    pairs.flat_map(move |pair| std::iter::repeat_n(pair, shape.fabric_links as usize))
}

fn node_names(shape: &LeafSpine) -> Vec<String> {
    let below = shape.hosts_per_leaf;
    let hosts = (0..shape.n_hosts()).map(|host| format!("leaf{}.host{}", host / below, host % below));
    let leaves = (0..shape.leaves).map(|leaf| format!("leaf{leaf}"));
    let spines = (0..shape.spines).map(|spine| format!("spine{spine}"));
    hosts.chain(leaves).chain(spines).collect()
}

fn link_names(shape: &LeafSpine) -> Vec<String> {
    let (below, nics) = (shape.hosts_per_leaf, shape.host_links);
    let host_links = (0..shape.n_hosts()).flat_map(move |host| {
        (0..nics).map(move |nic| format!("leaf{}.host{}.nic{nic}", host / below, host % below))
    });
    let (spines, parallel) = (shape.spines, shape.fabric_links);
    let fabric_links = (0..shape.leaves).flat_map(move |leaf| {
        (0..spines).flat_map(move |spine| (0..parallel).map(move |k| format!("leaf{leaf}-spine{spine}.{k}")))
    });
    host_links.chain(fabric_links).collect()
}
