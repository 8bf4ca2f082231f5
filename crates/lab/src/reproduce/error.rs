//! Why a reproduction could not be carried out; a claim that does not hold is not an error.

use std::path::PathBuf;

use super::files::papers;
use crate::error::{ExitCode, LabError};

/// Why a reproduction could not be carried out.
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
        "claim `{0}` is about runs of the other size: it is evaluated either only with `--full` or only without it"
    )]
    OtherSize(String),
    /// The paper's own files contradict each other.
    #[error("the files of paper `{paper}` contradict each other: {reason}")]
    Paper {
        /// Which paper.
        paper: String,
        /// What is wrong.
        reason: String,
    },
    /// A run could not be made.
    #[error(transparent)]
    Run(#[from] LabError),
    /// The runs were stopped.
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
    /// Stored runs are of another paper or version.
    #[error("the stored runs cannot be evaluated: {reason}: {}", .path.display())]
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
    /// The exit code of a command that ends with it.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            ReproduceError::Run(error) => error.exit_code(),
            ReproduceError::Stopped => ExitCode::StoppedEarly,
            ReproduceError::Paper { .. } => ExitCode::Internal,
            _ => ExitCode::BadInput,
        }
    }
}
