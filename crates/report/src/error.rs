//! Errors of reports, as messages for users.
//!
//! Invariants: every message says what was found and ends with the file or folder it is about.

use std::io;
use std::path::PathBuf;

use netloom_records::ReadError;
use netloom_records::statistics::OutsideRun;

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A run folder cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The manifest of a run folder lacks a value that is needed here.
    #[error("the manifest lacks `{what}`: {}", .path.display())]
    Lacking {
        /// Which folder.
        path: PathBuf,
        /// What is missing.
        what: &'static str,
    },
    /// Figures were requested over a part of a run that lies outside of it.
    #[error(
        "the span from {} ps to {} ps is not within the run, which ended at {} ps: {}",
        found.asked[0].0, found.asked[1].0, found.end.0, .path.display()
    )]
    OutsideRun {
        /// Which folder.
        path: PathBuf,
        /// The requested part.
        found: OutsideRun,
    },
    /// There is no such baseline.
    #[error("no variant is called `{name}`: these are {}", .known.join("; "))]
    NoBaseline {
        /// The name that was given.
        name: String,
        /// Those that could be.
        known: Vec<String>,
    },
    /// A file is there.
    #[error("the file already exists, and overwriting was not requested: {}", .0.display())]
    Exists(PathBuf),
    /// A folder is there.
    #[error("a report is a file, but this is a folder: {}", .0.display())]
    Folder(PathBuf),
    /// The page would be too large for browsers and e-mail.
    #[error("the report would have {bytes} bytes, more than {most}; it has {count} {what}: choose fewer")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// Largest size.
        most: usize,
        /// Number of items in it.
        count: usize,
        /// The kind of items of which there could be fewer.
        what: &'static str,
    },
    /// The operating system reported an error.
    #[error("cannot write the report ({source}): {}", .path.display())]
    Unwritable {
        /// Which file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
}
