//! The Mersenne Twister, with the derived distributions of Python's standard library.
//!
//! Models: MT19937 seeded with a key of one word; uniform doubles of 53 bits; integers below a bound by rejection;
//! choice, ranges, shuffle.
//! Leaves out: seeding with more than 32 bits.
//! Invariant: a random integer below 1 consumes words too, until one has its top bit clear.
//! Source: specification of the seed simulator, section 12; M. Matsumoto, T. Nishimura, "Mersenne Twister", 1998.

use rand_mt::Mt;

/// A generator with Python's derived distributions.
#[derive(Clone, Debug)]
pub struct Twister {
    words: Mt,
}

impl Twister {
    /// A generator seeded with a key of one word.
    pub fn new(seed: u32) -> Self {
        Twister { words: Mt::new_with_key([seed]) }
    }

    /// A double in [0, 1), from two words.
    pub fn uniform(&mut self) -> f64 {
        let high = f64::from(self.words.next_u32() >> 5);
        let low = f64::from(self.words.next_u32() >> 6);
        (high * 67_108_864.0 + low) / 9_007_199_254_740_992.0
    }

    /// An integer in `0..bound`: the top bits of a word, as many as `bound` has, repeated until they are below it.
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "no integer is below zero");
        let n_bits = u32::BITS - bound.leading_zeros();
        loop {
            let draw = self.words.next_u32() >> (u32::BITS - n_bits);
            if draw < bound {
                return draw;
            }
        }
    }

    /// An integer in `low..=high`.
    pub fn in_range(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// One of the items.
    pub fn choice<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[self.below(items.len() as u32) as usize]
    }

    /// Shuffles in place, from the last position down.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first values that any Python 3 gives after `random.seed(42)`.
    #[test]
    fn random_numbers_are_those_of_python() {
        assert_eq!(Twister::new(42).uniform().to_bits(), 0.639_426_798_457_883_7_f64.to_bits());
        let mut twister = Twister::new(42);
        let draws: Vec<_> = (0..6).map(|_| twister.in_range(1, 100)).collect();
        assert_eq!(draws, [82, 15, 4, 95, 36, 32]);
        let mut items: Vec<_> = (0..10).collect();
        Twister::new(42).shuffle(&mut items);
        assert_eq!(items, [7, 3, 2, 8, 5, 6, 9, 4, 0, 1]);
    }

    #[test]
    fn a_random_integer_below_one_consumes_words() {
        let mut drawn = Twister::new(42);
        let mut fresh = Twister::new(42);
        assert_eq!(drawn.below(1), 0);
        assert_ne!(drawn.below(1 << 31), fresh.below(1 << 31));
    }
}
