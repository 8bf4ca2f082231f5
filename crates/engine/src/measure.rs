//! Precision of the mean step time: batch means.
//!
//! Models: the mean of the steps after the warm-up, and half of its 95 % confidence interval from the latest ten
//! batches of equal length, by Student's t. Successive steps need not be independent; the batches are assumed to be.
//! Leaves out: that repeated checks make the interval a little too narrow.
//!
//! Invariants: sums are exact integers; only + - * / and sqrt are applied to them.
//! Source: batch means as in Law and Kelton, "Simulation Modeling and Analysis". Modelling assumptions: ten batches,
//! and when the interval is checked.

use netloom_model::{Precision, Repetition, WarmUp};
use netloom_units::Duration;

/// Number of batches that the variance is computed over.
const BATCHES: u64 = 10;
/// Two-sided 95 % quantile of Student's t distribution with nine degrees of freedom.
const T: f64 = 2.262_157_162_854_1;

/// An estimate of the mean step time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Number of steps counted.
    pub steps: u64,
    /// Number of warm-up steps before them.
    pub warm_up: u64,
    /// Mean time of the counted steps, in ps.
    pub mean: f64,
    /// Half of the 95 % confidence interval of the mean, in ps; `None` with fewer steps than batches.
    pub half_interval: Option<f64>,
}

/// The mean of these times in ps, without the warm-up; `None` if no step remains.
pub fn estimate(times: &[u64], warm_up: WarmUp) -> Option<Estimate> {
    let n_left_out = warm_up.of(times.len() as u64);
    let counted = &times[n_left_out as usize..];
    let steps = counted.len() as u64;
    if steps == 0 {
        return None;
    }
    let mean = sum(counted) as f64 / steps as f64;
    Some(Estimate { steps, warm_up: n_left_out, mean, half_interval: half_interval(counted) })
}

fn half_interval(counted: &[u64]) -> Option<f64> {
    let length = counted.len() / BATCHES as usize;
    if length == 0 {
        return None;
    }
    let latest = &counted[counted.len() - length * BATCHES as usize..];
    let mean = |times: &[u64]| sum(times) as f64 / times.len() as f64;
    let centre = mean(latest);
    let squares: f64 = latest
        .chunks(length)
        .map(|batch| {
            let off = mean(batch) - centre;
            off * off
        })
        .sum();
    let variance = squares / (BATCHES - 1) as f64;
    Some(T * (variance / BATCHES as f64).sqrt())
}

fn sum(times: &[u64]) -> u128 {
    times.iter().map(|&time| u128::from(time)).sum()
}

impl Estimate {
    /// Whether the estimate has the required precision.
    pub fn meets(&self, precision: &Precision) -> bool {
        let is_close = |half: f64| half <= precision.target * self.mean;
        self.steps >= u64::from(precision.at_least) && self.half_interval.is_some_and(is_close)
    }

    /// Half of the interval as a duration.
    pub fn half(&self) -> Option<Duration> {
        self.half_interval.map(|half| Duration(half.round() as u64))
    }
}

/// Whether a job with these step times has run enough steps.
pub fn is_enough(times: &[u64], repetition: &Repetition) -> bool {
    let Some(precision) = repetition.precision else { return false };
    let n_counted = times.len() as u64 - repetition.warm_up.of(times.len() as u64);
    // Checked only when all batches are equally long, so that each check has ten more steps than the one before.
    if n_counted == 0 || !n_counted.is_multiple_of(BATCHES) {
        return false;
    }
    estimate(times, repetition.warm_up).is_some_and(|found| found.meets(&precision))
}

#[cfg(test)]
mod tests {
    use netloom_records::statistics::student;

    use super::*;

    const NONE: WarmUp = WarmUp { steps: 0, share: 0.0 };

    #[test]
    fn the_quantile_is_students() {
        assert!((student::within(0.95, BATCHES - 1) - T).abs() < 1e-9);
    }

    #[test]
    fn the_interval_of_ten_numbers_is_that_of_the_textbook() {
        // 1 to 10: mean 5.5, variance 55/6, half interval 2.26216 * sqrt(55/60).
        let found = estimate(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], NONE).expect("there are some");
        assert!((found.mean - 5.5).abs() < 1e-12 && found.steps == 10);
        let half = found.half_interval.expect("ten are enough");
        assert!((half - T * (55.0_f64 / 60.0).sqrt()).abs() < 1e-12, "{half}");
        assert_eq!(estimate(&[7; 9], NONE).expect("nine").half_interval, None);
        assert_eq!(estimate(&[], NONE), None);
    }

    #[test]
    fn warm_up_steps_do_not_count() {
        let times: Vec<u64> = [900; 5].into_iter().chain([100; 45]).collect();
        let found = estimate(&times, WarmUp { steps: 0, share: 0.1 }).expect("there are some");
        assert_eq!((found.steps, found.warm_up, found.half_interval), (45, 5, Some(0.0)));
        assert!((found.mean - 100.0).abs() < 1e-12);
    }

    #[test]
    fn precision_is_reached_by_a_small_interval_at_multiples_of_ten() {
        let repetition = |target, at_least| Repetition {
            precision: Some(Precision { target, at_least }),
            ..Repetition::default()
        };
        let times: Vec<u64> = (0..40).map(|number| 1000 + 10 * (number % 7)).collect();
        assert!(is_enough(&times[..20], &repetition(0.02, 10)));
        assert!(!is_enough(&times[..19], &repetition(0.02, 10)));
        assert!(!is_enough(&times[..20], &repetition(0.02, 21)));
        assert!(!is_enough(&times[..20], &repetition(0.0001, 10)));
        assert!(!is_enough(&times, &Repetition::default()));
    }
}
