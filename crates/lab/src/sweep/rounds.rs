//! Decides how many seeds are enough.
//!
//! Models: seeds in rounds, the same for all variants, until every job's mean step time has the required precision:
//! half the 95 % confidence interval (Student's t) is at most the given share of the mean.
//! Leaves out: other figures; a mean over seeds of p99 is less precise.
//!
//! Invariants: the rounds follow only from the figures, so an interrupted sweep has the same ones; rounds end at the
//! latest at the maximum number of seeds.

use std::fmt;
use std::str::FromStr;

use crate::sample::Sample;

/// Seeds of the first round: a confidence interval from fewer is meaningless.
pub(super) const FEWEST_SEEDS: usize = 5;
/// The default maximum number of seeds.
pub(super) const DEFAULT_MOST_SEEDS: u64 = 200;

/// Half of the confidence interval over the mean, written `2%`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision(
    /// In percent, between 0 and 100, both excluded.
    pub f64,
);

/// Text that is not a precision.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a share of the mean between 0 % and 100 %, such as `2%`, not: {0}")]
pub struct NotAPrecision(String);

impl FromStr for Precision {
    type Err = NotAPrecision;

    fn from_str(text: &str) -> Result<Precision, NotAPrecision> {
        let number = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
        match number {
            Some(percent) if percent > 0.0 && percent < 100.0 => Ok(Precision(percent)),
            _ => Err(NotAPrecision(text.to_owned())),
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} %", self.0)
    }
}

/// The precision of one job of one variant, with the seeds so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// The mean is precise enough.
    Well,
    /// The estimated number of seeds needed, from the variance so far.
    After(usize),
    /// More seeds do not help: a run has no step time.
    Never,
}

impl Precision {
    /// Evaluates the mean step times of a job, one for each seed.
    pub(super) fn judge(self, values: &[Option<f64>]) -> Known {
        let Some(values) = values.iter().copied().collect::<Option<Vec<f64>>>() else { return Known::Never };
        let Some(sample) = Sample::of(&values) else { return Known::Never };
        let target = self.0 / 100.0 * sample.mean;
        match sample.confidence() {
            None => Known::After(FEWEST_SEEDS),
            Some(half) if half <= target => Known::Well,
            // Half an interval shrinks with the square root of the number of seeds.
            Some(half) => Known::After((sample.count as f64 * (half / target).powi(2)).ceil() as usize),
        }
    }
}

/// The number of seeds after the next round; `None` if there is none.
pub(super) fn next_round(
    so_far: usize,
    most: usize,
    known: impl IntoIterator<Item = Known>,
) -> Option<usize> {
    let needed = known.into_iter().filter_map(|known| match known {
        Known::After(seeds) => Some(seeds),
        Known::Well | Known::Never => None,
    });
    // An estimate from few seeds may be far too high, so a round at most doubles the number of seeds.
    let next = needed.max()?.clamp(so_far + 1, 2 * so_far.max(1)).min(most);
    (next > so_far).then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precisions_are_shares_in_percent() {
        assert_eq!("2%".parse(), Ok(Precision(2.0)));
        assert_eq!("0.5 %".parse(), Ok(Precision(0.5)));
        for text in ["2", "0%", "100%", "-1%", "two%", "%", "nan%"] {
            assert!(text.parse::<Precision>().is_err(), "{text}");
        }
        assert_eq!(Precision(2.0).to_string(), "2 %");
    }

    #[test]
    fn the_variance_gives_the_number_of_seeds_needed() {
        let precise = Precision(10.0);
        assert_eq!(precise.judge(&[Some(5.0); 5]), Known::Well);
        assert_eq!(precise.judge(&[Some(5.0), None]), Known::Never);
        // s = 1.5811, t(0.975, 4) = 2.7764, half = 1.9632, target = 0.3: 5 (1.9632 / 0.3)^2 = 214.1.
        let wide = [1.0, 2.0, 3.0, 4.0, 5.0].map(Some);
        assert_eq!(precise.judge(&wide), Known::After(215));
    }

    #[test]
    fn rounds_grow_and_end() {
        assert_eq!(next_round(5, 200, [Known::Well, Known::Never]), None);
        assert_eq!(next_round(5, 200, [Known::Well, Known::After(7)]), Some(7));
        assert_eq!(next_round(5, 200, [Known::After(90)]), Some(10));
        assert_eq!(next_round(150, 200, [Known::After(900)]), Some(200));
        assert_eq!(next_round(200, 200, [Known::After(900)]), None);
        assert_eq!(next_round(5, 200, [Known::After(3)]), Some(6));
    }
}
