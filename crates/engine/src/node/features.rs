//! Features that packets need at a node, as compile-time flags: a node without a feature does not pay for it.
//!
//! Models: each combination as a set of flags, a const parameter of code that is compiled once for each set.
//! Leaves out: what the features do.
//!
//! Invariants: code compiled with a flag gives the right result, if slower, at nodes without it.

use super::Node;

/// A node that only queues and forwards, and whose policy compares no ports.
pub const BASIC: u8 = 0;
/// A node whose policy compares ports.
pub const COMPARING: u8 = 1;
/// A switch whose ports may count or mark data, or be paused.
pub const COUNTED: u8 = 1 << 1;
/// As [`COUNTED`], of a switch that may send pause frames and has a bound before which it sends none, or of one of
/// several nodes in a partition: a start before the next event is computed at once.
pub const PAUSING: u8 = 1 << 2 | COUNTED;
/// A switch with input buffers.
pub const CREDIT: u8 = 1 << 3 | COUNTED;
/// [`COUNTED`] and [`COMPARING`].
pub const COUNTED_COMPARING: u8 = COUNTED | COMPARING;
/// [`PAUSING`] and [`COMPARING`].
pub const PAUSING_COMPARING: u8 = PAUSING | COMPARING;

/// Whether `features` includes all of `flags`.
#[inline(always)]
pub const fn includes(features: u8, flags: u8) -> bool {
    features & flags == flags
}

impl Node {
    /// The flags that this switch needs alone in its partition.
    pub fn feature_flags(&self) -> u8 {
        self.comparing()
            | if self.crossbar.is_some() {
                CREDIT
            } else if self.bounds_frames() && self.may_pause() {
                PAUSING
            } else if self.has_admission_effects() {
                COUNTED
            } else {
                BASIC
            }
    }

    /// The flags that this node needs in a partition of several.
    pub fn feature_flags_among_several(&self) -> u8 {
        self.comparing()
            | if self.bounds_frames() {
                PAUSING
            } else if self.has_admission_effects() {
                COUNTED
            } else {
                BASIC
            }
    }

    fn comparing(&self) -> u8 {
        if self.loads.is_some() { COMPARING } else { BASIC }
    }
}
