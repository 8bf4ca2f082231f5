//! Who was ahead in some queues: the packets that left a port while a packet waited there.
//!
//! Models: the bytes of each pair of hosts that started on the wire of a port within an interval, those of the waiting
//! message apart.
//! Leaves out: why they were there.
//!
//! Invariants: memory is a few words for each pair of hosts seen at a port.

use std::collections::BTreeMap;

use netloom_records::{Batch, PacketKind, PacketRow, Sink, SinkError};
use netloom_units::HostId;

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

/// A wait of a message of the chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageWait {
    /// Index of the message in the chain.
    pub message: usize,
    /// The message.
    pub key: Key,
    /// Where and when.
    pub wait: Wait,
    /// Whether it was at the NIC of the sender; only the time in which others were on the wire counts then.
    pub is_at_nic: bool,
    /// Its length in ps.
    pub length: u64,
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
        let (Some(port), Some(start)) = (row.port, row.start) else { return };
        let is_during = |MessageWait { wait, .. }: &MessageWait| {
            wait.port == port && wait.from <= start && start < wait.until
        };
        // An ACK travels from the receiver of its message.
        let is_data = row.kind == PacketKind::Data;
        let (from, to) = if is_data { (row.source, row.destination) } else { (row.destination, row.source) };
        for (waiting, shares) in self.waits.iter_mut().filter(|(waiting, _)| is_during(waiting)) {
            let is_own = is_data && waiting.key == (row.source, row.destination, row.number);
            // At the NIC the message's own packets are transmission, not a wait.
            if !(is_own && waiting.is_at_nic) {
                *shares.entry(Owner { from, to, is_own }).or_default() += row.size.0;
            }
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
