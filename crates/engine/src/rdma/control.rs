//! ACKs, NACKs and CNPs received by the host that sent the data.

use netloom_model::{NackReaction, Rdma};
use netloom_policy::congestion::{Controller, Signal};
use netloom_policy::transport::Psn;
use netloom_units::Time;

use super::nic::Nic;
use super::pair::SendPair;
use super::serve::arm;
use crate::context::{PartitionContext, Report};
use crate::node::Node;
use crate::packet::{Packet, PacketKind};
use crate::round::Round;

impl Node {
    /// An ACK, NACK or CNP arrives.
    pub fn receive_feedback(
        &mut self,
        now: u64,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        self.serve(now, context, round);
        let node = self.index_in_partition;
        let rdma = round.model.transport.rdma().expect("queue pairs have such a transport");
        let Some(flow) = round.flows.get(packet.flow as usize) else {
            // It belongs to no message: a rate notice from a switch.
            return self.on_rate_notice(now, packet);
        };
        let slot = flow.send_slot;
        let nic = self.nic_mut().expect("the host has queue pairs");
        let sent = nic.outgoing.get_mut(slot);
        sent.responses += 1;
        if is_notification(packet, rdma) {
            sent.notified += 1;
            nic.on_notification(now, packet, rdma);
        }
        let pair = nic.sends.get_mut(packet.slot);
        if pair.signals.is_some() {
            return self.sense_acknowledgement(now, packet, context, round);
        }
        let is_news = pair.learn(packet, rdma);
        if is_news {
            pair.acknowledged(now, rdma);
            arm(pair, node, packet.slot, context);
            if pair.is_first_done() {
                return self.finish_messages(now, packet.slot, context, round);
            }
        }
        // No window limits it, since its congestion control does not react to acknowledgements.
        let has_work = pair.sender.has_work();
        if pair.is_queued != has_work {
            nic.queue(now, packet.slot, has_work);
        }
    }

    /// Messages are wholly acknowledged: reports them and notifies their sending actors.
    ///
    /// Actors are notified only after all these messages are removed: an actor may then post another message on the
    /// same queue pair.
    #[inline(never)]
    pub(super) fn finish_messages(
        &mut self,
        now: u64,
        index: u32,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let n_before = context.reports.len();
        let nic = self.nic_mut().expect("the host has queue pairs");
        nic.wake(now, index);
        let pair = nic.sends.get_mut(index);
        while let Some(done) = pair.take_done() {
            context.reports.push(Report::Sent { flow: done.flow });
        }
        for index in n_before..context.reports.len() {
            if let Report::Sent { flow } = context.reports[index] {
                self.notify_sender(now, flow, context, round);
            }
        }
    }
}

/// Whether a control packet is a congestion notification.
fn is_notification(packet: &Packet, rdma: &Rdma) -> bool {
    match packet.kind() {
        PacketKind::Cnp => true,
        PacketKind::Nack if rdma.nack != NackReaction::Ignore => true,
        _ => packet.has(Packet::ECHO),
    }
}

impl Nic {
    /// Adapts rates to the congestion signalled by a control packet.
    #[inline(never)]
    fn on_notification(&mut self, now: u64, packet: &Packet, rdma: &Rdma) {
        let pair = self.sends.get_mut(packet.slot);
        let nic_port = &mut self.ports[pair.port as usize];
        pair.on_congestion_signal(now, packet, rdma, &nic_port.controller);
        if nic_port.controller.is_for_port() {
            // Congestion control acts per port: all its queue pairs take the same rate state.
            let (port, rate) = (pair.port, pair.rate);
            nic_port.feedback = rate;
            self.sends.iter_mut().filter(|pair| pair.port == port).for_each(|pair| pair.rate = rate);
        }
    }
}

impl SendPair {
    /// Records what the receiver reports; returns whether the acknowledgement advanced.
    #[inline(always)]
    pub(super) fn learn(&mut self, packet: &Packet, rdma: &Rdma) -> bool {
        let una = self.sender.progress().una;
        let position = |bits| Psn::from_bits(bits).position(una, rdma.first_psn);
        match packet.kind() {
            PacketKind::Acknowledgement => {
                self.sender.acknowledged(position(packet.sequence), || position(packet.tag))
            }
            PacketKind::Nack => self.sender.refused(position(packet.sequence), position(packet.tag)),
            _ => false,
        }
    }

    /// Adapts the rate to the congestion signalled by a control packet.
    fn on_congestion_signal(&mut self, now: u64, packet: &Packet, rdma: &Rdma, controller: &Controller) {
        let is_nack = packet.kind() == PacketKind::Nack;
        if is_nack && rdma.nack == NackReaction::SlowStart {
            if packet.has(Packet::ECHO) {
                controller.on_congestion(&mut self.rate, Time(now), Signal::Nack);
            }
            return controller.slow_start(&mut self.rate, Time(now));
        }
        let signal = if is_nack { Signal::Nack } else { Signal::Cnp };
        controller.on_congestion(&mut self.rate, Time(now), signal);
    }

    /// The acknowledgement advanced: restarts the retransmission timeout.
    pub(super) fn acknowledged(&mut self, now: u64, rdma: &Rdma) {
        self.n_timeouts = 0;
        let progress = *self.sender.progress();
        if progress.highest > progress.una {
            self.restart(now, rdma);
        } else {
            self.deadline = u64::MAX;
        }
    }
}
