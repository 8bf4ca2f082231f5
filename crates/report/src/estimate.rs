//! A figure with its confidence interval, assuming independent observations.
//!
//! Models: 95 % intervals; of a mean by Student's t, of a quantile by the ranks between which it lies with that
//! probability (binomial), without an assumption on the distribution.
//! Leaves out: dependence. Steps of one run have the same seed, so these intervals cover the variation between the
//! steps of that run, not between seeds; the page says so.
//!
//! Invariants: an end for which there are too few observations is absent, never guessed.

use serde::Serialize;

use crate::round::seconds;
use netloom_records::statistics::{Taken, student};

/// Half of the probability outside of an interval.
const TAIL: f64 = 0.025;
/// The normal distribution's quantile at 1 - TAIL.
const NORMAL: f64 = 1.959_964;
/// Number of observations up to which ranks are computed exactly; above it the normal distribution is accurate enough.
const COUNTED: u64 = 5_000;

/// A figure and its interval, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// The mean of picoseconds.
pub fn mean(sample: &Taken) -> Estimate {
    let count = sample.count();
    let half = (count > 1)
        .then(|| student::within(1.0 - 2.0 * TAIL, count - 1) * sample.deviation() / (count as f64).sqrt());
    Estimate {
        value: seconds(sample.mean()),
        low: half.map(|half| seconds((sample.mean() - half).max(0.0))),
        high: half.map(|half| seconds(sample.mean() + half)),
    }
}

/// A quantile of picoseconds.
pub fn quantile(sample: &Taken, share: f64) -> Estimate {
    let above = Above::of(sample.count(), 1.0 - share);
    let at = |n_above: u64| seconds(sample.at(sample.count() - 1 - n_above) as f64);
    let value = seconds(sample.quantile(share));
    Estimate {
        value,
        // The bounds are observations; between the last two of them a quantile is interpolated.
        low: above.most.filter(|n| *n < sample.count()).map(at).map(|low| low.min(value)),
        high: above.fewest.map(at).map(|high| high.max(value)),
    }
}

/// The number of observations above a quantile.
#[derive(Debug, PartialEq)]
struct Above {
    /// The largest number such that at most that number lie above with a probability of at most TAIL; absent if even
    /// zero is more probable than that.
    fewest: Option<u64>,
    /// The smallest number such that more lie above with a probability of at most TAIL.
    most: Option<u64>,
}

impl Above {
    /// For `count` observations, each above the quantile with this probability.
    fn of(count: u64, probability: f64) -> Above {
        if count > COUNTED { Above::normal(count, probability) } else { Above::counted(count, probability) }
    }

    fn normal(count: u64, probability: f64) -> Above {
        let mean = count as f64 * probability;
        let half = NORMAL * (mean * (1.0 - probability)).sqrt();
        let fewest = (mean - half).floor();
        Above { fewest: (fewest >= 0.0).then_some(fewest as u64), most: Some((mean + half).ceil() as u64) }
    }

    fn counted(count: u64, probability: f64) -> Above {
        let mut found = Above { fewest: None, most: None };
        let mut exactly = (1.0 - probability).powf(count as f64);
        let mut up_to = 0.0;
        for above in 0..=count {
            up_to += exactly;
            if up_to <= TAIL {
                found.fewest = Some(above);
            }
            if up_to >= 1.0 - TAIL {
                found.most = Some(above);
                break;
            }
            exactly *= (count - above) as f64 / (above + 1) as f64 * probability / (1.0 - probability);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use netloom_records::statistics::Sample;

    /// 1 s, 2 s, ... n s.
    fn seconds_to(n: u64) -> Taken {
        let mut sample = Sample::default();
        (1..=n).for_each(|number| sample.push(number * 1_000_000_000_000));
        sample.finish().expect("there are some")
    }

    #[test]
    fn a_mean_lies_in_its_interval_by_students_t() {
        // Five numbers 1..5: mean 3, deviation sqrt(2.5), t(4) = 2.776.
        let found = mean(&seconds_to(5));
        let half = 2.776_445 * 2.5_f64.sqrt() / 5_f64.sqrt();
        assert!((found.value - 3.0).abs() < 1e-9);
        assert!((found.low.expect("it has one") - (3.0 - half)).abs() < 1e-4, "{found:?}");
        assert_eq!(mean(&seconds_to(1)), Estimate { value: 1.0, low: None, high: None });
    }

    #[test]
    fn a_quantile_lies_between_ranks() {
        // For the median of ten, the ranks 2 and 9 hold 97.9 %: P(B <= 1) = 11/1024 for B ~ Bin(10, 1/2).
        let found = quantile(&seconds_to(10), 0.5);
        assert_eq!(found, Estimate { value: 5.5, low: Some(2.0), high: Some(9.0) });
    }

    #[test]
    fn an_interval_of_too_few_steps_is_open() {
        // 0.95^n <= 0.025 takes 72 steps.
        assert_eq!(quantile(&seconds_to(71), 0.95).high, None);
        assert_eq!(quantile(&seconds_to(72), 0.95).high, Some(72.0));
        assert!(quantile(&seconds_to(71), 0.95).low.is_some());
        assert_eq!(quantile(&seconds_to(1), 0.99).high, None);
    }

    #[test]
    fn exact_ranks_and_the_normal_approximation_agree_at_the_boundary() {
        let (counted, normal) = (Above::counted(COUNTED, 0.05), Above::normal(COUNTED, 0.05));
        let close = |left: Option<u64>, right: Option<u64>| {
            let (left, right) = (left.expect("there is one"), right.expect("there is one"));
            assert!(left.abs_diff(right) <= 2, "{left} {right}");
        };
        close(counted.fewest, normal.fewest);
        close(counted.most, normal.most);
    }
}
