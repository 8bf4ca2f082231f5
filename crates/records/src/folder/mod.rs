//! The run folder: `manifest.json` and one Parquet file per table.
//!
//! Models: writing (`write`), reading (`read`), checking (`verify`).
//! Leaves out: the content of the tables.
//!
//! Invariants: a folder is complete exactly if it holds a manifest and no `INCOMPLETE`. The marker is the first file
//! written and the last removed, so a run killed at any instant leaves a folder marked as incomplete.

mod bounded;
mod draft;
mod error;
mod guard;
mod mark;
mod marker;
mod page_store;
mod read;
mod table_file;
mod verify;
mod write;

pub use bounded::read_bounded;
pub use draft::{DraftFile, abandoned_draft, fresh};
pub use error::{FolderError, Problem, ReadError};
pub use marker::Marker;
pub use read::{BatchReader, RowReader, RunFolder};
pub(crate) use table_file::CREATED_BY;
pub use verify::{Verified, verify};
pub use write::{FolderSink, Overwrite, write_whole};

/// Name of the manifest in a run folder.
pub const MANIFEST_FILE: &str = "manifest.json";
/// Name of the plan in the folder of a sweep, which contains the folders of its runs.
pub const SWEEP_FILE: &str = "sweep.json";
/// Name of the file in a folder of measured runs, which contains the folders of the runs.
pub const MEASURED_FILE: &str = "measured.json";
/// Name of the marker of an incomplete run folder.
pub const INCOMPLETE_FILE: &str = "INCOMPLETE";
/// Name under which the manifest is written; renamed when it is on disk.
const MANIFEST_DRAFT: &str = "manifest.json.draft";
