//! Reordering: the number of late packets, their reordering extent, and the buffer that a receiver would need.
//!
//! Invariants: absent if it was not recorded. Figures are sums and maxima over messages.

use netloom_records::Batch;
use netloom_records::statistics;

use super::Collector;
use crate::collect::About;
use crate::round::six_digits;

/// Reordering of packets in one run.
pub type RunData = statistics::Reordering;

/// Sums and maxima of a run.
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
