//! How well the mean of step times is known: batch means.
//!
//! Models: the mean of the steps after the warm-up, and half of its 95 % interval from ten batches of equal length, the
//! latest ones, by Student's t; so steps that follow each other need not be independent, batches are taken to be.
//! Leaves out: that looking again and again makes the interval a little too narrow.
//!
//! Invariants: sums are exact integers; nothing but + - * / and sqrt follows.
//! Source: batch means as in Law and Kelton, "Simulation Modeling and Analysis"; ten batches, and when to look: ours.

use netloom_model::{Precision, Repetition, WarmUp};
use netloom_units::Duration;

/// Batches that the variance is taken over.
const BATCHES: u64 = 10;
/// The t between minus which and which 95 % of Student's distribution of nine degrees of freedom lie.
const T: f64 = 2.262_157_162_854_1;

/// What is known of the mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Steps that count.
    pub steps: u64,
    /// Steps before these.
    pub warm_up: u64,
    /// Their mean time, in ps.
    pub mean: f64,
    /// Half of its 95 % interval, in ps; absent of fewer steps than batches.
    pub half_interval: Option<f64>,
}

/// The mean of these times in ps, of which the first do not count; absent if none does.
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
    /// Whether the mean is known this well.
    pub fn meets(&self, precision: &Precision) -> bool {
        let is_close = |half: f64| half <= precision.target * self.mean;
        self.steps >= u64::from(precision.at_least) && self.half_interval.is_some_and(is_close)
    }

    /// Half of the interval as a span.
    pub fn half(&self) -> Option<Duration> {
        self.half_interval.map(|half| Duration(half.round() as u64))
    }
}

/// Whether a job has done enough steps of these times.
pub fn is_enough(times: &[u64], repetition: &Repetition) -> bool {
    let Some(precision) = repetition.precision else { return false };
    let n_counted = times.len() as u64 - repetition.warm_up.of(times.len() as u64);
    // Looked at when all batches are equally long, so that each look has ten more steps to go by.
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
    fn what_is_warm_up_does_not_count() {
        let times: Vec<u64> = [900; 5].into_iter().chain([100; 45]).collect();
        let found = estimate(&times, WarmUp { steps: 0, share: 0.1 }).expect("there are some");
        assert_eq!((found.steps, found.warm_up, found.half_interval), (45, 5, Some(0.0)));
        assert!((found.mean - 100.0).abs() < 1e-12);
    }

    #[test]
    fn it_is_enough_when_the_interval_is_small_and_never_between_tens() {
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
