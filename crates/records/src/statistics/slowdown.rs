//! FCT slowdown, over all messages and by size.
//!
//! Models: slowdown = FCT / `ideal` of the flows table, at least one as is common; buckets by size, each with as nearly
//! the same number of messages as their sizes allow.
//! Leaves out: messages that did not arrive; warm-up and cool-down phases are not excluded.
//!
//! Invariants: messages of one size are never split, so the order in which they end cannot separate fast from slow
//! ones; the order of rows affects only the last bits. Memory is bounded: beyond 4,096 sizes, messages are grouped by
//! size to within a sixteenth of a power of two.

use std::collections::BTreeMap;

use netloom_units::Duration;
use serde::{Deserialize, Serialize};

use super::sample::{Sample, Taken};
use crate::rows::FlowRow;

/// Number of sizes that are kept separately, before sizes are grouped into ranges.
const MOST_SIZES: usize = 4_096;
/// Ranges per power of two, as a power of two.
const PRECISION: u32 = 4;
/// Number of slowdowns per size, or range of sizes, that are stored individually.
const EXACT: usize = 4_096;
/// Slowdowns are stored as integer millionths.
const MILLIONTHS: f64 = 1e6;

/// Slowdowns being collected.
#[derive(Debug, Default)]
pub struct Slowdown {
    /// By size, or by the upper end of a range of sizes.
    by_size: BTreeMap<u64, OfSize>,
    in_ranges: bool,
    floored: u64,
}

#[derive(Debug)]
struct OfSize {
    largest: u64,
    slowdowns: Sample,
}

/// Slowdowns of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Slowdowns {
    /// Of all messages that arrived.
    pub all: SizeBucket,
    /// By size, the smallest first.
    pub buckets: Vec<SizeBucket>,
    /// Messages faster than their ideal time, by using several paths; they count as one.
    pub floored: u64,
}

/// Slowdowns of messages of similar size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SizeBucket {
    /// Size of the largest, in bytes.
    pub largest_bytes: u64,
    /// Number of messages.
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
    /// Whether percentiles are exact; else they are within 0.4 %.
    pub exact: bool,
}

impl Slowdown {
    /// Adds a row of the flows table; ignores a message that did not arrive or has no ideal time.
    pub fn take(&mut self, row: &FlowRow) {
        if let (Some(end), Some(ideal)) = (row.end, row.ideal) {
            self.add(row.size.0, end.since(row.start), ideal);
        }
    }

    fn add(&mut self, size: u64, taken: Duration, ideal: Duration) {
        self.floored += u64::from(taken < ideal);
        let slowdown = (taken.0 as f64 / ideal.0 as f64).max(1.0);
        let key = if self.in_ranges { end_of_range(size) } else { size };
        let bucket = self.by_size.entry(key).or_insert_with(OfSize::none);
        bucket.largest = bucket.largest.max(size);
        bucket.slowdowns.push((slowdown * MILLIONTHS) as u64);
        if self.by_size.len() > MOST_SIZES && !self.in_ranges {
            self.fold();
        }
    }

    /// Groups sizes into ranges of sizes.
    fn fold(&mut self) {
        self.in_ranges = true;
        for (size, of_size) in std::mem::take(&mut self.by_size) {
            self.by_size.entry(end_of_range(size)).or_insert_with(OfSize::none).append(of_size);
        }
    }

    /// The results in at most `n_buckets` buckets; `None` if there are no messages.
    pub fn finish(self, n_buckets: u64) -> Option<Slowdowns> {
        let total: u64 = self.by_size.values().map(|of_size| of_size.slowdowns.count()).sum();
        let (mut all, mut bucket) = (OfSize { slowdowns: Sample::default(), largest: 0 }, OfSize::none());
        let (mut buckets, mut seen) = (Vec::new(), 0);
        for of_size in self.by_size.into_values() {
            let bucket_before = seen * n_buckets / total;
            seen += of_size.slowdowns.count();
            all.append(OfSize { slowdowns: of_size.slowdowns.clone(), ..of_size });
            bucket.append(of_size);
            // Full as soon as it holds its share, including all messages with the size of its largest.
            if seen * n_buckets / total > bucket_before {
                buckets.extend(std::mem::replace(&mut bucket, OfSize::none()).finish());
            }
        }
        Some(Slowdowns { all: all.finish()?, buckets, floored: self.floored })
    }
}

impl OfSize {
    fn none() -> OfSize {
        OfSize { largest: 0, slowdowns: Sample::exact_to(EXACT) }
    }

    fn append(&mut self, other: OfSize) {
        self.largest = self.largest.max(other.largest);
        self.slowdowns.append(other.slowdowns);
    }

    fn finish(self) -> Option<SizeBucket> {
        let taken: Taken = self.slowdowns.finish()?;
        let percentile = |share| taken.quantile(share) / MILLIONTHS;
        Some(SizeBucket {
            largest_bytes: self.largest,
            count: taken.count(),
            mean: taken.mean() / MILLIONTHS,
            p50: percentile(0.50),
            p95: percentile(0.95),
            p99: percentile(0.99),
            maximum: taken.maximum() as f64 / MILLIONTHS,
            exact: taken.is_exact(),
        })
    }
}

/// The largest size of a range: the size with all but its leading bits set.
fn end_of_range(size: u64) -> u64 {
    let shift = (u64::BITS - size.leading_zeros()).saturating_sub(PRECISION + 1);
    size | ((1 << shift) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages with their sizes, and their times if the ideal time is 100.
    fn of(messages: impl IntoIterator<Item = (u64, u64)>, n_buckets: u64) -> Slowdowns {
        let mut slowdown = Slowdown::default();
        for (size, taken) in messages {
            slowdown.add(size, Duration(taken), Duration(100));
        }
        slowdown.finish(n_buckets).expect("there are some")
    }

    #[test]
    fn buckets_hold_the_same_number_where_sizes_differ() {
        let found = of((0..1000).rev().map(|size| (size, 100 + size)), 10);
        assert_eq!(found.buckets.len(), 10);
        assert!(found.buckets.iter().all(|bucket| bucket.count == 100));
        assert!(found.buckets.iter().map(|bucket| bucket.largest_bytes).eq((1..=10).map(|n| n * 100 - 1)));
        assert!((found.buckets[3].mean - 4.495).abs() < 1e-6 && found.buckets[3].exact);
        assert_eq!((found.all.count, found.all.largest_bytes, found.floored), (1000, 999, 0));
    }

    #[test]
    fn messages_of_one_size_share_a_bucket() {
        let found = of((0..100).map(|number| (if number < 70 { 4096 } else { 9000 }, 100 + number)), 10);
        let buckets: Vec<_> =
            found.buckets.iter().map(|bucket| (bucket.largest_bytes, bucket.count)).collect();
        assert_eq!(buckets, [(4096, 70), (9000, 30)]);
    }

    #[test]
    fn what_is_faster_than_ideal_counts_as_one() {
        let found = of([(5, 50), (5, 100), (5, 200)], 10);
        assert!(
            found.floored == 1
                && (found.all.p50 - 1.0).abs() < 1e-12
                && (found.all.maximum - 2.0).abs() < 1e-12
        );
        assert!(Slowdown::default().finish(10).is_none());
    }

    #[test]
    fn many_sizes_are_kept_in_ranges() {
        let found = of((1..=100_000).map(|size| (size, 100 + size % 300)), 20);
        assert_eq!(found.buckets.iter().map(|bucket| bucket.count).sum::<u64>(), 100_000);
        assert_eq!(found.all.largest_bytes, 100_000);
        // Ranges are up to a sixteenth of their size long, and here a bucket holds a twentieth of all.
        assert!(found.buckets.len() >= 14, "{} buckets", found.buckets.len());
        for bucket in &found.buckets {
            assert!(
                (bucket.mean - 2.495).abs() < 0.02 && (bucket.p50 / 2.495 - 1.0).abs() < 0.02,
                "{bucket:?}"
            );
        }
    }

    #[test]
    fn ranges_are_a_sixteenth_of_a_power_of_two() {
        assert_eq!(
            [1, 31, 32, 33, 34, 1024, 1087, 1088].map(end_of_range),
            [1, 31, 33, 33, 35, 1087, 1087, 1151]
        );
    }
}
