//! The parts of the completion times of some messages, from the packets of a second run.
//!
//! Models: a message is complete when its last packet arrives, so its time is that of this packet: until it is on the
//! wire at its sender, and hop by hop from there. At the sender, the time in which earlier packets of the message were
//! on the same wire is transmission, that in which other packets of the host were there is waiting for a turn, and in
//! the rest the wire was idle: the message waited for the window, the rate, credits, the end of a pause or a timeout.
//! Leaves out: which of these it was.
//!
//! Invariants: the parts of a message add up to its completion time, to the picosecond. Memory is that of packets in
//! flight, and a few words for each message. Packets of one wire come in the order in which they were there.

use std::collections::BTreeMap;

use netloom_records::{Batch, Fate, FlowRow, PacketKind, PacketRow, Sink, SinkError};
use netloom_units::{HostId, PortId, Time};

use crate::slowest::Crossing;

/// A message by sender, receiver and number.
pub(super) type Key = (HostId, HostId, u32);

/// The key of a message.
pub(super) fn key(row: &FlowRow) -> Key {
    (row.source, row.destination, row.number)
}

/// The parts of a completion time, in ps.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Parts {
    /// Bits on wires: earlier packets at the sender, then the last one hop by hop, with propagation.
    pub transmission: u64,
    /// Waiting at the sender while other packets of the host were on the wire.
    pub turn: u64,
    /// Waiting at the sender while the wire was idle.
    pub held: u64,
    /// Waits of the last packet behind its sender, port by port.
    pub queues: Vec<Wait>,
}

/// A wait at a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wait {
    /// The egress port.
    pub port: PortId,
    /// When the packet arrived there.
    pub from: Time,
    /// When it was on the wire.
    pub until: Time,
}

impl Wait {
    /// Its length in ps.
    pub fn length(&self) -> u64 {
        self.until.since(self.from).0
    }
}

impl Parts {
    /// Their sum.
    pub fn total(&self) -> u64 {
        self.transmission + self.turn + self.held + self.queues.iter().map(Wait::length).sum::<u64>()
    }
}

/// Collects the parts of some messages during a run.
#[derive(Debug)]
pub(super) struct Collector {
    messages: BTreeMap<Key, Collected>,
    /// Packets in flight, by message and number.
    in_flight: BTreeMap<(Key, u32), PacketInFlight>,
}

#[derive(Debug)]
struct Collected {
    start: Time,
    end: Time,
    /// How the wires of its sender have been used since its start.
    wires: BTreeMap<PortId, Use>,
    parts: Option<Parts>,
}

/// How a wire has been used since the start of a message, in ps.
#[derive(Debug, Clone, Copy, Default)]
struct Use {
    own: u64,
    others: u64,
}

/// A packet between its sender and its receiver.
#[derive(Debug)]
struct PacketInFlight {
    /// When it was on the wire at its sender.
    start: Time,
    /// How that wire was used between the start of the message and then.
    before: Use,
    /// Serialization and propagation so far, in ps.
    crossing: u64,
    waits: Vec<Wait>,
}

impl Collector {
    /// Of these messages, by their rows in the first run.
    pub fn new(rows: impl Iterator<Item = (Key, Time, Time)>) -> Collector {
        let collected =
            |(key, start, end)| (key, Collected { start, end, wires: BTreeMap::new(), parts: None });
        Collector { messages: rows.map(collected).collect(), in_flight: BTreeMap::new() }
    }

    /// The parts of each; an error names a message whose last packet was not seen.
    pub fn finish(self) -> Result<BTreeMap<Key, Parts>, String> {
        let found = |(key, collected): (Key, Collected)| match collected.parts {
            Some(parts) => Ok((key, parts)),
            None => Err(format!("a second run of the same model differs from the first, in message {key:?}")),
        };
        self.messages.into_iter().map(found).collect()
    }

    /// Counts a packet on the wire of a sender; the messages of a chain of one sender follow each other.
    fn occupied(&mut self, row: &PacketRow) {
        let (0, Some(port), Some(start), Some(sent)) = (row.hop, row.port, row.start, row.sent) else {
            return;
        };
        let is_data = row.kind == PacketKind::Data;
        let host = if is_data { row.source } else { row.destination };
        let of_host = (host, HostId(0), 0)..=(host, HostId(u32::MAX), u32::MAX);
        for (key, message) in self.messages.range_mut(of_host) {
            if message.parts.is_some() || sent <= message.start || start >= message.end {
                continue;
            }
            let wire = message.wires.entry(port).or_default();
            let span = sent.since(start.max(message.start)).0;
            let is_own = is_data && (row.destination, row.number) == (key.1, key.2);
            if is_own { wire.own += span } else { wire.others += span }
        }
    }

    fn crossed(&mut self, row: &PacketRow) {
        let (PacketKind::Data, Some(port), Some(crossing)) = (row.kind, row.port, Crossing::of(row)) else {
            return;
        };
        let key = (row.source, row.destination, row.number);
        let Some(message) = self.messages.get_mut(&key) else { return };
        let Some(start) = row.start else { return };
        let span = crossing.serialization.0 + crossing.propagation.0;
        if row.hop == 0 {
            let before = message.wires.get(&port).copied().unwrap_or_default();
            let first = PacketInFlight { start, before, crossing: span, waits: Vec::new() };
            self.in_flight.insert((key, row.packet), first);
        } else if let Some(packet) = self.in_flight.get_mut(&(key, row.packet)) {
            packet.crossing += span;
            packet.waits.push(Wait { port, from: row.arrival, until: start });
        }
        if row.fate == Fate::Delivered
            && let Some(packet) = self.in_flight.remove(&(key, row.packet))
            && row.end == Some(message.end)
        {
            message.parts.get_or_insert_with(|| packet.parts(message.start));
        }
    }
}

impl PacketInFlight {
    /// The parts of a message that started at an instant, if this is its last packet.
    fn parts(self, message_start: Time) -> Parts {
        let at_sender = self.start.0.saturating_sub(message_start.0);
        let own = self.before.own.min(at_sender);
        let turn = self.before.others.min(at_sender - own);
        let held = at_sender - own - turn;
        Parts { transmission: own + self.crossing, turn, held, queues: self.waits }
    }
}

impl Sink for Collector {
    fn accept(&mut self, batch: Batch<'_>) -> Result<(), SinkError> {
        if let Batch::Packets(rows) = batch {
            for row in rows {
                // What was on the wire before this packet counts for it, itself not.
                self.crossed(row);
                self.occupied(row);
            }
        }
        Ok(())
    }
}
