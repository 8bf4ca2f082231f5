//! A host on links with credits: arriving packets leave the buffer at once, and NICs wait for credits as for the end of
//! pauses.

use netloom_model::Credits;

use super::Returns;
use crate::context::PartitionContext;
use crate::node::Node;
use crate::packet::Packet;
use crate::round::Round;
use crate::sampler::PortSample;

/// Return channels of credits at a host.
pub struct HostReturns {
    /// For each port.
    pub returns: Vec<Returns>,
    /// The first VL of each class.
    pub vls: [u8; 8],
}

impl Node {
    /// Returns the credits of a packet that has come to this host, unless it is a frame: its buffer space is free.
    pub fn return_credits(
        &mut self,
        now: u64,
        ingress: u32,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let Some(own) = self.returns.as_deref_mut().filter(|_| !packet.is_link_local()) else { return };
        let vl = usize::from(own.vls[usize::from(packet.class() & 7)] + packet.vl_offset());
        own.returns[ingress as usize].give(now, vl, Credits::blocks(packet.bytes), context, round);
    }

    /// Handles credits that have come back for a port of this host.
    pub fn take_credit_at_nic(
        &mut self,
        now: u64,
        frame: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        context.n_credits += 1;
        self.serve(now, context, round);
        let port = frame.slot;
        crate::node::advance_port(&mut self.ports[port as usize], now, context, round);
        if !self.ports[port as usize].is_blocked() {
            return self.ports[port as usize].add_credits(frame.sequence as usize, frame.bytes);
        }
        let wanted_from = self.backlogged_from(port);
        let egress = &mut self.ports[port as usize];
        let next = egress.give_credits_to_classes(now, frame.sequence as usize, frame.bytes, wanted_from);
        if let Some(at) = next {
            self.schedule_start(port, at, context);
        }
        self.reevaluate_starts();
    }

    /// From when on a NIC's port has had, or will have, something to send; `u64::MAX` for never.
    fn backlogged_from(&self, port: u32) -> u64 {
        if self.ports[port as usize].has_paused_packets() {
            return 0;
        }
        let nic = self.host.as_ref().and_then(|host| host.nic.as_ref());
        nic.and_then(|nic| nic.ports[port as usize].ready.first()).map_or(u64::MAX, |turn| turn.from)
    }

    /// Appends the samples of this node's ports before `now`.
    pub fn sample(&self, now: u64, cells: &mut Vec<PortSample>) {
        cells.extend((0..).zip(&self.ports).map(|(index, port)| {
            let sample = port.sample_at(now);
            let paused = if port.is_blocked() { self.blocked_time(now, index) } else { sample.paused };
            PortSample { paused, ..sample }
        }));
    }

    /// How long a port has had something to send and a free wire but no credits, before `now`.
    pub fn blocked_time(&self, now: u64, port: u32) -> u64 {
        let wanted_from = if self.has_nic() { self.backlogged_from(port) } else { 0 };
        self.ports[port as usize].blocked_time(now, wanted_from)
    }
}
