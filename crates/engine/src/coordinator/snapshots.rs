//! The queue state of remote ports that switches may read: snapshots of all global links.
//!
//! Models: bytes queued at every port with a global link, updated at multiples of the coordination delay (a modelling
//! assumption), if the balancing policy uses them.
//! Leaves out: which switch may read which of them; the policies state that.
//!
//! Invariants: a snapshot reflects all events before its instant, and reading changes nothing; over a period without
//! events only the last multiple is taken.

use netloom_model::{Model, PortKind};
use netloom_units::{NodeId, PortId};

use super::Coordinator;
use crate::assemble::NodePlacement;

/// When the next snapshot is due, and the ports it covers.
#[derive(Debug)]
pub(super) struct Snapshots {
    next: u64,
    delay: u64,
    ports: Vec<Slot>,
}

/// A port with a global link.
#[derive(Debug, Clone, Copy)]
struct Slot {
    partition: u32,
    node: u32,
    local: u32,
    id: PortId,
}

impl Snapshots {
    /// `None` if the balancing policy does not use snapshots.
    pub(super) fn new(model: &Model, placement: &NodePlacement) -> Option<Snapshots> {
        let asks = model.routing.n_groups() > 0 && model.balances.switch.asks_beyond();
        asks.then(|| Snapshots {
            next: 0,
            delay: model.coordination_delay.0.max(1),
            ports: global_ports(model, placement),
        })
    }

    /// The instant of the next one, in ps.
    pub(super) fn next(&self) -> u64 {
        self.next
    }
}

fn global_ports(model: &Model, placement: &NodePlacement) -> Vec<Slot> {
    let switches = model.fabric.n_hosts() as u32..model.fabric.n_nodes() as u32;
    let of_switch = |node| {
        let node = NodeId(node);
        let (partition, slot) = placement.of_node[node.index()];
        let ports = (0..).zip(model.fabric.port_range(node).map(PortId));
        ports
            .filter(move |&(local, _)| model.routing.port_kind(node, local) == PortKind::Global)
            .map(move |(local, id)| Slot { partition, node: slot, local, id })
    };
    switches.flat_map(of_switch).collect()
}

impl Coordinator<'_, '_> {
    /// Takes the last snapshot that is due at or before `earliest`, the instant of the next event.
    pub(super) fn take_snapshot(&mut self, earliest: u64) {
        let Some(snapshots) = &mut self.snapshots else { return };
        let at = earliest / snapshots.delay * snapshots.delay;
        snapshots.next = at.saturating_add(snapshots.delay);
        let mut round_state = self.scheduler.round_state.write().expect("no thread panicked");
        round_state.port_bytes.resize(self.model.fabric.ports().len(), 0);
        for port in &snapshots.ports {
            let partition = self.scheduler.partition(port.partition as usize);
            let egress = &partition.nodes[port.node as usize].ports[port.local as usize];
            round_state.port_bytes[port.id.index()] = egress.waiting_bytes(at);
        }
    }
}
