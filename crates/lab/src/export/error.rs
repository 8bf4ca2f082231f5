//! Why a run cannot be exported.
//!
//! Invariants: every message states what was found and ends with the path or value concerned.

use std::io;
use std::path::PathBuf;

/// A requested export that the run does not contain, or that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// No collective ended.
    #[error(
        "no collective ended in this run; latencies are reported for jobs with collectives, as in \
         `phases: [{{ ring_all_reduce: {{ size: 1MiB }} }}]`: {}", .0.display()
    )]
    NoCollectives(PathBuf),
    /// All collectives overlapped others, as no benchmark runs them.
    #[error(
        "all {count} collectives of this run overlapped others of their job; latencies are reported for those that run \
         in isolation, so give each a phase of its own: {}", .path.display()
    )]
    OnlySideBySide {
        /// The run folder.
        path: PathBuf,
        /// Number of collectives.
        count: u64,
    },
    /// A recorded collective that the scenario does not have.
    #[error(
        "the run recorded a collective that its scenario does not have (job {job}, step {step}, phase {phase}); \
         `netloom check` checks whether its files were altered"
    )]
    StrangeCollective {
        /// The job's number.
        job: u16,
        /// The step.
        step: u32,
        /// The phase.
        phase: u16,
    },
    /// A run that recorded nothing for a timeline.
    #[error(
        "the run recorded nothing for a timeline: no step or collective of a job ended, no port was sampled \
         (`record.series`), and nothing failed: {}", .0.display()
    )]
    NoTimeline(PathBuf),
    /// An unknown table.
    #[error("there is no table of this name (expected one of {known}): {name}")]
    NoTable {
        /// The name.
        name: String,
        /// Names of all tables.
        known: String,
    },
    /// A table that the netloom version of the run did not have.
    #[error("netloom {version}, which wrote this run, had no table `{table}`: {}", .path.display())]
    Lacking {
        /// The table.
        table: &'static str,
        /// Version that wrote the run.
        version: String,
        /// The run folder.
        path: PathBuf,
    },
    /// The destination exists.
    #[error("the destination exists already, and overwriting was not requested: {}", .0.display())]
    Exists(PathBuf),
    /// A folder with files that no export wrote.
    #[error("the folder holds other files than exported CSV tables, so nothing is written there: {}", .0.display())]
    Foreign(PathBuf),
    /// A folder where a file is expected.
    #[error("the export is a file, but this is a folder: {}", .0.display())]
    Folder(PathBuf),
    /// A file where a folder is expected.
    #[error("the export is a folder, but this is a file: {}", .0.display())]
    File(PathBuf),
    /// The operating system reported an error.
    #[error("cannot write the export ({source}): {}", .path.display())]
    Unwritable {
        /// The path.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
}
