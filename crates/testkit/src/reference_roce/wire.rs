//! Ports: queued packets, the next packet to start, and the link.
//!
//! Models: frames before control packets, in order, before data; a frame that has not started is updated to the last
//! decision; no transmission is interrupted; a stopped port starts no data, a port without credits for the largest
//! packet of a class none of that class; serialization rounded up, propagation, loss by list.
//! Leaves out: the next data packet at a host (see `host`), data's turn (see `share`), the effect of a departure on the
//! buffer (see `switch`), the next packet at a switch with a crossbar (see `crossbar`).
//! Invariant: a port with something to start has a start or an arbitration scheduled at the earliest instant.

use std::collections::VecDeque;

use super::clock::Event;
use super::fabric::{NodeIdx, PortIdx, sent_in, wire_time};
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
    /// The frame that waits for the wire.
    pub(super) frame: Option<Packet>,
    /// Control packets.
    pub(super) control: VecDeque<Packet>,
    /// Data at a switch, with the port it came in by.
    pub(super) data: VecDeque<(Packet, PortIdx)>,
    /// Data packets started so far.
    n_data: u64,
    /// Blocks of control packets started since the last data packet.
    pub(super) control_blocks: u64,
    /// Credits of each VL, if there are any.
    pub(super) credits: Vec<u64>,
}

impl Port {
    /// A port with this number of credits in each VL.
    pub(super) fn with_credits(credits: Vec<u64>) -> Port {
        Port { credits, ..Port::default() }
    }
}

impl World<'_> {
    /// A port may have something to start, now or as soon as its wire is free.
    pub(super) fn look_at(&mut self, node: NodeIdx, port: PortIdx) {
        let at = self.clock.now().max(self.ports[node][port].free_at);
        if self.has_crossbar(node) {
            // It can be granted transfers while its wire is busy.
            self.clock.schedule(self.clock.now(), Event::Arbitration { node });
            self.clock.schedule(at, Event::Arbitration { node });
        } else {
            self.clock.schedule(at, Event::Start { node, port });
        }
    }

    /// By port: bytes that have chosen it and have not been sent, including the rest of the packet on the wire.
    pub(super) fn waiting(&self, node: NodeIdx) -> Vec<u64> {
        let of_port = |(port, books): (PortIdx, &Port)| {
            let frame = books.frame.as_ref().map_or(0, |frame| frame.bytes);
            let queued: u64 = if self.has_crossbar(node) {
                self.crossbars[node].waiting(port)
            } else {
                let data = books.data.iter().map(|(packet, _)| packet);
                frame + data.chain(&books.control).map(|packet| packet.bytes).sum::<u64>()
            };
            let left = books.free_at.saturating_sub(self.clock.now());
            queued + sent_in(left, self.scene.fabric.link(node, port).rate)
        };
        self.ports[node].iter().enumerate().map(of_port).collect()
    }

    /// Starts the first packet in order of precedence, if the wire is free.
    pub(super) fn start(&mut self, node: NodeIdx, port_idx: PortIdx) {
        let now = self.clock.now();
        let port = &self.ports[node][port_idx];
        if port.free_at > now {
            return;
        }
        let waited = port.free_at == now;
        if let Some(packet) = self.next(node, port_idx) {
            if waited {
                self.note(node, Cause::WireFree(port_idx));
            }
            self.transmit(node, port_idx, packet);
        }
    }

    /// The frame first, then control packets, unless data has the turn.
    fn next(&mut self, node: NodeIdx, port: PortIdx) -> Option<Packet> {
        let frame = self.ports[node][port].frame.take();
        if frame.is_some() {
            return frame;
        }
        if !self.data_has_turn(node, port) {
            return self.next_control(node, port).or_else(|| self.next_data(node, port));
        }
        self.next_data(node, port).or_else(|| {
            let leaves_enough = self.leaves_enough_for_data(node, port);
            leaves_enough.then(|| self.next_control(node, port)).flatten()
        })
    }

    fn next_control(&mut self, node: NodeIdx, port: PortIdx) -> Option<Packet> {
        let may_start = self.has_credits(node, port, Kind::Ack, self.scene.packets.control);
        may_start.then(|| self.ports[node][port].control.pop_front()).flatten()
    }

    fn next_data(&mut self, node: NodeIdx, port: PortIdx) -> Option<Packet> {
        let largest = self.scene.packets.mtu + self.scene.packets.header;
        if self.ports[node][port].is_stopped || !self.has_credits(node, port, Kind::Data, largest) {
            None
        } else if self.scene.fabric.is_host(node) {
            self.next_of_host(node)
        } else {
            self.next_of_switch(node, port)
        }
    }

    /// Puts a packet on the wire.
    pub(super) fn transmit(&mut self, node: NodeIdx, port_idx: PortIdx, packet: Packet) {
        let now = self.clock.now();
        let link = self.scene.fabric.link(node, port_idx);
        let finish = now + wire_time(packet.bytes, link.rate);
        let arrival = finish + link.delay;
        let is_lost = self.is_lost(node, port_idx, &packet);
        self.ports[node][port_idx].free_at = finish;
        self.count_control(node, port_idx, &packet);
        let (next, in_port) = self.scene.fabric.far_end(node, port_idx);
        let handled_at = self.handled_at(next, in_port, packet.bytes);
        self.outcome.hops.push(Hop {
            started_at: now,
            arrived_at: (!is_lost).then_some(arrival),
            handled_at: (!is_lost).then_some(handled_at),
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
            self.take_credits(node, port_idx, &packet);
            self.clock.schedule(handled_at, Event::Arrival { node: next, port: in_port, packet });
        }
    }

    /// Counts data packets, and returns whether this one is on the list of losses.
    fn is_lost(&mut self, node: NodeIdx, port: PortIdx, packet: &Packet) -> bool {
        if packet.kind != Kind::Data {
            return false;
        }
        let nth = self.ports[node][port].n_data;
        self.ports[node][port].n_data += 1;
        self.scene.losses.iter().any(|loss| (loss.node, loss.port, loss.nth) == (node, port, nth))
    }

    /// Records that a packet is lost.
    pub(super) fn drop(&mut self, node: NodeIdx, port: PortIdx, reason: DropReason, packet: Packet) {
        let at = self.clock.now();
        self.outcome.drops.push(Drop { at, node, port, reason, packet });
    }
}
