//! The last few packets of a queue pair that were enqueued for the last hop, oldest first (the ring of Themis, section
//! 3.3).
//!
//! Invariants: never longer than the given capacity; memory grows with use, in few steps.

/// A packet that was enqueued for the last hop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its sequence number.
    pub psn: u32,
    /// Bytes enqueued for this hop up to its end, in [`UNIT`](super::themis::UNIT)s; wraps.
    pub end: u32,
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Recent {
    /// A power of two of slots, or none.
    slots: Vec<Entry>,
    /// Index of the oldest entry.
    first: u32,
    len: u32,
}

impl Recent {
    /// Removes all entries; memory is kept.
    pub fn clear(&mut self) {
        (self.first, self.len) = (0, 0);
    }

    /// The number of entries.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// The number of entries that can be added.
    pub fn room(&self, capacity: u32) -> u32 {
        capacity.min(self.slots.len() as u32) - self.len
    }

    /// Adds an entry; the caller has checked that there is room.
    #[inline(always)]
    pub fn push(&mut self, entry: Entry) {
        let slot = self.slot(self.len);
        self.slots[slot] = entry;
        self.len += 1;
    }

    /// The oldest.
    pub fn first(&self) -> Option<Entry> {
        (self.len > 0).then(|| self.slots[self.slot(0)])
    }

    /// Removes the `n` oldest entries.
    pub fn drop_first(&mut self, n: u32) {
        self.first = self.first.wrapping_add(n);
        self.len -= n;
    }

    /// Removes the oldest entries while a condition holds; the condition must be monotonic over the ring.
    pub fn drop_while(&mut self, holds: impl Fn(&Entry) -> bool) {
        let (mut n, mut end) = (0, self.len);
        while n < end {
            let middle = n + (end - n) / 2;
            if holds(&self.slots[self.slot(middle)]) {
                n = middle + 1;
            } else {
                end = middle;
            }
        }
        self.drop_first(n);
    }

    /// Removes and returns the oldest entry.
    pub fn pop(&mut self) -> Option<Entry> {
        let first = self.first()?;
        self.drop_first(1);
        Some(first)
    }

    /// Removes the newest entry if it has this number; returns whether it had.
    pub fn pop_newest(&mut self, psn: u32) -> bool {
        let is_it = self.len > 0 && self.slots[self.slot(self.len - 1)].psn == psn;
        self.len -= u32::from(is_it);
        is_it
    }

    /// All entries, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = Entry> {
        (0..self.len).map(|index| self.slots[self.slot(index)])
    }

    #[inline(always)]
    fn slot(&self, index: u32) -> usize {
        self.first.wrapping_add(index) as usize & (self.slots.len().wrapping_sub(1))
    }

    /// Enlarges the memory by a factor.
    #[cold]
    #[inline(never)]
    pub fn grow(&mut self) {
        let mut slots: Vec<Entry> = self.iter().collect();
        slots.resize((4 * self.slots.len()).max(32), Entry::default());
        (self.slots, self.first) = (slots, 0);
    }

    /// Number of slots allocated.
    pub fn n_slots(&self) -> usize {
        self.slots.len()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use netloom_units::Random;

    use super::*;

    #[test]
    fn a_full_ring_overwrites_the_oldest_entry() {
        let mut random = Random::stream(1, 1, 1);
        for capacity in [1, 7, 8, 100] {
            let (mut recent, mut queue, mut most) = (Recent::default(), VecDeque::new(), 0);
            for number in 0..2_000 {
                match random.next_u32() % 4 {
                    0 => assert_eq!(recent.pop(), queue.pop_front()),
                    1 if number % 50 == 0 => {
                        recent.clear();
                        queue.clear();
                    }
                    1 if number % 3 == 0 => {
                        let newest = queue.pop_back();
                        assert!(!recent.pop_newest(u32::MAX));
                        assert!(newest.is_none_or(|newest: Entry| recent.pop_newest(newest.psn)));
                    }
                    _ => {
                        if recent.room(capacity) == 0 {
                            if recent.len() == capacity {
                                assert_eq!(recent.pop(), queue.pop_front());
                            } else {
                                recent.grow();
                            }
                        }
                        let entry = Entry { psn: number, end: 2 * number };
                        recent.push(entry);
                        queue.push_back(entry);
                        most = most.max(queue.len());
                    }
                }
                assert!(recent.iter().eq(queue.iter().copied()) && recent.len() as usize == queue.len());
            }
            assert!(most <= capacity as usize);
        }
    }
}
