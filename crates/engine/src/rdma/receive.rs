//! Data arrives at a host.
//!
//! Models: acceptance of data packets, the responses to them, coalesced ACKs, CNPs, completion of messages.
//! Leaves out: the choice of response, which the transport makes.

use netloom_model::Rdma;
use netloom_policy::congestion::Notify;
use netloom_policy::transport::{Psn, Receipt, Response};

use super::message::{Incoming, ReceiveCounts};
use super::pair::ReceivePair;
use crate::context::{PartitionContext, Report};
use crate::node::Node;
use crate::node::features::{BASIC, COUNTED};
use crate::packet::{Address, Packet, PacketKind};
use crate::round::Round;

/// The responses to a data packet, in the order in which they are sent.
#[derive(Debug, Clone, Copy)]
struct Responses {
    cnp: bool,
    response: Option<PacketKind>,
}

impl Node {
    /// A data packet of a queue pair arrives.
    pub fn receive_on_pair(
        &mut self,
        now: u64,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        self.serve(now, context, round);
        let rdma = round.model.transport.rdma().expect("queue pairs have such a transport");
        let slot = round.flows[packet.flow as usize].receive_slot;
        let nic = self.nic_mut().expect("the host has queue pairs");
        let pair = nic.receives.get_mut(packet.slot);
        let psn = Psn::from_bits(packet.sequence);
        let position = psn.position(pair.receiver.expected(), rdma.first_psn);
        if let Some(reordering) = &mut nic.reordering {
            reordering.take((packet.slot, position), slot, packet);
        }
        let receipt = pair.receiver.receive(position);
        if receipt.is_new && packet.has(Packet::LAST) {
            pair.ends.push((position + 1, packet.flow));
        }
        let is_marked = packet.has(Packet::MARKED);
        let response = pair.response(receipt, is_marked, rdma);
        let notify = if is_marked { nic.ports[0].controller.notify() } else { None };
        let cnp =
            notify == Some(Notify::Packet) && pair.is_cnp_due(now, nic.ports[0].controller.cnp_interval().0);
        let echo = if notify == Some(Notify::Acknowledgement) { Packet::ECHO } else { 0 };
        let incoming = nic.incoming.get_mut(slot);
        incoming.take(packet, receipt, Responses { cnp, response }, rdma);
        let expected = Psn::of(pair.receiver.expected(), rdma.first_psn).bits();
        let to = Address { host: pair.source, slot: pair.peer_slot };
        // A message cannot be complete before its last packet has arrived.
        let may_end = receipt.is_new && !pair.ends.is_empty();
        let control = |kind| {
            packet.response(kind, to, rdma.control.0 as u32, round.model.classes.control).expecting(expected)
        };
        if cnp {
            self.send_cnp(now, control(PacketKind::Cnp), context, round);
        }
        if let Some(kind) = response {
            self.response(now, &control(kind).with(echo), context, round);
        }
        if may_end {
            self.complete(now, packet, slot, context, round);
        }
    }

    #[inline(never)]
    fn send_cnp(&mut self, now: u64, packet: Packet, context: &mut PartitionContext, round: &Round) {
        self.response(now, &packet, context, round);
    }

    /// Sends a control packet.
    #[inline(always)]
    fn response(&mut self, now: u64, packet: &Packet, context: &mut PartitionContext, round: &Round) {
        let own = self.ports.len() as u32;
        if self.needs_host_slow_path {
            let mut packet = *packet;
            if let Some(telemetry) = &mut context.telemetry {
                telemetry.responded(&mut packet);
            }
            self.forward::<COUNTED>(now, own, &packet, context, round);
        } else {
            self.forward::<BASIC>(now, own, packet, context, round);
        }
    }

    /// Reports messages that are complete with this packet.
    #[inline(never)]
    fn complete(
        &mut self,
        now: u64,
        packet: &Packet,
        slot: u32,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let nic = self.nic_mut().expect("seen by the caller");
        let pair = nic.receives.get_mut(packet.slot);
        if pair.receiver.completes_in_any_order() {
            pair.forget_ended();
            if nic.incoming.get_mut(slot).missing == 0 {
                self.pair_message_arrived(now, packet.flow, context, round);
            }
            return;
        }
        while let Some(flow) = self.nic_mut().and_then(|nic| nic.receives.get_mut(packet.slot).take_ended()) {
            self.pair_message_arrived(now, flow, context, round);
        }
    }

    fn pair_message_arrived(&mut self, now: u64, flow: u32, context: &mut PartitionContext, round: &Round) {
        let slot = round.flows[flow as usize].receive_slot;
        let nic = self.nic_mut().expect("the host has queue pairs");
        let Incoming { packets, hops, .. } = *nic.incoming.get_mut(slot);
        context.reports.push(Report::Arrived { flow, at: now, packets, hops });
        self.notify_receiver(now, flow, context, round);
    }
}

impl Incoming {
    /// Counts a received packet and the responses to it.
    #[inline(always)]
    fn take(&mut self, packet: &Packet, receipt: Receipt, responses: Responses, rdma: &Rdma) {
        self.balance += i64::from(responses.cnp) + i64::from(responses.response.is_some()) - 1;
        if receipt.is_new {
            self.missing -= u64::from(packet.bytes) - rdma.header.0;
            self.packets += 1;
            self.hops += u64::from(packet.hops());
        }
        if receipt.distance > 0 || receipt.is_duplicate || packet.has(Packet::RETRANSMISSION | Packet::MARKED)
        {
            self.tally.take(packet, receipt, responses);
        }
    }
}

impl ReceiveCounts {
    /// Counts a packet that is early, a duplicate, retransmitted or marked.
    fn take(&mut self, packet: &Packet, receipt: Receipt, responses: Responses) {
        self.again += u32::from(packet.has(Packet::RETRANSMISSION));
        self.duplicates += u32::from(receipt.is_duplicate);
        self.nacks += u32::from(responses.response == Some(PacketKind::Nack));
        self.marked += u32::from(packet.has(Packet::MARKED));
        self.cnps += u32::from(responses.cnp);
        self.distance = self.distance.max(receipt.distance.min(u64::from(u32::MAX)) as u32);
    }
}

impl ReceivePair {
    /// The transport's response to a packet.
    #[inline(always)]
    fn response(&mut self, receipt: Receipt, is_marked: bool, rdma: &Rdma) -> Option<PacketKind> {
        self.unanswered += u32::from(receipt.is_new);
        let response = match receipt.response {
            Response::Nothing => return None,
            Response::Nack => PacketKind::Nack,
            Response::AcknowledgeNow => PacketKind::Acknowledgement,
            Response::Acknowledge => {
                if self.unanswered < rdma.coalesce && !is_marked && !self.has_ended() {
                    return None;
                }
                PacketKind::Acknowledgement
            }
        };
        self.unanswered = 0;
        Some(response)
    }

    /// Whether a CNP may be sent now; if so, it counts as sent.
    fn is_cnp_due(&mut self, now: u64, interval: u64) -> bool {
        let is_due = self.last_cnp == 0 || now >= self.last_cnp - 1 + interval;
        if is_due {
            self.last_cnp = now + 1;
        }
        is_due
    }
}
