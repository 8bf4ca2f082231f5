//! Names of files and folders in the folder of a prepared study.
//!
//! Leaves out: their contents.

use std::path::{Path, PathBuf};

/// Points, plans and resolved scenarios.
pub const STUDY_FILE: &str = "study.json";
/// The file that becomes it once it is complete.
pub(super) const STUDY_DRAFT: &str = "study.json.draft";
/// Marks a folder whose preparation is in progress or was interrupted.
pub(super) const UNFINISHED_FILE: &str = "UNFINISHED";
/// Its text.
pub(super) const UNFINISHED_TEXT: &str =
    "The preparation of this study is in progress or was interrupted; the same command completes it.\n";
/// Marks a study that is being measured.
pub(super) const RUNNING_FILE: &str = "RUNNING";
/// Its text.
pub(super) const RUNNING_TEXT: &str = "The measurement of this study is in progress or was interrupted.\n";
/// Output of the compiler.
pub(super) const BUILD_LOG: &str = "build.log";
/// Sources of the MPI program.
pub(super) const SOURCE: &str = "source";
/// Maps each host of the study to a host of the machine.
pub(super) const HOSTS_FILE: &str = "hosts.txt";
/// Contains one folder per point.
pub(super) const POINTS: &str = "points";

/// The folder of a point.
#[derive(Debug, Clone)]
pub(super) struct PointFolder(PathBuf);

impl PointFolder {
    pub fn new(study: &Path, name: &str) -> PointFolder {
        PointFolder(study.join(POINTS).join(name))
    }

    /// The plan, the input of the program.
    pub fn plan(&self) -> PathBuf {
        self.0.join("plan.txt")
    }

    /// Host of the study for each rank.
    pub fn hosts(&self) -> PathBuf {
        self.0.join(HOSTS_FILE)
    }

    /// The output of the program.
    pub fn result(&self) -> PathBuf {
        self.0.join("result")
    }

    /// The folder into which the program writes until it ends.
    pub fn draft(&self) -> PathBuf {
        self.0.join("result.tmp")
    }

    /// Output of the program and the launcher.
    pub fn log(&self) -> PathBuf {
        self.0.join("log.txt")
    }

    /// Remarks about the testbed's network in which it was measured.
    pub fn network(&self) -> PathBuf {
        self.0.join("network.txt")
    }

    /// The scenario of the point, with all values written out.
    pub fn scenario(&self) -> PathBuf {
        self.0.join("scenario.yaml")
    }
}
