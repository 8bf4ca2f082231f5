//! How much longer victims take beside aggressors, from the paired runs of a sweep, or of any folders.
//!
//! Models: finding the run folders of a sweep; pairing runs with their baselines, as the report does.
//! Leaves out: making the runs.
//!
//! Invariants: unfinished points are left out.

use std::fs;
use std::path::{Path, PathBuf};

use netloom_records::{MEASURED_FILE, SWEEP_FILE};
pub use netloom_report::{
    Beside, CellData, Coordinates, Lonely, Nearness, PairData, PointData, RatioData, ScoreData, Study,
};
use netloom_report::{ReportedRun, study};

use super::ShowError;
use crate::error::LabError;
use crate::labels::labels;
use crate::reproduce::{REPORT_FILE, cells};

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

/// The existing run folders of a sweep, of a folder of measured runs, or of the cells beside a report of a
/// reproduction, in order; any other folder itself.
pub fn runs_in(folder: &Path) -> Vec<PathBuf> {
    let has = |name: &str| folder.join(name).is_file();
    let cells = folder.join(cells::FOLDER);
    let below = if has(SWEEP_FILE) || has(MEASURED_FILE) {
        folder.join("points")
    } else if has(REPORT_FILE) && cells.is_dir() {
        cells
    } else {
        return vec![folder.to_owned()];
    };
    let mut found = Vec::new();
    descend(&below, &mut found);
    found
}

fn descend(folder: &Path, found: &mut Vec<PathBuf>) {
    if folder.join("manifest.json").is_file() {
        found.push(folder.to_owned());
        return;
    }
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut below: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    below.sort();
    for path in &below {
        descend(path, found);
    }
}
