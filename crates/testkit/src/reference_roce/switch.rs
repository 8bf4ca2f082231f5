//! A switch without credits: egress ports, buffer space, marks and pause frames.
//!
//! Models: output queues behind one shared buffer; handling takes no time.
//! Leaves out: the choice of the port (made by the caller), switches with a crossbar (see `crossbar`).
//! Invariant: a frame is decided together with the packet that caused it, at the same instant.

use super::buffer::Verdict;
use super::fabric::{NodeIdx, PortIdx};
use super::outcome::{DropReason, Mark, Pause};
use super::packet::{Kind, Packet};
use super::scene::{Decision, MarkAt};
use super::world::World;

impl World<'_> {
    /// A data or control packet reaches a switch.
    pub(super) fn forward(&mut self, node: NodeIdx, ingress: PortIdx, packet: Packet) {
        let egress = self.choose(node, ingress, &packet);
        if packet.kind == Kind::Data {
            self.enqueue(node, ingress, egress, packet);
        } else {
            self.ports[node][egress].control.push_back(packet);
        }
        self.look_at(node, egress);
    }

    /// Requests the port by which a packet is to leave.
    pub(super) fn choose(&mut self, node: NodeIdx, ingress: PortIdx, packet: &Packet) -> PortIdx {
        let waiting = self.waiting(node);
        self.paths.port(&Decision { node, ingress, packet, waiting: &waiting })
    }

    fn enqueue(&mut self, node: NodeIdx, ingress: PortIdx, egress: PortIdx, mut packet: Packet) {
        match self.buffers[node].arrives(ingress, egress, packet.bytes) {
            Verdict::Dropped => return self.drop(node, egress, DropReason::Buffer, packet),
            Verdict::Taken => {}
            Verdict::TakenAndStop => self.pause(node, ingress, true),
        }
        self.mark(node, egress, MarkAt::Enqueue, &mut packet);
        self.ports[node][egress].data.push_back((packet, ingress));
    }

    /// The data packet that starts now at a port that is neither busy nor stopped.
    pub(super) fn next_of_switch(&mut self, node: NodeIdx, egress: PortIdx) -> Option<Packet> {
        let (mut packet, ingress) = self.ports[node][egress].data.pop_front()?;
        self.mark(node, egress, MarkAt::Dequeue, &mut packet);
        if self.buffers[node].leaves(ingress, egress, packet.bytes) {
            self.pause(node, ingress, false);
        }
        Some(packet)
    }

    /// Sends XOFF or XON out on a port.
    fn pause(&mut self, node: NodeIdx, port: PortIdx, stop: bool) {
        let kind = if stop { Kind::Xoff } else { Kind::Xon };
        let (neighbour, _) = self.scene.fabric.far_end(node, port);
        // In place of one that has not started, if there is one.
        self.ports[node][port].frame = Some(Packet::frame(kind, node, neighbour));
        self.outcome.pauses.push(Pause { at: self.clock.now(), node, port, stop });
        self.look_at(node, port);
    }

    /// Marks a packet by the bytes queued at the port now: those before it on joining, those behind it on leaving.
    fn mark(&mut self, node: NodeIdx, egress: PortIdx, at: MarkAt, packet: &mut Packet) {
        let Some(marking) = self.scene.switches.marking.as_ref().filter(|marking| marking.at == at) else {
            return;
        };
        let waiting: u64 = self.ports[node][egress].data.iter().map(|(other, _)| other.bytes).sum();
        let is_marked = if waiting <= marking.minimum {
            false
        } else if waiting > marking.maximum {
            true
        } else {
            let share = (waiting - marking.minimum) as f64 / (marking.maximum - marking.minimum) as f64;
            self.paths.draw(node, egress) < marking.probability * share
        };
        if is_marked {
            packet.marked = true;
            self.outcome.marks.push(Mark { at: self.clock.now(), node, port: egress });
        }
    }
}
