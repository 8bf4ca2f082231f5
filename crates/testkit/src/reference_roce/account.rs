//! Credits: the sender's count of the room at the other end of its link.
//!
//! Models: a counter of blocks for each direction and VL; blocks are consumed when a transmission starts and returned
//! when the packet has left the buffer, with one link delay.
//! Leaves out: the wire time of credits.
//! Invariants: a counter is never below zero nor above its initial value; without credits everything may start.

use super::clock::Event;
use super::fabric::{NodeIdx, PortIdx};
use super::packet::{Kind, Packet};
use super::scene::{Credits, Lane, Scene};
use super::world::World;

/// Bytes that a credit stands for.
const BLOCK: u64 = 64;

impl Credits {
    /// VLs in use, and those with lower numbers.
    pub(super) fn n_lanes(&self) -> usize {
        1 + self.data_lane.max(self.control_lane)
    }

    /// The VL of a packet.
    pub(super) fn lane(&self, kind: Kind) -> Lane {
        if kind.is_control() { self.control_lane } else { self.data_lane }
    }

    /// Initial credits of every VL.
    pub(super) fn initial(&self) -> u64 {
        self.buffer / BLOCK
    }
}

/// Credits that a packet takes.
pub(super) fn blocks(bytes: u64) -> u64 {
    bytes.div_ceil(BLOCK)
}

/// The initial credits of every port, by VL.
pub(super) fn at_first(scene: &Scene) -> Vec<u64> {
    scene.credits.as_ref().map_or_else(Vec::new, |credits| vec![credits.initial(); credits.n_lanes()])
}

impl World<'_> {
    /// Whether a port has credits for a packet of this kind and size.
    pub(super) fn has_credits(&self, node: NodeIdx, port: PortIdx, kind: Kind, bytes: u64) -> bool {
        let Some(credits) = &self.scene.credits else { return true };
        self.ports[node][port].credits[credits.lane(kind)] >= blocks(bytes)
    }

    /// A transmission starts, and its packet will arrive.
    pub(super) fn take_credits(&mut self, node: NodeIdx, port: PortIdx, packet: &Packet) {
        if let Some(credits) = &self.scene.credits {
            let account = &mut self.ports[node][port].credits[credits.lane(packet.kind)];
            *account = account.checked_sub(blocks(packet.bytes)).expect("nothing starts without credits");
        }
    }

    /// Bytes have left the buffer behind a port: their credits return to its sender.
    pub(super) fn give_back(&mut self, node: NodeIdx, ingress: PortIdx, lane: Lane, bytes: u64) {
        let delay = self.scene.fabric.link(node, ingress).delay.max(1);
        let (sender, port) = self.scene.fabric.far_end(node, ingress);
        let event = Event::Credit { node: sender, port, lane, blocks: blocks(bytes) };
        self.clock.schedule(self.clock.now() + delay, event);
    }

    /// Credits arrive at the sender.
    pub(super) fn take_back(&mut self, node: NodeIdx, port: PortIdx, lane: Lane, blocks: u64) {
        let initial = self
            .scene
            .credits
            .as_ref()
            .expect("credits are returned only if the scene has credits")
            .initial();
        let account = &mut self.ports[node][port].credits[lane];
        *account += blocks;
        assert!(*account <= initial, "port {port} of node {node} has more credits than initially");
        self.look_at(node, port);
    }

    /// Whether all counters have their initial values.
    pub(super) fn has_all_credits(&self) -> bool {
        self.ports.iter().flatten().all(|port| port.credits == at_first(self.scene))
    }
}
