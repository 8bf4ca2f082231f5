//! The NIC puts packets on the wire.
//!
//! Models: one packet at a time; control packets first, then the queue pair that has been ready longest; pace; timeouts.
//! Leaves out: what a queue pair sends next, which its transport knows.
//!
//! Starts happen when somebody looks, like those of a lazy port: whoever acts on the host at an instant first lets all
//! starts before it happen.

use std::cmp::Reverse;

use netloom_model::Rdma;
use netloom_policy::transport::{Psn, Turn};
use netloom_records::DropReason;
use netloom_units::{Bytes, Time};

use super::nic::Nic;
use super::pair::{Posted, SendPair};
use crate::desk::{Desk, TimerKind};
use crate::flow::Flow;
use crate::host::entropy;
use crate::node::{Node, push, settle, transmit};
use crate::packet::{Address, InFlight, Packet};
use crate::port::Egress;
use crate::round::Round;

impl Node {
    /// Lets every start of a data packet before `until` happen; the next one, `u64::MAX` for none.
    #[inline(never)]
    pub fn serve(&mut self, until: u64, desk: &mut Desk, round: &Round) -> u64 {
        let mut next = u64::MAX;
        for port in 0..self.ports.len() {
            next = next.min(self.serve_port(port, until, desk, round));
        }
        next
    }

    /// In a partition of several nodes others may hear of a packet within the window, so starts must be events: sets timers
    /// for the next ones.
    pub fn expect_serve(&mut self, desk: &mut Desk, round: &Round) {
        for port in 0..self.ports.len() {
            let Some(nic) = self.nic_mut() else { return };
            let Some(&Reverse((ready, ..))) = nic.ready[port].peek() else { continue };
            let egress = &mut self.ports[port];
            let start = ready.max(egress.free_at());
            if !egress.is_paused(round.model.classes.data) && egress.is_timer_needed(start) {
                desk.set_timer(start, self.place, TimerKind::Start { port: port as u32 });
            }
        }
    }

    #[inline]
    fn serve_port(&mut self, port: usize, until: u64, desk: &mut Desk, round: &Round) -> u64 {
        loop {
            let Some(nic) = self.nic_mut() else { return u64::MAX };
            let Some(&Reverse((ready, number, place))) = nic.ready[port].peek() else {
                settle(&mut self.ports[port], until, desk, round);
                return u64::MAX;
            };
            let start = ready.max(self.ports[port].free_at());
            let is_paused = self.ports[port].is_paused(round.model.classes.data);
            if is_paused || start >= until {
                settle(&mut self.ports[port], until, desk, round);
                return if is_paused { u64::MAX } else { ready.max(self.ports[port].free_at()) };
            }
            // Control packets that wait go first.
            if self.ports[port].has_start_before(start + 1) {
                settle(&mut self.ports[port], start + 1, desk, round);
                continue;
            }
            self.serve_pair(port, start, (number, place), desk, round);
        }
    }

    /// The first queue pair in line sends a packet at `start`.
    #[inline]
    fn serve_pair(
        &mut self,
        port: usize,
        start: u64,
        (number, place): (u32, u32),
        desk: &mut Desk,
        round: &Round,
    ) {
        let node = self.place;
        let id = self.id.0;
        let nic =
            self.host.as_deref_mut().and_then(|host| host.nic.as_deref_mut()).expect("it has ready pairs");
        let Nic { sends, outgoing, controllers, ready, .. } = nic;
        let pair = sends.get_mut(place);
        let rdma = round.model.transport.rdma().expect("queue pairs have such a transport");
        let turn = pair.sender.take();
        let message = pair.message_at(turn.position);
        let packet = packet_at(pair, turn, message, rdma, round);
        outgoing.get_mut(message.slot).balance += 1;
        let rate = controllers[port].rate(&mut pair.rate, Time(start));
        controllers[port].on_sent(&mut pair.rate, Bytes(u64::from(packet.bytes)));
        pair.next_at = start + rate.serialization(Bytes(u64::from(packet.bytes))).0;
        if pair.deadline == u64::MAX {
            pair.restart(start, rdma);
            arm(pair, node, place, desk);
        }
        if pair.sender.has_work() {
            let mut first = ready[port].peek_mut().expect("it was seen");
            *first = Reverse((pair.next_at, number, place));
        } else {
            pair.is_queued = false;
            ready[port].pop();
        }
        desk.packets += 1;
        let egress = &mut self.ports[port];
        if egress.is_up() {
            launch(egress, start, packet, desk, round);
        } else {
            desk.dropped(start, id, Some(port as u32), DropReason::LinkDown, &packet);
        }
    }

    /// A timer of a queue pair has come; tells whether it meant anything.
    pub fn timeout(&mut self, now: u64, place: u32, number: u32, desk: &mut Desk, round: &Round) -> bool {
        let node = self.place;
        let rdma = round.model.transport.rdma().expect("only queue pairs set such timers");
        let late = |pair: &SendPair| pair.number == Some(number) && pair.deadline <= now;
        let nic = self.nic_mut().expect("only NICs set such timers");
        let pair = nic.sends.get_mut(place);
        if pair.number != Some(number) || pair.timer != now {
            return false;
        }
        pair.timer = u64::MAX;
        if pair.deadline != u64::MAX && pair.deadline > now {
            arm(pair, node, place, desk);
        }
        if !late(pair) {
            return false;
        }
        self.serve(now, desk, round);
        let nic = self.nic_mut().expect("seen above");
        let pair = nic.sends.get_mut(place);
        pair.n_timeouts += 1;
        if pair.n_timeouts > rdma.retries {
            pair.deadline = u64::MAX;
            return true;
        }
        pair.sender.timeout();
        pair.restart(now, rdma);
        arm(pair, node, place, desk);
        nic.stir(now, place);
        true
    }

    /// The NIC, at a host that has queue pairs.
    #[inline(always)]
    pub(super) fn nic_mut(&mut self) -> Option<&mut Nic> {
        self.host.as_deref_mut()?.nic.as_deref_mut()
    }

    /// A message is handed to its queue pair.
    pub fn post(&mut self, now: u64, place: u32, number: u32, desk: &mut Desk, round: &Round) {
        // What was posted before must not be seen to end later than it did.
        self.serve(now, desk, round);
        let Flow { message, source, send_slot, send_pair, .. } = round.flows[place as usize];
        let (n_packets, last) = round.model.transport.cut(message.size);
        let nic = self.nic_mut().expect("messages on queue pairs need a NIC");
        if nic.sends.get_mut(send_pair).number.is_none() {
            let entropy = entropy(round.model, source.0, message.to.0, number, now);
            self.open(now, send_pair, entropy, desk, round);
        }
        let nic = self.nic_mut().expect("seen above");
        let pair = nic.sends.get_mut(send_pair);
        let end = pair.sender.course().end + n_packets;
        let last_bytes = last.0 as u32;
        pair.posted.push_back(Posted { flow: place, slot: send_slot, end, last_bytes });
        pair.sender.post(n_packets);
        nic.stir(now, send_pair);
    }

    /// A queue pair is about to send for the first time: it gets its number, its path and its port.
    fn open(&mut self, now: u64, place: u32, entropy: u32, desk: &mut Desk, round: &Round) {
        let destination = self.nic_mut().expect("seen by the caller").sends.get_mut(place).destination;
        let to = Address { host: destination, slot: 0 };
        let first = Packet::data(to, 0, 0, entropy, round.model.transport.packet.0 as u32, 0);
        let port = self.port_towards(now, &first, desk, round);
        let nic = self.nic_mut().expect("seen by the caller");
        let pair = nic.sends.get_mut(place);
        (pair.number, pair.port, pair.entropy) = (Some(nic.n_pairs), port, entropy);
        pair.rate = nic.controllers[port as usize].start();
        nic.n_pairs += 1;
    }
}

/// The packet at a position.
#[inline(always)]
fn packet_at(pair: &SendPair, turn: Turn, message: Posted, rdma: &Rdma, round: &Round) -> Packet {
    let is_last = turn.position + 1 == message.end;
    let bytes = if is_last { message.last_bytes } else { round.model.transport.packet.0 as u32 };
    let to = Address { host: pair.destination, slot: pair.far };
    let psn = Psn::of(turn.position, rdma.first_psn).bits();
    let class = round.model.classes.data;
    let flags = if turn.is_again { Packet::AGAIN } else { 0 } | if is_last { Packet::LAST } else { 0 };
    Packet::data(to, message.flow, psn, pair.entropy, bytes, class).with(flags)
}

/// Puts a packet on the wire of a NIC port that is free at `start`.
#[inline(always)]
fn launch(egress: &mut Egress, start: u64, packet: Packet, desk: &mut Desk, round: &Round) {
    let packet = packet.onward();
    let arrival = if egress.is_plain() {
        egress.enqueue_plain(start, packet.bytes)
    } else if egress.is_computed(packet.class()) {
        egress.enqueue_computed(start, packet.bytes)
    } else {
        None
    };
    if let Some(arrival) = arrival {
        return push(egress, InFlight { arrival, packet }, desk, round);
    }
    egress.enqueue(start, &packet);
    let started = egress.take_start();
    transmit(egress, &started, desk, round);
}

impl SendPair {
    /// The time for an acknowledgement begins anew.
    pub(super) fn restart(&mut self, now: u64, rdma: &Rdma) {
        let is_few = self.sender.under_way() <= Rdma::FEW;
        self.deadline = now + if is_few { rdma.timeout_low.0 } else { rdma.timeout.0 };
    }
}

/// Sets a timer for the deadline of a queue pair, unless an earlier one will look at it.
pub(super) fn arm(pair: &mut SendPair, node: u32, place: u32, desk: &mut Desk) {
    if pair.timer > pair.deadline {
        pair.timer = pair.deadline;
        let number = pair.number.expect("it has sent");
        desk.set_timer(pair.timer, node, TimerKind::Timeout { number, pair: place });
    }
}
