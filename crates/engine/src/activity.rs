//! Which partitions have pending events: senders notify receiving partitions, so that idle ones cost nothing.
//!
//! Models: per in-link a bit "something was pushed"; per partition the earliest such arrival and a bit "has pending
//! events".
//! Leaves out: which events are due; the partition finds those in its rings and timers.
//!
//! Invariants: a sender announces a link once per window, after its first push of that window; an entry pushed in a
//! window is due after it, so it does not matter whether the receiver sees the announcement in this window or the next.
//! Hence the order in which threads get here changes nothing.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The shared bits and minima.
pub struct Activity {
    /// In-link bits; each partition starts at a word of its own.
    pushed_bits: Box<[AtomicU64]>,
    /// Earliest announced arrival per partition; `u64::MAX` for none.
    announced: Box<[AtomicU64]>,
    /// Next event of each partition, announced arrivals not included; `u64::MAX` for none.
    own: Box<[AtomicU64]>,
    /// One bit per partition that has pending events.
    pending: Box<[AtomicU64]>,
    /// While one thread advances all partitions the updates need no atomic read-modify-write. Written between rounds.
    single_thread: AtomicBool,
}

/// The bits by which a sender announces one link.
#[derive(Debug, Clone, Copy)]
pub struct InLinkBit {
    /// The receiving partition.
    pub partition: u32,
    /// Word of its in-link bits.
    pub word: u32,
    /// The in-link's bit.
    pub bit: u64,
}

impl Activity {
    /// For partitions whose in-link bits take `n_words`, over `n_partitions` partitions.
    pub fn new(n_words: usize, n_partitions: usize) -> Activity {
        let filled = |n: usize, value: u64| (0..n).map(|_| AtomicU64::new(value)).collect();
        Activity {
            pushed_bits: filled(n_words, 0),
            announced: filled(n_partitions, u64::MAX),
            own: filled(n_partitions, u64::MAX),
            pending: filled(n_partitions.div_ceil(64), 0),
            single_thread: AtomicBool::new(true),
        }
    }

    /// Whether one thread alone advances partitions in the next round. Between rounds only.
    pub fn set_single_thread(&self, single_thread: bool) {
        self.single_thread.store(single_thread, Ordering::Relaxed);
    }

    fn is_single_thread(&self) -> bool {
        self.single_thread.load(Ordering::Relaxed)
    }

    /// A sender announces that it has pushed an entry arriving at `arrival`.
    #[inline]
    pub fn announce(&self, index: InLinkBit, arrival: u64) {
        let news = &self.pushed_bits[index.word as usize];
        let announced = &self.announced[index.partition as usize];
        if self.is_single_thread() {
            news.store(news.load(Ordering::Relaxed) | index.bit, Ordering::Relaxed);
            announced.store(announced.load(Ordering::Relaxed).min(arrival), Ordering::Relaxed);
        } else {
            news.fetch_or(index.bit, Ordering::Release);
            // A thread that reads the minimum must find the bit set before it, also on processors with weak memory
            // ordering.
            announced.fetch_min(arrival, Ordering::Release);
        }
        self.set_pending(index.partition as usize);
    }

    fn set_pending(&self, partition: usize) {
        let word = &self.pending[partition / 64];
        let bit = 1_u64 << (partition % 64);
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// A partition reads and clears one word of its in-link bits.
    #[inline]
    pub fn take_news(&self, word: usize) -> u64 {
        let news = &self.pushed_bits[word];
        let seen = news.load(Ordering::Relaxed);
        if seen == 0 {
            return 0;
        }
        if self.is_single_thread() {
            news.store(0, Ordering::Relaxed);
            return seen;
        }
        news.swap(0, Ordering::Acquire)
    }

    /// A partition about to advance clears its announced arrival: it will find all entries in its rings.
    #[inline]
    pub fn take_announced(&self, partition: usize) {
        let announced = &self.announced[partition];
        if self.is_single_thread() {
            announced.store(u64::MAX, Ordering::Relaxed);
        } else {
            announced.swap(u64::MAX, Ordering::Acquire);
        }
    }

    /// A partition, or the coordinator between windows, sets the instant of the partition's next event.
    #[inline]
    pub fn set_own(&self, partition: usize, next: u64) {
        self.own[partition].store(next, Ordering::Relaxed);
        if next != u64::MAX {
            self.set_pending(partition);
        }
    }

    /// A new event at `at` is pending in a partition.
    pub fn bring_forward(&self, partition: usize, at: u64) {
        let own = self.own[partition].load(Ordering::Relaxed).min(at);
        self.set_own(partition, own);
    }

    /// The instant of the earliest pending event of all partitions. Between windows only.
    pub fn earliest(&self) -> u64 {
        let mut earliest = u64::MAX;
        self.for_each_pending(|_, next| earliest = earliest.min(next));
        earliest
    }

    /// Lists the partitions with events before `end`. Between windows only.
    pub fn list_due(&self, end: u64, due: &mut Vec<u32>) {
        due.clear();
        self.for_each_pending(|partition, next| {
            if next < end {
                due.push(partition as u32);
            }
        });
    }

    /// Calls `each` with every pending partition and its next instant, and clears the bits of partitions with no
    /// events.
    fn for_each_pending(&self, mut each: impl FnMut(usize, u64)) {
        for (number, word) in self.pending.iter().enumerate() {
            let mut bits = word.load(Ordering::Relaxed);
            while bits != 0 {
                let partition = number * 64 + bits.trailing_zeros() as usize;
                let own = self.own[partition].load(Ordering::Relaxed);
                let next = own.min(self.announced[partition].load(Ordering::Relaxed));
                if next == u64::MAX {
                    word.fetch_and(!(bits & bits.wrapping_neg()), Ordering::Relaxed);
                } else {
                    each(partition, next);
                }
                bits &= bits - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_reach_the_partition_and_idle_ones_are_forgotten() {
        let activity = Activity::new(4, 130);
        activity.set_single_thread(false);
        let index = InLinkBit { partition: 129, word: 3, bit: 1 << 5 };
        activity.announce(index, 70);
        activity.announce(index, 90);
        activity.set_own(2, 50);
        assert_eq!(activity.earliest(), 50);
        let mut due = Vec::new();
        activity.list_due(71, &mut due);
        assert_eq!(due, [2, 129]);
        assert_eq!(activity.take_news(3), 1 << 5);
        activity.take_announced(129);
        activity.set_own(2, u64::MAX);
        assert_eq!(activity.earliest(), u64::MAX);
        activity.list_due(u64::MAX, &mut due);
        assert!(due.is_empty());
    }
}
