//! The marker of an unfinished folder.
//!
//! Models: a file that is there while a folder is being written, locked by whoever writes.
//! Leaves out: what else is in the folder.
//!
//! Invariants: a folder is marked by one process at a time, where the file system has locks; the lock of a killed process
//! is gone with it, its marker is not.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::folder::FolderError;

/// A marked folder; the lock is held as long as this lives.
#[derive(Debug)]
pub struct Marker {
    folder: PathBuf,
    path: PathBuf,
    _locked: File,
}

impl Marker {
    /// Marks a folder that is there; the marker is safe on the disk afterwards.
    ///
    /// # Errors
    /// If another process has marked it, or the system refuses.
    pub fn set(folder: &Path, name: &str, text: &str) -> Result<Marker, FolderError> {
        let path = folder.join(name);
        let open = File::options().write(true).create(true).truncate(false).open(&path);
        let mut file = open.map_err(FolderError::io("make the marker", &path))?;
        // A file system without locks is no reason not to run.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(FolderError::Busy(folder.to_owned()));
        }
        // Whoever held the lock may just have finished and removed the marker: then the folder is complete by now.
        if !path.exists() {
            return Err(FolderError::Busy(folder.to_owned()));
        }
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        written.map_err(FolderError::io("write the marker", &path))?;
        sync_folder(folder)?;
        Ok(Marker { folder: folder.to_owned(), path, _locked: file })
    }

    /// Takes the marker away, after all else in the folder is safe on the disk.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn lift(self) -> Result<(), FolderError> {
        sync_folder(&self.folder)?;
        remove(&self.path)?;
        sync_folder(&self.folder)
    }
}

/// Removes a file, if it is there.
pub(crate) fn remove(path: &Path) -> Result<(), FolderError> {
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
