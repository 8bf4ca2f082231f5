//! FCT slowdown by size of the background messages that started within the span: how much longer they took than alone.

use netloom_records::Batch;
use netloom_records::statistics::{Slowdown, Slowdowns};

use super::Collector;
use crate::collect::About;

/// As many buckets as papers usually plot.
const BUCKETS: u64 = 20;

/// What is kept of a run.
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
    /// Of the run; nothing where no message has an ideal time.
    pub fn finish(self) -> Option<Slowdowns> {
        self.0.finish(BUCKETS)
    }
}
