//! How much longer victims take beside aggressors, from the paired runs of a sweep, or of any folders.
//!
//! Models: pairing runs with their baselines, as the report does.
//! Leaves out: making the runs.
//!
//! Invariants: unfinished points are left out.

use std::path::PathBuf;

pub use netloom_report::{
    Beside, CellData, Coordinates, Lonely, Nearness, PairData, PointData, RatioData, ScoreData, Study,
};
use netloom_report::{ReportedRun, study};

use super::ShowError;
use crate::error::LabError;
use crate::labels::labels;
use crate::runs_in::runs_in;

/// The study of the runs in these folders: run folders, or folders of sweeps.
///
/// # Errors
/// If one is neither, cannot be read, or none of the runs is part of a study.
pub fn interference(folders: &[PathBuf]) -> Result<Study, LabError> {
    let mut runs = Vec::new();
    for folder in folders {
        runs.extend(runs_in(folder));
    }
    let named = labels(&runs).into_iter().zip(&runs);
    let runs: Vec<ReportedRun> =
        named.map(|(name, folder)| ReportedRun { name, folder: folder.clone() }).collect();
    let none = || ShowError::NoStudy(folders.first().cloned().unwrap_or_default());
    Ok(study(&runs)?.ok_or_else(none)?)
}
