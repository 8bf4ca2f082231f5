//! # Idea
//! Groups of switches: within a group every switch is joined to every other one, and every two groups are joined by
//! global links, spread over the switches of both.
//!
//! # Source
//! Kim, Dally, Scott, Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008, section 3: their
//! routers are called switches here, their terminals hosts. Modelling assumptions: several links between two groups,
//! their distribution over switches, and hosts with NICs on several switches.
//!
//! # Parameters
//! Numbers of groups, switches and hosts. With a = `switches_per_group`, p = `hosts_per_switch` and h global links at
//! each switch, the balanced dragonfly of the paper has a = 2p = 2h and g = a h + 1 groups with `global_links: 1`. Host
//! `n` of a group is attached to the `nic_switches` neighbouring switches from `n / hosts_per_switch * nic_switches`
//! on, with one NIC on each of the first `nics` of them: `nics: 4` gives each host NICs on four switches, `nics: 1,
//! nic_switches: 4` models a single NIC of such hosts. `global_links` join each two groups; `arrangement` is the order
//! in which a group ranks the others when it distributes its ends over its switches. Rates and delays of the three
//! kinds of links.
//!
//! # Invariants
//! A group has `switches_per_group / nic_switches * hosts_per_switch` hosts. Each switch has as many global links as
//! any other one, or one more. Nodes in order: hosts, then switches, both group by group. Links in order: for each host
//! and NIC the host link; for each group, two of its switches and parallel link the local link; for each two groups and
//! parallel link the global link. Names: `group3.switch4.host2` (after the first switch of the host's block),
//! `group3.switch4`; links `group3.switch4.host2.nic0`, `group3.switch0-switch4.0`, `group0.switch3-group2.switch1.0`.
//! Minimal paths take at most one local, one global and one more local link, over any global link between the two
//! groups.
//!
//! # When it misleads
//! All groups are alike and full, and all links of a kind equally long. Minimal paths share the few links between two
//! groups: without a policy that uses a third group, traffic between neighbouring groups may starve. With lossless
//! buffers, paths with two links in a group need virtual lanes of their own, or they deadlock.

use netloom_model::{Dragonfly, DragonflyShape, FabricBuilder, GlobalLinkMap, Routing};
use netloom_units::{NodeId, Settings, Spec};

use super::between_groups::{self, ARRANGEMENT, global_links};
use super::parameter::{
    delay, given, host_rate, links, number, numbers, optional, rate, rate_of_hosts, rate_or,
};
use super::{Built, MAXIMUM_HOSTS, MAXIMUM_LINKS, MAXIMUM_SWITCHES, TopologyError, product, sum, within};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "dragonfly",
    summary: "groups of fully connected switches; global links join every two groups",
    source: "Kim et al., ISCA 2008",
    parameters: &[
        number("groups", "number of groups"),
        number("switches_per_group", "switches in each group, all joined to each other"),
        number(
            "hosts_per_switch",
            "hosts attached to each switch, or to each block of `nic_switches` switches",
        ),
        links("nics", "NICs of each host, each attached to a different switch"),
        optional(
            "nic_switches",
            "number of switches per block of hosts; the hosts are attached to the first `nics` of them; \
             without it `nics`",
        ),
        links("host_links", "parallel links between a NIC and its switch"),
        links("local_links", "parallel links between two switches of a group"),
        links("global_links", "links between two groups, spread over the switches of both"),
        ARRANGEMENT,
        host_rate("rate of each host link"),
        rate("local_rate", "rate of each local link; without it `host_rate`"),
        rate("global_rate", "rate of each global link; without it `host_rate`"),
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
    let [local_rate, global_rate] =
        [rate_or(settings, "local_rate", host_rate)?, rate_or(settings, "global_rate", host_rate)?];
    let [host_delay, local_delay, global_delay] =
        ["host_delay", "local_delay", "global_delay"].map(|name| settings.duration(name));
    let arrangement = between_groups::arrangement(settings);
    let dealing = GlobalLinkMap::new(shape.groups, shape.switches_per_group, per_pair, arrangement);
    let mut builder = FabricBuilder::new(shape.n_hosts(), shape.n_switches());
    for (host, switch) in host_links(shape) {
        builder.link(host, switch, host_rate, host_delay);
    }
    for (group, [from, to]) in local_links(shape) {
        builder.link(shape.switch(group, from), shape.switch(group, to), local_rate, local_delay);
    }
    for [from, to] in global_links(&dealing) {
        builder.link(shape.switch(from.0, from.1), shape.switch(to.0, to.1), global_rate, global_delay);
    }
    let node_names = node_names(&shape);
    Ok(Built {
        fabric: builder.build(),
        link_names: link_names(&shape, &dealing, &node_names),
        routing: Routing::Dragonfly(Dragonfly::new(shape, dealing)),
        node_names,
    })
}

/// The dimensions, once they are known to be small enough for ids, and the number of links between two groups.
fn shape(settings: &Settings) -> Result<(DragonflyShape, u32), TopologyError> {
    let names = ["groups", "switches_per_group", "hosts_per_switch", "nics", "host_links", "local_links"];
    let [groups, switches, below, nics, host_links, local_links] = numbers(settings, names)?;
    let [per_pair] = numbers(settings, ["global_links"])?;
    let nic_switches = match given(settings, "nic_switches") {
        Some(0) => return Err(TopologyError::Zero("nic_switches")),
        given => given.unwrap_or(nics),
    };
    if nics > nic_switches {
        return Err(TopologyError::Above {
            name: "nics",
            value: nics,
            most: "nic_switches",
            limit: nic_switches,
        });
    }
    if !switches.is_multiple_of(nic_switches) {
        let divisor = if nic_switches == nics { "nics" } else { "nic_switches" };
        let (name, value, by) = ("switches_per_group", switches, nic_switches);
        return Err(TopologyError::Indivisible { name, value, divisor, by });
    }
    let hosts = product(&[groups, switches / nic_switches, below]);
    let terms = "groups x switches_per_group / nic_switches x hosts_per_switch";
    within("hosts", terms, hosts, MAXIMUM_HOSTS)?;
    within("switches", "groups x switches_per_group", product(&[groups, switches]), MAXIMUM_SWITCHES)?;
    // Both numbers are below the limit on switches now, so their squares do not overflow.
    let links = sum(&[
        hosts.and_then(|hosts| product(&[hosts, nics, host_links])),
        product(&[groups, switches * (switches - 1) / 2, local_links]),
        between_groups::n_links(groups, Some(per_pair)),
    ]);
    let terms = "hosts x nics x host_links + groups x pairs of switches x local_links \
                 + pairs of groups x global_links";
    within("links", terms, links, MAXIMUM_LINKS)?;
    let shape = DragonflyShape {
        groups: groups as u32,
        switches_per_group: switches as u32,
        hosts_per_block: below as u32,
        nic_switches: nic_switches as u32,
        nics: nics as u32,
        host_links: host_links as u32,
        local_links: local_links as u32,
    };
    Ok((shape, per_pair as u32))
}

/// The ends of the host links in order.
fn host_links(shape: DragonflyShape) -> impl Iterator<Item = (NodeId, NodeId)> {
    (0..shape.n_hosts()).flat_map(move |host| {
        let group = host / shape.hosts_per_group();
        let first = shape.first_switch(netloom_units::HostId(host));
        (first..first + shape.nics).flat_map(move |switch| {
            std::iter::repeat_n((NodeId(host), shape.switch(group, switch)), shape.host_links as usize)
        })
    })
}

/// The local links in order: the group, and its two switches.
fn local_links(shape: DragonflyShape) -> impl Iterator<Item = (u32, [u32; 2])> {
    let switches = shape.switches_per_group;
    let pairs = move |group| {
        (0..switches).flat_map(move |from| (from + 1..switches).map(move |to| (group, [from, to])))
    };
    let parallel = shape.local_links as usize;
    (0..shape.groups).flat_map(pairs).flat_map(move |pair| std::iter::repeat_n(pair, parallel))
}

fn node_names(shape: &DragonflyShape) -> Vec<String> {
    let hosts = (0..shape.n_hosts()).map(|host| {
        let group = host / shape.hosts_per_group();
        let switch = shape.first_switch(netloom_units::HostId(host));
        format!("group{group}.switch{switch}.host{}", host % shape.hosts_per_block)
    });
    let per_group = shape.switches_per_group;
    let switches = (0..shape.n_switches())
        .map(|switch| format!("group{}.switch{}", switch / per_group, switch % per_group));
    hosts.chain(switches).collect()
}

/// A host link is named by its host and NIC port, any other by its ends, the lower one first, and its index among
/// parallel links.
fn link_names(shape: &DragonflyShape, dealing: &GlobalLinkMap, node_names: &[String]) -> Vec<String> {
    let hosts = &node_names[..shape.n_hosts() as usize];
    let host_links = hosts
        .iter()
        .flat_map(|host| (0..shape.nics * shape.host_links).map(move |nic| format!("{host}.nic{nic}")));
    let positions = (0..shape.local_links).cycle();
    let local_links = local_links(*shape)
        .zip(positions)
        .map(|((group, [from, to]), position)| format!("group{group}.switch{from}-switch{to}.{position}"));
    let node = |(group, number): (u32, u32)| shape.switch(group, number);
    host_links.chain(local_links).chain(between_groups::link_names(dealing, node_names, node)).collect()
}
