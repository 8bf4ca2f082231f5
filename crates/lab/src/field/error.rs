//! What can go wrong with a study on a machine, in words for users.
//!
//! Invariants: every message names the file, folder or option it is about, and the line where there is one.

use std::io;
use std::path::PathBuf;

use super::files::STUDY_FILE;

/// What is wrong with a request, or with the files that are there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FieldError {
    /// A folder that holds something else.
    #[error("the folder holds other files and is no prepared study, nothing is written there: {}", .0.display())]
    Foreign(PathBuf),
    /// Another study is there.
    #[error("another study is prepared there ({difference}): {}", .path.display())]
    Other {
        /// Which folder.
        path: PathBuf,
        /// How it differs from the one asked for.
        difference: String,
    },
    /// A value of an option that makes no sense.
    #[error("{option}: {problem}")]
    Option {
        /// Which option.
        option: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// Not a prepared study.
    #[error("this is no prepared study, it has no {STUDY_FILE}; `netloom field prepare` makes one: {}", .0.display())]
    NoStudy(PathBuf),
    /// A study that cannot be understood.
    #[error("the study cannot be understood ({detail}): {}", .path.display())]
    Study {
        /// Which file.
        path: PathBuf,
        /// Why not.
        detail: String,
    },
    /// The system refused.
    #[error("cannot {action} ({source}): {}", .path.display())]
    Io {
        /// What was to be done.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl FieldError {
    /// For `map_err`: the system refused.
    pub(super) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> FieldError {
        let path = path.into();
        move |source| FieldError::Io { action, path, source }
    }
}
