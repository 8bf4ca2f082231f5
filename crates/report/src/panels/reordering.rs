//! In what order packets came: how many were late, by how many places, and what a receiver would have to hold because of it.
//!
//! Invariants: absent where it was not recorded. Figures are sums and maxima over messages.

use netloom_records::{Batch, ReorderingRow};
use serde::Serialize;

use super::Collector;
use crate::collect::About;
use crate::round::six_digits;

/// What is kept of a run.
#[derive(Debug, Default)]
pub struct Reordering {
    sums: RunData,
}

/// The order of packets in one run.
#[derive(Debug, Default, Clone, Serialize)]
pub struct RunData {
    /// Messages that were judged.
    pub messages: u64,
    /// Those of them with a late packet.
    pub reordered: u64,
    /// Packets that came, each counted once.
    pub packets: u64,
    /// Those that came after one with a higher number.
    pub late: u64,
    /// Those of them that had been sent before.
    pub late_again: u64,
    /// Their share in all packets.
    pub late_share: f64,
    /// Most places by which one was late.
    pub extent: u32,
    /// Most arrivals just before a late one that all had higher numbers.
    pub degree: u32,
    /// Most packets to be held for one message.
    pub held_packets: u32,
    /// Most bytes of such packets.
    pub held_bytes: u64,
    /// Late packets by extent: 1, 2 to 3, 4 to 7 and so on up to 128 and more.
    pub back: [u64; 8],
}

impl Collector for Reordering {
    fn take(&mut self, _: &About, batch: Batch<'_>) {
        if let Batch::Reordering(rows) = batch {
            for row in rows {
                self.sums.add(row);
            }
        }
    }
}

impl RunData {
    fn add(&mut self, row: &ReorderingRow) {
        self.messages += 1;
        self.reordered += u64::from(row.late > 0);
        self.packets += u64::from(row.packets);
        self.late += u64::from(row.late);
        self.late_again += u64::from(row.late_again);
        self.extent = self.extent.max(row.extent);
        self.degree = self.degree.max(row.degree);
        self.held_packets = self.held_packets.max(row.held_packets);
        self.held_bytes = self.held_bytes.max(row.held_size.0);
        for (sum, count) in self.back.iter_mut().zip(row.back()) {
            *sum += u64::from(count);
        }
    }
}

impl Reordering {
    /// Of the whole run.
    pub fn finish(self) -> Option<RunData> {
        let late_share = six_digits(self.sums.late as f64 / self.sums.packets.max(1) as f64);
        (self.sums.messages > 0).then_some(RunData { late_share, ..self.sums })
    }
}
