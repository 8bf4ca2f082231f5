//! # Idea
//! A controller sees all flows and gives each a way of its own through the fabric; switches look it up. Flows it does not
//! know yet, or whose way is down, are hashed.
//!
//! # Source
//! Seed 003, section II.A (Huawei's Network Scale Load Balance): a flow matrix, assignments of uplinks without collisions
//! for concurrent flows. No rule is published: balanced edge colouring, the interval, the latency and the memory are ours.
//!
//! # Parameters
//! `unit`: what gets a way of its own. `interval`: from one look at the flows to the next. `latency`: from a look until
//! switches act by it. `memory`: for how long a flow that is silent keeps its way. `salt`: of the hash, as for `ecmp`.
//!
//! # Invariants
//! With `unit: flow`, no two known flows share a way up from a leaf or a way down to one while no leaf has more flows out
//! or in than ways; beyond that no way has more than its share, rounded up. A flow keeps its way while others come and go,
//! unless that promise needs it to move.
//!
//! # When it misleads
//! All flows count alike, small ones as large ones. Flows shorter than interval and latency are always hashed. The controller
//! does not plan round failures: flows whose way is down are hashed over what is left, among those that have ways.

use std::sync::Arc;

use netloom_units::{Duration, HostId, Kind, NodeId, Parameter, Settings, Spec, StateWriter, Value};

use super::ecmp::{Hash, SALT};
use super::{Balance, Context, PacketView, Pick, Ports, Position};
use crate::central::{Controller, Demand, Plan, Site, Unit};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "nslb",
    summary: "a controller that sees all flows gives each a way of its own; unknown flows are hashed",
    source: "ours, after the flow matrix of seed 003, section II.A",
    parameters: &[
        Parameter {
            name: "unit",
            kind: Kind::Choice(&["flow", "hosts", "edges"]),
            default: Some(Value::Choice("flow")),
            meaning: "what gets a way of its own: a flow, all flows of a pair of hosts, or of a pair of leaves",
        },
        span("interval", Duration::from_micros(100), "from one look at the flows to the next"),
        span("latency", Duration::from_micros(100), "from a look until the switches act by it"),
        span("memory", Duration::from_micros(100_000), "for how long a silent flow keeps its way"),
        SALT,
    ],
};

const fn span(name: &'static str, default: Duration, meaning: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Duration, default: Some(Value::Duration(default)), meaning }
}

/// The controller that settings describe, the interval of its looks, and its latency.
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

    /// The way that the plan has for a packet.
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
        // Ways are numbered as the links up from a leaf are, spine by spine; among the links down from a spine the same one
        // of its bundle belongs to a way.
        let planned = self.planned_path(packet).and_then(|path| {
            let port = ports.member(path as usize % ports.n_members());
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
