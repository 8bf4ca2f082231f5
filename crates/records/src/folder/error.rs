//! Errors of run folders, as messages for users.
//!
//! Invariants: every message says what was found and ends with the path or value concerned.

use std::io;
use std::path::PathBuf;

use crate::column::SCHEMA_VERSION;
use crate::convert::BatchError;
use crate::digest::Digest;
use crate::row::RowError;
use crate::sink::SinkError;

/// A run folder cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A finished run exists there.
    #[error("a complete run is already there, and overwriting it was not asked for: {}", .0.display())]
    Complete(PathBuf),
    /// The folder holds something else.
    #[error("the folder holds other files and is no run folder, nothing is written there: {}", .0.display())]
    Foreign(PathBuf),
    /// It is a file.
    #[error("a run needs a folder, and this is a file: {}", .0.display())]
    File(PathBuf),
    /// Another process is writing there.
    #[error("another run is being written there right now: {}", .0.display())]
    Busy(PathBuf),
    /// An I/O error.
    #[error("cannot {action} ({source}): {}", .path.display())]
    Io {
        /// The action that failed.
        action: &'static str,
        /// The path concerned.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The Parquet library failed.
    #[error("cannot write the table ({detail}): {}", .path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// The cause.
        detail: String,
    },
    /// Rows cannot be stored.
    #[error(transparent)]
    Row(#[from] RowError),
    /// Nothing more is written, because of an earlier error.
    #[error("the run folder was given up after an error: {0}")]
    Aborted(String),
}

impl FolderError {
    /// For `map_err`: an I/O error with the action that failed.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> FolderError {
        let path = path.into();
        move |source| FolderError::Io { action, path, source }
    }
}

impl From<FolderError> for SinkError {
    fn from(error: FolderError) -> SinkError {
        SinkError(error.to_string())
    }
}

/// A run folder cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It does not exist.
    #[error("there is no such run folder: {}", .0.display())]
    Missing(PathBuf),
    /// It is a file.
    #[error("this is a file, not a run folder: {}", .0.display())]
    File(PathBuf),
    /// It holds something else.
    #[error("this is no run folder (it has no manifest.json of netloom): {}", .0.display())]
    Foreign(PathBuf),
    /// It is the folder of a sweep; the runs are further below.
    #[error("this is the folder of a sweep and no run folder; its runs are under {}", .0.join("points").display())]
    Sweep(PathBuf),
    /// The run was killed, or is still running.
    #[error("the run is incomplete (still being written, or killed): {}", .0.display())]
    Incomplete(PathBuf),
    /// The manifest cannot be parsed.
    #[error("the manifest cannot be understood ({detail}): {}", .path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// The cause.
        detail: String,
    },
    /// Written by a newer version.
    #[error("the run has tables of version {found}, this netloom knows up to {SCHEMA_VERSION}: {}", .path.display())]
    Newer {
        /// The folder.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// A table's file is missing.
    #[error("the file of table `{table}` is missing: {}", .path.display())]
    TableMissing {
        /// The table.
        table: &'static str,
        /// Its file.
        path: PathBuf,
    },
    /// A table's file is damaged.
    #[error("the file of table `{table}` is damaged or cut off ({detail}): {}", .path.display())]
    Damaged {
        /// The table.
        table: &'static str,
        /// Its file.
        path: PathBuf,
        /// The message of the Parquet library.
        detail: String,
    },
    /// A table's file does not have the stated number of rows.
    #[error("table `{table}` has {found} rows, but the manifest says {stated}: {}", .path.display())]
    Rows {
        /// The table.
        table: &'static str,
        /// Number of rows found.
        found: u64,
        /// Number of rows stated in the manifest.
        stated: u64,
        /// Its file.
        path: PathBuf,
    },
    /// A table's file has the wrong content.
    #[error("{error}: {}", .path.display())]
    Batch {
        /// The difference.
        error: BatchError,
        /// Its file.
        path: PathBuf,
    },
    /// An I/O error.
    #[error("cannot read ({source}): {}", .path.display())]
    Io {
        /// The path concerned.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// A problem found in a run folder.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The manifest was altered.
    #[error(
        "the manifest was altered (outcome, seed, scenario or another field): its digest is {found}, not as it says: \
         {stated}"
    )]
    Manifest {
        /// Recomputed.
        found: Digest,
        /// In the manifest.
        stated: Digest,
    },
    /// A table has the wrong number of rows.
    #[error("table `{table}` has {found} rows, not as the manifest says: {stated}")]
    Rows {
        /// The table.
        table: &'static str,
        /// Number of rows found.
        found: u64,
        /// Number of rows stated in the manifest.
        stated: u64,
    },
    /// A table was altered.
    #[error(
        "the rows of table `{table}` were altered: their digest is {found}, not as the manifest says: {stated}"
    )]
    Table {
        /// The table.
        table: &'static str,
        /// Recomputed.
        found: Digest,
        /// In the manifest.
        stated: Digest,
    },
    /// A table's rows are not in its sort order.
    #[error(transparent)]
    Order(RowError),
    /// The manifest does not list a table.
    #[error("the manifest does not speak of table: {0}")]
    Unstated(&'static str),
    /// The manifest lists an unknown table.
    #[error("the manifest speaks of a table this netloom does not know: {0}")]
    Unknown(String),
    /// The tables are as stated, but the digest of the run is not.
    #[error("the digest of the run is {found}, not as the manifest says: {stated}")]
    Run {
        /// Recomputed.
        found: Digest,
        /// In the manifest.
        stated: Digest,
    },
}
