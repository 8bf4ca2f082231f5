//! One HTML file about some runs, or their figures as text.

use std::path::{Path, PathBuf};

use netloom_records::Overwrite;
use netloom_records::statistics::Over;
use netloom_report::{ReportedRun, read, write};

use crate::error::LabError;
use crate::labels::labels;
use crate::show::interference::runs_in;
use crate::text::{self, Look};

/// Writes the report about these run folders, or all runs of these sweeps, with the names that [`crate::compare`]
/// gives, with figures over a part of each.
///
/// # Errors
/// If one of them is not a complete run folder or cannot be read, an interval is not within it, or the report
/// cannot be written.
pub fn report(folders: &[PathBuf], file: &Path, overwrite: Overwrite, over: Over) -> Result<(), LabError> {
    Ok(write(&named(folders), file, overwrite, over)?)
}

/// The same runs as text for a terminal: the data of the report's panels, in characters.
///
/// # Errors
/// If one of them is not a complete run folder or cannot be read, or an interval is not within it.
pub fn report_text(folders: &[PathBuf], over: Over, look: Look) -> Result<String, LabError> {
    let reported = read(&named(folders), over)?;
    let said: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    Ok(text::report(&reported, &said, look))
}

/// The runs of these folders, those of a sweep in place of its folder, with the names that [`crate::compare`] gives.
pub(crate) fn named(folders: &[PathBuf]) -> Vec<ReportedRun> {
    let folders: Vec<PathBuf> = folders.iter().flat_map(|folder| runs_in(folder)).collect();
    let named = labels(&folders).into_iter().zip(&folders);
    named.map(|(name, folder)| ReportedRun { name, folder: folder.clone() }).collect()
}
