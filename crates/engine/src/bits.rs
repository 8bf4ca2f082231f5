//! Words of bits.

/// The positions of the bits that are set in a word, lowest first.
#[inline(always)]
pub fn bits(word: u64) -> Bits {
    Bits(word)
}

/// See [`bits`].
#[derive(Debug)]
pub struct Bits(u64);

impl Iterator for Bits {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        let lowest = self.0.trailing_zeros();
        let is_set = self.0 != 0;
        // Of an empty word nothing is removed.
        self.0 &= self.0.wrapping_sub(1);
        is_set.then_some(lowest)
    }
}
