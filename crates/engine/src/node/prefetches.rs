//! Prefetches of the state of a node, by what is about to happen there.

use super::{Forwarding, Node};
use crate::packet::Packet;
use crate::prefetch::prefetch;

impl Node {
    /// Prefetches what every packet will need.
    #[inline(always)]
    pub fn prefetch_state(&self) {
        if let Some(crossbar) = self.crossbar.as_deref() {
            prefetch(crossbar);
        } else if let Some(nic) = self.host.as_ref().and_then(|host| host.nic.as_deref()) {
            prefetch(nic);
        }
    }

    /// Prefetches what a packet that arrives by an in-link will need, whatever its egress.
    #[inline(always)]
    pub fn prefetch_arrival(&self, port: u32) {
        if let Some(crossbar) = &self.crossbar {
            prefetch(&crossbar.inputs[port as usize]);
        } else if let Some(own) = &self.returns {
            prefetch(&own.returns[port as usize]);
        }
    }

    /// Prefetches what the transfer of a packet to its egress will need.
    #[inline(always)]
    pub fn prefetch_transfer(&self, Forwarding { ingress, port }: Forwarding, packet: &Packet) {
        let crossbar = self.crossbar.as_deref().expect("seen by the caller");
        crossbar.prefetch_output(port, crossbar.vl(packet));
        self.ports[port as usize].prefetch_start();
        if let Some(returns) = &crossbar.inputs[ingress as usize].returns {
            returns.prefetch_next();
        }
    }
}
