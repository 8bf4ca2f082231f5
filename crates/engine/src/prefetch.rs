//! Prefetches: hints to the processor to load memory into its caches before it is read.
//!
//! Models: nothing, since no result depends on them; on processors without a stable intrinsic they do nothing.
//! Leaves out: where they pay. In a partition of many nodes an event finds little of its node in the caches, and in a
//! fabric of many partitions a window finds little of its partition. What they read is behind pointers, one after the
//! other: prefetches for the next event or partition, and of all that a transfer reads, let these cache misses overlap.

/// Bytes that a cache loads at once.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const CACHE_LINE: usize = 64;

/// Prefetches a value, all of it.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

    let first = std::ptr::from_ref(value).cast::<i8>();
    for offset in (0..size_of::<T>()).step_by(CACHE_LINE) {
        // SAFETY: a prefetch reads and writes nothing, and no address is invalid for it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(offset)) };
    }
}

/// Prefetches a value, all of it.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
pub fn prefetch<T>(_value: &T) {}
