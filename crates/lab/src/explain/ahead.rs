//! Who was ahead in some queues: the packets that left a port while a packet waited there.
//!
//! Models: the bytes of each pair of hosts that started on the wire of a port within an interval.
//! Leaves out: why they were there.
//!
//! Invariants: memory is a few words for each pair of hosts seen at a port.

use std::collections::BTreeMap;

use netloom_records::{Batch, PacketKind, PacketRow, Sink, SinkError};
use netloom_units::HostId;

use super::parts::Wait;

/// Bytes by sender and receiver of the packets themselves.
pub(super) type Shares = BTreeMap<(HostId, HostId), u64>;

/// Collects the packets that left during some waits.
#[derive(Debug)]
pub(super) struct Ahead {
    waits: Vec<(Wait, Shares)>,
}

impl Ahead {
    /// During these waits.
    pub fn new(waits: impl Iterator<Item = Wait>) -> Ahead {
        Ahead { waits: waits.map(|wait| (wait, Shares::new())).collect() }
    }

    /// The bytes that left during each wait, in their order.
    pub fn finish(self) -> Vec<Shares> {
        self.waits.into_iter().map(|(_, shares)| shares).collect()
    }

    fn left(&mut self, row: &PacketRow) {
        let (Some(port), Some(start)) = (row.port, row.start) else { return };
        let is_during = |wait: &Wait| wait.port == port && wait.from <= start && start < wait.until;
        // An ACK travels from the receiver of its message.
        let ends = match row.kind {
            PacketKind::Data => (row.source, row.destination),
            _ => (row.destination, row.source),
        };
        for (_, shares) in self.waits.iter_mut().filter(|(wait, _)| is_during(wait)) {
            *shares.entry(ends).or_default() += row.size.0;
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
