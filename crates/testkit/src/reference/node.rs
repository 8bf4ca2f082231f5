//! A node: an inbox and, at a switch, one routing decision per packet.
//!
//! Models: delivery into the inbox, one handling event that empties it in order, store-and-forward, the hop limit.
//! Leaves out: processing time, limits of the inbox.
//! Invariants: at most one handling event is pending per node, and none can be scheduled while it runs. A switch drops
//! packets that have used up the hop limit or have no live candidate port; a host checks neither on arrival.
//! Source: specification of the seed simulator, sections 3 to 5.

use std::collections::VecDeque;

use super::choice::Decision;
use super::fabric::{NodeIdx, NodeKind};
use super::network::{Application, Event, Network};
use super::packet::Packet;
use super::port::Port;

/// The state of one node.
pub(super) struct Node {
    pub(super) ports: Vec<Port>,
    inbox: VecDeque<Packet>,
    handling_pending: bool,
    /// Packets handled here as a host.
    pub(super) consumed: u64,
}

impl Node {
    pub(super) fn new(n_ports: usize) -> Self {
        let ports = (0..n_ports).map(|_| Port::default()).collect();
        Node { ports, inbox: VecDeque::new(), handling_pending: false, consumed: 0 }
    }
}

impl Network<'_> {
    /// A packet's last bit has reached the node.
    pub(super) fn deliver(&mut self, node_idx: NodeIdx, mut packet: Packet) {
        packet.ttl = packet.ttl.saturating_sub(1);
        packet.hops += 1;
        let node = &mut self.nodes[node_idx];
        node.inbox.push_back(packet);
        if !node.handling_pending {
            node.handling_pending = true;
            self.clock.schedule(0.0, Event::Handle { node: node_idx });
        }
    }

    /// Empties the inbox.
    pub(super) fn handle(&mut self, node_idx: NodeIdx, application: &mut dyn Application) {
        while let Some(packet) = self.nodes[node_idx].inbox.pop_front() {
            match self.fabric.kind(node_idx) {
                NodeKind::Host => self.consume(node_idx, &packet, application),
                NodeKind::Switch if packet.ttl == 0 => self.totals.dropped += 1,
                NodeKind::Switch => self.forward(node_idx, packet),
            }
        }
        self.nodes[node_idx].handling_pending = false;
    }

    /// Chooses a port for the packet and queues it there.
    pub(super) fn forward(&mut self, node_idx: NodeIdx, packet: Packet) {
        let flow = &self.flows[packet.flow];
        let candidates = self.fabric.candidates(node_idx, flow.message.dst);
        if candidates.is_empty() {
            self.totals.dropped += 1;
            return;
        }
        let ports = &self.nodes[node_idx].ports;
        let queue_lengths: Vec<_> = candidates.iter().map(|&port| ports[port].queue.len()).collect();
        let picked = self.choice.pick(&Decision {
            node: node_idx,
            flow: packet.flow,
            packet: packet.index,
            message: &flow.message,
            injected_at: flow.injected_at.expect("a packet in flight belongs to an injected flow"),
            candidates: &candidates,
            queue_lengths: &queue_lengths,
        });
        self.enqueue(node_idx, candidates[picked], packet);
    }
}
