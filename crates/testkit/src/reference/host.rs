//! A host: injects messages and consumes packets.
//!
//! Models: all packets of a message are created, routed and queued in one go, in order, at the instant of injection; a
//! message is complete when all its bytes were handled at the destination.
//! Leaves out: window, pacing, acknowledgement, retransmission, penalty for reordering.
//! Invariant: completion is notified synchronously, inside the handling of the last packet.
//! Source: specification of the seed simulator, section 4.

use super::fabric::NodeIdx;
use super::network::{Application, Network};
use super::packet::{FlowIdx, Packet};

impl Network<'_> {
    /// Splits an announced message into packets and queues them all, now.
    pub fn inject(&mut self, flow_idx: FlowIdx) {
        let flow = &mut self.flows[flow_idx];
        assert!(flow.injected_at.is_none(), "flow {flow_idx} is injected twice");
        flow.injected_at = Some(self.clock.now());
        let message = flow.message.clone();
        self.injected.push(flow_idx);
        for index in 0..message.n_packets() {
            self.totals.created += 1;
            let bytes = message.packet_bytes(index);
            let packet = Packet { flow: flow_idx, index, bytes, ttl: self.ttl, hops: 0, enqueued_at: 0.0 };
            self.forward(message.src, packet);
        }
    }

    /// Takes a packet out of the network. A packet for another host is discarded: it counts as delivered, its flow
    /// stays incomplete.
    pub(super) fn consume(&mut self, host: NodeIdx, packet: &Packet, application: &mut dyn Application) {
        self.nodes[host].consumed += 1;
        self.totals.count_delivery(packet.hops);
        let flow = &mut self.flows[packet.flow];
        if flow.message.dst != host {
            return;
        }
        flow.received_bytes += packet.bytes;
        if flow.completed_at.is_none() && flow.received_bytes >= flow.message.bytes {
            flow.completed_at = Some(self.clock.now());
            let actor = flow.actor;
            application.completed(self, actor, packet.flow);
        }
    }
}
