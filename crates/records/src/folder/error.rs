//! What can go wrong with run folders, in words for users.
//!
//! Invariants: every message says what was found and ends with the place or value it is about.

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
    /// A finished run is there.
    #[error("a complete run is already there, and overwriting it was not asked for: {}", .0.display())]
    Complete(PathBuf),
    /// Something else is there.
    #[error("the folder holds other files and is no run folder, nothing is written there: {}", .0.display())]
    Foreign(PathBuf),
    /// A file is there.
    #[error("a run needs a folder, and this is a file: {}", .0.display())]
    File(PathBuf),
    /// Another process writes there.
    #[error("another run is being written there right now: {}", .0.display())]
    Busy(PathBuf),
    /// The system refused.
    #[error("cannot {action} ({source}): {}", .path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The Parquet library refused.
    #[error("cannot write the table ({detail}): {}", .path.display())]
    Parquet {
        /// Which file.
        path: PathBuf,
        /// Why not.
        detail: String,
    },
    /// Rows that cannot be stored.
    #[error(transparent)]
    Row(#[from] RowError),
    /// An earlier error, after which nothing more is written.
    #[error("the run folder was given up after an error: {0}")]
    GivenUp(String),
}

impl FolderError {
    /// For `map_err`: an I/O error with what was tried.
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
    /// Nothing is there.
    #[error("there is no such run folder: {}", .0.display())]
    Missing(PathBuf),
    /// A file is there.
    #[error("this is a file, not a run folder: {}", .0.display())]
    File(PathBuf),
    /// Something else is there.
    #[error("this is no run folder (it has no manifest.json of netloom): {}", .0.display())]
    Foreign(PathBuf),
    /// The runs are further below.
    #[error("this is the folder of a sweep and no run folder; its runs are under {}", .0.join("points").display())]
    Sweep(PathBuf),
    /// The run was killed, or is not over.
    #[error("the run is incomplete (still being written, or killed): {}", .0.display())]
    Incomplete(PathBuf),
    /// The manifest cannot be understood.
    #[error("the manifest cannot be understood ({detail}): {}", .path.display())]
    Manifest {
        /// Which file.
        path: PathBuf,
        /// Why not.
        detail: String,
    },
    /// Written by a newer version.
    #[error("the run has tables of version {found}, this netloom knows up to {SCHEMA_VERSION}: {}", .path.display())]
    Newer {
        /// Which folder.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// A table's file is not there.
    #[error("the file of table `{table}` is missing: {}", .path.display())]
    TableMissing {
        /// Which table.
        table: &'static str,
        /// Its file.
        path: PathBuf,
    },
    /// A table's file is damaged.
    #[error("the file of table `{table}` is damaged or cut off ({detail}): {}", .path.display())]
    Damaged {
        /// Which table.
        table: &'static str,
        /// Its file.
        path: PathBuf,
        /// What the Parquet library says.
        detail: String,
    },
    /// A table's file does not hold all rows of the run, or others as well.
    #[error("table `{table}` has {found} rows, but the manifest says {stated}: {}", .path.display())]
    Rows {
        /// Which table.
        table: &'static str,
        /// How many it has.
        found: u64,
        /// How many it should have.
        stated: u64,
        /// Its file.
        path: PathBuf,
    },
    /// A table's file holds something else.
    #[error("{error}: {}", .path.display())]
    Batch {
        /// What is wrong.
        error: BatchError,
        /// Its file.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot read ({source}): {}", .path.display())]
    Io {
        /// What.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// Something a run folder was found guilty of.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A table has another number of rows.
    #[error("table `{table}` has {found} rows, not as the manifest says: {stated}")]
    Rows {
        /// Which table.
        table: &'static str,
        /// How many it has.
        found: u64,
        /// How many it should have.
        stated: u64,
    },
    /// A table was altered.
    #[error(
        "the rows of table `{table}` were altered: their digest is {found}, not as the manifest says: {stated}"
    )]
    Table {
        /// Which table.
        table: &'static str,
        /// Recomputed.
        found: Digest,
        /// In the manifest.
        stated: Digest,
    },
    /// A table is not in its order.
    #[error(transparent)]
    Order(RowError),
    /// The manifest does not name a table.
    #[error("the manifest does not speak of table: {0}")]
    Unstated(&'static str),
    /// The manifest names a table nobody knows.
    #[error("the manifest speaks of a table this netloom does not know: {0}")]
    Unknown(String),
    /// The tables are as stated, the whole is not.
    #[error("the digest of the run is {found}, not as the manifest says: {stated}")]
    Run {
        /// Recomputed.
        found: Digest,
        /// In the manifest.
        stated: Digest,
    },
}
