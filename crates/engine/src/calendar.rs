//! A calendar queue: the next events of the nodes of one partition, in order.
//!
//! Models: a ring of buckets of equal duration with a bit for each bucket that holds events; a bucket is a sorted list,
//! usually of one or two events. Events beyond the ring wait in an unsorted list until the ring reaches them.
//! Leaves out: the meaning of events; an event's rank orders it among those of its instant.
//!
//! Invariants: events leave in order of (time, rank); those in the unsorted list lie beyond the ring.
//!
//! Source: Brown, "Calendar Queues", CACM 31(10), 1988.

/// An event: its time, in ps, and its rank among those of that instant.
pub type Event = (u64, u64);

/// Number of buckets of the ring.
const BUCKETS: u64 = 64;

/// The logarithm of a bucket's duration in ps: 4 ns, so that the ring is longer than a packet's transmission and a
/// short link's propagation delay.
const BUCKET_BITS: u32 = 12;

/// No event: after all others.
pub const NEVER: Event = (u64::MAX, u64::MAX);

/// No entry.
const NONE: u32 = u32::MAX;

/// An event in the list of its bucket, or in that of free entries.
#[derive(Debug, Clone, Copy)]
struct Entry {
    event: Event,
    next: u32,
}

/// See the module.
#[derive(Debug)]
pub struct CalendarQueue {
    /// The first event, [`NEVER`] for none.
    first: Event,
    /// The first bucket of the ring, counted from instant 0.
    base: u64,
    /// One bit per bucket of the ring that holds events.
    filled: u64,
    heads: [u32; BUCKETS as usize],
    entries: Vec<Entry>,
    free: u32,
    /// Events beyond the ring.
    later: Vec<Event>,
    /// The first of those, [`NEVER`] for none.
    first_later: Event,
}

impl Default for CalendarQueue {
    fn default() -> CalendarQueue {
        CalendarQueue {
            first: NEVER,
            base: 0,
            filled: 0,
            heads: [NONE; BUCKETS as usize],
            entries: Vec::new(),
            free: NONE,
            later: Vec::new(),
            first_later: NEVER,
        }
    }
}

impl CalendarQueue {
    /// Adds an event. All events in the queue are at `now` or later.
    #[inline]
    pub fn push(&mut self, now: u64, event: Event) {
        self.first = self.first.min(event);
        if self.filled == 0 {
            self.advance_base(now);
        }
        let bucket = event.0 >> BUCKET_BITS;
        if bucket.saturating_sub(self.base) < BUCKETS {
            self.insert(event);
        } else {
            self.later.push(event);
            self.first_later = self.first_later.min(event);
        }
    }

    /// The first event, [`NEVER`] for none.
    #[inline(always)]
    pub fn first(&self) -> Event {
        self.first
    }

    /// Removes the first event; the queue must not be empty.
    #[inline]
    pub fn drop_first(&mut self) {
        let at = self.first.0;
        if self.filled == 0 {
            self.advance_base(at);
        }
        let index = self.first_index();
        let number = self.heads[index];
        let entry = &mut self.entries[number as usize];
        let next = std::mem::replace(&mut entry.next, self.free);
        (self.free, self.heads[index]) = (number, next);
        if next == NONE {
            self.filled &= !(1 << index);
        }
        self.advance_base(at);
        self.first = match self.filled {
            0 => self.first_later,
            _ => self.entries[self.heads[self.first_index()] as usize].event,
        };
    }

    /// All events in no order.
    pub fn iter(&self) -> impl Iterator<Item = Event> + '_ {
        let listed = |&head: &u32| {
            let entry = |number: u32| self.entries.get(number as usize);
            std::iter::successors(entry(head), move |last| entry(last.next)).map(|entry| entry.event)
        };
        self.heads.iter().flat_map(listed).chain(self.later.iter().copied())
    }

    /// The index in the ring of the first bucket that holds events.
    #[inline(always)]
    fn first_index(&self) -> usize {
        let from = (self.base % BUCKETS) as u32;
        ((from + self.filled.rotate_right(from).trailing_zeros()) as usize) % BUCKETS as usize
    }

    /// Moves the start of the ring to an instant before which no event is left.
    #[inline(always)]
    fn advance_base(&mut self, at: u64) {
        self.base = self.base.max(at >> BUCKET_BITS);
        if (self.first_later.0 >> BUCKET_BITS).saturating_sub(self.base) < BUCKETS {
            self.refill_ring();
        }
    }

    #[inline]
    fn insert(&mut self, event: Event) {
        // An event before the ring goes into the first bucket, where it sorts first.
        let index = ((event.0 >> BUCKET_BITS).max(self.base) % BUCKETS) as usize;
        self.filled |= 1 << index;
        let mut before = NONE;
        let mut after = self.heads[index];
        while let Some(entry) = self.entries.get(after as usize)
            && entry.event < event
        {
            before = std::mem::replace(&mut after, entry.next);
        }
        let number = self.add_entry(Entry { event, next: after });
        match self.entries.get_mut(before as usize) {
            Some(entry) => entry.next = number,
            None => self.heads[index] = number,
        }
    }

    #[inline(always)]
    fn add_entry(&mut self, entry: Entry) -> u32 {
        let number = self.free;
        if let Some(free) = self.entries.get_mut(number as usize) {
            self.free = std::mem::replace(free, entry).next;
            return number;
        }
        self.entries.push(entry);
        self.entries.len() as u32 - 1
    }

    /// Moves into the ring the events that it now reaches.
    #[inline(never)]
    fn refill_ring(&mut self) {
        self.first_later = NEVER;
        let mut later = std::mem::take(&mut self.later);
        later.retain(|&event| {
            let is_reached = (event.0 >> BUCKET_BITS).saturating_sub(self.base) < BUCKETS;
            if is_reached {
                self.insert(event);
            } else {
                self.first_later = self.first_later.min(event);
            }
            !is_reached
        });
        self.later = later;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use netloom_units::Random;

    use super::*;

    #[test]
    fn events_are_popped_in_order_of_time_and_rank() {
        for seed in 0..200 {
            let mut random = Random::stream(seed, 1, 1);
            let (mut queue, mut sorted) = (CalendarQueue::default(), BTreeSet::new());
            let mut now = 0;
            for rank in 0..2_000 {
                let ahead = match random.next_u32() % 8 {
                    0 => 0,
                    1..=5 => random.next_u64() % 200_000,
                    6 => random.next_u64() % 5_000_000,
                    _ => 200_000 * (random.next_u64() % 3),
                };
                // Equal instants have descending ranks.
                let event = (now + ahead, 2_000 - rank);
                queue.push(now, event);
                sorted.insert(event);
                assert_eq!(queue.first(), sorted.first().copied().unwrap_or(NEVER));
                while random.next_u32().is_multiple_of(2)
                    && let Some(first) = sorted.pop_first()
                {
                    assert_eq!(queue.first(), first);
                    queue.drop_first();
                    assert_eq!(queue.first(), sorted.first().copied().unwrap_or(NEVER));
                    now = first.0;
                }
                let mut all: Vec<Event> = queue.iter().collect();
                all.sort_unstable();
                assert!(rank % 100 != 0 || all.iter().eq(&sorted));
            }
        }
    }
}
