//! The marker of an unfinished run folder, and what is found where a run folder should go.
//!
//! Models: claiming a folder for one writer, and giving it up as complete.
//! Leaves out: tables and manifest.
//!
//! Invariants: nothing that netloom did not write is ever removed; a folder is claimed by one process at a time (by a
//! lock on the marker, where the file system has locks; the lock of a killed process is gone with it).

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::folder::{FolderError, INCOMPLETE_FILE, MANIFEST_DRAFT, MANIFEST_FILE, Overwrite};
use crate::registry::Table;

const TEXT: &str = "This run is still being written, or was killed before its end.\n";

/// A claimed folder; the lock is held as long as this lives.
#[derive(Debug)]
pub(crate) struct Mark {
    folder: PathBuf,
    _locked: File,
}

impl Mark {
    /// Makes the folder if need be, marks it as incomplete, and clears away what a run left there before.
    pub(crate) fn claim(folder: &Path, overwrite: Overwrite) -> Result<Mark, FolderError> {
        check_place(folder, overwrite)?;
        fs::create_dir_all(folder).map_err(FolderError::io("make the folder", folder))?;
        let locked = write_marker(folder)?;
        // The marker is safe on the disk before anything of the old run goes.
        sync_folder(folder)?;
        for name in written_names() {
            remove(&folder.join(name))?;
        }
        Ok(Mark { folder: folder.to_owned(), _locked: locked })
    }

    /// Declares the folder complete.
    pub(crate) fn lift(self) -> Result<(), FolderError> {
        sync_folder(&self.folder)?;
        remove(&self.folder.join(INCOMPLETE_FILE))?;
        sync_folder(&self.folder)
    }
}

/// Names of all files a run folder may hold, but the marker.
fn written_names() -> Vec<String> {
    let manifests = [MANIFEST_FILE, MANIFEST_DRAFT].map(str::to_owned);
    manifests.into_iter().chain(Table::ALL.iter().map(|table| table.file_name())).collect()
}

fn check_place(folder: &Path, overwrite: Overwrite) -> Result<(), FolderError> {
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
    // An empty folder is free; one with other things in it is somebody's.
    if entries.into_iter().next().is_some() {
        return Err(FolderError::Foreign(folder.to_owned()));
    }
    Ok(())
}

/// Whether the manifest is netloom's, of whatever version: many tools call a file `manifest.json`.
fn is_manifest(folder: &Path) -> bool {
    super::read::read_manifest_value(folder).is_ok()
}

fn write_marker(folder: &Path) -> Result<File, FolderError> {
    let path = folder.join(INCOMPLETE_FILE);
    let open = File::options().write(true).create(true).truncate(false).open(&path);
    let mut file = open.map_err(FolderError::io("make the marker", &path))?;
    // A file system without locks is no reason not to run.
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        return Err(FolderError::Busy(folder.to_owned()));
    }
    // Whoever held the lock may just have finished and removed the marker: then the folder is a complete run by now.
    if !path.exists() {
        return Err(FolderError::Busy(folder.to_owned()));
    }
    let written = file.write_all(TEXT.as_bytes()).and_then(|()| file.sync_all());
    written.map_err(FolderError::io("write the marker", &path))?;
    Ok(file)
}

fn remove(path: &Path) -> Result<(), FolderError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(FolderError::io("remove the file", path)(error))
        }
        _ => Ok(()),
    }
}

/// Makes names in the folder durable; where folders cannot be opened as files, the system does so by itself.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), FolderError> {
    if cfg!(unix) {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(FolderError::io("write the folder to the disk", folder))?;
    }
    Ok(())
}
