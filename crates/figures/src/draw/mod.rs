//! Drawing: a picture is a list of lines, areas and words in points; it is written as SVG, PDF or PNG.
//!
//! Leaves out: what is drawn and where, which `chart` decides; everything that charts have no need of, such as curves,
//! gradients and transparency.
//!
//! Invariants: the same picture gives the same bytes; no font but the embedded one is ever asked; a text is as wide in
//! every format as it was measured.

pub mod font;
mod pdf;
mod picture;
mod png;
mod svg;

pub use pdf::pdf;
pub use picture::{Align, BLACK, Colour, Dash, Pen, Picture, Point, Turn, WHITE};
pub use png::{MOST_DOTS, png};
pub use svg::svg;

/// Points per millimetre.
pub const POINTS_PER_MM: f64 = 72.0 / 25.4;

/// A number of points as it is written: hundredths, without zeros that say nothing.
fn number(points: f64) -> String {
    let hundredths = (points * 100.0).round() / 100.0;
    // A negative zero would be told from zero.
    format!("{}", hundredths + 0.0)
}
