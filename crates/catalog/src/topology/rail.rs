//! # Idea
//! Servers of several GPUs, each GPU with a NIC of its own: GPUs of equal number in a block of servers share a leaf,
//! their rail, and spines join all leaves; inside a server a switch joins its GPUs.
//!
//! # Source
//! Wang, Ghobadi, Shakeri, Zhang, Hasani, "Rail-only: A Low-Cost High-Performance Network for Training LLMs with
//! Trillion Parameters", HOTI 2024, section 2, which describes the rail-optimised fabric that the paper starts from.
//! Modelling assumptions: blocks, bundles and oversubscription.
//!
//! # Parameters
//! GPUs are the hosts. Numbers of servers, GPUs in each, servers in a block, spines and parallel links; rates and
//! delays of three kinds of links: inner links (GPU to inner switch), host links (GPU to leaf) and fabric links (leaf
//! to spine); `oversubscription` sets `fabric_rate` if that is not given, and is checked against it if it is. Without
//! spines a server's GPUs would reach no other rail, so several leaves need at least one spine.
//!
//! # Invariants
//! Minimal paths: within a server through its inner switch, on one rail of a block through its leaf, else leaf, spine,
//! leaf. Hosts never forward, so what NCCL calls PXN (to a GPU of the other rail inside the server, and on from there)
//! is not modelled; a job that works like this sends two messages. Nodes in order: hosts, server by server, inner
//! switches, leaves, block by block, spines. Links in order: for each host its inner link; for each host and NIC port
//! the host link; for each leaf, spine and parallel link the fabric link. Names: `server3.gpu5`, `server3.inner`,
//! `block0.rail5`, `spine1`; links `server3.gpu5-inner`, `server3.gpu5.nic0`, `block0.rail5-spine1.0`. Hosts of a
//! server share a rack.
//!
//! # When it misleads
//! An inner switch is one more switch with queues and packets, not a memory system: no loads and stores, no reduction
//! inside, and messages are cut into the packets of the fabric. With `inner_delay: 0` the GPUs of a server and its
//! inner switch are simulated as one partition. PCI Express, CPUs and storage are left out.

use netloom_model::{FabricBuilder, Rail, Routing};
use netloom_units::{HostId, Kind, NodeId, Parameter, Rate, Settings, Spec, Value};

use super::parameter::{
    delay, given, host_rate, links, number, numbers, optional, rate, rate_of_hosts, ratio,
};
use super::uplink::Uplinks;
use super::{Built, MAXIMUM_HOSTS, MAXIMUM_LINKS, MAXIMUM_SWITCHES, TopologyError, product, sum, within};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "rail",
    summary: "servers of GPUs: a leaf (rail) for each GPU position, spines, and a switch inside each server",
    source: "Wang et al., HOTI 2024 (the rail-optimised fabric)",
    parameters: &[
        number("servers", "number of servers"),
        Parameter {
            name: "gpus_per_server",
            kind: Kind::Count { minimum: 1, maximum: MAXIMUM_LINKS },
            default: Some(Value::Count(8)),
            meaning: "GPUs in each server, each a host with a NIC",
        },
        optional("servers_per_block", "number of servers that share leaves; without it all servers"),
        Parameter {
            name: "spines",
            kind: Kind::Count { minimum: 0, maximum: MAXIMUM_LINKS },
            default: None,
            meaning: "number of spines; may be 0 with a single leaf",
        },
        links("host_links", "parallel links (NIC ports) between a GPU and its leaf"),
        links("fabric_links", "parallel links between a leaf and a spine"),
        Parameter {
            name: "inner_rate",
            kind: Kind::Rate,
            default: Some(Value::Rate(Rate(3_600_000_000_000))),
            meaning: "rate of the link between a GPU and the inner switch of its server",
        },
        host_rate("rate of each host link"),
        rate(
            "fabric_rate",
            "rate of each fabric link; without it `host_rate`, or as `oversubscription` requires",
        ),
        delay("inner_delay", "propagation delay of each inner link"),
        delay("host_delay", "propagation delay of each host link"),
        delay("fabric_delay", "propagation delay of each fabric link"),
        ratio("oversubscription", "capacity of a leaf's host links over that of its fabric links"),
    ],
};

/// Builds the fabric that the settings describe.
///
/// # Errors
/// When it is too large or inconsistent.
pub fn build(settings: &Settings) -> Result<Built, TopologyError> {
    let shape = shape(settings)?;
    let host_rate = rate_of_hosts(settings)?;
    let inner_rate = settings.rate("inner_rate");
    if inner_rate.0 == 0 {
        return Err(TopologyError::Zero("inner_rate"));
    }
    let fabric_rate = Uplinks {
        rate: "fabric_rate",
        oversubscription: "oversubscription",
        down: (u64::from(shape.servers_per_block) * u64::from(shape.host_links), host_rate),
        up: u64::from(shape.spines) * u64::from(shape.fabric_links),
    }
    .rate(settings)?;
    let [inner_delay, host_delay, fabric_delay] =
        ["inner_delay", "host_delay", "fabric_delay"].map(|name| settings.duration(name));
    let mut builder = FabricBuilder::new(shape.n_hosts(), shape.n_switches());
    for host in 0..shape.n_hosts() {
        builder.link(NodeId(host), shape.inner(host / shape.gpus_per_server), inner_rate, inner_delay);
    }
    for host in (0..shape.n_hosts()).flat_map(|host| std::iter::repeat_n(host, shape.host_links as usize)) {
        builder.link(NodeId(host), shape.leaf(shape.leaf_of(HostId(host))), host_rate, host_delay);
    }
    for (leaf, spine) in fabric_links(shape) {
        builder.link(shape.leaf(leaf), shape.spine(spine), fabric_rate, fabric_delay);
    }
    Ok(Built {
        fabric: builder.build(),
        routing: Routing::Rail(shape),
        node_names: node_names(&shape),
        link_names: link_names(&shape),
    })
}

/// The dimensions, once they are known to be small enough for ids.
fn shape(settings: &Settings) -> Result<Rail, TopologyError> {
    let names = ["servers", "gpus_per_server", "host_links", "fabric_links"];
    let [servers, gpus, host_links, fabric_links] = numbers(settings, names)?;
    let spines = settings.count("spines");
    let per_block = match given(settings, "servers_per_block") {
        Some(0) => return Err(TopologyError::Zero("servers_per_block")),
        given => given.unwrap_or(servers),
    };
    if !servers.is_multiple_of(per_block) {
        let (name, divisor) = ("servers", "servers_per_block");
        return Err(TopologyError::Indivisible { name, value: servers, divisor, by: per_block });
    }
    let leaves = product(&[servers / per_block, gpus]);
    within("hosts", "servers x gpus_per_server", product(&[servers, gpus]), MAXIMUM_HOSTS)?;
    let switches = sum(&[Some(servers), leaves, Some(spines)]);
    within("switches", "servers + leaves + spines", switches, MAXIMUM_SWITCHES)?;
    let leaves = leaves.unwrap_or(0);
    if leaves > 1 && spines == 0 {
        return Err(TopologyError::NoSpines(leaves));
    }
    let links = sum(&[
        product(&[servers, gpus]),
        product(&[servers, gpus, host_links]),
        product(&[leaves, spines, fabric_links]),
    ]);
    let terms = "hosts x (1 + host_links) + leaves x spines x fabric_links";
    within("links", terms, links, MAXIMUM_LINKS)?;
    Ok(Rail {
        servers: servers as u32,
        gpus_per_server: gpus as u32,
        servers_per_block: per_block as u32,
        spines: spines as u32,
        host_links: host_links as u32,
        // Without spines there are no fabric links, whatever the size of each bundle.
        fabric_links: if spines == 0 { 0 } else { fabric_links as u32 },
    })
}

/// The fabric links in order: numbers of leaf and spine.
fn fabric_links(shape: Rail) -> impl Iterator<Item = (u32, u32)> {
    let pairs = (0..shape.n_leaves()).flat_map(move |leaf| (0..shape.spines).map(move |spine| (leaf, spine)));
    pairs.flat_map(move |pair| std::iter::repeat_n(pair, shape.fabric_links as usize))
}

fn host_name(shape: &Rail, host: u32) -> String {
    format!("server{}.gpu{}", host / shape.gpus_per_server, host % shape.gpus_per_server)
}

fn leaf_name(shape: &Rail, leaf: u32) -> String {
    format!("block{}.rail{}", leaf / shape.gpus_per_server, leaf % shape.gpus_per_server)
}

fn node_names(shape: &Rail) -> Vec<String> {
    let hosts = (0..shape.n_hosts()).map(|host| host_name(shape, host));
    let inner = (0..shape.servers).map(|server| format!("server{server}.inner"));
    let leaves = (0..shape.n_leaves()).map(|leaf| leaf_name(shape, leaf));
    let spines = (0..shape.spines).map(|spine| format!("spine{spine}"));
    hosts.chain(inner).chain(leaves).chain(spines).collect()
}

fn link_names(shape: &Rail) -> Vec<String> {
    let hosts = || (0..shape.n_hosts()).map(|host| host_name(shape, host));
    let inner_links = hosts().map(|host| format!("{host}-inner"));
    let host_links =
        hosts().flat_map(|host| (0..shape.host_links).map(move |nic| format!("{host}.nic{nic}")));
    let positions = (0..shape.fabric_links).cycle();
    let fabric_links = fabric_links(*shape)
        .zip(positions)
        .map(|((leaf, spine), position)| format!("{}-spine{spine}.{position}", leaf_name(shape, leaf)));
    inner_links.chain(host_links).chain(fabric_links).collect()
}
