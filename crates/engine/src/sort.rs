//! Sorting the arrivals of a window by time.
//!
//! Models: distribution into buckets of equal time, a few keys each, then one insertion pass: linear work for arrivals
//! that are spread over the window, as most are.
//! Leaves out: anything but `u64` keys whose high bits are the time.
//!
//! Invariants: the result is sorted whatever the distribution; clustered keys only cost more time, and above a bound
//! the general sort is used.

/// Below this many keys an insertion sort is cheapest.
const FEW: usize = 24;

/// The largest number of buckets. A constant, so that no index needs a check.
const BUCKETS: usize = 1024;

/// With more keys than this in one bucket the general sort is used.
const CROWDED: u32 = 64;

/// Working memory.
#[derive(Debug)]
pub struct Sorting {
    /// Index of the next key of each bucket.
    indices: Box<[u32; BUCKETS]>,
    sorted: Vec<u64>,
}

impl Default for Sorting {
    fn default() -> Sorting {
        Sorting { indices: Box::new([0; BUCKETS]), sorted: Vec::new() }
    }
}

/// Sorts keys below `bound`.
#[inline(never)]
pub fn sort_by_time(keys: &mut Vec<u64>, bound: u64, sorting: &mut Sorting) {
    let n = keys.len();
    if n <= FEW {
        return insertion_sort(keys);
    }
    let n_buckets = (n.next_power_of_two() / 2).min(BUCKETS);
    // Buckets by the leading bits: `bound - 1 >> shift` lies below `n_buckets`.
    let shift = (64 - (bound - 1).leading_zeros()).saturating_sub(n_buckets.trailing_zeros());
    let bucket = |key: u64| (key >> shift) as usize % BUCKETS;
    let Sorting { indices, sorted } = sorting;
    indices[..n_buckets].fill(0);
    for &key in keys.iter() {
        indices[bucket(key)] += 1;
    }
    if counts_to_indices(&mut indices[..n_buckets]) > CROWDED {
        return keys.sort_unstable();
    }
    sorted.resize(n, 0);
    for &key in keys.iter() {
        let index = &mut indices[bucket(key)];
        sorted[*index as usize] = key;
        *index += 1;
    }
    insertion_sort(sorted);
    std::mem::swap(keys, sorted);
}

/// Turns counts per bucket into the index of each bucket's first key; returns the largest count.
fn counts_to_indices(indices: &mut [u32]) -> u32 {
    let mut sum = 0;
    let mut largest = 0;
    for index in indices {
        let count = std::mem::replace(index, sum);
        largest = largest.max(count);
        sum += count;
    }
    largest
}

fn insertion_sort(keys: &mut [u64]) {
    for end in 1..keys.len() {
        // Most keys are in order already.
        if keys[end - 1] > keys[end] {
            insert_last(&mut keys[..=end]);
        }
    }
}

/// Moves the last key to its position among the others, which are sorted.
#[inline]
fn insert_last(keys: &mut [u64]) {
    let mut index = keys.len() - 1;
    let key = keys[index];
    while index > 0 && keys[index - 1] > key {
        keys[index] = keys[index - 1];
        index -= 1;
    }
    keys[index] = key;
}

#[cfg(test)]
mod tests {
    use super::*;
    use netloom_units::Random;

    #[test]
    fn it_sorts_whatever_the_distribution() {
        let mut random = Random::stream(1, 1, 1);
        let mut sorting = Sorting::default();
        for n in [0, 1, 2, 24, 25, 100, 1000] {
            for (bound, spread) in [(1 << 44, 1 << 44), (1 << 44, 50), ((1 << 40) + 7, 1 << 40), (10, 10)] {
                let mut keys: Vec<u64> = (0..n).map(|_| random.next_u64() % spread).collect();
                let mut expected = keys.clone();
                expected.sort_unstable();
                sort_by_time(&mut keys, bound, &mut sorting);
                assert_eq!(keys, expected);
            }
        }
    }
}
