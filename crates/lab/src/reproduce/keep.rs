//! Finished runs, kept while others are still to be made: a reproduction that was ended goes on where it was.
//!
//! Models: a file for each finished run in the folder that will take the report; they go when the report is written.
//! Leaves out: runs that were under way.
//!
//! Invariants: a file is there whole or not at all; a run is taken up only if it is of this version of netloom and of
//! the very scenario that is wanted, seed included.

use std::fs;
use std::path::{Path, PathBuf};

use netloom_records::{Digest, write_whole};
use serde::{Deserialize, Serialize};

use super::error::ReproduceError;
use super::runs::Measured;
use crate::error::LabError;

/// The folder of the runs, in that of the report.
const FOLDER: &str = "unfinished";

/// Where finished runs are kept.
pub(super) struct Keep(PathBuf);

/// A file.
#[derive(Deserialize, Serialize)]
struct Kept {
    netloom: String,
    /// Of the resolved scenario.
    scenario: String,
    measured: Measured,
}

impl Keep {
    /// In the folder that will take the report; it is made if need be.
    pub fn open(report: &Path) -> Result<Keep, ReproduceError> {
        let path = report.join(FOLDER);
        match fs::create_dir_all(&path) {
            Ok(()) => Ok(Keep(path)),
            Err(source) => Err(ReproduceError::Write { path, source }),
        }
    }

    /// The run of a scenario, if it is there.
    pub fn find(&self, run: &str, seed: u64, scenario: &str) -> Option<Measured> {
        let text = fs::read_to_string(self.path(run, seed, "json")).ok()?;
        let kept: Kept = serde_json::from_str(&text).ok()?;
        let is_wanted = kept.netloom == env!("CARGO_PKG_VERSION") && kept.scenario == digest(scenario);
        is_wanted.then_some(kept.measured)
    }

    /// Keeps a run.
    pub fn put(&self, measured: &Measured, scenario: &str) -> Result<(), ReproduceError> {
        let kept = Kept {
            netloom: env!("CARGO_PKG_VERSION").to_owned(),
            scenario: digest(scenario),
            measured: measured.clone(),
        };
        let text = serde_json::to_string(&kept).expect("a run is data");
        let path = |ending| self.path(&measured.run, measured.seed, ending);
        let written = write_whole(&path("json"), &path("draft"), text.as_bytes());
        written.map_err(|error| ReproduceError::Run(LabError::Folder(error)))
    }

    fn path(&self, run: &str, seed: u64, ending: &str) -> PathBuf {
        self.0.join(format!("{run}.{seed}.{ending}"))
    }
}

fn digest(scenario: &str) -> String {
    Digest::of(scenario.as_bytes()).to_string()
}

/// Forgets all runs that were kept: the report has them.
pub(super) fn forget(report: &Path) -> Result<(), ReproduceError> {
    let path = report.join(FOLDER);
    match fs::remove_dir_all(&path) {
        Err(source) if path.exists() => Err(ReproduceError::Write { path, source }),
        _ => Ok(()),
    }
}
