//! Files that appear whole or not at all.
//!
//! Models: what is written goes to a draft beside the place, which takes its name when all of it is on the disk; a pipe or
//! a device is written directly.
//! Leaves out: what is written.
//!
//! Invariants: nothing that is there is replaced unless asked; a draft that is given up is removed.

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

/// How it is written.
#[derive(Debug)]
enum Open {
    /// Under another name, until it is whole.
    Draft(DraftFile),
    /// Directly: the place is no plain file.
    Special(BufWriter<File>),
}

impl NewFile {
    /// Begins a file; its folder is made if need be.
    ///
    /// # Errors
    /// If a file is there and shall not be replaced, or a folder, or the system refuses.
    pub fn create(path: &Path, overwrite: Overwrite) -> Result<NewFile, ExportError> {
        check(path, overwrite)?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(refused(path))?;
        }
        // What is no plain file, such as a pipe, cannot be replaced by another one.
        let opened = if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            File::options().write(true).open(path).map(|file| Open::Special(BufWriter::new(file)))
        } else {
            DraftFile::create(path).map(Open::Draft)
        };
        Ok(NewFile { path: path.to_owned(), file: opened.map_err(refused(path))? })
    }

    /// Where it will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Beside what something may be kept until it is done.
    pub(super) fn backup_path(&self) -> PathBuf {
        match &self.file {
            Open::Draft(_) => self.path.clone(),
            Open::Special(_) => std::env::temp_dir().join(format!("netloom-{}", std::process::id())),
        }
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        let written = match &mut self.file {
            Open::Draft(file) => file.write_all(bytes),
            Open::Special(file) => file.write_all(bytes),
        };
        written.map_err(refused(&self.path))
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// If the system refuses.
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

/// For `map_err`: the system refused.
pub(super) fn refused(path: &Path) -> impl FnOnce(io::Error) -> ExportError {
    let path = path.to_owned();
    move |source| ExportError::Unwritable { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
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
            .expect("it was asked for")
            .finish()
            .expect("it is renamed");
        assert_eq!(fs::read(&path).expect("it is there"), b"");
    }
}
