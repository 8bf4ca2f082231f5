//! The event queue: one global heap ordered by (time, sequence number).
//!
//! Models: a clock in double seconds that jumps from event to event, first scheduled first at equal times.
//! Leaves out: cancelling, absolute times (see the invariant).
//! Invariant: only delays are taken, and the stored time is `now + delay`: one rounding, the same for every caller.
//! Source: specification of the seed simulator, section 1.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// An event with its time and sequence number.
struct Scheduled<E> {
    at: f64,
    sequence: u64,
    event: E,
}

/// The current time and all pending events.
pub(super) struct Clock<E> {
    now: f64,
    next_sequence: u64,
    heap: BinaryHeap<Scheduled<E>>,
}

impl<E> Clock<E> {
    pub(super) fn new() -> Self {
        Clock { now: 0.0, next_sequence: 0, heap: BinaryHeap::new() }
    }

    /// The time of the event being executed.
    pub(super) fn now(&self) -> f64 {
        self.now
    }

    /// Schedules `event` after `delay` seconds.
    pub(super) fn schedule(&mut self, delay: f64, event: E) {
        assert!(delay >= 0.0, "negative or undefined delay {delay} at {}", self.now);
        self.heap.push(Scheduled { at: self.now + delay, sequence: self.next_sequence, event });
        self.next_sequence += 1;
    }

    /// Takes the next event and advances the clock to its time.
    pub(super) fn advance(&mut self) -> Option<E> {
        let next = self.heap.pop()?;
        self.now = next.at;
        Some(next.event)
    }
}

impl<E> Ord for Scheduled<E> {
    /// Reversed, since `BinaryHeap` gives the greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.at.total_cmp(&self.at).then(other.sequence.cmp(&self.sequence))
    }
}

impl<E> PartialOrd for Scheduled<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Scheduled<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<E> Eq for Scheduled<E> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_times_run_in_the_order_of_scheduling() {
        let mut clock = Clock::new();
        for (delay, name) in [(2.0, "late"), (1.0, "first"), (1.0, "second"), (0.0, "now")] {
            clock.schedule(delay, name);
        }
        let order: Vec<_> = std::iter::from_fn(|| clock.advance()).collect();
        assert_eq!(order, ["now", "first", "second", "late"]);
    }
}
