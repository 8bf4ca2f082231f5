//! The fabric: about eight leaves, parallel links, one routing mode everywhere, links that fail independently at
//! random.

use netloom_units::Rate;

use super::read::{Form, Reader, number, positive, rate, whole, word};

/// The fabric and how it routes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Topology {
    pub leaves: u64,
    pub spines: u64,
    pub hosts_per_leaf: u64,
    pub host_links: u64,
    pub fabric_links: u64,
    pub host_rate: Rate,
    pub fabric_rate: Rate,
    pub packet: u64,
    pub routing: Routing,
    pub failure_percent: f64,
}

/// How paths are selected, at hosts and at switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Routing {
    /// By a hash of the message, the same at every node.
    Ecmp,
    /// The same, with a new hash after this number of packets.
    Flowlet(u64),
    /// The shortest queue.
    Adaptive,
}

impl Topology {
    pub(super) fn n_hosts(&self) -> u64 {
        self.leaves * self.hosts_per_leaf
    }
}

const KEYS: &[&str] = &["type", "max_path", "mtu", "ttl", "ai_factory_su", "routing", "links"];
const SHAPE: &[&str] =
    &["leaves", "spines", "servers_per_leaf", "server_parallel_links", "leaf_to_spine_parallel_links"];

/// A path has at most this number of links; a packet with a smaller TTL is lost.
const LONGEST_PATH: u64 = 4;
/// Larger numbers are mistakes: the fabric is described by small numbers.
const MOST: u64 = 100_000;

/// Reads the section.
pub(super) fn topology(reader: &mut Reader, root: &Form<'_>, notes: &mut Vec<String>) -> Option<Topology> {
    let form = reader.section(root, "topology", KEYS);
    if let Some(kind) = reader.need(&form, "type", word)
        && kind != "ai-factory-su"
    {
        reader.report(
            form.location_of("type"),
            format!("fabrics of type `{kind}` cannot be imported"),
            "expected `ai-factory-su`",
        );
    }
    if let Some(ttl) = reader.or(&form, "ttl", whole, u64::MAX)
        && ttl <= LONGEST_PATH
    {
        let message =
            format!("packets with a `ttl` of {ttl} are lost in the network, which a scenario cannot express");
        reader.report(form.location_of("ttl"), message, "expected more than 4");
    }
    let shape = reader.section(&form, "ai_factory_su", SHAPE);
    let mut count = |key| {
        let n = reader.need(&shape, key, positive)?;
        if n > MOST {
            reader.report(shape.location_of(key), format!("`{key}` is too large"), "expected at most 100000");
            return None;
        }
        Some(n)
    };
    let [leaves, spines, below, host_links, fabric_links] =
        [count(SHAPE[0]), count(SHAPE[1]), count(SHAPE[2]), count(SHAPE[3]), count(SHAPE[4])];
    let packet = reader.need(&form, "mtu", positive);
    let routing = routing(reader, &form, notes);
    let (rates, failure_percent) = links(reader, &form);
    let [host_rate, fabric_rate] = rates;
    Some(Topology {
        leaves: leaves?,
        spines: spines?,
        hosts_per_leaf: below?,
        host_links: host_links?,
        fabric_links: fabric_links?,
        host_rate: host_rate?,
        fabric_rate: fabric_rate?,
        packet: packet?,
        routing: routing?,
        failure_percent: failure_percent?,
    })
}

fn routing(reader: &mut Reader, topology: &Form<'_>, notes: &mut Vec<String>) -> Option<Routing> {
    let form = reader.section(topology, "routing", &["mode", "ecmp_flowlet_n_packets"]);
    let packets = reader.or(&form, "ecmp_flowlet_n_packets", whole, 0);
    let mode = reader.need(&form, "mode", word)?;
    match (mode.as_str(), packets?) {
        ("ecmp" | "hash", 0) => Some(Routing::Ecmp),
        ("ecmp" | "hash", packets) => Some(Routing::Flowlet(packets)),
        ("adaptive" | "adapt", packets) => {
            if packets > 0 {
                notes.push(format!("`ecmp_flowlet_n_packets: {packets}` has no effect with `mode: {mode}`"));
            }
            Some(Routing::Adaptive)
        }
        _ => {
            let message = format!("there is no routing mode `{mode}`");
            reader.report(
                form.location_of("mode"),
                message,
                "expected `ecmp`, `hash`, `adaptive` or `adapt`",
            );
            None
        }
    }
}

fn links(reader: &mut Reader, topology: &Form<'_>) -> ([Option<Rate>; 2], Option<f64>) {
    let form = reader.section(topology, "links", &["failure_percent", "bandwidth_bps"]);
    let percent = reader.or(&form, "failure_percent", number, 0.0);
    if percent.is_some_and(|percent| percent > 100.0) {
        reader.report(
            form.location_of("failure_percent"),
            "more links fail than there are",
            "expected 0 to 100",
        );
    }
    let rates = reader.section(&form, "bandwidth_bps", &["server_to_leaf", "leaf_to_spine"]);
    let mut read = |key| reader.need(&rates, key, rate).map(Rate);
    ([read("server_to_leaf"), read("leaf_to_spine")], percent)
}
