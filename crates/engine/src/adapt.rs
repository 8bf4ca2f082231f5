//! ECN marking thresholds that a port adapts by itself (AI-ECN).
//!
//! Models: the rule of `docs/congestion/ai_ecn.md`: at the end of every interval, up a step if the link was idle
//! although it marked, down a step if the mean queue was longer than the upper threshold.
//! Leaves out: marking itself (`mark.rs`).
//!
//! Invariants: intervals follow simulated time, and the packets counted are those that start in them, so
//! nothing depends on when the port is advanced; an interval without starts changes nothing and costs nothing.

use netloom_model::{Adapting, Marking};
use netloom_units::{StateWriter, Time};

/// See the module.
#[derive(Debug)]
pub struct Adapt {
    /// In ps.
    interval: u64,
    /// The link counts as idle if its busy time in an interval is below this, in ps.
    idle_below: u64,
    /// Lowest thresholds, at level 0.
    lowest: (u64, u64),
    level: u32,
    highest_level: u32,
    /// When the interval ends, in ps.
    ends: u64,
    /// Transmission time of the data that started in it, in ps.
    busy: u64,
    /// Bytes queued behind each of these packets, times its transmission time.
    waited: u128,
    /// Packets marked before the interval began.
    marked: u64,
}

impl Adapt {
    /// Starts at the level of the configured thresholds, or the next one above.
    pub fn new(marking: &Marking, rule: &Adapting) -> Adapt {
        let Adapting { interval, busy, step, steps } = *rule;
        let scaled =
            u128::from(step.0) * u128::from(marking.maximum.0) / u128::from(marking.minimum.0.max(1));
        let lowest = (step.0, u64::try_from(scaled).unwrap_or(u64::MAX >> 20));
        let highest_level = steps.saturating_sub(1);
        let is_enough = |&level: &u32| lowest.0 << level >= marking.minimum.0;
        Adapt {
            interval: interval.0,
            idle_below: ((u128::from(interval.0) * u128::from(busy)) >> 32) as u64,
            lowest,
            level: (0..highest_level).find(is_enough).unwrap_or(highest_level),
            highest_level,
            ends: interval.0,
            busy: 0,
            waited: 0,
            marked: 0,
        }
    }

    /// A data packet starts at `at` and takes `busy` ps, with `waiting` bytes of data queued behind it and `marked`
    /// packets marked before; `maximum` is the upper threshold. Returns new thresholds if they change.
    pub fn start(
        &mut self,
        at: u64,
        (busy, waiting): (u64, u64),
        marked: u64,
        maximum: u64,
    ) -> Option<(u64, u64)> {
        let changed = (at >= self.ends).then(|| self.end(at, marked, maximum)).flatten();
        self.busy += busy;
        self.waited += u128::from(waiting) * u128::from(busy);
        changed
    }

    /// The interval has ended, and perhaps others in which nothing started.
    #[cold]
    fn end(&mut self, at: u64, marked: u64, maximum: u64) -> Option<(u64, u64)> {
        let is_idle = self.busy < self.idle_below && marked > self.marked;
        let is_long = self.waited > u128::from(maximum) * u128::from(self.interval);
        self.ends += ((at - self.ends) / self.interval + 1) * self.interval;
        (self.busy, self.waited, self.marked) = (0, 0, marked);
        let level = match (is_idle, is_long) {
            (true, _) => (self.level + 1).min(self.highest_level),
            (false, true) => self.level.saturating_sub(1),
            (false, false) => self.level,
        };
        if level == self.level {
            return None;
        }
        self.level = level;
        Some((self.lowest.0 << level, self.lowest.1 << level))
    }

    /// Writes the state that later thresholds depend on.
    pub fn write_state(&self, marked: u64, out: &mut StateWriter) {
        for word in [u64::from(self.level), self.busy, (self.waited >> 64) as u64, self.waited as u64] {
            out.word(word);
        }
        out.instant(Time(self.ends));
        out.word(marked - self.marked);
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::{Bytes, Duration};

    use super::*;

    const INTERVAL: u64 = 1_000_000;

    fn adapt(minimum: u64, maximum: u64) -> Adapt {
        let [minimum, maximum] = [minimum, maximum].map(Bytes);
        let marking = Marking { minimum, maximum, probability: 1 << 30, at_enqueue: false };
        let busy = (0.9 * 4_294_967_296.0) as u64;
        let rule = Adapting { interval: Duration(INTERVAL), busy, step: Bytes(20_000), steps: 10 };
        Adapt::new(&marking, &rule)
    }

    /// An interval with `n` packets of 10 ns and `waiting` bytes behind each, then the first start of the next one.
    fn interval(adapt: &mut Adapt, number: u64, n: u64, waiting: u64, marked: u64) -> Option<(u64, u64)> {
        let mut last = None;
        for packet in 1..n {
            last = adapt.start(number * INTERVAL + packet * 10_000, (10_000, waiting), marked, 80_000);
            assert!(last.is_none());
        }
        adapt.start((number + 1) * INTERVAL, (10_000, waiting), marked, 80_000).or(last)
    }

    #[test]
    fn adaptation_starts_at_the_configured_level() {
        for (minimum, level) in [(1, 0), (20_000, 0), (20_001, 1), (40_000, 1), (10_240_000, 9), (1 << 40, 9)]
        {
            assert_eq!(adapt(minimum, 4 * minimum).level, level, "{minimum}");
        }
    }

    #[test]
    fn an_idle_link_that_marks_raises_and_keeps_the_ratio() {
        let mut adapt = adapt(20_000, 80_000);
        assert_eq!(interval(&mut adapt, 0, 80, 0, 5), Some((40_000, 160_000)));
        // No further marks: it is idle for lack of traffic.
        assert_eq!(interval(&mut adapt, 1, 80, 0, 5), None);
        assert_eq!(interval(&mut adapt, 2, 80, 0, 6), Some((80_000, 320_000)));
        // Marks, but the link is busy for more than nine tenths.
        assert_eq!(interval(&mut adapt, 3, 91, 0, 7), None);
        assert_eq!(interval(&mut adapt, 4, 89, 0, 8), Some((160_000, 640_000)));
    }

    #[test]
    fn a_long_queue_lowers_down_to_the_lowest() {
        let mut adapt = adapt(40_000, 80_000);
        assert_eq!(interval(&mut adapt, 0, 100, 79_000, 9), None);
        // 99 packets and one more of 100 in the interval.
        assert_eq!(interval(&mut adapt, 1, 100, 81_000, 20), Some((20_000, 40_000)));
        assert_eq!(interval(&mut adapt, 2, 100, 81_000, 30), None);
    }

    #[test]
    fn intervals_without_starts_have_no_effect() {
        let mut adapt = adapt(20_000, 80_000);
        interval(&mut adapt, 0, 95, 0, 0);
        // A start, then silence for some time: the interval of that start counts, the others change nothing.
        assert_eq!(adapt.start(7 * INTERVAL + 5, (10_000, 0), 3, 80_000), Some((40_000, 160_000)));
        assert_eq!(adapt.ends, 8 * INTERVAL);
        assert_eq!(adapt.start(8 * INTERVAL - 1, (10_000, 0), 4, 80_000), None);
        assert_eq!(adapt.start(8 * INTERVAL, (10_000, 0), 4, 80_000), Some((80_000, 320_000)));
    }
}
