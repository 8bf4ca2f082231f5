//! How far a queue pair has come.
//!
//! Invariants: `una <= next <= highest <= end`, but for a `next` that went back.

/// Positions of a sender.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Course {
    /// The first that is not acknowledged.
    pub una: u64,
    /// The next to send in order.
    pub next: u64,
    /// One beyond the highest ever sent.
    pub highest: u64,
    /// One beyond the last posted.
    pub end: u64,
}

impl Course {
    /// Everything below `expected` has arrived. Tells whether that is news.
    #[inline(always)]
    pub fn acknowledged(&mut self, expected: u64) -> bool {
        if expected <= self.una {
            return false;
        }
        self.una = expected;
        self.next = self.next.max(expected);
        true
    }

    /// Whether something is left that was not sent in order.
    #[inline(always)]
    pub(super) fn has_more(&self) -> bool {
        self.next < self.end
    }

    /// Sends the next one in order.
    #[inline(always)]
    pub(super) fn forward(&mut self) -> super::Turn {
        let position = self.next;
        debug_assert!(position < self.end, "nothing is left to send");
        self.next += 1;
        let is_again = position < self.highest;
        self.highest = self.highest.max(self.next);
        super::Turn { position, is_again }
    }
}
