//! A host: messages posted, data received and answered, answers received, timers, and the next packet to send.
//!
//! Models: all events of queue pairs, at both of their ends.
//! Leaves out: work that reacts to messages; congestion control (see `congestion`).
//! Invariants: a host sends by its port 0; after every event at a queue pair `refresh` checks whether it has something
//! to send; a timeout runs exactly while a packet that was sent is not acknowledged.

use super::clock::{Event, Slot};
use super::dcqcn::Reaction;
use super::fabric::{NodeIdx, wire_time};
use super::nic::Qp;
use super::outcome::Cause;
use super::packet::{Kind, Packet, QpIdx, psn};
use super::scene::{Congestion, MessageIdx, Notify, QueuePairs, Recovery};
use super::sender::Sender;
use super::world::World;

impl World<'_> {
    pub(super) fn qp(&mut self, node: NodeIdx, slot: Slot) -> &mut Qp {
        &mut self.nics[node].qps[slot]
    }

    fn line_rate(&self, node: NodeIdx) -> u64 {
        self.scene.fabric.link(node, 0).rate
    }

    /// There was an event at a queue pair.
    fn refresh(&mut self, node: NodeIdx, slot: Slot) {
        let now = self.clock.now();
        self.qp(node, slot).look_again(now);
        self.look_at(node, 0);
    }

    /// A message is split into packets, which join their queue pair.
    pub(super) fn post(&mut self, node: NodeIdx, message_idx: MessageIdx) {
        self.note(node, Cause::Post(message_idx));
        let slot = self.slot_of_message(node, message_idx);
        let sizes = self.scene.packets.clone();
        let bytes = self.scene.messages[message_idx].bytes;
        let n_packets = bytes.div_ceil(sizes.mtu);
        let qp = self.qp(node, slot);
        for index in 0..n_packets {
            let payload = sizes.mtu.min(bytes - index * sizes.mtu);
            qp.sender.post(payload + sizes.header);
            qp.parts.push((message_idx, index + 1 == n_packets));
        }
        self.refresh(node, slot);
    }

    /// The queue pair of a message, created now if there is none.
    fn slot_of_message(&mut self, node: NodeIdx, message_idx: MessageIdx) -> Slot {
        let message = &self.scene.messages[message_idx];
        let shares = self.scene.transport.queue_pairs == QueuePairs::PerPair;
        let mut made = self.nics[node].qps.iter();
        if let Some(slot) = made.position(|qp| shares && qp.to == message.to) {
            return slot;
        }
        let line = self.line_rate(node);
        let reaction = match &self.scene.congestion {
            Congestion::None => None,
            Congestion::Dcqcn(settings) => Some(Reaction::new(settings, line)),
        };
        let sender = Sender::new(self.scene.transport.recovery);
        let qps = &mut self.nics[node].qps;
        qps.push(Qp::new(message_idx, message.to, message.first_psn, sender, reaction));
        qps.len() - 1
    }

    /// A packet reaches its destination host.
    pub(super) fn consume(&mut self, node: NodeIdx, packet: &Packet) {
        assert_eq!(packet.destination, node, "a packet reached the wrong host: {packet:?}");
        if packet.kind == Kind::Data {
            self.take_data(node, packet);
        } else {
            self.take_response(node, packet);
        }
    }

    /// Receives a data packet, and answers it: a CNP first, then an ACK or NACK.
    fn take_data(&mut self, node: NodeIdx, data: &Packet) {
        let now = self.clock.now();
        let transport = &self.scene.transport;
        let qp = data.qp.expect("data has a queue pair");
        let receiver = self.nics[node].receivers.entry(qp).or_default();
        let owes_cnp = data.marked && receiver.owes_cnp(transport.notify, now);
        let reply = receiver.data(transport, data.position, data.last, data.marked);
        let expected = receiver.expected();
        if owes_cnp {
            self.response(node, data, Kind::Cnp, expected, None, false);
        }
        if let Some(reply) = reply {
            let echo = data.marked && self.scene.transport.notify == Notify::Acknowledgement;
            self.response(node, data, reply.kind, reply.expected, reply.names, echo);
        }
        self.see_messages_arrive(node, qp, data.source);
    }

    /// Queues a control packet to the sender of a data packet.
    fn response(
        &mut self,
        node: NodeIdx,
        data: &Packet,
        kind: Kind,
        position: u64,
        names: Option<u64>,
        marked: bool,
    ) {
        let first_psn = self.scene.messages[data.qp.expect("data has a queue pair")].first_psn;
        let packet = Packet {
            kind,
            source: node,
            destination: data.source,
            message: None,
            position,
            psn: psn(first_psn, position),
            names,
            bytes: self.scene.packets.control,
            marked,
            again: false,
            last: false,
            ..data.clone()
        };
        self.ports[node][0].control.push_back(packet);
        self.look_at(node, 0);
    }

    /// Records the messages of a queue pair that have arrived by now.
    fn see_messages_arrive(&mut self, node: NodeIdx, number: QpIdx, from: NodeIdx) {
        let now = self.clock.now();
        let receiver = &self.nics[node].receivers[&number];
        let qp = &self.nics[from].qps[self.nics[from].slot(number)];
        let is_ideal = self.scene.transport.recovery == Recovery::Ideal;
        for (end, &(message, last)) in (1..).zip(&qp.parts) {
            let fate = &mut self.outcome.messages[message];
            if !last || fate.arrived_at.is_some() {
                continue;
            }
            let mut own = (0..end).filter(|&position: &u64| qp.parts[position as usize].0 == message);
            let is_there = if is_ideal {
                own.all(|position| receiver.has(position))
            } else {
                receiver.has_all_below(end)
            };
            fate.arrived_at = is_there.then_some(now);
        }
    }

    /// Receives a control packet.
    fn take_response(&mut self, node: NodeIdx, packet: &Packet) {
        let slot = self.nics[node].slot(packet.qp.expect("an answer has a queue pair"));
        self.feed_congestion_control(node, slot, packet);
        let sender = &mut self.qp(node, slot).sender;
        let moved = match packet.kind {
            Kind::Ack => sender.acknowledged(packet.position, packet.names),
            Kind::Nack => sender.missing(packet.position, packet.names),
            _ => false,
        };
        if moved {
            self.qp(node, slot).timeout_at = None;
            self.keep_timeout(node, slot);
            self.see_messages_acknowledged(node, slot);
        }
        self.refresh(node, slot);
    }

    fn see_messages_acknowledged(&mut self, node: NodeIdx, slot: Slot) {
        let now = self.clock.now();
        let qp = &self.nics[node].qps[slot];
        for &(message, last) in &qp.parts[..qp.sender.una() as usize] {
            if last {
                self.outcome.messages[message].acknowledged_at.get_or_insert(now);
            }
        }
    }

    /// Starts the timeout if it has to run and does not.
    fn keep_timeout(&mut self, node: NodeIdx, slot: Slot) {
        let (now, timeout) = (self.clock.now(), self.scene.transport.timeout);
        let qp = self.qp(node, slot);
        if qp.timeout_at.is_none() && qp.sender.is_waiting() {
            let at = now + qp.sender.timeout(timeout);
            qp.timeout_at = Some(at);
            self.clock.schedule(at, Event::Timeout { node, slot });
        }
    }

    /// The timeout of a queue pair expires, if it is still the current one.
    pub(super) fn time_out(&mut self, node: NodeIdx, slot: Slot) {
        let now = self.clock.now();
        let qp = self.qp(node, slot);
        if qp.timeout_at != Some(now) {
            return;
        }
        qp.sender.timed_out();
        qp.timeout_at = None;
        let (message, _) = qp.parts[qp.sender.una() as usize];
        self.outcome.messages[message].timeouts += 1;
        self.note(node, Cause::Timeout(slot));
        self.keep_timeout(node, slot);
        self.refresh(node, slot);
    }

    /// The data packet that starts now at a host whose wire is neither busy nor stopped.
    pub(super) fn next_of_host(&mut self, node: NodeIdx) -> Option<Packet> {
        let now = self.clock.now();
        let (ready_at, slot) = self.nics[node].first_ready()?;
        if ready_at > now {
            self.clock.schedule(ready_at, Event::Start { node, port: 0 });
            return None;
        }
        let line = self.line_rate(node);
        let qp = self.qp(node, slot);
        let position = qp.sender.candidate().expect("a ready queue pair has something to send");
        if qp.paced_until == now && self.ports[node][0].free_at != now {
            self.note(node, Cause::Pace(slot));
        }
        let qp = self.qp(node, slot);
        let again = qp.sender.sent(position);
        let bytes = qp.sender.size(position);
        qp.paced_until = now + wire_time(bytes, qp.reaction.as_ref().map_or(line, Reaction::rate));
        let packet = qp.data(node, position, again);
        qp.look_again(now);
        self.keep_timeout(node, slot);
        Some(packet)
    }
}
