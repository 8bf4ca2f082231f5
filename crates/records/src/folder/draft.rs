//! Files that appear atomically, whatever else is in the folder.
//!
//! Models: a draft next to the target file, under an unused name, which is renamed to the target when it is fully on
//! disk.
//! Leaves out: whether a file may be replaced; pipes and devices, which cannot be.
//!
//! Invariants: only the target file is ever replaced; a draft that is given up is removed, and that of a process that was
//! killed is taken over by the next draft of the same file: it is not locked, as one that is being written is.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Names tried before giving up.
const MOST_TRIES: u32 = 1000;
/// Follows the name of the target in that of its draft; no user gives a file such a name.
const DRAFT: &str = "netloom-draft";

/// A file being written.
#[derive(Debug)]
pub struct DraftFile {
    path: PathBuf,
    draft: PathBuf,
    file: BufWriter<File>,
    is_done: bool,
}

impl DraftFile {
    /// Creates the draft of a target file, in an existing folder.
    ///
    /// # Errors
    /// If the system fails.
    pub fn create(path: &Path) -> io::Result<DraftFile> {
        let (draft, file) = fresh(path, DRAFT, locked)?;
        let file = BufWriter::with_capacity(1 << 16, file);
        Ok(DraftFile { path: path.to_owned(), draft, file, is_done: false })
    }

    /// Writes the draft to disk, still under its own name; with several files, to be done for all before the first is
    /// renamed.
    ///
    /// # Errors
    /// If the system fails.
    pub fn commit(&mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()
    }

    /// Renames the draft to the target, replacing an existing file.
    ///
    /// # Errors
    /// If the system fails.
    pub fn finish(mut self) -> io::Result<()> {
        self.commit()?;
        fs::rename(&self.draft, &self.path)?;
        self.is_done = true;
        Ok(())
    }
}

impl Write for DraftFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for DraftFile {
    fn drop(&mut self) {
        if !self.is_done {
            // If even this fails, the file does no harm: the next draft takes another name.
            let _ = fs::remove_file(&self.draft);
        }
    }
}

/// The draft of a target file that a process left when it was killed, if there is one; the next [`DraftFile`] replaces it.
pub fn abandoned_draft(path: &Path) -> Option<PathBuf> {
    let draft = numbered(path, DRAFT, 0);
    let file = File::options().write(true).open(&draft).ok()?;
    file.try_lock().is_ok().then_some(draft)
}

/// A new empty draft, or that of a process that was killed, emptied; locked as long as it is open.
fn locked(draft: &Path) -> io::Result<File> {
    let create = File::options().write(true).create_new(true).open(draft);
    let (file, is_new) = match create {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            (File::options().write(true).open(draft)?, false)
        }
        created => (created?, true),
    };
    match file.try_lock() {
        Ok(()) if is_same_file(&file, draft) => file.set_len(0).map(|()| file),
        // Without locks a draft that exists may be being written.
        Err(TryLockError::Error(_)) if is_new => Ok(file),
        _ => Err(ErrorKind::AlreadyExists.into()),
    }
}

/// Whether an open file still has its name: another process may have finished the draft and renamed it.
#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    let (Ok(open), Ok(named)) = (file.metadata(), fs::symlink_metadata(path)) else { return false };
    identity(open) == identity(named)
}

/// Elsewhere an open file cannot be renamed.
#[cfg(not(unix))]
fn is_same_file(_: &File, _: &Path) -> bool {
    true
}

/// The path with a word appended, and a number unless it is zero.
fn numbered(path: &Path, word: &str, number: u32) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(if number == 0 { format!(".{word}") } else { format!(".{word}{number}") });
    path.with_file_name(name)
}

/// Makes a file or folder next to a path, under an unused name: the path's name with a word appended, and a number if
/// that exists. `make` must fail if the name exists.
///
/// # Errors
/// If the system fails.
pub fn fresh<T>(path: &Path, word: &str, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    for number in 0..MOST_TRIES {
        let path = numbered(path, word, number);
        match make(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return made.map(|made| (path, made)),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(path: &Path) -> DraftFile {
        let mut file = DraftFile::create(path).expect("there is a name");
        file.write_all(b"text").expect("it can be written");
        file
    }

    fn names(folder: &Path) -> usize {
        fs::read_dir(folder).expect("it is there").count()
    }

    #[test]
    fn a_draft_becomes_the_target_or_is_removed() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("table");
        drop(begun(&path));
        assert_eq!(names(home.path()), 0, "a draft that is given up is gone");
        let (one, other) = (begun(&path), begun(&path));
        assert_eq!(names(home.path()), 2, "two drafts at once have two names");
        one.finish().expect("it can be renamed");
        drop(other);
        assert_eq!((names(home.path()), fs::read(&path).expect("it is there")), (1, b"text".to_vec()));
    }

    #[test]
    fn the_draft_of_a_killed_process_is_taken_over() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("table");
        let left = home.path().join("table.netloom-draft");
        fs::write(&left, "half a table that is longer").expect("it can be written");
        assert_eq!(abandoned_draft(&path).as_ref(), Some(&left));
        let file = begun(&path);
        assert_eq!(abandoned_draft(&path), None, "it is being written");
        file.finish().expect("it can be renamed");
        assert_eq!((names(home.path()), fs::read(&path).expect("it is there")), (1, b"text".to_vec()));
    }
}
