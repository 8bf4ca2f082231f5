//! Following packets: what a recorded packet found at a port, and what became of it there.
//!
//! Models: entries beside the class queues of a port, one per packet in them; the account of a hop when it is over; the
//! choice of which accounts become rows, and their order.
//! Leaves out: the queues themselves; ports whose packets are not recorded, which have nothing of this. A packet that a
//! hook keeps leaves no account of that hop.
//!
//! A hop is accounted for when its transmission starts, since then its end is known. Rows are ordered by that end, which
//! lies ahead: they are held back until the windows have passed it, so that memory grows with the packets under way and
//! not with those recorded.

use std::collections::{BTreeMap, VecDeque};

use netloom_model::{Model, NamedFlow};
use netloom_records::{DropReason, Fate, PacketKind, PacketOrder, PacketRow};
use netloom_units::{Bytes, HostId, NodeId, PortId, Time};

use crate::flow::Flow;
use crate::packet::{self, Packet};
use crate::port::N_QUEUES;

/// What a packet found when it came to a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueSnapshot {
    /// When it came, in ps.
    pub at: u64,
    /// Packets waiting, the one on the wire not included.
    pub packets: u32,
    /// Bytes accepted and not yet sent.
    pub bytes: u64,
    /// The in-link it came by, at a switch with input buffers; else 0.
    pub ingress: u32,
}

/// A packet at a port: what it found, and when its transmission started if it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracedPacket {
    /// What it found.
    pub snapshot: QueueSnapshot,
    /// When its first bit went onto the wire, in ps.
    pub start: Option<u64>,
}

/// What a port remembers of packets in its class queues.
#[derive(Debug, Default)]
pub struct Trace {
    port: PortId,
    /// Whether every packet is recorded here, whatever its flow.
    all: bool,
    classes: [VecDeque<QueueSnapshot>; N_QUEUES],
    /// The packet on the wire, if the link will go down under it.
    doomed: Option<TracedPacket>,
}

impl Trace {
    /// Nothing yet: for all packets of a port, or for those of recorded flows.
    pub fn new(port: PortId, all: bool) -> Trace {
        Trace { port, all, ..Trace::default() }
    }

    /// Whether a packet may be recorded here. Where that is not asked, the account is refused by the tracer.
    pub fn records(&self, packet: &Packet, flows: &[Flow]) -> bool {
        self.all || is_followed(packet, flows)
    }

    /// The account of a packet here, with nothing known but what it found and whether it started.
    pub fn hop_record(&self, packet: &Packet, followed: TracedPacket) -> HopRecord {
        HopRecord {
            packet: *packet,
            location: HopLocation::Port(self.port),
            whatever_flow: self.all,
            arrival: followed.snapshot.at,
            snapshot: Some(followed.snapshot),
            start: followed.start,
            sent: None,
            dropped: None,
        }
    }

    /// A packet was put into a class queue.
    pub fn queued(&mut self, class: u8, snapshot: QueueSnapshot) {
        self.classes[usize::from(class) % N_QUEUES].push_back(snapshot);
    }

    /// The first packet of a class queue has left it.
    pub fn left(&mut self, class: u8) -> QueueSnapshot {
        self.classes[usize::from(class) % N_QUEUES].pop_front().expect("every queued packet has an entry")
    }

    /// The packet whose transmission started then will be lost on the wire.
    pub fn will_be_lost(&mut self, snapshot: QueueSnapshot, start: u64) {
        self.doomed = Some(TracedPacket { snapshot, start: Some(start) });
    }

    /// Forgets the packet that is lost on the wire.
    pub fn take_doomed(&mut self) -> Option<TracedPacket> {
        self.doomed.take()
    }

    /// Forgets all packets: the doomed one, then those of the class queues in the order of classes.
    pub fn take_all(&mut self) -> Vec<TracedPacket> {
        let waiting = self.classes.iter_mut().flat_map(|class| class.drain(..));
        let waiting = waiting.map(|snapshot| TracedPacket { snapshot, start: None });
        self.doomed.take().into_iter().chain(waiting).collect()
    }
}

/// Whether a packet belongs to a recorded flow; one that a hook made up belongs to none.
pub fn is_followed(packet: &Packet, flows: &[Flow]) -> bool {
    flows.get(packet.flow as usize).is_some_and(|flow| flow.followed)
}

/// Where a hop was accounted for.
#[derive(Debug, Clone, Copy)]
pub enum HopLocation {
    /// At a node, before a port had been chosen.
    Node(NodeId),
    /// At an egress port.
    Port(PortId),
}

/// The account of a packet's hop, as its node tells it.
#[derive(Debug, Clone, Copy)]
pub struct HopRecord {
    /// The packet, as it was on the link, or as it came where it never got so far.
    pub packet: Packet,
    /// Where.
    pub location: HopLocation,
    /// Whether it is recorded whatever its flow.
    pub whatever_flow: bool,
    /// When it came, in ps.
    pub arrival: u64,
    /// What it found, where a port had been chosen.
    pub snapshot: Option<QueueSnapshot>,
    /// When its first bit went onto the wire, in ps.
    pub start: Option<u64>,
    /// When its last bit left and when it reached the other end, in ps.
    pub sent: Option<(u64, u64)>,
    /// When and why it was dropped, in ps.
    pub dropped: Option<(u64, DropReason)>,
}

impl HopRecord {
    /// Of a packet dropped before a port was chosen.
    pub fn without_port(packet: &Packet, node: NodeId, at: u64, reason: DropReason) -> HopRecord {
        HopRecord {
            packet: *packet,
            location: HopLocation::Node(node),
            whatever_flow: false,
            arrival: at,
            snapshot: None,
            start: None,
            sent: None,
            dropped: Some((at, reason)),
        }
    }
}

/// Which packets are recorded, and rows not yet handed on.
#[derive(Debug)]
pub struct Tracer<'a> {
    model: &'a Model,
    /// For each host, whether all it sends is recorded.
    from: Vec<bool>,
    /// Flows named one by one, sorted.
    named: Vec<NamedFlow>,
    pending_rows: BTreeMap<PacketOrder, PacketRow>,
}

/// A message, as rows name it.
#[derive(Debug, Clone, Copy)]
pub struct Identity {
    /// Sender.
    pub source: HostId,
    /// Receiver.
    pub destination: HostId,
    /// Number among the sender's messages.
    pub number: u32,
}

impl<'a> Tracer<'a> {
    /// A tracer of what the model says is recorded.
    pub fn new(model: &'a Model) -> Tracer<'a> {
        let mut from = vec![false; model.fabric.n_hosts()];
        model.recording.packets_from.iter().for_each(|host| from[host.index()] = true);
        let mut named = model.recording.packets_of.clone();
        named.sort_unstable();
        Tracer { model, from, named, pending_rows: BTreeMap::new() }
    }

    /// Whether packets between these hosts may be recorded: the number of a message is known only when it starts.
    pub fn may_follow(&self, source: HostId, destination: HostId) -> bool {
        self.from[source.index()] || !self.named_between(source, destination).is_empty()
    }

    fn named_between(&self, source: HostId, destination: HostId) -> &[NamedFlow] {
        let pair = (source, destination);
        let first = self.named.partition_point(|flow| (flow.source, flow.destination) < pair);
        let rest = &self.named[first..];
        &rest[..rest.partition_point(|flow| (flow.source, flow.destination) == pair)]
    }

    fn follows(&self, flow: Identity) -> bool {
        let named = self.named_between(flow.source, flow.destination);
        let is_named = |named: &NamedFlow| named.number.is_none_or(|number| number == flow.number);
        self.from[flow.source.index()] || named.iter().any(is_named)
    }

    /// Takes an account; it becomes a row if its flow or its link is recorded.
    pub fn take(&mut self, record: &HopRecord, flow: Identity) {
        if record.whatever_flow || self.follows(flow) {
            let row = self.row(record, flow);
            self.pending_rows.insert(row.order(), row);
        }
    }

    fn row(&self, record: &HopRecord, flow: Identity) -> PacketRow {
        let HopRecord { packet, snapshot, .. } = record;
        let (node, port) = match record.location {
            HopLocation::Node(node) => (node, None),
            HopLocation::Port(port) => (self.model.fabric.port(port).node, Some(port)),
        };
        let (end, fate) = self.outcome(record, port);
        PacketRow {
            arrival: Time(record.arrival),
            start: record.start.map(Time),
            sent: record.sent.map(|(sent, _)| Time(sent)),
            end,
            source: flow.source,
            destination: flow.destination,
            number: flow.number,
            packet: packet.sequence,
            kind: kind(packet),
            // A packet at a port is counted as if it had crossed that link.
            hop: u16::from(packet.hops().wrapping_sub(u8::from(port.is_some()))),
            node,
            port,
            class: u16::from(packet.class()),
            size: Bytes(u64::from(packet.bytes)),
            queue_packets: snapshot.map(|snapshot| snapshot.packets),
            queue_size: snapshot.map(|snapshot| Bytes(snapshot.bytes)),
            fate,
            reason: record.dropped.map(|(_, reason)| reason),
        }
    }

    fn outcome(&self, record: &HopRecord, port: Option<PortId>) -> (Option<Time>, Fate) {
        match (record.dropped, record.sent, port) {
            (Some((at, _)), ..) => (Some(Time(at)), Fate::Dropped),
            (None, Some((_, end)), Some(port)) => {
                let reached = self.model.fabric.neighbour(port);
                let goal = self.model.fabric.host_node(HostId(record.packet.destination));
                (Some(Time(end)), if reached == goal { Fate::Delivered } else { Fate::Forwarded })
            }
            _ => (None, Fate::Unfinished),
        }
    }

    /// Rows of hops that ended before `now`, in their table's order.
    pub fn take_ended(&mut self, now: u64) -> Vec<PacketRow> {
        let mut rows = Vec::new();
        while let Some(first) = self.pending_rows.first_entry() {
            if first.get().end.is_none_or(|end| end.0 >= now) {
                break;
            }
            rows.push(first.remove());
        }
        rows
    }

    /// Rows of hops that the end of the run cut short, in their table's order.
    pub fn take_rest(&mut self) -> Vec<PacketRow> {
        let held = std::mem::take(&mut self.pending_rows).into_values();
        let mut rows: Vec<PacketRow> =
            held.map(|row| PacketRow { end: None, fate: Fate::Unfinished, reason: None, ..row }).collect();
        rows.sort_unstable_by_key(PacketRow::order);
        rows
    }
}

fn kind(packet: &Packet) -> PacketKind {
    match packet.kind() {
        packet::PacketKind::Data => PacketKind::Data,
        packet::PacketKind::Acknowledgement => PacketKind::Acknowledgement,
        packet::PacketKind::Nack => PacketKind::Nack,
        packet::PacketKind::Cnp => PacketKind::Cnp,
        packet::PacketKind::Pause
        | packet::PacketKind::Resume
        | packet::PacketKind::Credit
        | packet::PacketKind::Notice => PacketKind::Frame,
    }
}
