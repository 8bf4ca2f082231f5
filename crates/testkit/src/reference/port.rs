//! A port: an egress queue of unlimited length and the direction of the link it feeds.
//!
//! Models: FIFO, serialization, propagation; the packet on the wire no longer counts as queued.
//! Leaves out: priorities, limits, pausing, marking.
//! Invariants: at most one drain event is pending per port. A packet for an idle port is queued, and counted,
//! until the zero-delay drain runs, hence until after every event already scheduled for that instant.
//! Source: specification of the seed simulator, section 3.

use std::collections::VecDeque;

use super::fabric::{NodeIdx, PortIdx};
use super::network::{Event, Network};
use super::packet::{FlowIdx, Packet};

/// The state of one port.
#[derive(Default)]
pub(super) struct Port {
    pub(super) queue: VecDeque<Packet>,
    /// Longest queue seen, in packets.
    pub(super) peak: usize,
    drain_pending: bool,
    /// When the direction of the link that leaves here is free again.
    free_at: f64,
}

/// One packet leaving one node: a line of the trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Hop {
    /// The packet's flow.
    pub flow: FlowIdx,
    /// The packet's index within its flow.
    pub packet: usize,
    /// The node it leaves.
    pub node: NodeIdx,
    /// The port it leaves by.
    pub port: PortIdx,
    /// When it joined the queue, in seconds.
    pub enqueued_at: f64,
    /// When its first bit went on the wire, in seconds.
    pub started_at: f64,
    /// When its last bit reaches the next node, in seconds.
    pub arrives_at: f64,
}

impl Network<'_> {
    /// Appends a packet to a port's queue.
    pub(super) fn enqueue(&mut self, node: NodeIdx, port_idx: PortIdx, mut packet: Packet) {
        packet.enqueued_at = self.clock.now();
        let port = &mut self.nodes[node].ports[port_idx];
        port.queue.push_back(packet);
        port.peak = port.peak.max(port.queue.len());
        if !port.drain_pending {
            self.schedule_drain(node, port_idx, 0.0);
        }
    }

    /// Sends the head of the queue if the link is free, else schedules itself for when it is.
    pub(super) fn drain(&mut self, node: NodeIdx, port_idx: PortIdx) {
        let now = self.clock.now();
        let port = &mut self.nodes[node].ports[port_idx];
        port.drain_pending = false;
        if port.queue.is_empty() {
            return;
        }
        if port.free_at > now {
            let wait = port.free_at - now;
            return self.schedule_drain(node, port_idx, wait);
        }
        let packet = port.queue.pop_front().expect("the queue is not empty");
        self.transmit(node, port_idx, packet);
        let port = &self.nodes[node].ports[port_idx];
        if !port.queue.is_empty() {
            let wait = (port.free_at - now).max(0.0);
            self.schedule_drain(node, port_idx, wait);
        }
    }

    fn schedule_drain(&mut self, node: NodeIdx, port_idx: PortIdx, delay: f64) {
        self.nodes[node].ports[port_idx].drain_pending = true;
        self.clock.schedule(delay, Event::Drain { node, port: port_idx });
    }

    fn transmit(&mut self, node: NodeIdx, port_idx: PortIdx, packet: Packet) {
        let now = self.clock.now();
        let link_idx = self.fabric.link_idx(node, port_idx);
        let link = &self.fabric.links()[link_idx];
        let serialization = packet.bytes as f64 * 8.0 / link.rate_bps;
        let finish = now + serialization;
        let arrival = finish + link.delay_s;
        self.nodes[node].ports[port_idx].free_at = finish;
        self.link_bytes[link_idx] += packet.bytes;
        self.link_busy_s[link_idx] += serialization;
        if let Some(trace) = &mut self.trace {
            trace.push(Hop {
                flow: packet.flow,
                packet: packet.index,
                node,
                port: port_idx,
                enqueued_at: packet.enqueued_at,
                started_at: now,
                arrives_at: arrival,
            });
        }
        let next = self.fabric.neighbour(node, port_idx);
        self.clock.schedule(arrival - now, Event::Deliver { node: next, packet });
    }
}
