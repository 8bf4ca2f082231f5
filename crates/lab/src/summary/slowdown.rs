//! FCT slowdown of background messages, over all of them and by size.
//!
//! Models: slowdown = FCT / `ideal` of the flows table, floored at one as is common; at most ten buckets by size, each
//! with as nearly the same number of messages as their sizes allow.
//! Leaves out: messages that did not arrive; warming up and cooling down, which are kept.
//!
//! Invariants: messages of one size are never parted, so the order in which they end cannot sort the fast from the slow;
//! nothing here depends on the order of rows.

use netloom_records::FlowRow;
use serde::Serialize;

use super::statistics::rank;

/// Most buckets.
const BUCKETS: usize = 10;

/// Slowdowns of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlowdownSummary {
    /// Of all messages that arrived.
    pub all: Slowdowns,
    /// By size, the smallest first.
    pub buckets: Vec<SizeBucket>,
    /// Messages that took less than their ideal, by more paths than one; they count as one.
    pub floored: u64,
}

/// Messages of similar size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SizeBucket {
    /// Size of the largest.
    pub largest_bytes: u64,
    /// Their slowdowns.
    #[serde(flatten)]
    pub slowdowns: Slowdowns,
}

/// Many slowdowns in a few numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Slowdowns {
    /// How many.
    pub count: u64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// The largest.
    pub maximum: f64,
}

/// Collects slowdowns as rows come.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Size in bytes and slowdown.
    messages: Vec<(u64, f64)>,
    floored: u64,
}

impl Tally {
    /// Takes a background message.
    pub(super) fn take(&mut self, row: &FlowRow) {
        let (Some(end), Some(ideal)) = (row.end, row.ideal) else { return };
        let taken = end.since(row.start);
        self.floored += u64::from(taken < ideal);
        self.messages.push((row.size.0, (taken.0 as f64 / ideal.0 as f64).max(1.0)));
    }

    /// The figures; none of no messages.
    pub(super) fn finish(mut self) -> Option<SlowdownSummary> {
        self.messages.sort_unstable_by(|left, right| left.0.cmp(&right.0).then(left.1.total_cmp(&right.1)));
        let all = Slowdowns::of(&self.messages)?;
        Some(SlowdownSummary { all, buckets: buckets(&self.messages), floored: self.floored })
    }
}

/// Cuts messages sorted by size where a tenth of them is full and the size changes.
fn buckets(sorted: &[(u64, f64)]) -> Vec<SizeBucket> {
    let mut buckets = Vec::new();
    let mut start = 0;
    for number in 1..=BUCKETS {
        let last = (sorted.len() * number).div_ceil(BUCKETS) - 1;
        let largest_bytes = sorted[last].0;
        let end = sorted.partition_point(|message| message.0 <= largest_bytes);
        if let Some(slowdowns) = Slowdowns::of(&sorted[start..end]) {
            buckets.push(SizeBucket { largest_bytes, slowdowns });
        }
        start = end;
    }
    buckets
}

impl Slowdowns {
    fn of(messages: &[(u64, f64)]) -> Option<Slowdowns> {
        let mut sorted: Vec<f64> = messages.iter().map(|message| message.1).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let percentile = |share| rank(share, sorted.len(), |place| sorted[place]);
        Some(Slowdowns {
            count: sorted.len() as u64,
            maximum: *sorted.last()?,
            mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
            p50: percentile(0.50),
            p95: percentile(0.95),
            p99: percentile(0.99),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use netloom_model::Message;
    use netloom_units::{Bytes, Duration, HostId, Time};

    fn tally(messages: impl IntoIterator<Item = (u64, u64)>) -> SlowdownSummary {
        let mut tally = Tally::default();
        for (size, taken) in messages {
            tally.take(&FlowRow {
                start: Time(7),
                end: Some(Time(7 + taken)),
                source: HostId(0),
                destination: HostId(1),
                number: 0,
                job: Message::BACKGROUND,
                step: 0,
                phase: 0,
                bucket: 0,
                size: Bytes(size),
                packets: 1,
                hops: 1,
                ideal: Some(Duration(100)),
            });
        }
        tally.finish().expect("there are some")
    }

    #[test]
    fn buckets_hold_the_same_number_where_sizes_differ() {
        let found = tally((0..1000).rev().map(|size| (size, 100 + size)));
        assert_eq!(found.buckets.len(), 10);
        assert!(found.buckets.iter().all(|bucket| bucket.slowdowns.count == 100));
        assert!(found.buckets.iter().map(|bucket| bucket.largest_bytes).eq((1..=10).map(|n| n * 100 - 1)));
        assert!((found.buckets[3].slowdowns.mean - 4.495).abs() < 1e-9);
        assert_eq!((found.all.count, found.floored), (1000, 0));
    }

    #[test]
    fn messages_of_one_size_share_a_bucket() {
        let found = tally((0..100).map(|number| (if number < 70 { 4096 } else { 9000 }, 100 + number)));
        let buckets: Vec<_> =
            found.buckets.iter().map(|bucket| (bucket.largest_bytes, bucket.slowdowns.count)).collect();
        assert_eq!(buckets, [(4096, 70), (9000, 30)]);
    }

    #[test]
    fn what_is_faster_than_ideal_counts_as_one() {
        let found = tally([(5, 50), (5, 100), (5, 200)]);
        assert_eq!((found.floored, found.all.p50, found.all.maximum), (1, 1.0, 2.0));
        assert!(Tally::default().finish().is_none());
    }
}
