//! The marker of an unfinished folder.
//!
//! Models: a file that exists while a folder is being written, locked by the writing process.
//! Leaves out: the other files of the folder.
//!
//! Invariants: a folder is marked by one process at a time, if the file system supports locks; the lock of a killed
//! process disappears with it, its marker does not.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::folder::FolderError;

/// A marked folder; the lock lasts as long as this value.
#[derive(Debug)]
pub struct Marker {
    folder: PathBuf,
    path: PathBuf,
    _locked: File,
}

impl Marker {
    /// Marks an existing folder; the marker is on disk afterwards.
    ///
    /// # Errors
    /// If another process has marked it, or the system fails.
    pub fn set(folder: &Path, name: &str, text: &str) -> Result<Marker, FolderError> {
        let path = folder.join(name);
        let open = File::options().write(true).create(true).truncate(false).open(&path);
        let mut file = open.map_err(FolderError::io("make the marker", &path))?;
        // A file system without locks is accepted.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(FolderError::Busy(folder.to_owned()));
        }
        // The process that held the lock may just have finished and removed the marker: then the folder is complete by
        // now.
        if !path.exists() {
            return Err(FolderError::Busy(folder.to_owned()));
        }
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        written.map_err(FolderError::io("write the marker", &path))?;
        sync_folder(folder)?;
        Ok(Marker { folder: folder.to_owned(), path, _locked: file })
    }

    /// Removes the marker, after all other files of the folder are on disk.
    ///
    /// # Errors
    /// If the system fails.
    pub fn lift(self) -> Result<(), FolderError> {
        sync_folder(&self.folder)?;
        remove(&self.path)?;
        sync_folder(&self.folder)
    }
}

/// Removes a file if it exists.
pub(crate) fn remove(path: &Path) -> Result<(), FolderError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(FolderError::io("remove the file", path)(error))
        }
        _ => Ok(()),
    }
}

/// Makes the folder's entries durable; where folders cannot be opened as files, the system does so by itself.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), FolderError> {
    if cfg!(unix) {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(FolderError::io("write the folder to the disk", folder))?;
    }
    Ok(())
}
