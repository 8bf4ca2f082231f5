//! FCT slowdown by size of the background messages and finite flows that started within the span: FCT over ideal FCT.

use netloom_records::Batch;
use netloom_records::statistics::{Slowdown, Slowdowns};

use super::Collector;
use crate::collect::About;

/// Number of buckets, as is usual in papers.
const BUCKETS: u64 = 20;

/// Slowdowns of a run.
#[derive(Debug, Default)]
pub struct SlowdownBySize(Slowdown);

impl Collector for SlowdownBySize {
    fn take(&mut self, about: &About, batch: Batch<'_>) {
        if let Batch::Flows(rows) = batch {
            for row in rows.iter().filter(|row| about.span.has(row.start)) {
                self.0.take(row);
            }
        }
    }
}

impl SlowdownBySize {
    /// The data of the run; none if no message has an ideal FCT.
    pub fn finish(self) -> Option<Slowdowns> {
        self.0.finish(BUCKETS)
    }
}
