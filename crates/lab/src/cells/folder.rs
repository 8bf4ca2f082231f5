//! A folder of measured runs: `measured.json`, and the run folders under `points`.
//!
//! Models: the file that marks such a folder and says what is in it; the marker `UNFINISHED` until all is on the disk.
//! Leaves out: what is in the run folders.
//!
//! Invariants: files that netloom did not write are not changed; runs of an earlier import that this one does not write
//! are not mixed with its own.

use std::fs;
use std::path::{Path, PathBuf};

use netloom_records::{FolderError, MEASURED_FILE, Marker, Overwrite, write_whole};
use serde_json::json;

use crate::error::LabError;
use crate::import::ImportError;
use crate::sweep::UNFINISHED_FILE;

/// Where the runs are.
const POINTS: &str = "points";
const DRAFT: &str = "measured.json.draft";
const TEXT: &str = "This folder of measured runs is still being written, or was ended early.\n";

/// A run that can be written into a folder of measured runs.
pub(crate) trait StoredRun {
    /// Where its folder is, below that of all runs.
    fn location(&self) -> PathBuf;

    /// Writes its folder.
    ///
    /// # Errors
    /// If something is there that must not be overwritten, or the system refuses.
    fn write(&self, folder: &Path, overwrite: Overwrite, command: &[String]) -> Result<(), LabError>;
}

/// Writes a folder of measured runs; returns where each run is.
///
/// # Errors
/// If something is there that must not be overwritten, or the system refuses.
pub(crate) fn write_measured(
    folder: &Path,
    by: &str,
    source: &str,
    runs: &[impl StoredRun],
    overwrite: Overwrite,
    command: &[String],
) -> Result<Vec<PathBuf>, LabError> {
    check(folder, runs, overwrite)?;
    let refused = |source| FolderError::Io { action: "make the folder", path: folder.to_owned(), source };
    fs::create_dir_all(folder).map_err(refused)?;
    let marker = Marker::set(folder, UNFINISHED_FILE, TEXT)?;
    let mut written = Vec::new();
    for run in runs {
        let location = folder.join(POINTS).join(run.location());
        run.write(&location, Overwrite::Replace, command)?;
        written.push(location);
    }
    let names: Vec<PathBuf> = runs.iter().map(StoredRun::location).collect();
    let content =
        json!({ "netloom": env!("CARGO_PKG_VERSION"), "by": by, "source": source, "points": names });
    let mut text = serde_json::to_string_pretty(&content).expect("it is JSON");
    text.push('\n');
    write_whole(&folder.join(MEASURED_FILE), &folder.join(DRAFT), text.as_bytes())?;
    marker.lift()?;
    Ok(written)
}

/// Checks what is there.
fn check(folder: &Path, runs: &[impl StoredRun], overwrite: Overwrite) -> Result<(), LabError> {
    if folder.is_file() {
        return Err(FolderError::File(folder.to_owned()).into());
    }
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    let own_files = [MEASURED_FILE, DRAFT, UNFINISHED_FILE, POINTS];
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let names: Vec<String> = names.collect();
    if names.is_empty() {
        return Ok(());
    }
    let is_begun = names.iter().any(|name| name == UNFINISHED_FILE);
    let is_done = folder.join(MEASURED_FILE).is_file();
    if !(is_done || is_begun) || names.iter().any(|name| !own_files.contains(&name.as_str())) {
        return Err(FolderError::Foreign(folder.to_owned()).into());
    }
    if is_done && overwrite == Overwrite::Refuse {
        return Err(FolderError::Complete(folder.to_owned()).into());
    }
    let others = others(&folder.join(POINTS), runs);
    if others.is_empty() { Ok(()) } else { Err(ImportError::Others(others).into()) }
}

/// Runs that are there and are not among those to be written.
fn others(points: &Path, runs: &[impl StoredRun]) -> Vec<PathBuf> {
    let written: Vec<PathBuf> = runs.iter().map(|run| points.join(run.location())).collect();
    let mut found = Vec::new();
    collect_others(points, &written, &mut found);
    found.sort();
    found
}

/// Adds everything below a folder that is neither one of these nor on the path to one.
fn collect_others(folder: &Path, written: &[PathBuf], found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if written.contains(&path) {
            continue;
        }
        if written.iter().any(|one| one.starts_with(&path)) {
            collect_others(&path, written, found);
        } else {
            found.push(path);
        }
    }
}
