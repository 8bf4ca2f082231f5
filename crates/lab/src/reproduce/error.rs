//! Why a paper could not be reproduced at all; a claim that does not hold is no error.

use std::path::PathBuf;

use super::files::papers;
use crate::error::{ExitCode, LabError};

/// Why a paper could not be reproduced at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReproduceError {
    /// No paper of that name.
    #[error("there is no paper `{0}`; there are: {list}", list = papers().join(", "))]
    NoSuchPaper(String),
    /// No claim of that name.
    #[error("the paper has no claim `{0}`")]
    NoSuchClaim(String),
    /// The claim is about runs of the other size.
    #[error(
        "claim `{0}` is judged with `--full` alone, or without it alone: it is about runs of the other size"
    )]
    OtherSize(String),
    /// The paper's own files contradict each other.
    #[error("the files of paper `{paper}` do not fit together: {reason}")]
    Paper {
        /// Which paper.
        paper: String,
        /// What is wrong.
        reason: String,
    },
    /// A run could not be made.
    #[error(transparent)]
    Run(#[from] LabError),
    /// Somebody ended the runs.
    #[error("stopped before all runs were made")]
    Stopped,
    /// Stored runs could not be read.
    #[error("there are no stored runs ({source}): {}", .path.display())]
    Read {
        /// Where.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Stored runs are of another kind.
    #[error("the stored runs cannot be judged: {reason}: {}", .path.display())]
    Stored {
        /// Where.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The results could not be written.
    #[error("the results cannot be written ({source}): {}", .path.display())]
    Write {
        /// Where.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
}

impl ReproduceError {
    /// What it means for a command's exit code.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            ReproduceError::Run(error) => error.exit_code(),
            ReproduceError::Stopped => ExitCode::StoppedEarly,
            ReproduceError::Paper { .. } => ExitCode::Internal,
            _ => ExitCode::BadInput,
        }
    }
}
