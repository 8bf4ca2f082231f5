//! Why a run cannot be exported.
//!
//! Invariants: every message says what was found and ends with the place or value it is about.

use std::io;
use std::path::PathBuf;

/// What was asked for is not in the run, or cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// No collective ended.
    #[error(
        "no collective ended in this run; latencies are told of jobs with collectives, as in \
         `phases: [{{ ring_all_reduce: {{ size: 1MiB }} }}]`: {}", .0.display()
    )]
    NoCollectives(PathBuf),
    /// Collectives, none of which a benchmark would run so.
    #[error(
        "all {count} collectives of this run ran side by side with others of their job; latencies are told of those that run \
         alone, so give each a phase of its own: {}", .path.display()
    )]
    OnlySideBySide {
        /// The run folder.
        path: PathBuf,
        /// How many.
        count: u64,
    },
    /// A collective that the scenario does not have.
    #[error(
        "the run recorded a collective that its scenario does not have (job {job}, step {step}, phase {phase}); \
         `netloom check` tells whether its files were altered"
    )]
    StrangeCollective {
        /// The job's number.
        job: u16,
        /// The step.
        step: u32,
        /// The phase.
        phase: u16,
    },
    /// A run without anything that has a place on a timeline.
    #[error(
        "the run recorded nothing for a timeline: no step or collective of a job ended, no port was sampled \
         (`record.series`), and nothing failed: {}", .0.display()
    )]
    NoTimeline(PathBuf),
    /// A table nobody knows.
    #[error("there is no table of this name (there are {known}): {name}")]
    NoTable {
        /// The name.
        name: String,
        /// All names.
        known: String,
    },
    /// A table that the writer of the run did not know.
    #[error("netloom {version}, which wrote this run, had no table `{table}`: {}", .path.display())]
    Lacking {
        /// The table.
        table: &'static str,
        /// Who wrote the run.
        version: String,
        /// The run folder.
        path: PathBuf,
    },
    /// Something is there already.
    #[error("there is something already, and overwriting it was not asked for: {}", .0.display())]
    Exists(PathBuf),
    /// A folder that holds what no export wrote.
    #[error("the folder holds other files than tables as CSV, nothing is written there: {}", .0.display())]
    Foreign(PathBuf),
    /// A folder stands where a file is wanted.
    #[error("the export is a file, and this is a folder: {}", .0.display())]
    Folder(PathBuf),
    /// A file stands where a folder is wanted.
    #[error("the export is a folder, and this is a file: {}", .0.display())]
    File(PathBuf),
    /// The system refused.
    #[error("cannot write the export ({source}): {}", .path.display())]
    Unwritable {
        /// Where.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}
