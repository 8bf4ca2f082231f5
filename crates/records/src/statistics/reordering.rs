//! Order of arrival of packets, over all messages.
//!
//! Models: sums and maxima of table `reordering`.
//! Leaves out: single messages; they are in the table.

use serde::{Deserialize, Serialize};

use crate::rows::ReorderingRow;

/// Packets that arrived after later ones of their stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Reordering {
    /// Number of messages evaluated.
    pub messages: u64,
    /// Those of them with a late packet.
    pub reordered: u64,
    /// Packets that arrived, each counted once.
    pub packets: u64,
    /// Those that arrived after one with a higher number.
    pub late: u64,
    /// Those of them that are retransmissions: the first transmission was lost.
    pub late_retransmitted: u64,
    /// The share of late ones in all packets that arrived.
    pub late_share: f64,
    /// The largest extent: number of arrivals by which a packet was late.
    pub extent: u32,
    /// The largest degree: number of arrivals just before a late one that all had higher numbers.
    pub degree: u32,
    /// Most packets that the receiver of a message would have to buffer to deliver in order.
    pub buffered_packets: u32,
    /// Most bytes of such packets.
    pub buffered_bytes: u64,
    /// Late packets by extent: 1, 2 to 3, 4 to 7 and so on up to 128 and more.
    pub by_extent: [u64; 8],
}

impl Reordering {
    /// Adds a message.
    pub fn take(&mut self, row: &ReorderingRow) {
        self.messages += 1;
        self.reordered += u64::from(row.late > 0);
        self.packets += u64::from(row.packets);
        self.late += u64::from(row.late);
        self.late_retransmitted += u64::from(row.late_retransmitted);
        self.extent = self.extent.max(row.extent);
        self.degree = self.degree.max(row.degree);
        self.buffered_packets = self.buffered_packets.max(row.buffered_packets);
        self.buffered_bytes = self.buffered_bytes.max(row.buffered_size.0);
        for (sum, count) in self.by_extent.iter_mut().zip(row.by_extent()) {
            *sum += u64::from(count);
        }
    }

    /// The results; `None` if no message was evaluated.
    pub fn finish(self) -> Option<Reordering> {
        let late_share = if self.packets > 0 { self.late as f64 / self.packets as f64 } else { 0.0 };
        (self.messages > 0).then_some(Reordering { late_share, ..self })
    }
}
