//! The drawing of a fabric: which nodes share a square, the edges between squares, and their values over time.
//!
//! Models: tiers by distance from hosts; neighbouring nodes in one square if a fabric is large; values in spans of time
//! of equal length.
//! Leaves out: positions of squares, which the page computes.
//!
//! Invariants: every port of the run is in exactly one edge, so values are summed but none is omitted; memory grows
//! with the drawing, not with the fabric.

pub mod frames;
pub mod pack;
pub mod squares;
pub mod tiers;
