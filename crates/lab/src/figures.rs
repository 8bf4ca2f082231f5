//! Figures for papers.

use std::path::{Path, PathBuf};

pub use netloom_figures::{Format, LeftOut, Made, MadeFigure};
use netloom_records::Overwrite;
use netloom_records::statistics::Over;

use crate::error::LabError;
use crate::report::named;

/// Width of a column of most papers, in millimetres.
pub const COLUMN_MM: f64 = 84.6;
/// From the narrowest figure that has room for its words to the width of a poster, in millimetres.
pub const WIDTHS_MM: [f64; 2] = [50.0, 500.0];

/// What is wanted of figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wanted {
    /// How they are written.
    pub format: Format,
    /// How wide they are, in millimetres.
    pub width_mm: f64,
    /// The part of each run that figures of background messages and links are of.
    pub over: Over,
    /// Whether files that are there may be replaced.
    pub overwrite: Overwrite,
}

/// Writes figures about these run folders, or all runs of these sweeps, called as [`crate::compare`] calls them.
///
/// # Errors
/// If one of them is no complete run folder or cannot be read, an interval is not within it, there is nothing to
/// draw, or the figures cannot be written.
pub fn figures(folders: &[PathBuf], output: &Path, wanted: Wanted) -> Result<Made, LabError> {
    let figures = netloom_figures::figures(&named(folders), wanted.width_mm, wanted.over)?;
    Ok(netloom_figures::write(figures, output, wanted.format, wanted.overwrite)?)
}

/// A width in millimetres as a user writes it.
///
/// # Errors
/// If it is none, or no figure can be so wide.
pub fn width(text: &str) -> Result<f64, String> {
    let [narrowest, widest] = WIDTHS_MM;
    let found = text.strip_suffix("mm").unwrap_or(text).trim().parse::<f64>().ok();
    let fits = |width: &f64| (narrowest..=widest).contains(width);
    found
        .filter(fits)
        .ok_or_else(|| format!("expected millimetres from {narrowest} to {widest}, as in `84.6`"))
}
