//! Entries of a switch's forwarding table that are listed by hand: they come before next hops and policy.
//!
//! Models: packets that an entry is about leave by its port, whether or not it is a next hop.
//! Leaves out: what happens to all others.
//!
//! Invariants: while the link of an entry is down there is no such entry; ACKs, NACKs and CNPs follow entries where they
//! go by tables at all.

use netloom_model::{HandTable, Model};
use netloom_policy::balance::Senders;
use netloom_units::{HostId, NodeId};

use super::Node;
use crate::packet::Packet;
use crate::round::Round;

/// See the module.
pub(super) struct ByHand {
    table: HandTable,
    /// Whether it is about control packets, too.
    for_control: bool,
}

impl ByHand {
    pub(super) fn at(model: &Model, node: NodeId) -> Option<Box<ByHand>> {
        let table = HandTable::of(&model.balances.by_hand, node)?;
        Some(Box::new(ByHand { table, for_control: model.balances.controls_by_table() }))
    }
}

impl Node {
    /// Lets entries listed by hand come before anything else, before the run.
    pub fn follow_entries(&mut self, model: &Model) {
        self.by_hand = ByHand::at(model, self.id);
        self.note_route();
    }

    /// The port that an entry listed by hand gives a packet.
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
