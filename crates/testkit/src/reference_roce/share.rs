//! Shares of a NIC's wire, where control packets and data travel in one virtual lane.
//!
//! Models: control packets that have taken as many blocks as a full data packet give data the turn, until a data packet
//! starts; the credits that a control packet must leave meanwhile.
//! Leaves out: the next data packet (see `host`), credits themselves (see `account`).
//! Invariant: this applies neither at switches, nor where classes have VLs of their own.

use super::account::blocks;
use super::fabric::{NodeIdx, PortIdx};
use super::packet::{Kind, Packet};
use super::world::World;

impl World<'_> {
    /// Blocks of a full data packet.
    fn full_blocks(&self) -> u64 {
        blocks(self.scene.packets.mtu + self.scene.packets.header)
    }

    /// Whether data goes first at a port.
    pub(super) fn data_has_turn(&self, node: NodeIdx, port: PortIdx) -> bool {
        let Some(credits) = &self.scene.credits else { return false };
        let has_one_lane = credits.data_lane == credits.control_lane && self.scene.fabric.is_host(node);
        has_one_lane && self.ports[node][port].control_blocks >= self.full_blocks()
    }

    /// Whether a control packet may start in data's turn: a full data packet could still start behind it, or all
    /// credits have returned.
    pub(super) fn leaves_enough_for_data(&self, node: NodeIdx, port: PortIdx) -> bool {
        let credits = self.scene.credits.as_ref().expect("data has a turn only with credits");
        let there = self.ports[node][port].credits[credits.control_lane];
        there >= self.full_blocks() + blocks(self.scene.packets.control) || there == credits.initial()
    }

    /// A packet starts.
    pub(super) fn count_control(&mut self, node: NodeIdx, port: PortIdx, packet: &Packet) {
        let counted = &mut self.ports[node][port].control_blocks;
        match packet.kind {
            Kind::Data => *counted = 0,
            _ => *counted += blocks(packet.bytes),
        }
    }
}
