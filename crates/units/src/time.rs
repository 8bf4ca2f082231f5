//! Instants and durations in integer picoseconds.
//!
//! Two types, because adding two instants is a mistake. Both are `u64`: 2^64 ps are 213 days, far beyond any run.

use std::ops::{Add, AddAssign, Sub};

/// An instant, in picoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

/// A span of time, in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);
    /// Later than any event: "never".
    pub const NEVER: Time = Time(u64::MAX);

    /// The span since `earlier`, or zero when `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Time) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }

    /// The instant in seconds, for people: rounded to the nearest double.
    #[must_use]
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e12
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);

    /// A span of whole nanoseconds.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Duration {
        Duration(nanos * 1_000)
    }

    /// A span of whole microseconds.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Duration {
        Duration(micros * 1_000_000)
    }

    /// A span of whole milliseconds.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Duration {
        Duration(millis * 1_000_000_000)
    }

    /// The span in seconds, for people: rounded to the nearest double.
    #[must_use]
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e12
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    #[inline]
    fn add(self, span: Duration) -> Time {
        Time(self.0 + span.0)
    }
}

impl AddAssign<Duration> for Time {
    #[inline]
    fn add_assign(&mut self, span: Duration) {
        self.0 += span.0;
    }
}

impl Add for Duration {
    type Output = Duration;
    #[inline]
    fn add(self, other: Duration) -> Duration {
        Duration(self.0 + other.0)
    }
}

impl Sub for Time {
    type Output = Duration;
    #[inline]
    fn sub(self, earlier: Time) -> Duration {
        Duration(self.0 - earlier.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_before_another_is_no_span_ago() {
        assert_eq!(Time(3).since(Time(5)), Duration::ZERO);
        assert_eq!(Time(5).since(Time(3)), Duration(2));
    }

    #[test]
    fn named_constructors_agree() {
        assert_eq!(Duration::from_nanos(1_000_000), Duration::from_millis(1));
        assert_eq!(Duration::from_micros(1_000), Duration::from_millis(1));
    }
}
