//! The links that each flow crosses, as resources that flows share.
//!
//! Paths are those that packets take: for each flow, one packet and its ACK are sent over the unchanged fabric, and
//! recorded. With forwarding tables that is the path of all its packets. With a policy that chooses for each packet,
//! all links between the same two tiers of a subtree count as one: in fabrics of equal links, an even distribution over
//! them attains the maximum. So in that case max-min shares are those of the best possible distribution.

use std::collections::BTreeMap;

use netloom_model::{FatTreeNode, Model, Routing};
use netloom_records::{PacketKind, PacketRow};
use netloom_testkit::fixture::{ListedWork, Sending, simulate};
use netloom_units::{HostId, PortId};

use crate::max_min::Resource;

/// The links that count as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merging {
    /// None: packets follow forwarding tables.
    Single,
    /// All between the same tiers of a subtree: any packet may take any of them.
    Trunks,
}

/// The links that the flows of a model, given by their endpoints, cross.
pub fn resources(model: &Model, flows: &[(HostId, HostId)], merging: Merging) -> Vec<Resource> {
    let fabric = &model.fabric;
    let key = |port: PortId| match merging {
        Merging::Single => (port.0, 0, 0),
        Merging::Trunks => trunk(model, port),
    };
    let mut resources: BTreeMap<(u32, u32, u32), Resource> = BTreeMap::new();
    for port in (0..fabric.ports().len() as u32).map(PortId) {
        resources.entry(key(port)).or_default().capacity += fabric.port(port).rate.0 as f64;
    }
    let crossed = crossed(model, flows);
    for (flow, &(from, to)) in flows.iter().enumerate() {
        for row in crossed.iter().filter(|row| (row.source, row.destination) == (from, to)) {
            let resource =
                resources.get_mut(&key(row.port.expect("it was sent"))).expect("all ports have one");
            let crossing = if row.kind == PacketKind::Data { &mut resource.data } else { &mut resource.acks };
            crossing.push(flow);
        }
    }
    resources.into_values().collect()
}

/// Every hop of one packet of each flow and of its ACK.
fn crossed(model: &Model, flows: &[(HostId, HostId)]) -> Vec<PacketRow> {
    let mut model = model.clone();
    model.workload.staged = None;
    model.recording.packets_from = (0..model.fabric.n_hosts() as u32).map(HostId).collect();
    let mut ends = flows.to_vec();
    ends.sort_unstable();
    ends.dedup();
    let sendings: Vec<Sending> = ends.iter().map(|(from, to)| Sending::new(0, from.0, to.0, 1)).collect();
    simulate(&model, ListedWork::new(&sendings)).records.packets
}

/// The trunk of a link direction: the two tiers, upwards or downwards, and the subtree below.
fn trunk(model: &Model, port: PortId) -> (u32, u32, u32) {
    let tiers = model.fabric.tiers();
    let (near, far) = (model.fabric.port(port).node, model.fabric.neighbour(port));
    let (from, to) = (tiers[near.index()], tiers[far.index()]);
    let below = if from < to { near } else { far };
    let subtree = match &model.routing {
        Routing::FatTree(shape) => match shape.what_is(below) {
            FatTreeNode::Aggregation(number) => number / shape.aggregations_per_pod,
            _ => below.0,
        },
        Routing::LeafSpine(_) => below.0,
        other => panic!("flow sets have no fabric of this kind: {other:?}"),
    };
    (from, to, subtree)
}
