//! How many packets wait at a port whose starts are computed: kept only where somebody wants to know.
//!
//! Models: the starts of accepted packets, oldest first; those that have passed leave when the number matters, not
//! before.
//! Leaves out: the packets; they stand in the link's ring already.
//!
//! Invariants: starts rise; a packet waits while its start is after now.

/// See the module.
#[derive(Debug, Default)]
pub struct Waiting {
    /// A circular buffer of starts, in ps; its length is a power of two, or zero at rest.
    starts: Box<[u64]>,
    /// Packets that have left, and packets that have entered: places in the buffer, modulo its length.
    head: usize,
    tail: usize,
    /// The start of the oldest; means nothing where there is none.
    first: u64,
    /// The last start; zero before the first.
    last: u64,
}

impl Waiting {
    /// A packet starts at `start`, which is no earlier than any before it.
    #[inline]
    pub fn push(&mut self, start: u64) {
        if self.tail - self.head == self.starts.len() {
            self.grow();
        }
        let mask = self.starts.len() - 1;
        self.starts[self.tail & mask] = start;
        if self.head == self.tail {
            self.first = start;
        }
        self.tail += 1;
        self.last = start;
    }

    /// At least as many as wait: some may have started.
    #[inline]
    pub fn at_most(&self) -> u32 {
        (self.tail - self.head) as u32
    }

    /// How many start after `now`.
    #[inline(always)]
    pub fn at(&mut self, now: u64) -> u32 {
        if self.last <= now {
            self.head = self.tail;
            return 0;
        }
        if self.first <= now {
            self.forget_started(now);
        }
        self.at_most()
    }

    /// The first that stays is found by halving, unless it is the next one: what piled up unasked is not walked through.
    #[inline(never)]
    fn forget_started(&mut self, now: u64) {
        let mask = self.starts.len() - 1;
        // At least one stays.
        let (mut gone, mut stays) = (self.head, self.head + 1);
        if self.starts[stays & mask] <= now {
            (gone, stays) = (stays, self.tail - 1);
        }
        while stays - gone > 1 {
            let middle = gone + (stays - gone) / 2;
            if self.starts[middle & mask] <= now {
                gone = middle;
            } else {
                stays = middle;
            }
        }
        self.head = stays;
        self.first = self.starts[stays & mask];
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let old_mask = self.starts.len().wrapping_sub(1);
        let length = (2 * self.starts.len()).max(8);
        let mut starts = vec![0; length];
        for place in self.head..self.tail {
            starts[place & (length - 1)] = self.starts[place & old_mask];
        }
        self.starts = starts.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_waits_until_its_start_has_passed() {
        let mut waiting = Waiting::default();
        assert_eq!(waiting.at(5), 0);
        for start in 0..100 {
            waiting.push(start * 10);
        }
        assert_eq!(waiting.at(0), 99);
        assert_eq!(waiting.at(9), 99);
        assert_eq!(waiting.at(10), 98);
        assert_eq!(waiting.at(501), 49);
        waiting.push(5000);
        assert_eq!((waiting.at(991), waiting.at(4999), waiting.at(5000)), (1, 1, 0));
    }
}
