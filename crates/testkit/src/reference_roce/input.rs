//! Input buffers: when a packet is ready in them, its egress, and which packet is next.
//!
//! Models: store-and-forward and cut-through, the latency of a switch, one queue for each ingress and VL or for each
//! ingress, VL and egress.
//! Leaves out: the conditions for leaving (see `crossbar`).
//! Invariants: a buffer never holds more than the initial credits of its VL; packets of an ingress are in the order of
//! arrival.

use super::account::blocks;
use super::crossbar::Crossbar;
use super::fabric::{NodeIdx, PortIdx, wire_time};
use super::outcome::Transfer;
use super::packet::Packet;
use super::scene::{Forwarding, Lane, Order};
use super::world::World;

/// A packet in an input buffer that has not been granted.
#[derive(Debug)]
pub(super) struct BufferedPacket {
    pub(super) packet: Packet,
    /// The egress it has chosen.
    pub(super) egress: PortIdx,
    /// Since when it is ready.
    pub(super) buffered_at: u64,
    /// When its last bit has arrived, which may be later than now.
    pub(super) whole_at: u64,
}

impl World<'_> {
    /// Bytes of a packet that must have arrived before a node may handle it.
    fn needed(&self, node: NodeIdx, ingress: PortIdx, bytes: u64) -> u64 {
        match self.scene.credits.as_ref().map(|credits| credits.forwarding) {
            Some(Forwarding::CutThrough { header }) if self.keeps_up(node, ingress) => header.min(bytes),
            _ => bytes,
        }
    }

    /// Whether the link of an ingress of a switch is as fast as every link that leaves it.
    fn keeps_up(&self, node: NodeIdx, ingress: PortIdx) -> bool {
        let fabric = &self.scene.fabric;
        let rate = |port| fabric.link(node, port).rate;
        !fabric.is_host(node) && (0..fabric.n_ports(node)).all(|port| rate(port) <= rate(ingress))
    }

    /// When a node may handle a packet whose transmission towards it starts now.
    pub(super) fn handled_at(&self, node: NodeIdx, ingress: PortIdx, bytes: u64) -> u64 {
        let link = self.scene.fabric.link(node, ingress);
        let latency = match &self.scene.credits {
            Some(credits) if !self.scene.fabric.is_host(node) => credits.latency,
            _ => 0,
        };
        let needed = wire_time(self.needed(node, ingress, bytes), link.rate);
        self.clock.now() + needed + link.delay + latency
    }

    /// A packet is ready in the buffer of an ingress.
    pub(super) fn buffer(&mut self, node: NodeIdx, ingress: PortIdx, packet: Packet) {
        let egress = self.choose(node, ingress, &packet);
        let credits = self.scene.credits.as_ref().expect("only switches with credits have input buffers");
        let lane = credits.lane(packet.kind);
        let to_come = packet.bytes - self.needed(node, ingress, packet.bytes);
        let buffered_at = self.clock.now();
        let whole_at = buffered_at + wire_time(to_come, self.scene.fabric.link(node, ingress).rate);
        let crossbar = &mut self.crossbars[node];
        crossbar.inputs[ingress][lane].push_back(BufferedPacket { packet, egress, buffered_at, whole_at });
        assert!(
            crossbar.held(ingress, lane) <= credits.initial(),
            "an input buffer of node {node} overflows"
        );
        self.look_at(node, egress);
    }
}

impl Crossbar {
    /// Blocks in the buffer of an ingress, those of granted packets that have not left included.
    fn held(&self, ingress: PortIdx, lane: Lane) -> u64 {
        let here = |transfer: &&Transfer| (transfer.ingress, transfer.lane) == (ingress, lane);
        let granted = self.transfers.iter().filter(here).map(|transfer| transfer.bytes);
        let buffered = self.inputs[ingress][lane].iter().map(|buffered| buffered.packet.bytes);
        buffered.chain(granted).map(blocks).sum()
    }

    /// The index of the packet that may leave an ingress for an egress next, if there is one.
    pub(super) fn head(&self, order: Order, ingress: PortIdx, lane: Lane, egress: PortIdx) -> Option<usize> {
        let mut queue = self.inputs[ingress][lane].iter();
        let first = queue.position(|buffered| order == Order::Fifo || buffered.egress == egress)?;
        (self.inputs[ingress][lane][first].egress == egress).then_some(first)
    }

    /// Bytes buffered at this switch that have chosen an egress.
    pub(super) fn chosen_bytes(&self, egress: PortIdx) -> u64 {
        let buffered = self.inputs.iter().flatten().flatten().filter(|buffered| buffered.egress == egress);
        buffered.map(|buffered| buffered.packet.bytes).sum()
    }
}
