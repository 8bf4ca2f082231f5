//! Number of packets waiting at a port whose transmission starts are precomputed: kept only where it is needed.
//!
//! Models: the starts of accepted packets, oldest first; those in the past are removed when the number is read, not
//! before.
//! Leaves out: the packets; they are in the ring of the link already.
//!
//! Invariants: starts rise; a packet waits while its start is after now.

/// See the module.
#[derive(Debug, Default)]
pub struct Waiting {
    /// A circular buffer of starts, in ps; its length is a power of two, or zero before the first packet.
    starts: Box<[u64]>,
    /// Packets that have left, and packets that have entered: indices into the buffer, modulo its length.
    head: usize,
    tail: usize,
    /// The oldest start; undefined if there is none.
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

    /// An upper bound on the number waiting: some may have started.
    #[inline]
    pub fn at_most(&self) -> u32 {
        (self.tail - self.head) as u32
    }

    /// Number of packets that start after `now`.
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

    /// Finds the first packet that still waits by bisection, unless it is the next one: a long backlog of starts is not
    /// scanned.
    #[inline(never)]
    fn forget_started(&mut self, now: u64) {
        let mask = self.starts.len() - 1;
        // At least one packet still waits.
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
        for index in self.head..self.tail {
            starts[index & (length - 1)] = self.starts[index & old_mask];
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
