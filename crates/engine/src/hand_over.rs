//! What a host without queue pairs reports of the start and of the end of its messages, if causes are recorded.
//!
//! Models: the use of its wires when a message is posted and when its last packet is handed over; of a message that is
//! handed over as a whole, at one instant, the last one alone.
//! Leaves out: what follows from it (`sender_waits`).

use netloom_model::TransportKind;

use crate::context::PartitionContext;
use crate::node::{Node, advance_port};
use crate::packet::Packet;
use crate::port::Egress;
use crate::round::Round;
use crate::sender_waits::{HandOver, Limit, PairWaits, Posting, SenderEvent, SenderWaits};

/// Up to this number of ports a host needs no memory of the heap to compare them.
const FEW_PORTS: usize = 16;

/// Whether all packets of a message are handed over when it is posted.
fn is_sent_at_once(flow: u32, round: &Round) -> bool {
    matches!(round.model.transport.kind, TransportKind::OpenLoop { rate: None })
        && round.flows[flow as usize].message.rate.is_none()
}

impl Node {
    /// Reports the use of its wires at the start of a message, if its causes are recorded.
    pub(crate) fn report_posting(
        &mut self,
        now: u64,
        flow: u32,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if !round.records_causes_of(flow) || is_sent_at_once(flow, round) {
            return;
        }
        for (port, egress) in (0..).zip(&mut self.ports) {
            advance_port(egress, now, context, round);
            let wire = egress.wire_use(now);
            let posting = Posting { flow, port, wire, pair: PairWaits::default(), earlier: 0 };
            context.report_sender_event(SenderEvent::Posted(posting));
        }
    }

    /// Hands over the last packet of a message, and reports the use of its wire before.
    #[inline(never)]
    pub(crate) fn send_last(
        &mut self,
        now: u64,
        slot: u32,
        packet: Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        self.ports.iter_mut().for_each(|port| advance_port(port, now, context, round));
        if is_sent_at_once(packet.flow, round) {
            self.send_last_at_once(now, slot, packet, context, round);
        } else {
            self.send_last_later(now, slot, packet, context, round);
        }
    }

    /// The same, if the whole message is handed over at this instant.
    fn send_last_at_once(
        &mut self,
        now: u64,
        slot: u32,
        packet: Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let (mut few, mut many) = ([(0, 0); FEW_PORTS], Vec::new());
        let n_ports = self.ports.len();
        let before = if n_ports <= FEW_PORTS {
            &mut few[..n_ports]
        } else {
            many.resize(n_ports, (0, 0));
            &mut many[..]
        };
        for (before, port) in before.iter_mut().zip(&self.ports) {
            *before = (port.bytes_accepted(), port.backlog(now));
        }
        self.forward_of_message(now, &packet, context, round);
        // It may have been dropped.
        if let Some(port) = self.port_with_more(before.iter().map(|(bytes, _)| *bytes)) {
            let waits = SenderWaits::of_backlog(now, before[port].1, self.own_span(slot, port));
            context.report_sender_event(SenderEvent::Sent(packet.flow, waits));
        }
    }

    /// The same, if earlier packets of the message have been handed over before.
    fn send_last_later(
        &mut self,
        now: u64,
        slot: u32,
        packet: Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let state = |port: &Egress| (port.bytes_accepted(), port.wire_use(now));
        let before: Vec<_> = self.ports.iter().map(state).collect();
        self.forward_of_message(now, &packet, context, round);
        // It may have been dropped.
        let Some(port) = self.port_with_more(before.iter().map(|(bytes, _)| *bytes)) else { return };
        let has_rate = round.flows[packet.flow as usize].message.rate.is_some();
        context.report_sender_event(SenderEvent::HandedOver(HandOver {
            flow: packet.flow,
            port: port as u32,
            wire: before[port].1,
            pair: PairWaits::default(),
            own: self.own_span(slot, port),
            shorter: 0,
            limit: Limit::of(round.model.transport.kind, has_rate),
        }));
    }

    /// The port that has accepted more bytes than before.
    fn port_with_more(&self, before: impl Iterator<Item = u64>) -> Option<usize> {
        self.ports.iter().zip(before).position(|(port, before)| port.bytes_accepted() != before)
    }

    /// The serialization time of the packets of a message before its last one, which has just been handed over.
    fn own_span(&mut self, slot: u32, port: usize) -> u64 {
        let bytes = self.host_mut().sends.get_mut(slot).bytes_before_last();
        self.ports[port].span(bytes)
    }
}
