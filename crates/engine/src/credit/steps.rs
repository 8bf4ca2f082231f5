//! Lane steps at a switch of a fabric of groups: in which lane a packet goes on.
//!
//! Models: the rule of `netloom_model::steps`, for the ports of one switch.
//! Leaves out: how many steps a policy needs, which the compiler of scenarios works out.
//!
//! Invariants: what comes by one in-link and leaves by one port rises by the same, so of two lanes there, the lower one stays
//! lower; what would need more lanes than there are has no way.

use netloom_model::steps::rise;
use netloom_model::{Model, PortKind};
use netloom_units::NodeId;

use crate::node::Forwarding;
use crate::packet::Packet;

/// See the module.
pub struct Steps {
    /// What is behind each port, and behind the in-link of the switch's own packets.
    kinds: Box<[PortKind]>,
    n_steps: u8,
}

impl Steps {
    /// The steps of a switch.
    pub fn of(model: &Model, node: NodeId, n_steps: u8) -> Steps {
        let n_ports = model.fabric.ports_of(node).len() as u32;
        let kinds = (0..n_ports).map(|port| model.routing.port_kind(node, port));
        Steps { kinds: kinds.chain([PortKind::Host]).collect(), n_steps }
    }

    /// By how many lanes a packet rises.
    #[inline]
    pub fn rise(&self, ingress: u32, egress: u32) -> usize {
        usize::from(rise(self.kinds[ingress as usize], self.kinds[egress as usize]))
    }

    /// A packet that has chosen its way, in the lane in which it leaves; `None` if there is none.
    pub fn onward(&self, packet: &Packet, forwarding: Forwarding) -> Option<Packet> {
        let rise = rise(self.kinds[forwarding.ingress as usize], self.kinds[forwarding.port as usize]);
        (packet.step() + rise < self.n_steps).then(|| packet.stepped(rise))
    }
}
