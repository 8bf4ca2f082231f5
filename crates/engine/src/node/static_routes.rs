//! Static routes of a switch: explicit forwarding-table entries, which take precedence over next hops and policy.
//!
//! Models: a packet that matches an entry leaves by its port, whether or not that is a next hop.
//! Leaves out: packets that match no entry.
//!
//! Invariants: an entry is ignored while its link is down; ACKs, NACKs and CNPs follow entries where they are forwarded
//! by tables at all.

use netloom_model::{Model, StaticTable};
use netloom_policy::balance::Senders;
use netloom_units::{HostId, NodeId};

use super::Node;
use crate::packet::Packet;
use crate::round::Round;

/// See the module.
pub(super) struct StaticRoutes {
    table: StaticTable,
    /// Whether control packets follow it, too.
    for_control: bool,
}

impl StaticRoutes {
    pub(super) fn at(model: &Model, node: NodeId) -> Option<Box<StaticRoutes>> {
        let table = StaticTable::of(&model.balances.static_routes, node)?;
        Some(Box::new(StaticRoutes { table, for_control: model.balances.controls_by_table() }))
    }
}

impl Node {
    /// Installs the static routes of this node, which take precedence over all other forwarding, before the run.
    pub fn follow_entries(&mut self, model: &Model) {
        self.static_routes = StaticRoutes::at(model, self.id);
        self.note_route();
    }

    /// The port that a static route gives a packet.
    #[inline]
    pub(super) fn static_port(&self, packet: &Packet, round: &Round) -> Option<u32> {
        let StaticRoutes { table, for_control } = self.static_routes.as_deref()?;
        if !packet.is_data() && !for_control {
            return None;
        }
        let sender = || round.sender(packet.flow, packet.is_data());
        let port = table.port(HostId(packet.destination), sender)?;
        self.ports[port as usize].is_up().then_some(port)
    }
}
