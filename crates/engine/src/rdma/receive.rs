//! Data arrives at a host.
//!
//! Models: what a receiver takes and answers, coalesced ACKs, CNPs, messages that are complete.
//! Leaves out: which answer it is; the transport knows.

use netloom_model::Rdma;
use netloom_policy::congestion::Notify;
use netloom_policy::transport::{Answer, Psn, Receipt};

use super::message::Incoming;
use super::pair::ReceivePair;
use crate::desk::{Desk, Report};
use crate::node::Node;
use crate::packet::{Address, Packet, PacketKind};
use crate::round::Round;

/// The answers to one data packet, in order.
#[derive(Debug, Clone, Copy, Default)]
struct Answers {
    cnp: bool,
    answer: Option<PacketKind>,
    /// Position expected next.
    expected: u64,
    flags: u32,
    to: u32,
    far: u32,
}

impl Node {
    /// A data packet of a queue pair arrives.
    pub fn receive_on_pair(&mut self, now: u64, packet: &Packet, desk: &mut Desk, round: &Round) {
        self.serve(now, desk, round);
        let rdma = round.model.transport.rdma().expect("queue pairs have such a transport");
        let slot = round.flows[packet.flow as usize].receive_slot;
        let nic = self.nic_mut().expect("the host has queue pairs");
        let pair = nic.receives.get_mut(packet.slot);
        let psn = Psn::from_bits(packet.sequence);
        let position = psn.position(pair.receiver.expected(), rdma.first_psn);
        let receipt = pair.receiver.receive(position);
        if receipt.is_new && packet.has(Packet::LAST) {
            pair.ends.push((position + 1, packet.flow));
        }
        let notify = nic.controllers[0].notify();
        let interval = nic.controllers[0].cnp_interval().0;
        let answers = pair.answers(now, packet, receipt, rdma, (notify, interval));
        let incoming = nic.incoming.get_mut(slot);
        incoming.take(packet, receipt, rdma);
        incoming.balance += i64::from(answers.cnp) + i64::from(answers.answer.is_some());
        incoming.tally.nacks += u32::from(answers.answer == Some(PacketKind::Nack));
        let is_whole = incoming.missing == 0 && receipt.is_new;
        let in_any_order = pair.receiver.completes_in_any_order();
        self.send_answers(now, packet, answers, desk, round);
        if in_any_order {
            self.nic_mut().expect("seen above").receives.get_mut(packet.slot).forget_ended();
            if is_whole {
                self.pair_message_arrived(now, packet.flow, desk, round);
            }
        } else if receipt.is_new {
            self.complete_in_order(now, packet.slot, desk, round);
        }
    }

    fn complete_in_order(&mut self, now: u64, slot: u32, desk: &mut Desk, round: &Round) {
        while let Some(flow) = self.nic_mut().and_then(|nic| nic.receives.get_mut(slot).take_ended()) {
            self.pair_message_arrived(now, flow, desk, round);
        }
    }

    fn pair_message_arrived(&mut self, now: u64, flow: u32, desk: &mut Desk, round: &Round) {
        let slot = round.flows[flow as usize].receive_slot;
        let nic = self.nic_mut().expect("the host has queue pairs");
        let Incoming { packets, hops, tally, .. } = *nic.incoming.get_mut(slot);
        desk.reports.push(Report::Arrived { flow, at: now, packets, hops, tally });
        self.tell_actor(now, flow, desk, round);
    }

    fn send_answers(&mut self, now: u64, packet: &Packet, answers: Answers, desk: &mut Desk, round: &Round) {
        let rdma = round.model.transport.rdma().expect("queue pairs have such a transport");
        let own = self.ports.len() as u32;
        let to = Address { host: answers.to, slot: answers.far };
        let expected = Psn::of(answers.expected, rdma.first_psn).bits();
        let mut send = |kind, flags| {
            let (bytes, class) = (rdma.control.0 as u32, round.model.classes.control);
            let answer = packet.answer(kind, to, bytes, class);
            let answer = answer.expecting(expected).with(flags);
            self.forward::<false>(now, own, &answer, desk, round);
        };
        if answers.cnp {
            send(PacketKind::Cnp, 0);
        }
        if let Some(kind) = answers.answer {
            send(kind, answers.flags);
        }
    }
}

impl Incoming {
    /// One more packet has come.
    #[inline]
    fn take(&mut self, packet: &Packet, receipt: Receipt, rdma: &Rdma) {
        self.balance -= 1;
        if receipt.is_new {
            self.missing -= u64::from(packet.bytes) - rdma.header.0;
            self.packets += 1;
            self.hops += u64::from(packet.hops());
        }
        self.tally.again += u32::from(packet.has(Packet::AGAIN));
        self.tally.duplicates += u32::from(receipt.is_duplicate);
        self.tally.marked += u32::from(packet.has(Packet::MARKED));
        self.tally.distance = self.tally.distance.max(receipt.distance.min(u64::from(u32::MAX)) as u32);
    }
}

impl ReceivePair {
    #[inline]
    fn answers(
        &mut self,
        now: u64,
        packet: &Packet,
        receipt: Receipt,
        rdma: &Rdma,
        (notify, interval): (Option<Notify>, u64),
    ) -> Answers {
        let is_marked = packet.has(Packet::MARKED);
        self.unanswered += u32::from(receipt.is_new);
        let answer = match receipt.answer {
            Answer::Nothing => None,
            Answer::Refuse => Some(PacketKind::Nack),
            Answer::AcknowledgeNow => Some(PacketKind::Acknowledgement),
            Answer::Acknowledge => {
                let may_wait = self.unanswered < rdma.coalesce && !self.has_ended() && !is_marked;
                (!may_wait).then_some(PacketKind::Acknowledgement)
            }
        };
        if answer.is_some() {
            self.unanswered = 0;
        }
        let cnp = is_marked && notify == Some(Notify::Packet) && self.is_cnp_due(now, interval);
        let echo = is_marked && notify == Some(Notify::Acknowledgement);
        Answers {
            cnp,
            answer,
            expected: self.receiver.expected(),
            flags: if echo { Packet::ECHO } else { 0 },
            to: self.source,
            far: self.far,
        }
    }

    /// Whether a CNP may leave; if so, it does.
    fn is_cnp_due(&mut self, now: u64, interval: u64) -> bool {
        let is_due = self.last_cnp == 0 || now >= self.last_cnp - 1 + interval;
        if is_due {
            self.last_cnp = now + 1;
        }
        is_due
    }
}
