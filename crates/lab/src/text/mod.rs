//! Pictures made of characters: a fabric ([`fabric`]), and the figures of runs ([`report`]).
//!
//! Models: bars, sparklines, heat maps and boxes in the given number of columns; colours if requested.
//! Leaves out: detection of a terminal, its width and its colours, which is the caller's task.
//!
//! Invariants: no line is wider than requested; control characters in texts of runs and scenarios are escaped; colours
//! carry no information that characters do not; the same data, width and choice of colours give the same text.

mod bars;
mod fabric;
mod heat_map;
mod ink;
mod report;
mod sheet;
mod sparkline;

pub use fabric::fabric;
pub use report::report;

/// Fewest columns of a drawing; on a narrower terminal lines are cut.
const LEAST_WIDTH: usize = 40;
/// Most columns of a drawing, on a terminal of any width: longer lines are hard to read.
const MOST_WIDTH: usize = 160;

/// The properties of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Columns.
    pub width: usize,
    /// Whether to use colours, 256 of them.
    pub colours: bool,
}

impl Look {
    /// The output without a terminal: 80 columns, no colours.
    pub const PLAIN: Look = Look { width: 80, colours: false };

    /// Columns to draw in.
    fn columns(self) -> usize {
        self.width.clamp(LEAST_WIDTH, MOST_WIDTH)
    }
}
