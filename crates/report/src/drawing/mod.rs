//! A fabric as it is drawn: which nodes share a square, what lies between squares, and what happened there over time.
//!
//! Models: tiers by distance from hosts; neighbouring nodes in one square where a fabric is large; values at equal spans
//! of time.
//! Leaves out: where squares stand, which the page decides.
//!
//! Invariants: every port of the run is in exactly one edge, so nothing that happened is left out of the drawing, only
//! summed up; what is kept grows with the drawing and not with the fabric.

pub mod frames;
pub mod pack;
pub mod squares;
pub mod tiers;
