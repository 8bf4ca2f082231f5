//! The progress of a queue pair's sender.
//!
//! Invariants: `una <= next <= highest <= end`, except that `next` may have gone back.

/// Positions of a sender.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SendProgress {
    /// The first position that is not acknowledged.
    pub una: u64,
    /// The next to send in order.
    pub next: u64,
    /// One beyond the highest position ever sent.
    pub highest: u64,
    /// One beyond the last posted position.
    pub end: u64,
}

impl SendProgress {
    /// Everything below `expected` has arrived. Returns whether this acknowledges more than before.
    #[inline(always)]
    pub fn acknowledged(&mut self, expected: u64) -> bool {
        if expected <= self.una {
            return false;
        }
        self.una = expected;
        self.next = self.next.max(expected);
        true
    }

    /// Whether a posted packet remains that has not been sent in order.
    #[inline(always)]
    pub(super) fn has_more(&self) -> bool {
        self.next < self.end
    }

    /// Sends the next packet in order.
    #[inline(always)]
    pub(super) fn forward(&mut self) -> super::SendItem {
        let position = self.next;
        debug_assert!(position < self.end, "nothing is left to send");
        self.next += 1;
        let is_again = position < self.highest;
        self.highest = self.highest.max(self.next);
        super::SendItem { position, is_again }
    }
}
