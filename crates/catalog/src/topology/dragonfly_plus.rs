//! # Idea
//! Groups that are two-tier Clos networks of leaves and spines; global links join the spines of every two groups.
//!
//! # Source
//! Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi, "Dragonfly+: Low Cost Topology for Scaling Datacenters", `HiPINEB`
//! 2017, section II. Modelling assumptions: spines of equal number are joined; how global ports are distributed where
//! they are fewer.
//!
//! # Parameters
//! Numbers of groups, and of leaves, spines and hosts in each. Every spine is joined to the spine of its number in
//! every other group by `global_links` parallel links, unless `global_ports` gives the number of global ports of a
//! spine: then the `spines_per_group x global_ports` ends of a group are distributed evenly over the other groups,
//! which must be possible, in the order that `arrangement` names. Rates and delays of the three kinds of links.
//!
//! # Invariants
//! Every spine has the same number of global links. Nodes in order: hosts, leaves, spines, each group by group. Links
//! in order: for each host and NIC port the host link; for each leaf, spine of its group and parallel link the local
//! link; for each two groups and parallel link the global link. Names: `group3.leaf1.host2`, `group3.leaf1`,
//! `group3.spine0`; links `group3.leaf1.host2.nic0`, `group3.leaf1-spine0.0`, `group0.spine3-group2.spine3.0`. Minimal
//! paths lead over leaf, spine, spine of the other group, leaf; within a group leaf, spine, leaf.
//!
//! # When it misleads
//! All groups are alike and full, and all links of a kind equally long. Minimal paths share the few links between two
//! groups. With lossless buffers, paths that lead down and up again need virtual lanes of their own, or they deadlock.

use netloom_model::{DragonflyPlus, DragonflyPlusShape, FabricBuilder, GlobalLinkMap, Routing};
use netloom_units::{NodeId, Settings, Spec};

use super::between_groups::{self, ARRANGEMENT, global_links};
use super::parameter::{
    delay, given, host_rate, links, number, numbers, optional, rate, rate_of_hosts, rate_or,
};
use super::{Built, MAXIMUM_HOSTS, MAXIMUM_LINKS, MAXIMUM_SWITCHES, TopologyError, product, sum, within};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "dragonfly_plus",
    summary: "groups of leaves and spines; global links join the spines of every two groups",
    source: "Shpiner et al., HiPINEB 2017",
    parameters: &[
        number("groups", "number of groups"),
        number("leaves_per_group", "leaves in each group"),
        number("spines_per_group", "spines in each group, each joined to all leaves of the group"),
        number("hosts_per_leaf", "hosts below each leaf"),
        links("host_links", "parallel links (NIC ports) between a host and its leaf"),
        links("local_links", "parallel links between a leaf and a spine of its group"),
        optional(
            "global_links",
            "parallel links between spines of equal number in two groups; without it 1, or as \
             `global_ports` requires",
        ),
        optional(
            "global_ports",
            "global ports of each spine, distributed over the other groups; without it `global_links` for \
             each group",
        ),
        ARRANGEMENT,
        host_rate("rate of each host link"),
        rate("local_rate", "rate of each local link; without it `host_rate`"),
        rate("global_rate", "rate of each global link; without it `local_rate`"),
        delay("host_delay", "propagation delay of each host link"),
        delay("local_delay", "propagation delay of each local link"),
        delay("global_delay", "propagation delay of each global link"),
    ],
};

/// Builds the fabric that the settings describe.
///
/// # Errors
/// When it is too large or inconsistent.
pub fn build(settings: &Settings) -> Result<Built, TopologyError> {
    let (shape, per_pair) = shape(settings)?;
    let host_rate = rate_of_hosts(settings)?;
    let local_rate = rate_or(settings, "local_rate", host_rate)?;
    let global_rate = rate_or(settings, "global_rate", local_rate)?;
    let [host_delay, local_delay, global_delay] =
        ["host_delay", "local_delay", "global_delay"].map(|name| settings.duration(name));
    let arrangement = between_groups::arrangement(settings);
    let dealing = GlobalLinkMap::new(shape.groups, shape.spines_per_group, per_pair, arrangement);
    let mut builder = FabricBuilder::new(shape.n_hosts(), shape.n_switches());
    for (host, leaf) in host_links(shape) {
        builder.link(host, leaf, host_rate, host_delay);
    }
    for (leaf, group, spine) in local_links(shape) {
        builder.link(shape.leaf(leaf), shape.spine(group, spine), local_rate, local_delay);
    }
    for [from, to] in global_links(&dealing) {
        builder.link(shape.spine(from.0, from.1), shape.spine(to.0, to.1), global_rate, global_delay);
    }
    let node_names = node_names(&shape);
    Ok(Built {
        fabric: builder.build(),
        link_names: link_names(&shape, &dealing, &node_names),
        routing: Routing::DragonflyPlus(DragonflyPlus::new(shape, dealing)),
        node_names,
    })
}

/// The dimensions, once they are known to be small enough for ids, and the number of links between two groups.
fn shape(settings: &Settings) -> Result<(DragonflyPlusShape, u32), TopologyError> {
    let names =
        ["groups", "leaves_per_group", "spines_per_group", "hosts_per_leaf", "host_links", "local_links"];
    let [groups, leaves, spines, below, host_links, local_links] = numbers(settings, names)?;
    let hosts = product(&[groups, leaves, below]);
    within("hosts", "groups x leaves_per_group x hosts_per_leaf", hosts, MAXIMUM_HOSTS)?;
    let switches = sum(&[product(&[groups, leaves]), product(&[groups, spines])]);
    within("switches", "groups x (leaves_per_group + spines_per_group)", switches, MAXIMUM_SWITCHES)?;
    let per_pair = links_per_pair(settings, groups, spines)?;
    let links = sum(&[
        product(&[groups, leaves, below, host_links]),
        product(&[groups, leaves, spines, local_links]),
        between_groups::n_links(groups, per_pair),
    ]);
    let terms = "hosts x host_links + leaves x spines_per_group x local_links \
                 + pairs of groups x global links of a pair";
    within("links", terms, links, MAXIMUM_LINKS)?;
    let shape = DragonflyPlusShape {
        groups: groups as u32,
        leaves_per_group: leaves as u32,
        spines_per_group: spines as u32,
        hosts_per_leaf: below as u32,
        host_links: host_links as u32,
        local_links: local_links as u32,
    };
    // With one group there are no pairs, so the limit does not bound their links.
    Ok((shape, per_pair.filter(|_| groups > 1).unwrap_or(0) as u32))
}

/// Number of links between two groups; `None` if it overflows.
fn links_per_pair(settings: &Settings, groups: u64, spines: u64) -> Result<Option<u64>, TopologyError> {
    let [links, ports] = ["global_links", "global_ports"].map(|name| given(settings, name));
    if let Some((name, _)) =
        [("global_links", links), ("global_ports", ports)].into_iter().find(|(_, n)| *n == Some(0))
    {
        return Err(TopologyError::Zero(name));
    }
    let others = groups - 1;
    let Some(ports) = ports.filter(|_| others > 0) else {
        return Ok(product(&[spines, links.unwrap_or(1)]));
    };
    if let Some(links) = links {
        let wanted = links.saturating_mul(others);
        if wanted != ports {
            let (name, other) = ("global_ports", "global_links");
            return Err(TopologyError::Disagree { name, value: ports, other, value_of_other: links, wanted });
        }
    }
    let Some(ends) = product(&[spines, ports]) else { return Ok(None) };
    if !ends.is_multiple_of(others) {
        return Err(TopologyError::UnevenGroups { ports: ends, others });
    }
    Ok(Some(ends / others))
}

/// The ends of the host links in order.
fn host_links(shape: DragonflyPlusShape) -> impl Iterator<Item = (NodeId, NodeId)> {
    let pairs = (0..shape.n_hosts()).map(move |host| (NodeId(host), shape.leaf(host / shape.hosts_per_leaf)));
    pairs.flat_map(move |pair| std::iter::repeat_n(pair, shape.host_links as usize))
}

/// The local links in order: the leaf, numbered over all groups, its group, and the spine's number in it.
fn local_links(shape: DragonflyPlusShape) -> impl Iterator<Item = (u32, u32, u32)> {
    let pairs = (0..shape.n_leaves()).flat_map(move |leaf| {
        (0..shape.spines_per_group).map(move |spine| (leaf, leaf / shape.leaves_per_group, spine))
    });
    pairs.flat_map(move |pair| std::iter::repeat_n(pair, shape.local_links as usize))
}

fn node_names(shape: &DragonflyPlusShape) -> Vec<String> {
    let groups = 0..shape.groups;
    let leaves = groups.clone().flat_map(|group| (0..shape.leaves_per_group).map(move |leaf| (group, leaf)));
    let hosts = leaves.clone().flat_map(|(group, leaf)| {
        (0..shape.hosts_per_leaf).map(move |host| format!("group{group}.leaf{leaf}.host{host}"))
    });
    let leaves = leaves.map(|(group, leaf)| format!("group{group}.leaf{leaf}"));
    let spines = groups
        .flat_map(|group| (0..shape.spines_per_group).map(move |spine| format!("group{group}.spine{spine}")));
    hosts.chain(leaves).chain(spines).collect()
}

/// A host link is named by its host and NIC port, any other by its ends and its index among parallel links.
fn link_names(shape: &DragonflyPlusShape, dealing: &GlobalLinkMap, node_names: &[String]) -> Vec<String> {
    let hosts = &node_names[..shape.n_hosts() as usize];
    let host_links =
        hosts.iter().flat_map(|host| (0..shape.host_links).map(move |nic| format!("{host}.nic{nic}")));
    let positions = (0..shape.local_links).cycle();
    let local_links = local_links(*shape).zip(positions).map(|((leaf, _, spine), position)| {
        format!("{}-spine{spine}.{position}", node_names[shape.leaf(leaf).index()])
    });
    let node = |(group, number): (u32, u32)| shape.spine(group, number);
    host_links.chain(local_links).chain(between_groups::link_names(dealing, node_names, node)).collect()
}
