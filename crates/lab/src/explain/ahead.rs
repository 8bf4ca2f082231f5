//! Who was ahead in some queues: the packets that left a port while a packet waited there.
//!
//! Models: the bytes of each pair of hosts that started on the wire of a port within an interval, those of the waiting
//! message apart.
//! Leaves out: why they were there.
//!
//! Invariants: memory is a few words for each pair of hosts seen at a port.

use std::collections::BTreeMap;

use netloom_records::{Batch, PacketKind, PacketRow, Sink, SinkError};
use netloom_units::{Bytes, HostId, PortId, Time};

use super::parts::{Key, Wait};

/// Whose packets: sender and receiver of the packets themselves, and whether they are of the message that waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Owner {
    pub from: HostId,
    pub to: HostId,
    pub is_own: bool,
}

/// Bytes by owner.
pub(super) type Shares = BTreeMap<Owner, u64>;

/// A wait of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageWait {
    /// Index of the message in its list.
    pub message: usize,
    /// The message, and its job.
    pub key: Key,
    pub job: u16,
    /// Where and when.
    pub wait: Wait,
    /// Index among the queues of its path; none at the NIC of the sender, where only the time in which others were on the
    /// wire counts.
    pub hop: Option<usize>,
    /// Its length in ps.
    pub length: u64,
}

/// A packet that left a port.
#[derive(Debug, Clone, Copy)]
pub(super) struct Departure {
    pub port: PortId,
    pub start: Time,
    pub size: Bytes,
    /// Sender and receiver of the packet itself.
    from: HostId,
    to: HostId,
    /// The message, if it is of the data of one.
    message: Option<u32>,
}

impl Departure {
    /// Of a row; `None` if the packet was not sent.
    pub fn of(row: &PacketRow) -> Option<Departure> {
        let (port, start) = (row.port?, row.start?);
        // An ACK travels from the receiver of its message.
        let is_data = row.kind == PacketKind::Data;
        let (from, to) = if is_data { (row.source, row.destination) } else { (row.destination, row.source) };
        let message = is_data.then_some(row.number);
        Some(Departure { port, start, size: row.size, from, to, message })
    }

    /// Adds its bytes to those that left during a wait, if it did.
    pub fn add_to(&self, shares: &mut Shares, waiting: &MessageWait) {
        let MessageWait { wait, key: (source, destination, number), .. } = waiting;
        if wait.port != self.port || self.start < wait.from || wait.until <= self.start {
            return;
        }
        let is_own = (self.from, self.to, self.message) == (*source, *destination, Some(*number));
        // At the NIC the message's own packets are transmission, not a wait.
        if !(is_own && waiting.hop.is_none()) {
            *shares.entry(Owner { from: self.from, to: self.to, is_own }).or_default() += self.size.0;
        }
    }
}

/// Collects the packets that left during some waits.
#[derive(Debug)]
pub(super) struct Ahead {
    waits: Vec<(MessageWait, Shares)>,
}

impl Ahead {
    /// During these waits.
    pub fn new(waits: &[MessageWait]) -> Ahead {
        Ahead { waits: waits.iter().map(|wait| (*wait, Shares::new())).collect() }
    }

    /// The bytes that left during each wait, in their order.
    pub fn finish(self) -> Vec<Shares> {
        self.waits.into_iter().map(|(_, shares)| shares).collect()
    }

    fn left(&mut self, row: &PacketRow) {
        let Some(departure) = Departure::of(row) else { return };
        for (waiting, shares) in &mut self.waits {
            departure.add_to(shares, waiting);
        }
    }
}

impl Sink for Ahead {
    fn accept(&mut self, batch: Batch<'_>) -> Result<(), SinkError> {
        if let Batch::Packets(rows) = batch {
            for row in rows {
                self.left(row);
            }
        }
        Ok(())
    }
}
