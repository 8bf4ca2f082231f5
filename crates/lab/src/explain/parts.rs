//! The parts of the completion times of some messages, from the packets of a second run.
//!
//! Models: a message is complete when its last packet arrives, so its time is that of this packet: until it is on the
//! wire at its sender, and hop by hop from there. At the sender, the time in which earlier packets of the message were
//! on the same wire is transmission; the rest is waiting: for the message's turn at the NIC, for the window, the rate or
//! a timeout.
//! Leaves out: which of these it waited for at the sender.
//!
//! Invariants: the parts of a message add up to its completion time, to the picosecond. Memory is that of packets in
//! flight, and a few words for each message.

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
    /// Waiting at the sender.
    pub sender: u64,
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
        self.transmission + self.sender + self.queues.iter().map(Wait::length).sum::<u64>()
    }
}

/// Collects the parts of some messages during a run.
#[derive(Debug)]
pub(super) struct Collector {
    messages: BTreeMap<Key, Collected>,
    /// Packets under way, by message and number.
    under_way: BTreeMap<(Key, u32), Underway>,
}

#[derive(Debug)]
struct Collected {
    start: Time,
    end: Time,
    /// Serialization of its packets so far at its sender, in ps.
    serialized: u64,
    parts: Option<Parts>,
}

/// A packet between its sender and its receiver.
#[derive(Debug)]
struct Underway {
    /// When it was on the wire at its sender.
    start: Time,
    /// Serialization of earlier packets of its message, in ps.
    earlier: u64,
    /// Serialization and propagation so far, in ps.
    crossing: u64,
    waits: Vec<Wait>,
}

impl Collector {
    /// Of these messages, by their rows in the first run.
    pub fn new(rows: impl Iterator<Item = (Key, Time, Time)>) -> Collector {
        let collected = |(key, start, end)| (key, Collected { start, end, serialized: 0, parts: None });
        Collector { messages: rows.map(collected).collect(), under_way: BTreeMap::new() }
    }

    /// The parts of each; an error names a message whose last packet was not seen.
    pub fn finish(self) -> Result<BTreeMap<Key, Parts>, String> {
        let found = |(key, collected): (Key, Collected)| match collected.parts {
            Some(parts) => Ok((key, parts)),
            None => Err(format!("a second run of the same model differs from the first, in message {key:?}")),
        };
        self.messages.into_iter().map(found).collect()
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
            let first = Underway { start, earlier: message.serialized, crossing: span, waits: Vec::new() };
            message.serialized += crossing.serialization.0;
            self.under_way.insert((key, row.packet), first);
        } else if let Some(packet) = self.under_way.get_mut(&(key, row.packet)) {
            packet.crossing += span;
            packet.waits.push(Wait { port, from: row.arrival, until: start });
        }
        if row.fate == Fate::Delivered
            && let Some(packet) = self.under_way.remove(&(key, row.packet))
            && row.end == Some(message.end)
        {
            message.parts.get_or_insert_with(|| packet.parts(message.start));
        }
    }
}

impl Underway {
    /// The parts of a message that started at an instant, if this is its last packet.
    fn parts(self, message_start: Time) -> Parts {
        let at_sender = self.start.0.saturating_sub(message_start.0);
        let earlier = self.earlier.min(at_sender);
        Parts { transmission: earlier + self.crossing, sender: at_sender - earlier, queues: self.waits }
    }
}

impl Sink for Collector {
    fn accept(&mut self, batch: Batch<'_>) -> Result<(), SinkError> {
        if let Batch::Packets(rows) = batch {
            rows.iter().for_each(|row| self.crossed(row));
        }
        Ok(())
    }
}
