//! Checking and claiming the folder of a new run.
//!
//! Models: claiming a folder for one writer, and marking it complete at the end.
//! Leaves out: tables and manifest.
//!
//! Invariants: only files that netloom wrote are ever removed; a folder is claimed by one process at a time.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::folder::marker::{Marker, remove};
use crate::folder::{FolderError, INCOMPLETE_FILE, MANIFEST_DRAFT, MANIFEST_FILE, Overwrite};
use crate::registry::Table;

const TEXT: &str = "This run is still being written, or was killed before its end.\n";

/// A claimed folder; the claim lasts as long as this value.
#[derive(Debug)]
pub(crate) struct FolderClaim(Marker);

impl FolderClaim {
    /// Creates the folder if necessary, marks it as incomplete, and removes the files of an earlier run.
    pub(crate) fn claim(folder: &Path, overwrite: Overwrite) -> Result<FolderClaim, FolderError> {
        check_overwrite(folder, overwrite)?;
        fs::create_dir_all(folder).map_err(FolderError::io("make the folder", folder))?;
        // The marker is on disk before any file of the old run is removed.
        let marker = Marker::set(folder, INCOMPLETE_FILE, TEXT)?;
        for name in written_names() {
            remove(&folder.join(name))?;
        }
        Ok(FolderClaim(marker))
    }

    /// Marks the folder as complete.
    pub(crate) fn lift(self) -> Result<(), FolderError> {
        self.0.lift()
    }
}

/// Names of all files that a run folder may hold, except the marker.
fn written_names() -> Vec<String> {
    let manifests = [MANIFEST_FILE, MANIFEST_DRAFT].map(str::to_owned);
    manifests.into_iter().chain(Table::ALL.iter().map(|table| table.file_name())).collect()
}

fn check_overwrite(folder: &Path, overwrite: Overwrite) -> Result<(), FolderError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(FolderError::File(folder.to_owned()));
        }
        Err(error) => return Err(FolderError::io("read the folder", folder)(error)),
    };
    let has = |name| folder.join(name).exists();
    if has(INCOMPLETE_FILE) {
        return Ok(());
    }
    if has(MANIFEST_FILE) {
        return match overwrite {
            Overwrite::Refuse => Err(FolderError::Complete(folder.to_owned())),
            Overwrite::Replace if is_manifest(folder) => Ok(()),
            Overwrite::Replace => Err(FolderError::Foreign(folder.to_owned())),
        };
    }
    // An empty folder may be used; one with other files may not.
    if entries.into_iter().next().is_some() {
        return Err(FolderError::Foreign(folder.to_owned()));
    }
    Ok(())
}

/// Whether the manifest is netloom's, of any version: many tools call a file `manifest.json`.
fn is_manifest(folder: &Path) -> bool {
    super::read::read_manifest_value(folder).is_ok()
}
