//! Drawing: a picture is a list of lines, areas and words in points; it is written as SVG, PDF or PNG.
//!
//! Leaves out: what is drawn and where, which `chart` decides; everything that charts do not need, such as curves,
//! gradients
//! and transparency.
//!
//! Invariants: the same picture gives the same bytes; only the embedded font is used; a text has its measured width in
//! every format.

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

/// A number of points as text: hundredths, without trailing zeros.
fn number(points: f64) -> String {
    let hundredths = (points * 100.0).round() / 100.0;
    // A negative zero would be written as `-0`.
    format!("{}", hundredths + 0.0)
}
