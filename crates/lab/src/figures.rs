//! Figures for papers.

use std::path::{Path, PathBuf};

pub use netloom_figures::{Format, LeftOut, Made, MadeFigure};
use netloom_records::Overwrite;
use netloom_records::statistics::Over;

use crate::error::LabError;
use crate::report::named;
use crate::study::{only_study, study_data, threshold_data};
use crate::sweep::study_in;

/// Width of a column of most papers, in millimetres.
pub const COLUMN_MM: f64 = 84.6;
/// The narrowest figure that has room for its labels, and the width of a poster, in millimetres.
pub const WIDTHS_MM: [f64; 2] = [50.0, 500.0];

/// Options of figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wanted {
    /// The file format.
    pub format: Format,
    /// How wide they are, in millimetres.
    pub width_mm: f64,
    /// The part of each run that figures of background messages and links are taken over.
    pub over: Over,
    /// Whether existing files may be replaced.
    pub overwrite: Overwrite,
}

/// Writes figures about these run folders, or all runs of these sweeps, with the names that [`crate::compare`] gives; or
/// about a sweep without run folders, which must be alone.
///
/// # Errors
/// If one of them is not a complete run folder or cannot be read, an interval is not within it, there is nothing to
/// plot, or the figures cannot be written.
pub fn figures(folders: &[PathBuf], output: &Path, wanted: Wanted) -> Result<Made, LabError> {
    let Wanted { width_mm, over, .. } = wanted;
    let figures = if let Some(study) = only_study(folders, over, "`netloom figures`")? {
        netloom_figures::study(&study_data(&study, over, None)?, width_mm)?
    } else {
        let mut figures = netloom_figures::figures(&named(folders), width_mm, over)?;
        if let [folder] = folders
            && let Some(found) = study_in(folder).as_ref().and_then(threshold_data)
        {
            figures.add_threshold(&found, width_mm);
        }
        figures
    };
    Ok(netloom_figures::write(figures, output, wanted.format, wanted.overwrite)?)
}

/// Parses a width in millimetres.
///
/// # Errors
/// If the text is not a width, or the width is out of range.
pub fn width(text: &str) -> Result<f64, String> {
    let [narrowest, widest] = WIDTHS_MM;
    let found = text.strip_suffix("mm").unwrap_or(text).trim().parse::<f64>().ok();
    let fits = |width: &f64| (narrowest..=widest).contains(width);
    found
        .filter(fits)
        .ok_or_else(|| format!("expected millimetres from {narrowest} to {widest}, as in `84.6`"))
}
