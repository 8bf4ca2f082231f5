//! Whole messages that wait at a host: trains of packets, each of which takes the memory of one.
//!
//! Models: the queue of the host's only port, where the start of every packet is known as soon as it is accepted; packets
//! enter the link some at a time, and the first of them no later than it starts.
//! Leaves out: hosts with several ports, and ports that limit their queue, count packets or act at starts: there every
//! packet waits by itself.
//!
//! Invariants: what the port accepts, and when it sends it, is as if every packet were queued by itself.

use std::collections::VecDeque;

use netloom_model::{Model, Queues, TransportKind};
use netloom_units::{HostId, NodeId, StateWriter, Time};

use crate::context::{PartitionContext, TimerKind};
use crate::node::Node;
use crate::packet::{InFlight, Packet};
use crate::port::{Egress, ps_per_byte};
use crate::round::Round;
use crate::state::write_packet;

/// Packets that enter the link at a time, the first of them at its start; no message with fewer waits as a train.
pub const AT_A_TIME: u32 = 64;

/// Packets that start one after the other and differ only in their sequence numbers.
#[derive(Debug, Clone, Copy)]
struct PacketTrain {
    /// Start of the first one, in ps.
    start: u64,
    n_packets: u32,
    packet: Packet,
}

/// The trains that wait at a host, the first to start first.
#[derive(Debug, Default)]
pub struct PostedTrains {
    trains: VecDeque<PacketTrain>,
}

impl PostedTrains {
    /// Number of packets that wait.
    pub fn n_packets(&self) -> u64 {
        self.trains.iter().map(|train| u64::from(train.n_packets)).sum()
    }

    /// Takes the first packet, as its port sends it.
    fn take(&mut self, egress: &Egress) -> Option<InFlight> {
        let train = self.trains.front_mut()?;
        let start = egress.take_of_train(train.start, train.packet);
        train.start = start.end;
        train.packet.sequence += 1;
        train.n_packets -= 1;
        if train.n_packets == 0 {
            self.trains.pop_front();
        }
        Some(egress.entry(&start))
    }

    /// Writes the state that later behaviour depends on.
    pub fn write_state(&self, out: &mut StateWriter) {
        for train in &self.trains {
            out.instant(Time(train.start));
            out.word(u64::from(train.n_packets));
            write_packet(&train.packet, out);
        }
    }
}

/// Whether all messages that are posted as a whole surely wait as trains; otherwise each of their packets may take memory
/// of its own.
pub fn messages_wait_as_trains(model: &Model) -> bool {
    let Model { transport, queues, recording, balances, fabric, classes, .. } = model;
    let has_one_port =
        |host| matches!(fabric.ports_of(NodeId(host)), [port] if ps_per_byte(port.rate).is_some());
    matches!(transport.kind, TransportKind::OpenLoop { rate: None })
        && *queues == Queues { switch_limit: queues.switch_limit, ..Queues::default() }
        && classes.data == classes.control
        && !recording.queue_packets
        && !recording.follows_flows()
        && recording.packets_on.is_empty()
        && model.loss == 0
        && model.faults.is_empty()
        && balances.edge.is_none()
        && !balances.switch.asks_for_classes()
        && [&balances.host, &balances.switch].iter().all(|chosen| chosen.keeps_class())
        && (0..fabric.n_hosts() as u32).all(has_one_port)
}

impl Node {
    /// Number of packets that wait in trains.
    pub fn n_posted(&self) -> u64 {
        let posted = self.host.as_ref().and_then(|host| host.posted.as_ref());
        posted.map_or(0, |posted| posted.n_packets())
    }

    /// Queues equal packets, of which this is the first, as a train; returns whether this host may.
    pub(crate) fn post_train(
        &mut self,
        now: u64,
        n_packets: u32,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) -> bool {
        if !self.may_post(packet, round) {
            return false;
        }
        let start = self.ports[0].enqueue_train(now, packet.bytes, n_packets);
        let trains = &mut self.host_mut().posted.get_or_insert_default().trains;
        let is_first = trains.is_empty();
        trains.push_back(PacketTrain { start, n_packets, packet: packet.with_hop() });
        if is_first {
            self.send_posted(context, round);
        }
        true
    }

    /// Queues a packet after the trains that wait.
    #[cold]
    #[inline(never)]
    pub(crate) fn forward_after_posted(
        &mut self,
        now: u64,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if !self.may_post(packet, round) {
            // Its destination may be out of reach by now.
            self.send_posted_packets(u32::MAX, context, round);
            return self.forward_own(now, packet, context, round);
        }
        let start = self.ports[0].enqueue_train(now, packet.bytes, 1);
        let train = PacketTrain { start, n_packets: 1, packet: packet.with_hop() };
        self.host_mut().posted.get_or_insert_default().trains.push_back(train);
    }

    /// Whether a packet would be queued at the only port of this host, and its start be known at once.
    fn may_post(&self, packet: &Packet, round: &Round) -> bool {
        self.has_one_port_towards(HostId(packet.destination), round) && self.ports[0].takes_trains()
    }

    /// Puts the next packets on the link, and sets a timer for those after them.
    pub fn send_posted(&mut self, context: &mut PartitionContext, round: &Round) {
        self.send_posted_packets(AT_A_TIME, context, round);
        if let Some(next) = self.host_mut().posted.as_ref().and_then(|posted| posted.trains.front()) {
            context.set_timer(next.start, self.index_in_partition, TimerKind::Posted);
        }
    }

    fn send_posted_packets(&mut self, most: u32, context: &mut PartitionContext, round: &Round) {
        let Node { host, ports, .. } = self;
        let host = host.as_deref_mut().expect("only hosts post messages");
        let Some(posted) = &mut host.posted else { return };
        for _ in 0..most {
            let Some(entry) = posted.take(&ports[0]) else { break };
            ports[0].channel.push(entry, context, round);
        }
        if posted.trains.is_empty() {
            host.posted = None;
        }
    }
}
