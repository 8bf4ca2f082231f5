//! State of a queue pair for a congestion control that reacts to every acknowledgement.
//!
//! Models: the start of transmission of each packet in flight, so that its acknowledgement gives a round-trip time; the
//! telemetry of the ports on its path from the previous acknowledgement; the congestion window.
//! Leaves out: the reaction, which is the policy's.
//!
//! Invariants: a retransmitted packet gives no round-trip time, since it is ambiguous which transmission was
//! acknowledged (Karn and Partridge, SIGCOMM 1987). Memory grows with the packets in flight and is kept, so that
//! nothing is allocated per packet.

use netloom_model::Rdma;
use netloom_policy::congestion::{Controller, Feedback, Hop, Senses};
use netloom_policy::transport::{Psn, SendItem, SendProgress};
use netloom_units::{Bytes, Duration, Rate, StateWriter, Time};

use super::nic::Nic;
use super::pair::SendPair;
use super::serve::arm;
use crate::context::PartitionContext;
use crate::node::Node;
use crate::packet::{Packet, PacketKind};
use crate::round::Round;

/// A start time that gives no round-trip time.
const UNKNOWN: u64 = u64::MAX;

/// See the module.
#[derive(Debug)]
pub struct Signals {
    /// Start of transmission in ps, by position modulo the array length.
    starts: Vec<u64>,
    /// Telemetry from the previous acknowledgement.
    before: Vec<Hop>,
    /// The congestion window, in packets.
    pub window: u64,
}

impl Signals {
    /// The state of a queue pair that has sent nothing; `None` where congestion control reacts to notifications only.
    pub fn of(controller: &Controller) -> Option<Box<Signals>> {
        let fresh = || Signals { starts: Vec::new(), before: Vec::new(), window: u64::MAX };
        (controller.senses() > Senses::Notifications).then(|| Box::new(fresh()))
    }

    /// Resets all state; allocated memory is kept.
    pub fn clear(&mut self) {
        self.before.clear();
        self.window = u64::MAX;
    }

    fn index(&self, position: u64) -> usize {
        position as usize & (self.starts.len() - 1)
    }

    /// The transmission of a packet starts at `at`.
    fn started(&mut self, turn: SendItem, at: u64, progress: SendProgress) {
        let n_needed = (progress.highest - progress.una) as usize;
        if n_needed > self.starts.len() {
            self.grow(n_needed, progress);
        }
        let index = self.index(turn.position);
        self.starts[index] = if turn.is_again { UNKNOWN } else { at };
    }

    #[cold]
    fn grow(&mut self, n_needed: usize, progress: SendProgress) {
        let mut larger = vec![UNKNOWN; (2 * n_needed).next_power_of_two().max(16)];
        let mask = larger.len() - 1;
        let known = if self.starts.is_empty() { 0 } else { progress.highest - progress.una };
        // The last position is the packet that starts now.
        for position in progress.una..progress.una + known.saturating_sub(1) {
            larger[position as usize & mask] = self.starts[self.index(position)];
        }
        self.starts = larger;
    }

    /// The time since the transmission of a packet in flight started, if that is known.
    fn since(&self, position: u64, progress: SendProgress, now: u64) -> Option<Duration> {
        let is_in_flight = (progress.una..progress.highest).contains(&position) && !self.starts.is_empty();
        let start = is_in_flight.then(|| self.starts[self.index(position)])?;
        (start != UNKNOWN).then(|| Duration(now - start))
    }

    /// Writes the state that later behaviour depends on.
    pub fn write_state(&self, progress: SendProgress, out: &mut StateWriter) {
        out.word(self.window);
        for position in progress.una..progress.highest {
            match self.starts[self.index(position)] {
                UNKNOWN => out.word(UNKNOWN),
                start => out.instant(Time(start)),
            }
        }
        for hop in &self.before {
            out.word(u64::from(hop.port.0));
            out.instant(hop.at);
            out.word(hop.waiting);
        }
    }
}

impl SendPair {
    /// A packet starts at an instant; returns its sending rate.
    #[inline(never)]
    pub(super) fn send_in_detail(
        &mut self,
        (turn, at): (SendItem, u64),
        size: Bytes,
        controller: &Controller,
    ) -> Rate {
        let rate = controller.send(&mut self.rate, Time(at), size);
        let progress = *self.sender.progress();
        if let Some(signals) = &mut self.signals {
            signals.started(turn, at, progress);
        }
        self.renew_window(at, controller);
        rate
    }

    /// Updates the window from the congestion control state: it may block new packets of the queue pair, but never
    /// retransmissions.
    pub(super) fn renew_window(&mut self, now: u64, controller: &Controller) {
        let Some(signals) = &mut self.signals else { return };
        signals.window = controller.window(&self.rate, Time(now));
        let is_full = self.sender.in_flight() >= signals.window;
        // `has_work` drops retransmissions that are no longer needed, so it is called first.
        let has_repeat = self.sender.has_work() && self.sender.has_repeat();
        self.is_window_limited = is_full && !has_repeat;
    }

    /// Handles a response and the telemetry of the ports on the path; returns whether the acknowledgement advanced.
    fn sense(
        &mut self,
        now: u64,
        packet: &Packet,
        hops: &[Hop],
        controller: &Controller,
        rdma: &Rdma,
    ) -> bool {
        let progress = *self.sender.progress();
        let is_news = self.learn(packet, rdma);
        if !matches!(packet.kind(), PacketKind::Acknowledgement | PacketKind::Nack) {
            return is_news;
        }
        let SendProgress { una, highest, .. } = *self.sender.progress();
        let Some(signals) = &mut self.signals else { return is_news };
        let named = Psn::from_bits(packet.tag).position(progress.una, rdma.first_psn);
        let feedback = Feedback {
            at: Time(now),
            round_trip: signals.since(named, progress, now),
            acknowledged: una - progress.una,
            una,
            highest,
            links: packet.hops(),
            hops,
            before: &signals.before,
        };
        controller.on_acknowledgement(&mut self.rate, &feedback);
        signals.before.clear();
        signals.before.extend_from_slice(hops);
        is_news
    }
}

impl Nic {
    /// The retransmission timeout has expired.
    pub(super) fn note_timeout(&mut self, now: u64, index: u32) {
        let pair = self.sends.get_mut(index);
        if pair.signals.is_none() {
            return;
        }
        let controller = &self.ports[pair.port as usize].controller;
        controller.on_timeout(&mut pair.rate, Time(now));
        pair.renew_window(now, controller);
    }
}

impl Node {
    /// The end of [`Node::receive_feedback`], where congestion control reacts to every acknowledgement.
    #[inline(never)]
    pub(super) fn sense_acknowledgement(
        &mut self,
        now: u64,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let node = self.index_in_partition;
        let record = context.telemetry.as_ref().map(|telemetry| telemetry.here());
        let hops = record.as_ref().map_or(&[][..], |record| record.hops());
        let rdma = round.model.transport.rdma().expect("queue pairs have such a transport");
        let nic = self.nic_mut().expect("the host has queue pairs");
        let pair = nic.sends.get_mut(packet.slot);
        let controller = &nic.ports[pair.port as usize].controller;
        let is_news = pair.sense(now, packet, hops, controller, rdma);
        pair.renew_window(now, controller);
        if is_news {
            pair.acknowledged(now, rdma);
            arm(pair, node, packet.slot, context);
            if pair.is_first_done() {
                return self.finish_messages(now, packet.slot, context, round);
            }
        }
        nic.wake(now, packet.slot);
    }
}
