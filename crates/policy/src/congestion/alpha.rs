//! The arithmetic that both forms of DCQCN share: the estimate alpha, cuts and averages, and periodic timers.
//!
//! Models: alpha as a fixed-point number in units of 2^-32, so that 1 is 2^32; rates in bit/s.
//! Leaves out: when any of this happens.
//!
//! Invariants: integers only, every rounding is stated. Alpha falls to exactly 0 in finite time and never leaves [0,
//! 1]; averages reach their target in finite time.

use netloom_units::{Duration, Rate};

/// Alpha = 1.
pub(super) const ONE: u64 = 1 << 32;

/// No timer is shorter: a period of zero would never end.
const SHORTEST: u64 = Duration::from_nanos(1).0;
/// Nor longer, 53 days: a sum of two instants must not overflow.
const LONGEST: u64 = 1 << 62;

/// An instant that never comes.
pub(super) const NEVER: u64 = u64::MAX;

/// A fraction in [0, 1] in units of 2^-32, rounded down; otherwise exact, since 2^32 is a power of two.
pub(super) fn fixed(fraction: f64) -> u64 {
    (fraction * ONE as f64) as u64
}

/// The period of a timer in picoseconds, at least a nanosecond.
pub(super) fn period(span: Duration) -> u64 {
    span.0.clamp(SHORTEST, LONGEST)
}

/// The estimator's gain g, by its reciprocal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gain {
    pub(super) reciprocal: u64,
}

impl Gain {
    /// (1 - g) alpha + g: a slot with a notification. Grows by (1 - alpha) g, rounded down.
    #[inline]
    pub(super) fn grow(self, alpha: u64) -> u64 {
        alpha + (ONE - alpha) / self.reciprocal
    }

    /// (1 - g) alpha, `slots` times: slots without a notification. Falls by alpha g, rounded up, down to 0.
    pub(super) fn decay(self, mut alpha: u64, slots: u64) -> u64 {
        for _ in 0..slots {
            if alpha == 0 {
                break;
            }
            alpha -= alpha.div_ceil(self.reciprocal);
        }
        alpha
    }
}

/// rate x (1 - alpha / 2), rounded down, but no less than `minimum`.
pub(super) fn cut(rate: u64, alpha: u64, minimum: u64) -> u64 {
    let kept = u128::from(rate) * u128::from(2 * ONE - alpha) / u128::from(2 * ONE);
    (kept as u64).max(minimum)
}

/// rate x fraction (in units of 2^-32), rounded down, but no less than `minimum`.
pub(super) fn scaled(rate: u64, fraction: u64, minimum: u64) -> u64 {
    let kept = u128::from(rate) * u128::from(fraction) / u128::from(ONE);
    (kept as u64).max(minimum)
}

/// Half way from `current` to `target`, rounded up, so that the target is reached exactly.
pub(super) fn midpoint(current: u64, target: u64) -> u64 {
    current + (target - current).div_ceil(2)
}

/// The smallest rate: at least 1 bit/s, so that every packet ends, and no more than line rate.
pub(super) fn smallest(minimum: Rate, line: Rate) -> u64 {
    minimum.0.clamp(1, line.0)
}

/// The number of instants of the grid `next`, `next + period`, ... before `at`.
#[inline]
pub(super) fn passed(next: u64, period: u64, at: u64) -> u64 {
    if next >= at {
        0
    } else if at - next <= period {
        // By far the most common case; a division costs more than all else here.
        1
    } else {
        (at - next).div_ceil(period)
    }
}
