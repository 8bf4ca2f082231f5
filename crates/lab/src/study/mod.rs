//! Sweeps without run folders as studies: side by side with runs, as a page, and as figures.
//!
//! Models: means over seeds of what the sweep stored of its points; thresholds that it found.
//! Leaves out: everything that needs steps, messages or ports, of which nothing is stored.

mod compare;
mod curves;
mod data;

use std::path::{Path, PathBuf};

use netloom_records::Overwrite;
use netloom_records::statistics::Over;
use netloom_report::write_study;

pub(crate) use compare::compare_with;
pub(crate) use data::{study_data, threshold_data};

use crate::error::LabError;
use crate::sweep::{Study, SweepError};

/// For each of these folders the sweep without run folders that it has; `None` if none of them has one.
///
/// # Errors
/// If such a sweep has no figures over this part of its runs.
pub(crate) fn studies(folders: &[PathBuf], over: Over) -> Result<Option<Vec<Option<Study>>>, LabError> {
    let found: Vec<Option<Study>> =
        folders.iter().map(|folder| Study::read(folder, over)).collect::<Result<_, _>>()?;
    Ok(found.iter().any(Option::is_some).then_some(found))
}

/// The only study among these folders; `None` if all of them have runs.
///
/// # Errors
/// If there is something else beside it, which `what` cannot take.
pub(crate) fn only_study(
    folders: &[PathBuf],
    over: Over,
    what: &'static str,
) -> Result<Option<Study>, LabError> {
    let Some(found) = studies(folders, over)? else { return Ok(None) };
    let is_alone = found.len() == 1;
    let first = found.into_iter().flatten().next();
    match first {
        Some(study) if !is_alone => Err(SweepError::Alone { what, folder: study.folder }.into()),
        found => Ok(found),
    }
}

/// Writes the page about a study.
pub(crate) fn page(
    study: &Study,
    over: Over,
    baseline: Option<&str>,
    (file, overwrite): (&Path, Overwrite),
) -> Result<(), LabError> {
    Ok(write_study(&study_data(study, over, baseline)?, file, overwrite)?)
}
