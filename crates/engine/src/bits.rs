//! Words of bits.

/// The positions of the bits that are set in a word, lowest first.
#[inline]
pub fn bits(word: u64) -> impl Iterator<Item = u32> {
    let without_lowest = |&rest: &u64| Some(rest & (rest - 1)).filter(|&rest| rest != 0);
    std::iter::successors(Some(word).filter(|&word| word != 0), without_lowest).map(u64::trailing_zeros)
}
