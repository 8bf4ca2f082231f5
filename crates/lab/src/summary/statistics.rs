//! Means and percentiles of durations.
//!
//! Invariants: sums are exact integers; percentiles interpolate linearly on the sorted list (rank `q (n - 1)`), as
//! numpy does by default and as in Zeltser 2026. Those of more durations than are held are within 0.4 %, and marked so.

use netloom_records::statistics::Sample;
use netloom_units::Duration;
use serde::{Deserialize, Serialize};

use crate::words;

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
    /// Whether percentiles are within 0.4 % rather than exact, as those of more than 65,536 durations are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub approximate: bool,
}

impl Distribution {
    /// The distribution of these durations; `None` without any.
    pub fn of(times: Vec<Duration>) -> Option<Distribution> {
        let mut sample = Sample::exact_to(times.len());
        for time in times {
            sample.push(time.0);
        }
        Distribution::of_sample(sample)
    }

    /// The distribution of durations that were added one by one, in ps.
    pub(super) fn of_sample(sample: Sample) -> Option<Distribution> {
        let taken = sample.finish()?;
        let percentile_s = |share| taken.quantile(share) / 1e12;
        Some(Distribution {
            count: taken.count(),
            mean_s: taken.mean() / 1e12,
            minimum_s: Duration(taken.at(0)).as_seconds(),
            p50_s: percentile_s(0.50),
            p95_s: percentile_s(0.95),
            p99_s: percentile_s(0.99),
            maximum_s: Duration(taken.maximum()).as_seconds(),
            approximate: !taken.is_exact(),
        })
    }

    /// One of its percentiles for readers, with `~` before one that is not exact.
    pub fn percentile_words(&self, percentile_s: f64) -> String {
        let sign = if self.approximate { "~" } else { "" };
        format!("{sign}{}", words::span(percentile_s))
    }
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
    fn percentiles_of_many_durations_are_marked() {
        let mut sample = Sample::exact_to(1);
        sample.push(1_000_000);
        let one = Distribution::of_sample(sample.clone()).expect("there is one");
        assert!(!one.approximate && one.percentile_words(one.p99_s) == "1 us");
        sample.push(3_000_000);
        let both = Distribution::of_sample(sample).expect("there are two");
        assert!(both.approximate && both.percentile_words(3e-6) == "~3 us");
    }

    #[test]
    fn a_single_value_is_every_percentile_and_an_empty_list_has_none() {
        let found = Distribution::of(vec![Duration::from_millis(7)]).expect("there is one");
        assert!((found.p95_s - 0.007).abs() < 1e-15 && (found.p50_s - 0.007).abs() < 1e-15);
        assert_eq!(Distribution::of(Vec::new()), None);
    }
}
