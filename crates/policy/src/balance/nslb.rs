//! # Idea
//! A controller sees all flows and assigns each a path of its own through the fabric; switches look it up. Flows it
//! does not know yet, or whose path is down, are hashed.
//!
//! # Source
//! Seed 003, section II.A (Huawei's Network Scale Load Balance): a flow matrix, assignments of uplinks without
//! collisions for concurrent flows. No algorithm is published: balanced edge colouring, interval, latency and memory
//! are modelling assumptions.
//!
//! # Parameters
//! `unit`: what gets a path of its own. `interval`: time between two samplings of the flows. `latency`: from a sampling
//! until the switches apply its plan. `memory`: how long an idle flow keeps its path. `salt`: of the hash, as for
//! `ecmp`.
//!
//! # Invariants
//! With `unit: flow`, no two known flows share an uplink path from a leaf or a downlink path to a leaf while no leaf
//! has more flows out or in than paths; beyond that no path has more than its even share, rounded up. A flow keeps its
//! path while others come and go, unless that guarantee needs it to move.
//!
//! # When it misleads
//! All flows count alike, whatever their size. Flows shorter than interval and latency are always hashed. The
//! controller does not plan around failures: flows whose path is down are hashed over the remaining ones, which may
//! have planned flows.

use std::sync::Arc;

use netloom_units::{Duration, HostId, Kind, NodeId, Parameter, Settings, Spec, StateWriter, Value};

use super::ecmp::{Hash, SALT};
use super::{Balance, Context, PacketView, Pick, Ports, Position};
use crate::central::{Controller, Demand, Plan, Site, Unit};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "nslb",
    summary: "a central controller assigns a separate path to each flow that it has seen; other flows are hashed",
    source: "modelling assumption, after the flow matrix of Piarulli et al. 2026, section II.A",
    parameters: &[
        Parameter {
            name: "unit",
            kind: Kind::Choice(&["flow", "hosts", "edges"]),
            default: Some(Value::Choice("flow")),
            meaning: "what is assigned a separate path: each flow (`flow`), all flows of a pair of hosts \
                      (`hosts`), or all flows of a pair of leaves (`edges`)",
        },
        span("interval", Duration::from_micros(100), "time between two samplings of the flows"),
        span("latency", Duration::from_micros(100), "time from a sampling until the switches apply its plan"),
        span("memory", Duration::from_micros(100_000), "time for which an idle flow keeps its path"),
        SALT,
    ],
};

const fn span(name: &'static str, default: Duration, meaning: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Duration, default: Some(Value::Duration(default)), meaning }
}

/// The controller that the settings describe, its sampling interval, and its latency.
pub fn controller(settings: &Settings, site: Site) -> (Controller, Duration, Duration) {
    let controller = Controller::new(unit(settings), site, settings.duration("memory"));
    (controller, settings.duration("interval"), settings.duration("latency"))
}

fn unit(settings: &Settings) -> Unit {
    match settings.choice("unit") {
        "hosts" => Unit::Hosts,
        "edges" => Unit::Edges,
        _ => Unit::Flow,
    }
}

/// The instance at a node.
#[derive(Debug, Clone)]
pub struct Nslb {
    unit: Unit,
    hash: Hash,
    plan: Arc<Plan>,
}

impl Nslb {
    pub(super) fn new(settings: &Settings, position: Position) -> Nslb {
        let hash = Hash::mixing(settings, position);
        Nslb { unit: unit(settings), hash, plan: Arc::default() }
    }

    /// The path that the plan assigns to a packet.
    fn planned_path(&self, packet: &PacketView) -> Option<u32> {
        if self.plan.is_empty() || !packet.is_data {
            return None;
        }
        let (source, destination) = (packet.sender(), packet.destination);
        let leaf = |host: HostId| -> NodeId { packet.senders.leaf(host) };
        let leaves = (leaf(source), leaf(destination));
        let demand = Demand { source, destination, entropy: packet.entropy, leaves };
        self.plan.path(demand.key(self.unit))
    }
}

impl Balance for Nslb {
    fn pick<P: Ports>(&mut self, _: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        // Paths are numbered as the uplinks of a leaf are, spine by spine; on the downlinks of a spine a path uses the
        // link with the same position in its bundle.
        let planned = self.planned_path(packet).and_then(|path| {
            let port = ports.healthy_port(path as usize % ports.n_healthy());
            (0..ports.n_minimal()).find(|&candidate| ports.port(candidate) == port)
        });
        let hashed = || self.hash.choose(packet.entropy, 0, ports.n_minimal());
        Pick::unchanged(planned.unwrap_or_else(hashed), packet)
    }

    fn adopt(&mut self, plan: &Arc<Plan>) {
        self.plan = Arc::clone(plan);
    }

    fn write_state(&self, out: &mut StateWriter) {
        self.plan.write_state(out);
    }
}
