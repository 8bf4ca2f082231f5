//! VL steps at a switch of a fabric of groups: the virtual lane (VL) in which a packet is forwarded.
//!
//! Models: the rule of `netloom_model::steps`, for the ports of one switch.
//! Leaves out: how many steps a policy needs, which the compiler of scenarios computes.
//!
//! Invariants: packets that come by one in-link and leave by one port rise by the same number of VLs, so of two VLs
//! there, the lower one stays lower; a packet that would need more VLs than there are cannot be forwarded.

use netloom_model::steps::rise;
use netloom_model::{Model, PortKind};
use netloom_units::NodeId;

use crate::node::Forwarding;
use crate::packet::Packet;

/// See the module.
pub struct VlIncrements {
    /// The kind of each port, and of the in-link of the switch's own packets.
    kinds: Box<[PortKind]>,
    n_steps: u8,
}

impl VlIncrements {
    /// The steps of a switch.
    pub fn of(model: &Model, node: NodeId, n_steps: u8) -> VlIncrements {
        let n_ports = model.fabric.ports_of(node).len() as u32;
        let kinds = (0..n_ports).map(|port| model.routing.port_kind(node, port));
        VlIncrements { kinds: kinds.chain([PortKind::Host]).collect(), n_steps }
    }

    /// By how many VLs a packet rises.
    #[inline]
    pub fn vl_increment(&self, ingress: u32, egress: u32) -> usize {
        usize::from(rise(self.kinds[ingress as usize], self.kinds[egress as usize]))
    }

    /// A packet that has chosen its egress, in the VL in which it leaves; `None` if there is no such VL.
    pub fn onward(&self, packet: &Packet, forwarding: Forwarding) -> Option<Packet> {
        let rise = rise(self.kinds[forwarding.ingress as usize], self.kinds[forwarding.port as usize]);
        (packet.vl_offset() + rise < self.n_steps).then(|| packet.with_raised_vl(rise))
    }
}
