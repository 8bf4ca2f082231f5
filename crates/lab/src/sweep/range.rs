//! A range of values of a path, written `A..B` or `A..B log`: numbers, or quantities with units.
//!
//! Models: integers, if both ends are; other numbers, to four digits; rates, sizes and durations, to four digits of their
//! base unit.
//!
//! Invariants: a value is within the range, its ends included; the same share gives the same value on every machine.

use std::fmt;

use netloom_scenario::quantity::{Dimension, parse, print};
use serde::{Serialize, Serializer};
/// Base units of durations in a second.
const PS_PER_S: f64 = 1e12;
/// Significant digits of values within a range.
const DIGITS: i32 = 4;
/// The dimensions that values may have; a text with a unit belongs to one of them at most.
const DIMENSIONS: [Dimension; 3] = [Dimension::Rate, Dimension::Size, Dimension::Duration];

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueRange {
    /// The ends, the first one first.
    from: f64,
    to: f64,
    kind: Kind,
    /// Whether values are spaced by ratios instead of differences.
    log: bool,
}

/// What the values are.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Integer,
    Number,
    Quantity(Dimension),
}

/// Text that is not a range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a range `A..B` of numbers or quantities of one kind, as in `100Gbps..400Gbps`, `2..16` or `1KiB..1GiB log`: {0}"
)]
pub struct NotARange(pub String);

impl ValueRange {
    /// Parses a range.
    ///
    /// # Errors
    /// If it is not one.
    pub fn parse(text: &str) -> Result<ValueRange, NotARange> {
        let refused = || NotARange(text.to_owned());
        let (ends, log) = match text.trim().strip_suffix("log") {
            Some(ends) => (ends, true),
            None => (text, false),
        };
        let (low, high) = ends.split_once("..").ok_or_else(refused)?;
        let (low, high) = (low.trim(), high.trim());
        let (kind, low, high) = ends_of(low, high).ok_or_else(refused)?;
        let is_range = low.is_finite() && high.is_finite() && low.total_cmp(&high).is_ne();
        if is_range && (!log || low.min(high) > 0.0) {
            Ok(ValueRange { from: low, to: high, kind, log })
        } else {
            Err(refused())
        }
    }

    /// The value at a share of the range, from 0 to 1.
    pub fn at(&self, share: f64) -> String {
        let value = if share <= 0.0 {
            self.from
        } else if share >= 1.0 {
            self.to
        } else if self.log {
            libm::exp(libm::log(self.from) + libm::log(self.to / self.from) * share)
        } else {
            self.from + (self.to - self.from) * share
        };
        self.text(value)
    }

    /// A value in the part with this index of a number of equally wide parts, at a share of its width.
    pub fn within(&self, index: usize, of: usize, share: f64) -> String {
        let share = (index as f64 + share) / of as f64;
        match self.kind {
            // Every integer has the same probability, the last one included.
            Kind::Integer if !self.log => {
                let (low, high) = (self.from.min(self.to), self.from.max(self.to));
                self.text((low + libm::floor((high - low + 1.0) * share)).min(high))
            }
            _ => self.at(share),
        }
    }

    /// A value as a number of its unit.
    pub fn number(&self, text: &str) -> f64 {
        let value = self.base(text);
        if self.kind == Kind::Quantity(Dimension::Duration) { value / PS_PER_S } else { value }
    }

    /// A value in base units.
    fn base(&self, text: &str) -> f64 {
        match self.kind {
            Kind::Quantity(dimension) => parse(text, dimension).map_or(f64::NAN, |value| value as f64),
            Kind::Integer | Kind::Number => text.parse().unwrap_or(f64::NAN),
        }
    }

    /// The share of the range at which a value is.
    pub fn share(&self, text: &str) -> f64 {
        let value = self.base(text);
        if self.log {
            libm::log(value / self.from) / libm::log(self.to / self.from)
        } else {
            (value - self.from) / (self.to - self.from)
        }
    }

    /// A value as text, unless it is an end to four digits of itself, or of the width of a linear range if that is finer; it
    /// stays within the range.
    fn text(&self, value: f64) -> String {
        let (low, high) = (self.from.min(self.to), self.from.max(self.to));
        let rounded = match self.kind {
            Kind::Integer => libm::round(value),
            Kind::Number | Kind::Quantity(_) if value <= low || value >= high => value.clamp(low, high),
            Kind::Number | Kind::Quantity(_) => self.rounded(value).clamp(low, high),
        };
        match self.kind {
            Kind::Integer => format!("{rounded:.0}"),
            Kind::Number => rounded.to_string(),
            Kind::Quantity(dimension) => print(rounded as u64, dimension),
        }
    }

    fn rounded(&self, value: f64) -> f64 {
        if value == 0.0 {
            return 0.0;
        }
        let scale_of =
            |size: f64| libm::pow(10.0, f64::from(DIGITS - 1) - libm::floor(libm::log10(size.abs())));
        let scale =
            if self.log { scale_of(value) } else { scale_of(value).max(scale_of(self.to - self.from)) };
        if scale.is_finite() { libm::round(value * scale) / scale } else { value }
    }

    /// Whether values are integers without a unit.
    pub fn is_of_integers(&self) -> bool {
        self.kind == Kind::Integer
    }

    /// Whether values are spaced by ratios.
    pub fn is_log(&self) -> bool {
        self.log
    }

    /// The unit of values as numbers.
    pub fn unit(&self) -> &'static str {
        match self.kind {
            Kind::Quantity(Dimension::Rate) => "bit/s",
            Kind::Quantity(Dimension::Size) => "B",
            Kind::Quantity(Dimension::Duration) => "s",
            Kind::Integer | Kind::Number => "number",
        }
    }
}

impl fmt::Display for ValueRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let log = if self.log { " log" } else { "" };
        write!(formatter, "{}..{}{log}", self.text(self.from), self.text(self.to))
    }
}

impl Serialize for ValueRange {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// The unit of texts that are all numbers or quantities of one kind, and their values in it.
pub(super) fn numbers_of(texts: &[&str]) -> Option<(&'static str, Vec<f64>)> {
    let all = |kind: Kind| {
        let range = ValueRange { from: 0.0, to: 1.0, kind, log: false };
        let numbers: Vec<f64> = texts.iter().map(|text| range.number(text)).collect();
        numbers.iter().all(|number| number.is_finite()).then(|| (range.unit(), numbers))
    };
    [Kind::Number].into_iter().chain(DIMENSIONS.map(Kind::Quantity)).find_map(all)
}

/// What the ends are, and their values.
fn ends_of(low: &str, high: &str) -> Option<(Kind, f64, f64)> {
    if let (Ok(low), Ok(high)) = (low.parse::<i64>(), high.parse::<i64>()) {
        return Some((Kind::Integer, low as f64, high as f64));
    }
    if let (Ok(low), Ok(high)) = (low.parse::<f64>(), high.parse::<f64>()) {
        return Some((Kind::Number, low, high));
    }
    DIMENSIONS.into_iter().find_map(|dimension| {
        let (low, high) = (parse(low, dimension).ok()?, parse(high, dimension).ok()?);
        Some((Kind::Quantity(dimension), low as f64, high as f64))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> ValueRange {
        ValueRange::parse(text).expect(text)
    }

    #[test]
    fn values_are_spaced_evenly_or_by_ratios() {
        assert_eq!(range("100Gbps..400Gbps").at(0.5), "250Gbps");
        assert_eq!(range("0.1..0.9").at(0.25), "0.3");
        assert_eq!(range("2..16").at(0.5), "9");
        assert_eq!(range("400Gbps..100Gbps").at(0.25), "325Gbps");
        assert_eq!(range("1..10000 log").at(0.5), "100");
        assert_eq!(range("1us..1s log").at(0.5), "1ms");
        assert_eq!(range("0.1..0.9").at(1.0), "0.9");
        assert_eq!(range("1KiB..3KiB").at(0.3333), "1707B");
        assert_eq!(range("2..16").to_string(), "2..16");
        assert_eq!(range("1s..1.0001s").at(0.5), "1000.05ms");
    }

    #[test]
    fn each_integer_has_the_same_probability() {
        let range = range("1..4");
        let values: Vec<String> = (0..8).map(|index| range.within(index, 8, 0.5)).collect();
        assert_eq!(values, ["1", "1", "2", "2", "3", "3", "4", "4"]);
    }

    #[test]
    fn shares_and_values_correspond() {
        for range in [range("100Gbps..400Gbps"), range("1..10000 log")] {
            for share in [0.0, 0.25, 0.5, 1.0] {
                assert!((range.share(&range.at(share)) - share).abs() < 1e-3, "{range} at {share}");
            }
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "1", "1..1", "1us..1Gbps", "1..2us", "0..9 log", "a..b", "1..inf"] {
            assert!(ValueRange::parse(text).is_err(), "{text}");
        }
    }
}
