//! Pictures made of characters: a fabric ([`fabric`]), and the figures of runs ([`report`]).
//!
//! Models: bars, sparklines, shaded maps and boxes in as many columns as there are; colours where they are wanted.
//! Leaves out: whether there is a terminal, how wide it is and whether it has colours; who prints knows that.
//!
//! Invariants: no line is wider than asked for; no text of a run or a scenario steers the terminal; what colours tell,
//! characters tell too; the same data, width and choice of colours give the same text.

mod bars;
mod fabric;
mod heat_map;
mod ink;
mod report;
mod sheet;
mod sparkline;

pub use fabric::fabric;
pub use report::report;

/// Fewest columns that are drawn for; with fewer, lines are cut.
const LEAST_WIDTH: usize = 40;
/// Most columns that are drawn in, however wide a terminal is: eyes lose their line.
const MOST_WIDTH: usize = 160;

/// What a text is drawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Columns.
    pub width: usize,
    /// Whether to use colours, 256 of them.
    pub colours: bool,
}

impl Look {
    /// What is printed where no terminal is: 80 columns, no colours.
    pub const PLAIN: Look = Look { width: 80, colours: false };

    /// Columns to draw in.
    fn columns(self) -> usize {
        self.width.clamp(LEAST_WIDTH, MOST_WIDTH)
    }
}
