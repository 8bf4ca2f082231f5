//! Files of results by name: those of a folder, or of another source.
//!
//! Invariants: only regular files are read, so reading does not block; texts that are read at once have a bounded
//! length.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::broken::Broken;

/// Maximum size of a plan or manifest: 64 Ki ranks with long host names.
const MOST_BYTES: u64 = 1 << 26;

/// Files by name.
pub trait Files {
    /// The name of a file in messages.
    fn name(&self, file: &str) -> String;

    /// Opens a file.
    ///
    /// # Errors
    /// If it does not exist, is not a regular file, or cannot be read.
    fn open(&self, file: &str) -> io::Result<Box<dyn BufRead + '_>>;
}

/// Those of a folder.
#[derive(Debug, Clone)]
pub struct FolderFiles(pub PathBuf);

impl Files for FolderFiles {
    fn name(&self, file: &str) -> String {
        self.0.join(file).display().to_string()
    }

    fn open(&self, file: &str) -> io::Result<Box<dyn BufRead + '_>> {
        let path: &Path = &self.0.join(file);
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::other("this is not a regular file"));
        }
        Ok(Box::new(BufReader::with_capacity(1 << 16, File::open(path)?)))
    }
}

/// Opens a required file.
pub(super) fn open<'a>(files: &'a dyn Files, file: &str) -> Result<Box<dyn BufRead + 'a>, Broken> {
    files.open(file).map_err(|error| unreadable(files, file, &error))
}

/// Opens an optional file.
pub(super) fn find<'a>(files: &'a dyn Files, file: &str) -> Result<Option<Box<dyn BufRead + 'a>>, Broken> {
    match files.open(file) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(files, file, &error)),
    }
}

/// The error of a file that cannot be read.
pub(super) fn unreadable(files: &dyn Files, file: &str, error: &io::Error) -> Broken {
    let found = if error.kind() == ErrorKind::NotFound {
        "the file is missing".to_owned()
    } else {
        format!("the file cannot be read ({error})")
    };
    let expected = "a file written by the program".to_owned();
    Broken { file: files.name(file), line: 0, column: 0, found, expected }
}

/// The whole text of a file.
pub(super) fn text(files: &dyn Files, file: &str) -> Result<String, Broken> {
    let broken = |line, found: &str, expected: &str| Broken {
        file: files.name(file),
        line,
        column: 0,
        found: found.to_owned(),
        expected: expected.to_owned(),
    };
    let mut bytes = Vec::new();
    let read = open(files, file)?.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(files, file, &error))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(broken(0, "the file is too long", "at most 64 MiB"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        broken(valid.split(|byte| *byte == b'\n').count(), "this is not text", "UTF-8")
    })
}
