//! Confidence intervals of the mean, and prediction intervals, from a few observations.
//!
//! Models: observations of a normal distribution with unknown mean and variance; the 95 % confidence interval of the
//! mean, mean +- t(0.975, n - 1) s / sqrt(n), and the 99 % prediction interval, mean +- t(0.995, n - 1) s sqrt(1 + 1/n)
//! (Student's t).
//! Leaves out: other distributions; the normal one is a good approximation for means of many steps.

use netloom_records::statistics::student;
use serde::Serialize;

/// Probability that the prediction interval contains a further observation.
const PREDICTED: f64 = 0.99;
/// Probability that the confidence interval contains the mean.
const CONFIDENT: f64 = 0.95;

/// Observations of one figure, one per seed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sample {
    /// Number of observations.
    pub count: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation; zero for a single one.
    pub deviation: f64,
    /// The smallest.
    pub minimum: f64,
    /// The largest.
    pub maximum: f64,
}

/// An interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Whether it contains a value, its ends included.
    pub fn holds(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The interval, extended at both ends.
    #[must_use]
    pub fn widened(self, by: f64) -> Interval {
        Interval { low: self.low - by, high: self.high + by }
    }
}

impl Sample {
    /// The sample of these observations; `None` without any.
    pub fn of(values: &[f64]) -> Option<Sample> {
        let count = values.len();
        if count == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = if count > 1 { (squares / (count - 1) as f64).sqrt() } else { 0.0 };
        let minimum = values.iter().copied().fold(f64::INFINITY, f64::min);
        let maximum = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Some(Sample { count, mean, deviation, minimum, maximum })
    }

    /// The prediction interval of a further observation; `None` after a single one.
    pub fn prediction(&self) -> Option<Interval> {
        if self.count < 2 {
            return None;
        }
        let n = self.count as f64;
        let half =
            student::within(PREDICTED, self.count as u64 - 1) * self.deviation * (1.0 + 1.0 / n).sqrt();
        Some(Interval { low: self.mean - half, high: self.mean + half })
    }

    /// Half the length of the confidence interval of the mean; `None` after a single observation.
    pub fn confidence(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        Some(student::within(CONFIDENT, self.count as u64 - 1) * self.deviation / (self.count as f64).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prediction_interval_is_symmetric_about_the_mean() {
        let sample = Sample::of(&[1.0, 2.0, 3.0]).expect("there are some");
        let interval = sample.prediction().expect("three are enough");
        // s = 1, t(0.995, 2) = 9.925, sqrt(4/3) = 1.1547.
        assert!((interval.high - 13.460).abs() < 1e-3, "{interval:?}");
        assert!((interval.low + 9.460).abs() < 1e-3, "{interval:?}");
        assert_eq!(Sample::of(&[1.0]).expect("there is one").prediction(), None);
        assert_eq!(Sample::of(&[]), None);
    }

    #[test]
    fn the_confidence_interval_is_shorter_than_the_prediction_interval() {
        let sample = Sample::of(&[1.0, 2.0, 3.0]).expect("there are some");
        // s = 1, t(0.975, 2) = 4.303, sqrt(3) = 1.7321.
        let half = sample.confidence().expect("three are enough");
        assert!((half - 2.484).abs() < 1e-3, "{half}");
        assert_eq!(Sample::of(&[1.0]).expect("there is one").confidence(), None);
    }

    #[test]
    fn equal_observations_give_an_interval_of_zero_length() {
        let interval = Sample::of(&[5.0; 4]).expect("there are some").prediction().expect("enough");
        assert!(interval.holds(5.0) && !interval.holds(5.1));
        assert!(interval.widened(0.1).holds(5.1));
    }
}
