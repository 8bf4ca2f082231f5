//! Files that appear atomically, whatever else is in the folder.
//!
//! Models: a draft next to the target file, under an unused name, which is renamed to the target when it is fully on
//! disk.
//! Leaves out: whether a file may be replaced; pipes and devices, which cannot be.
//!
//! Invariants: only the target file is ever replaced; an abandoned draft is removed.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Names tried before giving up.
const MOST_TRIES: u32 = 1000;

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
        let (draft, file) =
            fresh(path, "draft", |draft| File::options().write(true).create_new(true).open(draft))?;
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

/// Makes a file or folder next to a path, under an unused name: the path's name with a word appended, and a number if
/// that exists. `make` must fail if the name exists.
///
/// # Errors
/// If the system fails.
pub fn fresh<T>(path: &Path, word: &str, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    let numbered = |number: u32| {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(if number == 0 { format!(".{word}") } else { format!(".{word}{number}") });
        path.with_file_name(name)
    };
    for number in 0..MOST_TRIES {
        let path = numbered(number);
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

    #[test]
    fn text_beside_a_number_is_unchanged() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("table");
        for name in ["table.draft", "table.draft1"] {
            fs::write(home.path().join(name), "of the user").expect("it can be written");
        }
        let begun = || {
            let mut file = DraftFile::create(&path).expect("there is a third name");
            file.write_all(b"text").expect("it can be written");
            file
        };
        let names = || fs::read_dir(home.path()).expect("it is there").count();
        drop(begun());
        assert_eq!(names(), 2, "a draft that is given up is gone");
        begun().finish().expect("it can be renamed");
        assert_eq!((names(), fs::read(&path).expect("it is there")), (3, b"text".to_vec()));
        for name in ["table.draft", "table.draft1"] {
            assert_eq!(fs::read(home.path().join(name)).expect("it is there"), b"of the user");
        }
    }
}
