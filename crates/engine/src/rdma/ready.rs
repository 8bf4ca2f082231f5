//! Ready queue of one NIC port: its queue pairs in the order in which they are served.
//!
//! Models: turns in ascending order. Queue pairs of equal rate request their next turns in that order, too: turns
//! pushed in order are kept in a sorted queue, the others in a heap.
//!
//! Invariants: the order is (ready from, number); a slot is in the queue at most once; the sorted queue is ascending.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// See the module. A turn is one word: instant, number and slot from the high end.
#[derive(Debug, Default)]
pub struct Ready {
    line: VecDeque<u128>,
    others: BinaryHeap<Reverse<u128>>,
}

/// A queue pair with something to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadyEntry {
    /// The earliest instant at which it may send, in ps.
    pub from: u64,
    /// Its number among the host's queue pairs.
    pub number: u32,
    /// Its slot there.
    pub slot: u32,
}

impl ReadyEntry {
    #[inline(always)]
    fn word(self) -> u128 {
        u128::from(self.from) << 64 | u128::from(self.number) << 32 | u128::from(self.slot)
    }

    #[inline(always)]
    fn of(word: u128) -> ReadyEntry {
        ReadyEntry { from: (word >> 64) as u64, number: (word >> 32) as u32, slot: word as u32 }
    }
}

impl Ready {
    /// The queue pair that is served first.
    #[inline(always)]
    pub fn first(&self) -> Option<ReadyEntry> {
        match (self.line.front(), self.others.peek()) {
            (None, None) => None,
            (Some(&word), None) | (None, Some(&Reverse(word))) => Some(ReadyEntry::of(word)),
            (Some(&line), Some(&Reverse(other))) => Some(ReadyEntry::of(line.min(other))),
        }
    }

    /// Number of queue pairs.
    pub fn len(&self) -> usize {
        self.line.len() + self.others.len()
    }

    /// Adds a queue pair.
    #[inline(always)]
    pub fn push(&mut self, turn: ReadyEntry) {
        let word = turn.word();
        if self.line.back().is_none_or(|&last| last < word) {
            self.line.push_back(word);
        } else {
            self.others.push(Reverse(word));
        }
    }

    /// The first queue pair gets a later turn.
    #[inline(always)]
    pub fn reschedule_first(&mut self, later: ReadyEntry) {
        self.pop();
        self.push(later);
    }

    /// Removes the first queue pair.
    #[inline(always)]
    pub fn pop(&mut self) {
        match (self.line.front(), self.others.peek()) {
            (Some(&line), Some(&Reverse(other))) if other < line => _ = self.others.pop(),
            (None, _) => _ = self.others.pop(),
            _ => _ = self.line.pop_front(),
        }
    }

    /// Removes a queue pair that has nothing left to send.
    pub fn remove(&mut self, slot: u32) {
        self.line.retain(|&word| ReadyEntry::of(word).slot != slot);
        self.others.retain(|&Reverse(word)| ReadyEntry::of(word).slot != slot);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use netloom_units::Random;

    use super::*;

    #[test]
    fn the_earliest_is_served_first_ties_by_lower_number() {
        let mut random = Random::stream(1, 1, 1);
        let mut ready = Ready::default();
        let mut sorted: BTreeSet<(u64, u32)> = BTreeSet::new();
        for number in 0..40 {
            ready.push(ReadyEntry { from: 7, number, slot: 100 - number });
            sorted.insert((7, number));
        }
        for round in 0..2_000 {
            let first = ready.first().expect("forty are left");
            assert_eq!(sorted.pop_first(), Some((first.from, first.number)));
            assert_eq!(first.slot, 100 - first.number);
            ready.pop();
            // Most at one rate, some slower, some absent for a while.
            let from =
                first.from + if random.next_u32().is_multiple_of(4) { random.next_u64() % 100 } else { 20 };
            ready.push(ReadyEntry { from, ..first });
            sorted.insert((from, first.number));
            if round % 100 == 99 {
                let gone = *sorted.iter().nth(5).expect("forty are left");
                ready.remove(100 - gone.1);
                ready.push(ReadyEntry { from: gone.0 + 1, number: gone.1, slot: 100 - gone.1 });
                sorted.remove(&gone);
                sorted.insert((gone.0 + 1, gone.1));
            }
        }
    }
}
