//! Names of files and folders in the folder of a prepared study.
//!
//! Leaves out: what is in them.

use std::path::{Path, PathBuf};

/// Points, plans and resolved scenarios.
pub const STUDY_FILE: &str = "study.json";
/// Where it is prepared.
pub(super) const STUDY_DRAFT: &str = "study.json.draft";
/// Marks a folder that is being prepared, or whose preparation was ended early.
pub(super) const UNFINISHED_FILE: &str = "UNFINISHED";
/// Its text.
pub(super) const UNFINISHED_TEXT: &str =
    "This study is still being prepared, or that was ended early; the same command completes it.\n";
/// Marks a study whose plans are being measured.
pub(super) const RUNNING_FILE: &str = "RUNNING";
/// Its text.
pub(super) const RUNNING_TEXT: &str = "Plans of this study are being measured, or that was ended early.\n";
/// Messages of the compiler.
pub(super) const BUILD_LOG: &str = "build.log";
/// Sources of the MPI program.
pub(super) const SOURCE: &str = "source";
/// The host of the machine for each host of the study.
pub(super) const HOSTS_FILE: &str = "hosts.txt";
/// A folder for each point.
pub(super) const POINTS: &str = "points";

/// The folder of a point.
#[derive(Debug, Clone)]
pub(super) struct PointFolder(PathBuf);

impl PointFolder {
    pub fn new(study: &Path, name: &str) -> PointFolder {
        PointFolder(study.join(POINTS).join(name))
    }

    /// What the program reads.
    pub fn plan(&self) -> PathBuf {
        self.0.join("plan.txt")
    }

    /// Hosts of the study, rank by rank.
    pub fn hosts(&self) -> PathBuf {
        self.0.join(HOSTS_FILE)
    }

    /// What the program leaves.
    pub fn result(&self) -> PathBuf {
        self.0.join("result")
    }

    /// Where the program writes until it ends.
    pub fn draft(&self) -> PathBuf {
        self.0.join("result.tmp")
    }

    /// Messages of program and launcher.
    pub fn log(&self) -> PathBuf {
        self.0.join("log.txt")
    }

    /// What should be known of the testbed's network that it was measured in.
    pub fn network(&self) -> PathBuf {
        self.0.join("network.txt")
    }

    /// The scenario of the point, with everything written out.
    pub fn scenario(&self) -> PathBuf {
        self.0.join("scenario.yaml")
    }
}
