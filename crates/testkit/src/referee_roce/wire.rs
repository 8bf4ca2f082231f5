//! Ports: what waits at each, what starts next, and the link it takes.
//!
//! Models: frames and control packets, in order, before data; no transmission is interrupted; a stopped port starts no data;
//! serialization rounded up, propagation, loss by list.
//! Leaves out: what data is next at a host (see `host`) and what leaving means to the buffer (see `switch`).
//! Invariant: a port with something to start has a start scheduled at the instant it can.

use std::collections::VecDeque;

use super::clock::Event;
use super::fabric::{NodeIdx, PortIdx, wire_time};
use super::outcome::{Cause, Drop, DropReason, Hop};
use super::packet::{Kind, Packet};
use super::world::World;

/// One egress port.
#[derive(Debug, Default)]
pub(super) struct Port {
    /// When the wire is free.
    pub(super) free_at: u64,
    /// Whether the neighbour has stopped data.
    pub(super) is_stopped: bool,
    /// Control packets and frames.
    pub(super) control: VecDeque<Packet>,
    /// Data at a switch, with the port it came in by.
    pub(super) data: VecDeque<(Packet, PortIdx)>,
    /// Data packets started so far.
    n_data: u64,
}

impl World<'_> {
    /// A port may have something to start, now or as soon as its wire is free.
    pub(super) fn look_at(&mut self, node: NodeIdx, port: PortIdx) {
        let at = self.clock.now().max(self.ports[node][port].free_at);
        self.clock.schedule(at, Event::Start { node, port });
    }

    /// Starts what comes first, if the wire is free.
    pub(super) fn start(&mut self, node: NodeIdx, port_idx: PortIdx) {
        let now = self.clock.now();
        let port = &mut self.ports[node][port_idx];
        if port.free_at > now {
            return;
        }
        let waited = port.free_at == now;
        let first = match port.control.pop_front() {
            None if port.is_stopped => None,
            None if self.scene.fabric.is_host(node) => self.next_of_host(node),
            None => self.next_of_switch(node, port_idx),
            frame_or_control => frame_or_control,
        };
        if let Some(packet) = first {
            if waited {
                self.note(node, Cause::WireFree(port_idx));
            }
            self.transmit(node, port_idx, packet);
        }
    }

    fn transmit(&mut self, node: NodeIdx, port_idx: PortIdx, packet: Packet) {
        let now = self.clock.now();
        let link = self.scene.fabric.link(node, port_idx);
        let finish = now + wire_time(packet.bytes, link.rate);
        let arrival = finish + link.delay;
        let is_lost = self.is_lost(node, port_idx, &packet);
        self.ports[node][port_idx].free_at = finish;
        let (next, in_port) = self.scene.fabric.far_end(node, port_idx);
        self.outcome.hops.push(Hop {
            started_at: now,
            arrived_at: (!is_lost).then_some(arrival),
            node,
            port: port_idx,
            link: self.scene.fabric.link_idx(node, port_idx),
            next,
            packet: packet.clone(),
        });
        self.look_at(node, port_idx);
        if is_lost {
            self.drop(node, port_idx, DropReason::Link, packet);
        } else {
            self.clock.schedule(arrival, Event::Arrival { node: next, port: in_port, packet });
        }
    }

    /// Counts data packets, and says whether this one is on the list of losses.
    fn is_lost(&mut self, node: NodeIdx, port: PortIdx, packet: &Packet) -> bool {
        if packet.kind != Kind::Data {
            return false;
        }
        let nth = self.ports[node][port].n_data;
        self.ports[node][port].n_data += 1;
        self.scene.losses.iter().any(|loss| (loss.node, loss.port, loss.nth) == (node, port, nth))
    }

    /// Writes down that a packet is gone.
    pub(super) fn drop(&mut self, node: NodeIdx, port: PortIdx, reason: DropReason, packet: Packet) {
        let at = self.clock.now();
        self.outcome.drops.push(Drop { at, node, port, reason, packet });
    }
}
