//! Means and percentiles of durations.
//!
//! Invariants: sums are exact integers; percentiles interpolate linearly on the sorted list (rank `q (n - 1)`), as
//! numpy does by default and as in Zeltser 2026. Where there are too many durations to hold, percentiles are within 0.4 %.

use netloom_records::statistics::Taken;
use netloom_units::Duration;
use serde::{Deserialize, Serialize};

/// The distribution of durations, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// Number of durations.
    pub count: u64,
    /// Arithmetic mean.
    pub mean_s: f64,
    /// The shortest.
    pub minimum_s: f64,
    /// Median.
    pub p50_s: f64,
    /// 95th percentile.
    pub p95_s: f64,
    /// 99th percentile.
    pub p99_s: f64,
    /// The longest.
    pub maximum_s: f64,
}

impl Distribution {
    /// The distribution of these durations; `None` without any.
    pub fn of(mut spans: Vec<Duration>) -> Option<Distribution> {
        spans.sort_unstable();
        let (first, last) = (*spans.first()?, *spans.last()?);
        let sum: u128 = spans.iter().map(|span| u128::from(span.0)).sum();
        Some(Distribution {
            count: spans.len() as u64,
            mean_s: sum as f64 / spans.len() as f64 / 1e12,
            minimum_s: first.as_seconds(),
            p50_s: percentile(&spans, 0.50),
            p95_s: percentile(&spans, 0.95),
            p99_s: percentile(&spans, 0.99),
            maximum_s: last.as_seconds(),
        })
    }

    /// The distribution of durations that were added one by one, in ps.
    pub(super) fn of_many(taken: &Taken) -> Distribution {
        let percentile_s = |share| taken.quantile(share) / 1e12;
        Distribution {
            count: taken.count(),
            mean_s: taken.mean() / 1e12,
            minimum_s: Duration(taken.at(0)).as_seconds(),
            p50_s: percentile_s(0.50),
            p95_s: percentile_s(0.95),
            p99_s: percentile_s(0.99),
            maximum_s: Duration(taken.maximum()).as_seconds(),
        }
    }
}

/// The percentile of sorted durations, in seconds.
fn percentile(sorted: &[Duration], share: f64) -> f64 {
    let rank = share * (sorted.len() - 1) as f64;
    let below = rank.floor();
    let part = rank - below;
    let low = sorted[below as usize].0 as f64;
    let high = sorted[(below as usize + 1).min(sorted.len() - 1)].0 as f64;
    (low * (1.0 - part) + high * part) / 1e12
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_numpy() {
        // numpy.percentile([1, 2, 4, 8], [50, 95, 99]) gives 3, 7.4, 7.88.
        let spans = [4, 1, 8, 2].map(|seconds| Duration(seconds * 1_000_000_000_000)).to_vec();
        let found = Distribution::of(spans).expect("there are some");
        let close = |left: f64, right: f64| assert!((left - right).abs() < 1e-12, "{left} {right}");
        assert_eq!(found.count, 4);
        close(found.mean_s, 3.75);
        close(found.p50_s, 3.0);
        close(found.p95_s, 7.4);
        close(found.p99_s, 7.88);
        close(found.maximum_s, 8.0);
    }

    #[test]
    fn a_single_value_is_every_percentile_and_an_empty_list_has_none() {
        let found = Distribution::of(vec![Duration::from_millis(7)]).expect("there is one");
        assert!((found.p95_s - 0.007).abs() < 1e-15 && (found.p50_s - 0.007).abs() < 1e-15);
        assert_eq!(Distribution::of(Vec::new()), None);
    }
}
