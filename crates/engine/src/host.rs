//! A host: its actors, the messages it sends and receives, and the NIC's transport.
//!
//! Models: `open_loop` (a whole message queued at once, or paced) and `window` (a fixed number of packets in flight, an
//! ACK per packet, out-of-order receiver); without recovery, a message that loses a packet never completes and is
//! reported as such.
//! Leaves out: queue pairs (`rdma`), which take over their messages and packets.
//!
//! Invariants: a host's messages are numbered in the order they start; flow hashes are computed from that number, never
//! from slot numbers.

use netloom_model::{FlowHashInput, Message, Model, TransportKind};
use netloom_units::{ActorId, Rate, StateWriter, Time, mix};

use crate::actor::{Actor, ActorState, Effect};
use crate::context::{PartitionContext, Report, TimerKind};
use crate::flow::Flow;
use crate::node::Node;
use crate::node::features::{BASIC, COMPARING};
use crate::packet::{Address, HeaderFlags, Packet};
use crate::packet_trains::{AT_A_TIME, PostedTrains};
use crate::program::NOTIFY_PROGRAM;
use crate::rdma::Nic;
use crate::reordering::Reordering;
use crate::round::Round;
use crate::slab::Slab;

/// The host's part of a node.
#[derive(Debug, Default)]
pub struct Host {
    /// Its actors.
    pub actors: Vec<Actor>,
    /// Messages being sent.
    pub sends: Slab<OutgoingMessage>,
    /// Messages expected or being received.
    pub receives: Slab<IncomingMessage>,
    /// Packets of whole messages that wait at its port, while there are any.
    pub posted: Option<Box<PostedTrains>>,
    /// Number of messages that have started here.
    n_started: u32,
    /// Actors that ran out of operations: once refilled they continue at the instant of the pause.
    dry: Vec<u32>,
    effects: Vec<Effect>,
    numbers_matter: bool,
    /// The NIC, if messages use queue pairs.
    pub nic: Option<Box<Nic>>,
    /// Reordering of received packets, if it is recorded and messages do not use queue pairs.
    pub reordering: Option<Box<Reordering>>,
}

/// A message being sent.
#[derive(Debug, Clone, Copy, Default)]
pub struct OutgoingMessage {
    flow: u32,
    receive_slot: u32,
    destination: u32,
    entropy: u32,
    /// Header fields common to all its packets.
    header_flags: HeaderFlags,
    /// Packets handed over so far.
    next: u32,
    n_packets: u32,
    /// Packets acknowledged so far.
    acknowledged: u32,
    packet_bytes: u32,
    last_bytes: u32,
    /// Number among the host's messages.
    number: u32,
    /// Start of the message, in ps.
    start: u64,
}

impl OutgoingMessage {
    /// Bytes of all its packets but the last one handed over.
    pub fn bytes_before_last(&self) -> u64 {
        u64::from(self.next - 1) * u64::from(self.packet_bytes)
    }
}

/// A message being received.
#[derive(Debug, Clone, Copy, Default)]
pub struct IncomingMessage {
    /// Bytes still missing.
    pub missing: u64,
    /// Slot in the flow table.
    pub flow: u32,
    /// The host to which ACKs are sent.
    pub source: u32,
    /// Slot of the message's state there.
    pub send_slot: u32,
    /// Packets that have arrived.
    pub packets: u32,
    /// Sum of the links they crossed.
    pub hops: u64,
}

impl Host {
    /// An idle host; the flow-hash input determines whether its message numbers affect paths.
    pub fn new(entropy: FlowHashInput) -> Host {
        Host { numbers_matter: entropy == FlowHashInput::Message, ..Host::default() }
    }

    /// Writes the state that later behaviour depends on: messages in flight, in an order that does not depend on their
    /// slots.
    pub fn write_state(&self, out: &mut StateWriter) {
        if self.numbers_matter {
            out.word(u64::from(self.n_started));
        }
        self.actors.iter().for_each(|actor| actor.write_state(out));
        let mut sends: Vec<&OutgoingMessage> = self.sends.iter().filter(|send| send.is_in_flight()).collect();
        sends.sort_unstable_by_key(|send| send.number);
        for send in sends {
            out.word(u64::from(self.n_started - send.number) | (u64::from(send.acknowledged) << 32));
            out.word(u64::from(send.next) | (u64::from(send.n_packets) << 32));
            out.word(u64::from(send.destination) | (u64::from(send.entropy) << 32));
            out.age(Time(send.start));
        }
        let in_flight = self.receives.iter().filter(|receive| receive.is_in_flight());
        let mut receives: Vec<_> = in_flight.map(|receive| (receive.source, receive.missing)).collect();
        receives.sort_unstable();
        for (source, missing) in receives {
            out.word(u64::from(source));
            out.word(missing);
        }
        if let Some(posted) = &self.posted {
            posted.write_state(out);
        }
        if let Some(nic) = &self.nic {
            nic.write_state(out);
        }
    }
}

impl OutgoingMessage {
    /// The flow-hash input of its packets.
    pub fn entropy(&self) -> u32 {
        self.entropy
    }

    /// Its packet of this number.
    #[inline(always)]
    fn packet(&self, sequence: u32) -> Packet {
        let last = sequence + 1 == self.n_packets;
        let bytes = if last { self.last_bytes } else { self.packet_bytes };
        let to = Address { host: self.destination, slot: self.receive_slot };
        Packet::data(to, self.flow, sequence, self.entropy, bytes, self.header_flags)
    }

    /// Whether it has started and is not finished.
    fn is_in_flight(&self) -> bool {
        self.acknowledged < self.n_packets && self.n_packets > 0
    }
}

impl IncomingMessage {
    /// Whether part of it has arrived.
    fn is_in_flight(&self) -> bool {
        self.packets > 0 && self.missing > 0
    }
}

impl Node {
    pub(crate) fn host_mut(&mut self) -> &mut Host {
        self.host.as_deref_mut().expect("only hosts have actors and messages")
    }

    /// An actor of this host.
    pub fn actor_mut(&mut self, index: u32) -> &mut Actor {
        &mut self.host_mut().actors[index as usize]
    }

    /// A packet has arrived at this host, which has no queue pairs.
    #[inline(always)]
    pub fn receive(&mut self, now: u64, packet: &Packet, context: &mut PartitionContext, round: &Round) {
        if packet.is_data() {
            self.receive_data(now, packet, context, round);
        } else {
            self.receive_acknowledgement(now, packet, context, round);
        }
    }

    /// A packet has arrived at this host, which has queue pairs.
    #[inline]
    pub fn receive_at_nic(
        &mut self,
        now: u64,
        ingress: u32,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if packet.is_link_local() {
            self.take_frame(now, ingress, packet, context, round);
        } else if packet.is_data() {
            self.receive_on_pair(now, packet, context, round);
        } else {
            self.receive_feedback(now, packet, context, round);
        }
    }

    #[inline]
    fn receive_data(&mut self, now: u64, packet: &Packet, context: &mut PartitionContext, round: &Round) {
        let host = self.host_mut();
        if let Some(reordering) = &mut host.reordering {
            reordering.take((packet.slot, u64::from(packet.sequence)), packet.slot, packet);
        }
        let receive = host.receives.get_mut(packet.slot);
        receive.missing -= u64::from(packet.bytes);
        receive.packets += 1;
        receive.hops += u64::from(packet.hops());
        let receive = *receive;
        if let TransportKind::Window { acknowledgement, .. } = round.model.transport.kind {
            let to = Address { host: receive.source, slot: receive.send_slot };
            let response = packet.acknowledgement(to, acknowledgement.0 as u32, round.model.classes.control);
            self.forward_own(now, &response, context, round);
        }
        if receive.missing == 0 {
            self.message_arrived(now, &receive, context, round);
        }
    }

    // Once per message, so kept out of the code that runs per packet.
    #[inline(never)]
    fn message_arrived(
        &mut self,
        now: u64,
        receive: &IncomingMessage,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let IncomingMessage { flow, packets, hops, .. } = *receive;
        context.reports.push(Report::Arrived { flow, at: now, packets, hops });
        self.notify_receiver(now, flow, context, round);
    }

    /// Notifies the actor that waits for a message.
    pub fn notify_receiver(&mut self, now: u64, flow: u32, context: &mut PartitionContext, round: &Round) {
        let message = &round.flows[flow as usize].message;
        if let Some(actor) = message.notify {
            self.notify_actor(now, actor, message.tag, context, round);
        }
    }

    /// Notifies the actor that waits until a message it sent is acknowledged.
    pub fn notify_sender(&mut self, now: u64, flow: u32, context: &mut PartitionContext, round: &Round) {
        let message = &round.flows[flow as usize].message;
        if let Some(actor) = message.completion {
            self.notify_actor(now, actor, Message::completion_tag(message.tag), context, round);
        }
    }

    fn notify_actor(
        &mut self,
        now: u64,
        actor: ActorId,
        tag: u64,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if actor == NOTIFY_PROGRAM {
            // Not at once: what it starts at this instant starts in the turn of timers, as for an actor that waited.
            return context.set_timer(now, self.index_in_partition, TimerKind::ProgramTurn);
        }
        let host = self.host_mut();
        let index = host.actors.iter().position(|candidate| candidate.id == actor.0);
        let index = index.expect("the actor to notify is at this host");
        if host.actors[index].message_arrived(tag) {
            self.run_actor(now, index as u32, context, round);
        }
    }

    #[inline(always)]
    fn receive_acknowledgement(
        &mut self,
        now: u64,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let send = self.host_mut().sends.get_mut(packet.slot);
        send.acknowledged += 1;
        if send.next < send.n_packets {
            self.send_next(now, packet.slot, context, round);
        } else if send.acknowledged == send.n_packets {
            context.reports.push(Report::Sent { flow: packet.flow });
            self.notify_sender(now, packet.flow, context, round);
        }
    }

    /// Advances an actor as far as possible at `now`.
    pub fn run_actor(&mut self, now: u64, index: u32, context: &mut PartitionContext, round: &Round) {
        let host = self.host_mut();
        let mut effects = std::mem::take(&mut host.effects);
        let actor = &mut host.actors[index as usize];
        let id = actor.id;
        let state = actor.advance(now, &mut effects);
        match state {
            ActorState::Supplied => {}
            ActorState::NeedsRefill => context.reports.push(Report::NeedsRefill { actor: id }),
            ActorState::Finished => context.reports.push(Report::Finished),
            ActorState::Standstill => context.reports.push(Report::Standstill { actor: id, at: now }),
            ActorState::OutOfTasks => {
                host.dry.push(index);
                context.out_of_tasks = true;
                context.reports.push(Report::NeedsRefill { actor: id });
            }
        }
        for effect in effects.drain(..) {
            match effect {
                Effect::Send(flow) => self.start_message(now, flow, context, round),
                Effect::Later(at) => {
                    context.set_timer(at, self.index_in_partition, TimerKind::DelayedSend { actor: index });
                }
                Effect::Wake { at, stream } => {
                    context.set_timer(at, self.index_in_partition, TimerKind::Wake { actor: index, stream });
                }
                Effect::Notify { actor, tag } => {
                    self.notify_actor(now, ActorId(actor), tag, context, round);
                }
                Effect::Mark(mark) => context.reports.push(Report::Mark { mark, actor: id, at: now }),
                Effect::Barrier(group) => {
                    context.reports.push(Report::Barrier { group, actor: id, at: now });
                }
            }
        }
        self.host_mut().effects = effects;
    }

    /// Resumes the actors that ran out of operations at `now` and have been refilled since.
    pub fn resume_actors(&mut self, now: u64, context: &mut PartitionContext, round: &Round) {
        for index in std::mem::take(&mut self.host_mut().dry) {
            self.run_actor(now, index, context, round);
        }
    }

    /// Starts a message of a program.
    #[cold]
    #[inline(never)]
    pub fn start_message_of_program(
        &mut self,
        now: u64,
        flow: u32,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        self.start_message(now, flow, context, round);
    }

    /// Starts a message: hands over its first packets.
    #[inline(always)]
    fn start_message(&mut self, now: u64, flow: u32, context: &mut PartitionContext, round: &Round) {
        let model = round.model;
        let described = &round.flows[flow as usize];
        let host = self.host_mut();
        let number = host.n_started;
        host.n_started += 1;
        context.reports.push(Report::Started { flow, number, at: now });
        if host.nic.is_some() {
            return self.post(now, flow, number, context, round);
        }
        let destination = described.message.to.0;
        let size = described.message.size.0;
        let packet_bytes = model.transport.packet.0;
        let n_packets = size.div_ceil(packet_bytes);
        *host.sends.get_mut(described.send_slot) = OutgoingMessage {
            flow,
            receive_slot: described.receive_slot,
            destination,
            entropy: entropy(model, described, number, now),
            header_flags: described.header_flags(model),
            next: 0,
            n_packets: n_packets as u32,
            acknowledged: 0,
            packet_bytes: packet_bytes as u32,
            last_bytes: (size - (n_packets - 1) * packet_bytes) as u32,
            number,
            start: now,
        };
        self.report_posting(now, flow, context, round);
        let rate = described.message.rate;
        match (model.transport.kind, rate) {
            (TransportKind::Window { packets, .. }, _) => {
                for _ in 0..n_packets.min(u64::from(packets)) {
                    self.send_next(now, described.send_slot, context, round);
                }
            }
            (TransportKind::OpenLoop { rate: None }, None) => {
                let mut left = 0..n_packets;
                if n_packets > u64::from(AT_A_TIME) {
                    left.start = self.post_message(now, described.send_slot, context, round);
                }
                for _ in left {
                    self.send_next(now, described.send_slot, context, round);
                }
                self.finish_send(described.send_slot, context);
            }
            (TransportKind::OpenLoop { .. }, _) => self.pace(now, described.send_slot, context, round),
            (TransportKind::Rdma(_), _) => unreachable!("hosts have queue pairs then"),
        }
    }

    /// Hands over the packets of a message but the last one together, if this host may; returns their number.
    fn post_message(&mut self, now: u64, slot: u32, context: &mut PartitionContext, round: &Round) -> u64 {
        let send = *self.host_mut().sends.get_mut(slot);
        let n_packets = send.n_packets - 1;
        if !self.post_train(now, n_packets, &send.packet(0), context, round) {
            return 0;
        }
        self.host_mut().sends.get_mut(slot).next = n_packets;
        context.packets += u64::from(n_packets);
        u64::from(n_packets)
    }

    /// Hands over the next packet of a paced message and sets the timer for the one after it.
    pub fn pace(&mut self, now: u64, slot: u32, context: &mut PartitionContext, round: &Round) {
        self.send_next(now, slot, context, round);
        let send = *self.host_mut().sends.get_mut(slot);
        if send.next == send.n_packets {
            return self.finish_send(slot, context);
        }
        let rate = pace_of(round, send.flow);
        let sent = netloom_units::Bytes(u64::from(send.next) * u64::from(send.packet_bytes));
        let at = send.start + rate.serialization(sent).0;
        context.set_timer(at, self.index_in_partition, TimerKind::Pace { number: send.number, send: slot });
    }

    /// A message that receives no ACKs has been handed over completely.
    fn finish_send(&mut self, slot: u32, context: &mut PartitionContext) {
        let send = self.host_mut().sends.get_mut(slot);
        send.acknowledged = send.n_packets;
        context.reports.push(Report::Sent { flow: send.flow });
    }

    #[inline]
    fn send_next(&mut self, now: u64, slot: u32, context: &mut PartitionContext, round: &Round) {
        let send = self.host_mut().sends.get_mut(slot);
        let packet = send.packet(send.next);
        send.next += 1;
        let last = send.next == send.n_packets;
        context.packets += 1;
        if last && round.records_causes_of(packet.flow) {
            return self.send_last(now, slot, packet.with(Packet::REPORTED), context, round);
        }
        self.forward_of_message(now, &packet, context, round);
    }

    /// Sends a packet of a message of this host, after those that wait as a whole.
    #[inline(always)]
    pub(crate) fn forward_of_message(
        &mut self,
        now: u64,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if self.host_mut().posted.is_none() {
            self.forward_own(now, packet, context, round);
        } else {
            self.forward_after_posted(now, packet, context, round);
        }
    }

    /// Sends a packet of this host.
    #[inline(always)]
    pub(crate) fn forward_own(
        &mut self,
        now: u64,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if self.loads.is_some() {
            return self.forward_comparing(now, packet, context, round);
        }
        self.forward::<BASIC>(now, self.ports.len() as u32, packet, context, round);
    }

    /// Sends a packet where the policy compares ports.
    #[inline(never)]
    fn forward_comparing(
        &mut self,
        now: u64,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        self.forward::<COMPARING>(now, self.ports.len() as u32, packet, context, round);
    }
}

/// The pacing rate of a message: its own, or the transport's.
fn pace_of(round: &Round, flow: u32) -> Rate {
    let own = round.flows[flow as usize].message.rate;
    let general = match round.model.transport.kind {
        TransportKind::OpenLoop { rate } => rate,
        TransportKind::Window { .. } | TransportKind::Rdma(_) => None,
    };
    own.or(general).expect("only paced messages set pace timers")
}

/// The flow-hash input of a message's packets.
pub fn entropy(model: &Model, flow: &Flow, number: u32, now: u64) -> u32 {
    let pair = mix(model.seed ^ mix((u64::from(flow.source.0) << 32) | u64::from(flow.message.to.0)));
    let own = match (model.transport.flow_hash_input, flow.message.staged_flow()) {
        (FlowHashInput::Pair, _) => 0,
        // One connection for the whole staged flow.
        (_, Some(staged)) => mix(u64::from(staged)),
        (FlowHashInput::Message, None) => u64::from(number) + 1,
        (FlowHashInput::Start, None) => now + 1,
    };
    (mix(pair ^ own) >> 32) as u32
}
