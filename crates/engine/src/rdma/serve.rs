//! The NIC puts packets on the wire.
//!
//! Models: one packet at a time; control packets first, except where they take turns with data in the same VL
//! (`credit`), then the queue pair that has been ready longest; pacing at the lower of the rate that congestion control
//! allows and the queue pair's own limit; timeouts.
//! Leaves out: which packet a queue pair sends next, which its transport decides.
//!
//! Starts are computed on demand, like those of a lazily advanced port: an action on the host at an instant first
//! advances the NIC through all starts before it.

use netloom_model::Rdma;
use netloom_policy::congestion::Controller;
use netloom_policy::transport::{Psn, SendItem};
use netloom_records::DropReason;
use netloom_units::{Bytes, Time};

use super::message::Outgoing;
use super::nic::{Nic, NicPort};
use super::pair::{Posted, SendPair};
use super::ready::{self, Ready};
use crate::context::{PartitionContext, Report, Timeout, TimerKind};
use crate::flow::Flow;
use crate::host::entropy;
use crate::node::{Node, advance_port, push, transmit};
use crate::packet::{Address, HeaderFlags, InFlight, Packet};
use crate::port::Egress;
use crate::round::Round;
use crate::sender_waits::{HandOver, Limit, Posting, SenderEvent};
use crate::slab::Slab;

impl Node {
    /// Processes every start of a data packet before `until`.
    #[inline(always)]
    pub fn serve(&mut self, until: u64, context: &mut PartitionContext, round: &Round) {
        if self.nic_mut().is_some_and(|nic| nic.idle_until < until) {
            self.serve_now(until, context, round);
        }
    }

    /// Something has changed: a data packet may start earlier than expected so far.
    pub fn reevaluate_starts(&mut self) {
        if let Some(nic) = self.nic_mut() {
            nic.idle_until = 0;
        }
    }

    /// As [`Node::serve`], and also processes the starts of control packets; returns the next start of a data packet,
    /// `u64::MAX` for none.
    #[inline(never)]
    pub fn serve_now(&mut self, until: u64, context: &mut PartitionContext, round: &Round) -> u64 {
        let at = (self.id.0, self.index_in_partition);
        let Node { ports, host, .. } = self;
        let Some(nic) = host.as_deref_mut().and_then(|host| host.nic.as_deref_mut()) else { return u64::MAX };
        if nic.injection.is_some() {
            return nic.serve_limited(ports, at, until, context, round);
        }
        let Nic { ports: nic_ports, sends, outgoing, idle_until, .. } = nic;
        let serve = |(nic_port, egress): (&mut NicPort, &mut Egress)| {
            // One `Pairs` per branch, so that the common branch keeps it in registers.
            if !nic_port.is_default {
                let mut pairs = Pairs { sends: &mut *sends, outgoing: &mut *outgoing, at };
                return nic_port.serve_by_case(&mut pairs, egress, until, context, round);
            }
            let mut pairs = Pairs { sends: &mut *sends, outgoing: &mut *outgoing, at };
            nic_port.serve::<false>(&mut pairs, egress, until, context, round)
        };
        *idle_until = nic_ports.iter_mut().zip(ports).map(serve).fold(u64::MAX, u64::min);
        *idle_until
    }

    /// In a partition of several nodes a packet may reach another node within the window, so starts on links that end
    /// inside the partition must be events: sets timers for the next ones. On other links starts are computed on
    /// demand, as at a host in its own partition.
    #[inline(always)]
    pub fn set_start_timers(&mut self, context: &mut PartitionContext, round: &Round) {
        if self.nic_mut().is_some_and(|nic| nic.has_inner_work) {
            self.expect_inner_starts(context, round);
        }
    }

    #[inline(never)]
    fn expect_inner_starts(&mut self, context: &mut PartitionContext, round: &Round) {
        let Node { ports, host, index_in_partition: index, .. } = self;
        let Some(nic) = host.as_deref_mut().and_then(|host| host.nic.as_deref_mut()) else { return };
        nic.has_inner_work = nic.inner_ports.iter().any(|&port| !nic.ports[port as usize].is_empty());
        for &port in &nic.inner_ports {
            let egress = &mut ports[port as usize];
            let first = nic.ports[port as usize].first_from(egress, round.model.classes.data);
            let Some(from) = first else { continue };
            let start = from.max(egress.free_at()).max(nic.not_before());
            if egress.is_timer_needed(start) {
                context.set_timer(start, *index, TimerKind::Start { port });
            }
        }
    }

    /// Records which ports have links that end in the same partition, before the run.
    pub fn note_inner_ports(&mut self) {
        let Node { ports, host, .. } = self;
        if let Some(nic) = host.as_deref_mut().and_then(|host| host.nic.as_deref_mut()) {
            let ends_inside = |&port: &u32| ports[port as usize].channel.ends_inside();
            nic.inner_ports = (0..ports.len() as u32).filter(ends_inside).collect();
            nic.inner_ports.iter().for_each(|&port| nic.ports[port as usize].is_inner = true);
        }
    }

    /// Processes every start of a data packet at its NIC before the end of the window; returns a lower bound of the
    /// next start, `u64::MAX` for none.
    #[inline(always)]
    pub fn finish_serving(&mut self, context: &mut PartitionContext, round: &Round) -> u64 {
        let next = match self.nic_mut() {
            None => return u64::MAX,
            // Waiting control packets start when the ports are advanced.
            Some(nic) if nic.idle_until >= round.end => nic.idle_until,
            Some(_) => self.serve_now(round.end, context, round),
        };
        if self.returns.is_some() {
            // After data packets have started it may be the turn of waiting control packets.
            self.expect_starts(context);
        }
        next
    }

    /// A timer of a queue pair fires; returns whether it was a timeout.
    pub fn timeout(
        &mut self,
        now: u64,
        index: u32,
        number: u32,
        context: &mut PartitionContext,
        round: &Round,
    ) -> bool {
        let (node, source) = (self.index_in_partition, self.id.0);
        let rdma = round.model.transport.rdma().expect("only queue pairs set such timers");
        let late = |pair: &SendPair| pair.number == Some(number) && pair.deadline <= now;
        let nic = self.nic_mut().expect("only NICs set such timers");
        let pair = nic.sends.get_mut(index);
        if pair.number != Some(number) || pair.timer != now {
            return false;
        }
        pair.timer = u64::MAX;
        if pair.deadline != u64::MAX && pair.deadline > now {
            arm(pair, node, index, context);
        }
        if !late(pair) {
            return false;
        }
        self.serve(now, context, round);
        let nic = self.nic_mut().expect("seen above");
        let pair = nic.sends.get_mut(index);
        pair.n_timeouts += 1;
        pair.note_timeout(now);
        nic.outgoing.get_mut(pair.first.slot).timeouts += 1;
        if pair.n_timeouts > rdma.retries {
            pair.deadline = u64::MAX;
            return true;
        }
        context.reports.push(Report::TimedOut(Timeout {
            at: now,
            unacknowledged: u32::try_from(pair.sender.in_flight()).unwrap_or(u32::MAX),
            source,
            number,
            destination: pair.destination,
        }));
        pair.sender.timeout();
        pair.restart(now, rdma);
        arm(pair, node, index, context);
        nic.note_timeout(now, index);
        nic.wake(now, index);
        true
    }

    /// The NIC, at a host that has queue pairs.
    #[inline(always)]
    pub(crate) fn nic_mut(&mut self) -> Option<&mut Nic> {
        self.host.as_deref_mut()?.nic.as_deref_mut()
    }

    /// Posts a message on its queue pair.
    pub fn post(&mut self, now: u64, index: u32, number: u32, context: &mut PartitionContext, round: &Round) {
        // Earlier messages must not appear to end later than they did.
        self.serve(now, context, round);
        let flow = &round.flows[index as usize];
        let Flow { message, send_slot, send_pair, .. } = *flow;
        let (n_packets, last) = round.model.transport.cut(message.size);
        let mut header_flags = flow.header_flags(round.model);
        if round.model.balances.switch.asks_for_drained() {
            header_flags = header_flags.reporting_drained();
        }
        let nic = self.nic_mut().expect("messages on queue pairs need a NIC");
        if nic.sends.get_mut(send_pair).number.is_none() {
            let entropy = entropy(round.model, flow, number, now);
            self.open(now, send_pair, (entropy, header_flags), context, round);
        }
        let Node { ports, host, .. } = self;
        let nic = host.as_deref_mut().and_then(|host| host.nic.as_deref_mut()).expect("seen above");
        let pair = nic.sends.get_mut(send_pair);
        if round.records_causes_of(index) {
            let progress = pair.sender.progress();
            let earlier = (progress.end - progress.highest) * round.model.transport.packet.0;
            let egress = &mut ports[pair.port as usize];
            advance_port(egress, now, context, round);
            context.report_sender_event(SenderEvent::Posted(Posting {
                flow: index,
                port: pair.port,
                wire: egress.wire_use(now),
                pair: pair.waits_at(now),
                earlier: egress.span(earlier),
            }));
        }
        let end = pair.sender.progress().end + n_packets;
        let last_bytes = last.0 as u32;
        pair.post(Posted { flow: index, slot: send_slot, end, last_bytes, header_flags }, n_packets);
        nic.wake(now, send_pair);
    }

    /// Opens a queue pair before its first packet: assigns its number, flow-hash input and port.
    fn open(
        &mut self,
        now: u64,
        index: u32,
        (entropy, header_flags): (u32, HeaderFlags),
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let destination = self.nic_mut().expect("seen by the caller").sends.get_mut(index).destination;
        let to = Address { host: destination, slot: 0 };
        let first = Packet::data(to, 0, 0, entropy, round.model.transport.packet.0 as u32, header_flags);
        let port = self.port_towards(now, &first, context, round);
        let line = self.ports[port as usize].rate();
        let nic = self.nic_mut().expect("seen by the caller");
        let pair = nic.sends.get_mut(index);
        (pair.number, pair.port, pair.entropy) = (Some(nic.n_pairs), port, entropy);
        pair.line_rate = line;
        pair.rate = nic.ports[port as usize].feedback;
        pair.renew_window(now, &nic.ports[port as usize].controller);
        nic.n_pairs += 1;
        if !nic.shares.is_empty() {
            nic.share_with(now, index);
        }
    }
}

/// The queue pairs of a NIC as its ports use them.
pub(super) struct Pairs<'a> {
    /// All sending ends.
    pub sends: &'a mut Slab<SendPair>,
    pub outgoing: &'a mut Slab<Outgoing>,
    /// The host: its node id, and its index in the partition.
    pub at: (u32, u32),
}

impl Pairs<'_> {
    /// The queue pair in turn, the first of a ready queue, sends a packet at `start`.
    ///
    /// Whether congestion control may react to acknowledgements is a compile-time parameter, so that other controls do
    /// not pay for it.
    #[inline(always)]
    pub(super) fn take_packet<const MAY_SENSE: bool>(
        &mut self,
        controller: &mut Controller,
        ready: &mut Ready,
        (turn, start): (ready::ReadyEntry, u64),
        egress: &Egress,
        context: &mut PartitionContext,
        round: &Round,
    ) -> Packet {
        let pair = self.sends.get_mut(turn.slot);
        let rdma = round.model.transport.rdma().expect("queue pairs have such a transport");
        let sent = pair.sender.take();
        let message = pair.message_at(sent.position);
        let packet = packet_at(pair, sent, message, rdma, round);
        let outgoing = self.outgoing.get_mut(message.slot);
        outgoing.packets += 1;
        outgoing.retransmitted += u64::from(sent.is_again);
        let bytes = Bytes(u64::from(packet.bytes));
        let rate = if MAY_SENSE {
            pair.send_in_detail((sent, start), bytes, controller)
        } else {
            controller.send(&mut pair.rate, Time(start), bytes)
        };
        let rate = rate.min(pair.limit);
        pair.next_at = start + rate.serialization(bytes).0;
        if pair.deadline == u64::MAX {
            pair.restart(start, rdma);
            arm(pair, self.at.1, turn.slot, context);
        }
        pair.is_queued = pair.sender.has_work() && !(MAY_SENSE && pair.is_window_limited);
        if pair.is_queued {
            let from = match rdma.turn.0 {
                0 => pair.next_at,
                whole => pair.keep_turn(turn.from, bytes.0, whole, rate),
            };
            ready.reschedule_first(ready::ReadyEntry { from, ..turn });
        } else {
            pair.turn_left = 0;
            pair.idle_since = start;
            ready.pop();
        }
        context.packets += 1;
        if packet.has(Packet::REPORTED) {
            let n_before = outgoing.packets - 1;
            pair.report_hand_over(start, &packet, n_before, egress, context, round);
        }
        packet
    }

    /// A packet leaves by a port at `start`, or is dropped if the link is down.
    #[inline(always)]
    pub(super) fn launch(
        &self,
        egress: &mut Egress,
        start: u64,
        packet: Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if egress.is_up() {
            launch(egress, start, packet, context, round);
        } else {
            let port = round.model.fabric.local_index(egress.id());
            context.dropped(start, self.at.0, Some(port), DropReason::LinkDown, &{ packet });
        }
    }
}

impl NicPort {
    /// As `NicPort::serve`, where data is separated by class or congestion control reacts to acknowledgements.
    #[inline(never)]
    fn serve_by_case(
        &mut self,
        pairs: &mut Pairs,
        egress: &mut Egress,
        until: u64,
        context: &mut PartitionContext,
        round: &Round,
    ) -> u64 {
        if self.by_class.is_some() {
            return self.serve_by_class(pairs, egress, until, context, round);
        }
        self.serve::<true>(pairs, egress, until, context, round)
    }

    /// Processes every start at its port before `until`; returns the next start of a data packet, `u64::MAX` for none.
    #[inline(always)]
    fn serve<const MAY_SENSE: bool>(
        &mut self,
        pairs: &mut Pairs,
        egress: &mut Egress,
        until: u64,
        context: &mut PartitionContext,
        round: &Round,
    ) -> u64 {
        while let Some(turn) = self.ready.first() {
            let start = turn.from.max(egress.free_at());
            let is_paused = egress.is_paused(round.model.classes.data);
            if is_paused || start >= until {
                advance_port(egress, until, context, round);
                return if is_paused { u64::MAX } else { turn.from.max(egress.free_at()) };
            }
            if let_control_start(egress, start, context, round) {
                continue;
            }
            let (controller, ready) = (&mut self.controller, &mut self.ready);
            let packet =
                pairs.take_packet::<MAY_SENSE>(controller, ready, (turn, start), egress, context, round);
            pairs.launch(egress, start, packet, context, round);
        }
        advance_port(egress, until, context, round);
        u64::MAX
    }
}

/// Waiting control packets start before data does at `start`; returns whether there were any.
#[inline(always)]
pub(super) fn let_control_start(
    egress: &mut Egress,
    start: u64,
    context: &mut PartitionContext,
    round: &Round,
) -> bool {
    if !egress.has_start_before(start + 1) {
        return false;
    }
    // Control packets that start before data could do not compete for a turn.
    let is_earlier = egress.takes_turns() && egress.has_start_before(start);
    if !is_earlier && egress.is_turn_of_data() {
        return false;
    }
    advance_port(egress, if is_earlier { start } else { start + 1 }, context, round);
    true
}

/// The packet at a position.
#[inline(always)]
fn packet_at(pair: &SendPair, turn: SendItem, message: Posted, rdma: &Rdma, round: &Round) -> Packet {
    let is_last = turn.position + 1 == message.end;
    let bytes = if is_last { message.last_bytes } else { round.model.transport.packet.0 as u32 };
    let to = Address { host: pair.destination, slot: pair.peer_slot };
    let psn = Psn::of(turn.position, rdma.first_psn).bits();
    let flags = if turn.is_again { Packet::RETRANSMISSION } else { 0 }
        | if is_last { last_flags(message.flow, round) } else { 0 };
    let packet = Packet::data(to, message.flow, psn, pair.entropy, bytes, message.header_flags).with(flags);
    if packet.has(Packet::DRAINED) { set_drained(packet, pair, turn) } else { packet }
}

/// The flags of the last packet of a message.
#[inline(always)]
fn last_flags(flow: u32, round: &Round) -> u32 {
    if round.records_causes_of(flow) { Packet::LAST | Packet::REPORTED } else { Packet::LAST }
}

/// Clears the packet's `DRAINED` flag unless its queue pair has drained: all packets before it are acknowledged, none
/// after it was sent.
#[cold]
fn set_drained(packet: Packet, pair: &SendPair, turn: SendItem) -> Packet {
    let is_drained = !turn.is_again && turn.position == pair.sender.progress().una;
    if is_drained { packet } else { packet.without(Packet::DRAINED) }
}

/// Puts a packet on the wire of a NIC port that is free at `start`.
#[inline(always)]
fn launch(egress: &mut Egress, start: u64, packet: Packet, context: &mut PartitionContext, round: &Round) {
    let packet = packet.with_hop();
    if egress.uses_fast_path()
        && let Some(arrival) = egress.enqueue_fast(start, packet.bytes)
    {
        return push(egress, InFlight { arrival, packet }, context, round);
    }
    launch_slowly(egress, start, packet, context, round);
}

/// As [`launch`], at a port that does not use the fast path.
#[inline(never)]
fn launch_slowly(
    egress: &mut Egress,
    start: u64,
    packet: Packet,
    context: &mut PartitionContext,
    round: &Round,
) {
    if egress.is_computed(packet.class())
        && let Some(arrival) = egress.enqueue_computed(start, packet.bytes)
    {
        return push(egress, InFlight { arrival, packet }, context, round);
    }
    egress.enqueue(start, &packet);
    let started = if egress.is_turn_of_data() { egress.take_start_of_data() } else { egress.take_start() };
    transmit(egress, &started, context, round);
}

impl SendPair {
    /// Reports that the last packet of a message starts on a wire, after `n_before` other packets of the message.
    #[cold]
    #[inline(never)]
    fn report_hand_over(
        &self,
        start: u64,
        packet: &Packet,
        n_before: u64,
        egress: &Egress,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let whole = round.model.transport.packet.0;
        context.report_sender_event(SenderEvent::HandedOver(HandOver {
            flow: packet.flow,
            port: self.port,
            wire: egress.wire_use(start),
            pair: self.waits,
            own: egress.span(n_before * whole),
            shorter: egress.span(whole - u64::from(packet.bytes)),
            limit: Limit::QueuePair,
        }));
    }

    /// Restarts the retransmission timeout.
    pub(super) fn restart(&mut self, now: u64, rdma: &Rdma) {
        let is_few = self.sender.in_flight() <= Rdma::FEW;
        self.deadline = now + if is_few { rdma.timeout_low.0 } else { rdma.timeout.0 };
    }
}

/// Sets a timer for the timeout of a queue pair, unless an earlier timer will check it.
#[inline(always)]
pub(super) fn arm(pair: &mut SendPair, node: u32, index: u32, context: &mut PartitionContext) {
    if pair.timer > pair.deadline {
        pair.timer = pair.deadline;
        let number = pair.number.expect("it has sent");
        context.set_timer(pair.timer, node, TimerKind::Timeout { number, pair: index });
    }
}
