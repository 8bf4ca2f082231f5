//! A histogram of fixed size for whole numbers of any magnitude.
//!
//! Models: 128 buckets for every power of two, so that a bucket's middle is within 0.4 % of all values in it; numbers
//! below 128 have a bucket each.
//! Leaves out: sums and extremes (`sample`).
//!
//! Source: the bucketing of `HdrHistogram`, without its bound on the largest number.

/// Buckets per power of two, as a power of two.
const PRECISION: u32 = 7;
const PER_OCTAVE: usize = 1 << PRECISION;
/// Numbers below 2^7 share the first octave's buckets; each of the 57 higher powers of two has its own.
const BUCKETS: usize = (64 - PRECISION as usize + 1) * PER_OCTAVE;

/// Counts by magnitude.
#[derive(Debug, Clone)]
pub struct Histogram {
    counts: Vec<u64>,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { counts: vec![0; BUCKETS] }
    }
}

impl Histogram {
    /// Adds the counts of another histogram.
    pub fn append(&mut self, other: &Histogram) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
    }

    /// Counts a number.
    pub fn add(&mut self, number: u64) {
        self.counts[bucket(number)] += 1;
    }

    /// The middle of the bucket that holds the number of this rank, counted from 0 in ascending order.
    pub fn at(&self, rank: u64) -> u64 {
        let mut below = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            below += count;
            if below > rank {
                return middle(bucket);
            }
        }
        u64::MAX
    }
}

fn bucket(number: u64) -> usize {
    let shift = (u64::BITS - number.leading_zeros()).saturating_sub(PRECISION + 1);
    shift as usize * PER_OCTAVE + (number >> shift) as usize
}

fn middle(bucket: usize) -> u64 {
    let shift = (bucket / PER_OCTAVE).saturating_sub(1);
    let low = ((bucket - shift * PER_OCTAVE) as u64) << shift;
    low + (1_u64 << shift) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_kept_exactly() {
        for number in 0..256 {
            assert_eq!(middle(bucket(number)), number, "{number}");
        }
    }

    #[test]
    fn large_numbers_are_kept_to_four_parts_in_a_thousand() {
        for exponent in 8..64 {
            for number in
                [1_u64 << exponent, (1 << exponent) + (1 << (exponent - 1)) + 17, (1 << exponent) - 1]
            {
                let error = middle(bucket(number)).abs_diff(number) as f64 / number as f64;
                assert!(error <= 1.0 / 256.0, "{number} {error}");
            }
        }
        assert!(bucket(u64::MAX) < BUCKETS);
    }
}
