//! Parses seeds on the command line: a number of them, or a range.

use std::ops::RangeInclusive;
use std::str::FromStr;

/// Most seeds at a time.
const MOST: u64 = 1_000_000;

/// Seeds `1..N` written as `N`, or `A..B` with both ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seeds(
    /// First to last.
    pub RangeInclusive<u64>,
);

/// Text that is not a list of seeds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a number of seeds (`5` means 1 to 5) or a range with both ends (`3..7`), at most {MOST}: {0}"
)]
pub struct NotSeeds(String);

impl FromStr for Seeds {
    type Err = NotSeeds;

    fn from_str(text: &str) -> Result<Seeds, NotSeeds> {
        let refused = || NotSeeds(text.to_owned());
        let number = |text: &str| text.trim().parse::<u64>().map_err(|_| refused());
        let (first, last) = match text.split_once("..") {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (1, number(text)?),
        };
        if last < first || last - first >= MOST {
            return Err(refused());
        }
        Ok(Seeds(first..=last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_a_number_or_a_range() {
        assert_eq!("5".parse(), Ok(Seeds(1..=5)));
        assert_eq!("3..7".parse(), Ok(Seeds(3..=7)));
        for text in ["", "0", "7..3", "a", "1..", "-1", "1...3", "0..18446744073709551615"] {
            assert!(text.parse::<Seeds>().is_err(), "{text}");
        }
    }
}
