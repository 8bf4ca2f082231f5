//! In what order packets came: how many were late, by how many places, and what a receiver would have to hold because of it.
//!
//! Invariants: absent where it was not recorded. Figures are sums and maxima over messages.

use netloom_records::Batch;
use netloom_records::statistics;

use super::Collector;
use crate::collect::About;
use crate::round::six_digits;

/// The order of packets in one run.
pub type RunData = statistics::Reordering;

/// What is kept of a run.
#[derive(Debug, Default)]
pub struct Reordering {
    sums: statistics::Reordering,
}

impl Collector for Reordering {
    fn take(&mut self, _: &About, batch: Batch<'_>) {
        if let Batch::Reordering(rows) = batch {
            for row in rows {
                self.sums.take(row);
            }
        }
    }
}

impl Reordering {
    /// Of the whole run.
    pub fn finish(self) -> Option<RunData> {
        self.sums.finish().map(|found| RunData { late_share: six_digits(found.late_share), ..found })
    }
}
