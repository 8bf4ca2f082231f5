//! The last few packet sequence numbers of a queue pair, oldest first (the ring of Themis, section 3.3).
//!
//! Invariants: never more than the capacity it is told; memory grows with use, in few steps.

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Recent {
    /// A power of two of places, or none.
    places: Vec<u32>,
    /// Where the oldest stands.
    first: u32,
    len: u32,
}

impl Recent {
    /// Forgets everything; memory is kept.
    pub fn clear(&mut self) {
        (self.first, self.len) = (0, 0);
    }

    /// How many there are.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// One more; the oldest is forgotten if there are as many as may be.
    #[inline(always)]
    pub fn push(&mut self, number: u32, capacity: u32) {
        if self.len == capacity {
            self.first = self.first.wrapping_add(1);
            self.len -= 1;
        }
        if self.len as usize == self.places.len() {
            self.grow();
        }
        let place = self.place(self.len);
        self.places[place] = number;
        self.len += 1;
    }

    /// The oldest, which is forgotten.
    pub fn pop(&mut self) -> Option<u32> {
        self.len = self.len.checked_sub(1)?;
        let place = self.place(0);
        self.first = self.first.wrapping_add(1);
        Some(self.places[place])
    }

    /// All, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        (0..self.len).map(|index| self.places[self.place(index)])
    }

    #[inline(always)]
    fn place(&self, index: u32) -> usize {
        self.first.wrapping_add(index) as usize & (self.places.len() - 1)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let mut places: Vec<u32> = self.iter().collect();
        places.resize((4 * self.places.len()).max(8), 0);
        (self.places, self.first) = (places, 0);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use netloom_units::Random;

    use super::*;

    #[test]
    fn it_is_a_queue_that_forgets_the_oldest() {
        let mut random = Random::stream(1, 1, 1);
        for capacity in [1, 7, 8, 100] {
            let (mut recent, mut queue) = (Recent::default(), VecDeque::new());
            for number in 0..2_000 {
                match random.next_u32() % 4 {
                    0 => assert_eq!(recent.pop(), queue.pop_front()),
                    1 if number % 50 == 0 => {
                        recent.clear();
                        queue.clear();
                    }
                    _ => {
                        recent.push(number, capacity);
                        queue.push_back(number);
                        if queue.len() > capacity as usize {
                            queue.pop_front();
                        }
                    }
                }
                assert!(recent.iter().eq(queue.iter().copied()) && recent.len() as usize == queue.len());
            }
        }
    }
}
