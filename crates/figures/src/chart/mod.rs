//! Charts: scales and their ticks, a frame with axes, legends, lines and marks that can be distinguished in grey, too.
//!
//! Leaves out: the choice of data, which `figure` makes.

pub mod frame;
pub mod legend;
pub mod panel;
pub mod scale;
pub mod style;
pub mod unit;

/// Size of tick labels and legends, in points: the smallest that is easy to read on paper.
pub const SMALL: f64 = 7.0;
/// Size of the names of axes, in points.
pub const NORMAL: f64 = 7.5;
/// From the top of a figure to the middle of its small letters, as a part of their size.
pub const MIDDLE: f64 = 0.35;
