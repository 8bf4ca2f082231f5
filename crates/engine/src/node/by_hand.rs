//! Static routes of a switch: explicit forwarding-table entries, which take precedence over next hops and policy.
//!
//! Models: a packet that matches an entry leaves by its port, whether or not that is a next hop.
//! Leaves out: packets that match no entry.
//!
//! Invariants: an entry is ignored while its link is down; ACKs, NACKs and CNPs follow entries where they are forwarded
//! by tables at all.

use netloom_model::{HandTable, Model};
use netloom_policy::balance::Senders;
use netloom_units::{HostId, NodeId};

use super::Node;
use crate::packet::Packet;
use crate::round::Round;

/// See the module.
pub(super) struct ByHand {
    table: HandTable,
    /// Whether control packets follow it, too.
    for_control: bool,
}

impl ByHand {
    pub(super) fn at(model: &Model, node: NodeId) -> Option<Box<ByHand>> {
        let table = HandTable::of(&model.balances.by_hand, node)?;
        Some(Box::new(ByHand { table, for_control: model.balances.controls_by_table() }))
    }
}

impl Node {
    /// Installs the static routes of this node, which take precedence over all other forwarding, before the run.
    pub fn follow_entries(&mut self, model: &Model) {
        self.by_hand = ByHand::at(model, self.id);
        self.note_route();
    }

    /// The port that a static route gives a packet.
    #[inline]
    pub(super) fn port_by_hand(&self, packet: &Packet, round: &Round) -> Option<u32> {
        let ByHand { table, for_control } = self.by_hand.as_deref()?;
        if !packet.is_data() && !for_control {
            return None;
        }
        let sender = || round.sender(packet.flow, packet.is_data());
        let port = table.port(HostId(packet.destination), sender)?;
        self.ports[port as usize].is_up().then_some(port)
    }
}
