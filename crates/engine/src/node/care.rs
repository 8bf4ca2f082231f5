//! The care that packets need at a node, known to the compiler: who needs none pays nothing for it.
//!
//! Models: each care as a set of flags, a parameter of what is compiled once for each.
//! Leaves out: what is done about it.
//!
//! Invariants: what is compiled with a flag is right, if slower, at nodes without it.

use super::Node;

/// A node that only queues and forwards, and whose policy compares no ports.
pub const PLAIN: u8 = 0;
/// A node whose policy compares ports.
pub const COMPARING: u8 = 1;
/// A switch whose ports may count or mark data, or be paused.
pub const GUARDED: u8 = 1 << 1;
/// As [`GUARDED`], of a switch that may send pause frames and knows until when it will not, or is among several: what starts
/// before anything else happens is known at once.
pub const PAUSING: u8 = 1 << 2 | GUARDED;
/// A switch with input buffers.
pub const CREDIT: u8 = 1 << 3 | GUARDED;
/// Both.
pub const GUARDED_COMPARING: u8 = GUARDED | COMPARING;
/// Both.
pub const PAUSING_COMPARING: u8 = PAUSING | COMPARING;

/// Whether all of `flags` are among a care.
#[inline(always)]
pub const fn has(care: u8, flags: u8) -> bool {
    care & flags == flags
}

impl Node {
    /// The care that this switch needs by itself.
    pub fn care(&self) -> u8 {
        self.comparing()
            | if self.crossbar.is_some() {
                CREDIT
            } else if self.bounds_frames() && self.may_pause() {
                PAUSING
            } else if self.is_guarded() {
                GUARDED
            } else {
                PLAIN
            }
    }

    /// The care that this node needs in a partition of several.
    pub fn care_among_several(&self) -> u8 {
        self.comparing()
            | if self.bounds_frames() {
                PAUSING
            } else if self.is_guarded() {
                GUARDED
            } else {
                PLAIN
            }
    }

    fn comparing(&self) -> u8 {
        if self.loads.is_some() { COMPARING } else { PLAIN }
    }
}
