//! The run folder: `manifest.json` and one Parquet file per table.
//!
//! Models: writing (`write`), reading (`read`), checking (`verify`).
//! Leaves out: what is in the tables.
//!
//! Invariants: a folder is complete exactly if it holds a manifest and no `INCOMPLETE`. The marker is the first thing
//! written and the last removed, so a run killed at any instant leaves a folder that says so.

mod draft;
mod error;
mod guard;
mod mark;
mod marker;
mod read;
mod table_file;
mod verify;
mod write;

pub use draft::{DraftFile, fresh};
pub use error::{FolderError, Problem, ReadError};
pub use marker::Marker;
pub use read::{BatchReader, RowReader, RunFolder};
pub(crate) use table_file::CREATED_BY;
pub use verify::{Verified, verify};
pub use write::{FolderSink, Overwrite, write_whole};

/// Name of the manifest in a run folder.
pub const MANIFEST_FILE: &str = "manifest.json";
/// Name of the plan in the folder of a sweep, whose runs lie below it.
pub const SWEEP_FILE: &str = "sweep.json";
/// Name of the file in a folder of measured runs, which lie below it.
pub const MEASURED_FILE: &str = "measured.json";
/// Name of the file that says a run folder is not complete.
pub const INCOMPLETE_FILE: &str = "INCOMPLETE";
/// Where the manifest is prepared; renamed when it is on the disk.
const MANIFEST_DRAFT: &str = "manifest.json.draft";
