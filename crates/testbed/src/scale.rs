//! The factor between a scenario's rates and those of the testbed.
//!
//! Models: one exact ratio for all links, so that ratios between links are preserved.
//! Leaves out: time and message sizes; a message of the same size takes longer by the inverse of the factor.

use std::fmt;

use netloom_units::Rate;

/// Default rate of the fastest link, in bits per second: small enough that two cores can forward for 14 nodes.
const DEFAULT_FASTEST: u64 = 100_000_000;

/// The requested scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScaleChoice {
    /// The fastest link has at most 100 Mbit/s.
    #[default]
    Default,
    /// The fastest link has this rate.
    Fastest(Rate),
    /// This factor.
    Factor(Scale),
}

/// A ratio in lowest terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    numerator: u64,
    denominator: u64,
}

impl Scale {
    /// The ratio in lowest terms; `None` if a term is zero.
    pub fn new(numerator: u64, denominator: u64) -> Option<Scale> {
        if numerator == 0 || denominator == 0 {
            return None;
        }
        let divisor = greatest_common_divisor(numerator, denominator);
        Some(Scale { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    /// Reads `1/4000`.
    ///
    /// # Errors
    /// If it is not a ratio of two whole numbers above zero.
    pub fn parse(text: &str) -> Result<Scale, String> {
        let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
        let whole = |digits: &str| digits.trim().parse::<u64>().ok();
        let scale = whole(numerator).zip(whole(denominator)).and_then(|(n, d)| Scale::new(n, d));
        scale.ok_or_else(|| "expected a ratio of whole numbers above zero, as in 1/4000".to_owned())
    }

    /// The factor for a fabric whose fastest link has this rate.
    pub(crate) fn of(choice: ScaleChoice, fastest: Rate) -> Scale {
        let to = |rate: u64| Scale::new(rate, fastest.0).unwrap_or(Scale { numerator: 1, denominator: 1 });
        match choice {
            ScaleChoice::Default => to(DEFAULT_FASTEST),
            ScaleChoice::Fastest(rate) => to(rate.0),
            ScaleChoice::Factor(scale) => scale,
        }
    }

    /// A scaled rate, rounded down to whole bits per second.
    pub fn apply(self, rate: Rate) -> Rate {
        let scaled = u128::from(rate.0) * u128::from(self.numerator) / u128::from(self.denominator);
        Rate(u64::try_from(scaled).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_read_and_printed_in_lowest_terms() {
        for (text, printed) in [("1/4000", "1/4000"), ("2/8000", "1/4000"), ("3", "3/1"), ("10 / 4", "5/2")] {
            assert_eq!(Scale::parse(text).map(|scale| scale.to_string()), Ok(printed.to_owned()));
        }
        for text in ["", "0", "1/0", "0/3", "-1/2", "1/2/3", "0.5", "a/b", "99999999999999999999/1"] {
            assert!(Scale::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_default_limits_the_fastest_link_to_100_megabits() {
        let fastest = Rate(400_000_000_000);
        let scale = Scale::of(ScaleChoice::Default, fastest);
        assert_eq!((scale.to_string().as_str(), scale.apply(fastest)), ("1/4000", Rate(100_000_000)));
        assert_eq!(scale.apply(Rate(100_000_000_000)), Rate(25_000_000));
        assert_eq!(Scale::of(ScaleChoice::Fastest(Rate(7)), fastest).apply(fastest), Rate(7));
    }

    #[test]
    fn no_rate_overflows() {
        let scale = Scale::new(u64::MAX, 1).expect("it is above zero");
        assert_eq!(scale.apply(Rate(u64::MAX)), Rate(u64::MAX));
    }
}
