//! The positions that have arrived: all below one, and a bitmap above it.
//!
//! Invariants: memory grows with the distance of the highest arrival beyond the expected one, and shrinks with it.

use std::collections::VecDeque;

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct Arrivals {
    expected: u64,
    /// Bits of the positions from `64 * (expected / 64)` on; empty while nothing above `expected` has arrived.
    ahead: VecDeque<u64>,
    n_ahead: u64,
}

impl Arrivals {
    /// The lowest position that is missing.
    #[inline]
    pub fn expected(&self) -> u64 {
        self.expected
    }

    /// Resets the state; memory is kept.
    pub fn clear(&mut self) {
        self.ahead.clear();
        (self.expected, self.n_ahead) = (0, 0);
    }

    /// The number of positions above it that have arrived.
    #[inline]
    pub fn n_ahead(&self) -> u64 {
        self.n_ahead
    }

    /// Whether a position has arrived.
    #[inline]
    pub fn has(&self, position: u64) -> bool {
        if position < self.expected {
            return true;
        }
        let (word, bit) = self.index(position);
        self.ahead.get(word).is_some_and(|bits| bits >> bit & 1 == 1)
    }

    /// Adds a position if it is the lowest missing one and none above it has arrived; returns whether it did.
    #[inline(always)]
    pub fn add_next(&mut self, position: u64) -> bool {
        let is_next = position == self.expected && self.n_ahead == 0;
        debug_assert!(self.n_ahead > 0 || self.ahead.is_empty(), "it is empty");
        self.expected += u64::from(is_next);
        is_next
    }

    /// Adds a position; returns whether it was missing.
    #[inline]
    pub fn add(&mut self, position: u64) -> bool {
        self.add_next(position) || (!self.has(position) && self.add_ahead(position))
    }

    fn add_ahead(&mut self, position: u64) -> bool {
        let (word, bit) = self.index(position);
        if self.ahead.len() <= word {
            self.ahead.resize(word + 1, 0);
        }
        self.ahead[word] |= 1 << bit;
        self.n_ahead += 1;
        if position == self.expected {
            self.move_on();
        }
        true
    }

    /// Advances to the next gap.
    fn move_on(&mut self) {
        while self.has(self.expected) {
            self.step();
        }
    }

    fn step(&mut self) {
        self.expected += 1;
        self.n_ahead -= 1;
        if self.expected.is_multiple_of(64) {
            self.ahead.pop_front();
        }
        if self.n_ahead == 0 {
            self.ahead.clear();
        }
    }

    /// Everything below a position has arrived.
    #[inline(always)]
    pub fn advance_to(&mut self, expected: u64) {
        if self.n_ahead == 0 {
            debug_assert!(self.ahead.is_empty(), "it is empty");
            self.expected = self.expected.max(expected);
        } else {
            self.advance_over_holes(expected);
        }
    }

    fn advance_over_holes(&mut self, expected: u64) {
        while self.expected < expected {
            if self.n_ahead == 0 {
                self.expected = expected;
                self.ahead.clear();
                return;
            }
            let bit = self.expected % 64;
            match self.ahead.front_mut() {
                Some(bits) if *bits >> bit & 1 == 1 => *bits &= !(1 << bit),
                // It counts as arrived from now on.
                _ => self.n_ahead += 1,
            }
            self.step();
        }
        self.move_on();
    }

    #[inline]
    fn index(&self, position: u64) -> (usize, u64) {
        ((position / 64 - self.expected / 64) as usize, position % 64)
    }

    /// The bitmap relative to the expected position, as words.
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        let last = self.expected + 64 * self.ahead.len() as u64;
        let ahead = (self.expected..last).filter(|&position| self.n_ahead > 0 && self.has(position));
        ahead.map(|position| position - self.expected)
    }
}
