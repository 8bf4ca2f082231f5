//! One HTML file about some runs.

use std::path::{Path, PathBuf};

use netloom_records::Overwrite;
use netloom_report::{ReportedRun, write};

use crate::error::LabError;
use crate::labels::labels;
use crate::show::interference::runs_in;

/// Writes the report about these run folders, or all runs of these sweeps, called as [`crate::compare`] calls them.
///
/// # Errors
/// If one of them is no complete run folder or cannot be read, or the report cannot be written.
pub fn report(folders: &[PathBuf], file: &Path, overwrite: Overwrite) -> Result<(), LabError> {
    let folders: Vec<PathBuf> = folders.iter().flat_map(|folder| runs_in(folder)).collect();
    let named = labels(&folders).into_iter().zip(&folders);
    let runs: Vec<ReportedRun> =
        named.map(|(name, folder)| ReportedRun { name, folder: folder.clone() }).collect();
    Ok(write(&runs, file, overwrite)?)
}
