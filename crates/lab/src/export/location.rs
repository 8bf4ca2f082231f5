//! Files that appear complete or not at all.
//!
//! Models: output goes to a draft next to the destination, which is renamed once it is complete on disk; a pipe or a
//! device is written directly.
//! Leaves out: the content.
//!
//! Invariants: an existing file is replaced only on request; a draft that is abandoned is removed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use netloom_records::{DraftFile, Overwrite};

use super::ExportError;

/// A file being written.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    file: Open,
}

/// Where the bytes go.
#[derive(Debug)]
enum Open {
    /// A file under another name, until it is complete.
    Draft(DraftFile),
    /// The destination itself, which is not a regular file.
    Special(BufWriter<File>),
}

impl NewFile {
    /// Creates a file, and its folder if necessary.
    ///
    /// # Errors
    /// If a file is there and may not be replaced, the path is a folder, or the operating system reports an error.
    pub fn create(path: &Path, overwrite: Overwrite) -> Result<NewFile, ExportError> {
        check(path, overwrite)?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(refused(path))?;
        }
        // Anything but a regular file, such as a pipe, cannot be replaced by a rename.
        let opened = if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            File::options().write(true).open(path).map(|file| Open::Special(BufWriter::new(file)))
        } else {
            DraftFile::create(path).map(Open::Draft)
        };
        Ok(NewFile { path: path.to_owned(), file: opened.map_err(refused(path))? })
    }

    /// The destination.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A path next to which temporary data may be stored until the export is complete.
    pub(super) fn backup_path(&self) -> PathBuf {
        match &self.file {
            Open::Draft(_) => self.path.clone(),
            Open::Special(_) => std::env::temp_dir().join(format!("netloom-{}", std::process::id())),
        }
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        let written = match &mut self.file {
            Open::Draft(file) => file.write_all(bytes),
            Open::Special(file) => file.write_all(bytes),
        };
        written.map_err(refused(&self.path))
    }

    /// Renames the file to its final name.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn finish(self) -> Result<(), ExportError> {
        match self.file {
            Open::Draft(file) => file.finish().map_err(refused(&self.path)),
            Open::Special(mut file) => file.flush().map_err(refused(&self.path)),
        }
    }
}

fn check(path: &Path, overwrite: Overwrite) -> Result<(), ExportError> {
    if path.is_dir() {
        return Err(ExportError::Folder(path.to_owned()));
    }
    if overwrite == Overwrite::Refuse && path.is_file() {
        return Err(ExportError::Exists(path.to_owned()));
    }
    Ok(())
}

/// For `map_err`: an error of the operating system.
pub(super) fn refused(path: &Path) -> impl FnOnce(io::Error) -> ExportError {
    let path = path.to_owned();
    move |source| ExportError::Unwritable { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_complete_or_not_at_all() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("below").join("file");
        let begun = || {
            let mut file = NewFile::create(&path, Overwrite::Refuse).expect("nothing is there");
            file.write(b"text").expect("it can be written");
            file
        };
        drop(begun());
        let left: Vec<_> = fs::read_dir(home.path().join("below")).expect("it is there").collect();
        assert!(left.is_empty(), "{left:?}");
        begun().finish().expect("it can be renamed");
        assert_eq!(fs::read(&path).expect("it is there"), b"text");
        assert!(matches!(NewFile::create(&path, Overwrite::Refuse), Err(ExportError::Exists(_))));
        assert!(matches!(NewFile::create(home.path(), Overwrite::Replace), Err(ExportError::Folder(_))));
        NewFile::create(&path, Overwrite::Replace)
            .expect("overwriting was requested")
            .finish()
            .expect("it is renamed");
        assert_eq!(fs::read(&path).expect("it is there"), b"");
    }
}
