//! Stores finished runs while others are pending, so that a reproduction that was stopped can be resumed.
//!
//! Models: a file for each finished run in the folder of the report; it is removed when a report with the run is
//! written.
//! Leaves out: runs in progress.
//!
//! Invariants: files are written atomically; a run is reused only if it was made by this executable and from the same
//! scenario, seed included; a report removes the files of its own runs and no others.

use std::fs;
use std::path::{Path, PathBuf};

use netloom_records::{Digest, read_bounded, write_whole};
use serde::{Deserialize, Serialize};

use super::error::ReproduceError;
use super::runs::SimulatedRun;
use crate::build::BUILD;
use crate::error::LabError;

/// The folder of the runs, in that of the report.
const FOLDER: &str = "unfinished";

/// Digits of the scenario's digest in the name of a file: runs with the same name and seed may differ in size, or after
/// changes of the paper's files.
const DIGITS: usize = 12;

/// The store of finished runs.
pub(super) struct RunStore {
    folder: PathBuf,
    /// The build whose runs are reused.
    build: &'static str,
}

/// The content of a file.
#[derive(Deserialize, Serialize)]
struct Kept {
    build: String,
    /// Digest of the resolved scenario.
    scenario: String,
    run: SimulatedRun,
}

/// What the store has of a run.
pub(super) enum Found {
    /// No readable file.
    Nothing,
    /// A run of the scenario by another build.
    OtherBuild,
    /// The run.
    Run(Box<SimulatedRun>),
}

/// The stored runs that a report used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StoreReport {
    /// The files of its runs.
    pub files: Vec<String>,
    /// Number of runs that were reused.
    pub taken_up: usize,
    /// Number of runs that were repeated, since the stored ones are of another build.
    pub ignored: usize,
}

impl StoreReport {
    /// Counts one run.
    pub fn add(&mut self, file: String, found: &Found) {
        self.files.push(file);
        match found {
            Found::Nothing => {}
            Found::OtherBuild => self.ignored += 1,
            Found::Run(_) => self.taken_up += 1,
        }
    }

    /// As text; empty if no stored run was found.
    pub fn words(&self) -> String {
        match (self.taken_up, self.ignored) {
            (0, 0) => String::new(),
            (taken_up, 0) => format!("stored runs: {taken_up} reused\n"),
            (taken_up, ignored) => {
                format!("stored runs: {taken_up} reused, {ignored} of another build ignored\n")
            }
        }
    }

    /// Removes the files of the report's runs, and the folder if it is empty then.
    pub fn forget(&self, report: &Path) -> Result<(), ReproduceError> {
        let folder = report.join(FOLDER);
        for file in &self.files {
            let path = folder.join(file);
            match fs::remove_file(&path) {
                Err(source) if path.exists() => return Err(ReproduceError::Write { path, source }),
                _ => {}
            }
        }
        // The folder stays if it holds runs of other reports, and it may not exist.
        fs::remove_dir(folder).unwrap_or_default();
        Ok(())
    }
}

impl RunStore {
    /// Opens the store in the folder of the report; creates it if needed.
    pub fn open(report: &Path) -> Result<RunStore, ReproduceError> {
        let folder = report.join(FOLDER);
        match fs::create_dir_all(&folder) {
            Ok(()) => Ok(RunStore { folder, build: BUILD }),
            Err(source) => Err(ReproduceError::Write { path: folder, source }),
        }
    }

    /// Finds the run of a scenario.
    pub fn find(&self, file: &str, scenario: &str) -> Found {
        let bytes = read_bounded(&self.folder.join(file)).unwrap_or_default();
        match serde_json::from_slice::<Kept>(&bytes) {
            Ok(kept) if kept.scenario != digest(scenario) => Found::Nothing,
            Ok(kept) if kept.build != self.build => Found::OtherBuild,
            Ok(kept) => Found::Run(Box::new(kept.run)),
            Err(_) => Found::Nothing,
        }
    }

    /// Stores a run.
    pub fn put(&self, file: &str, run: &SimulatedRun, scenario: &str) -> Result<(), ReproduceError> {
        let kept = Kept { build: self.build.to_owned(), scenario: digest(scenario), run: run.clone() };
        let text = serde_json::to_string(&kept).expect("a run is data");
        let path = self.folder.join(file);
        let written = write_whole(&path, &path.with_extension("draft"), text.as_bytes());
        written.map_err(|error| ReproduceError::Run(LabError::Folder(error)))
    }
}

/// The name of the file of a run.
pub(super) fn file(run: &str, seed: u64, scenario: &str) -> String {
    format!("{run}.{seed}.{}.json", &digest(scenario)[..DIGITS])
}

fn digest(scenario: &str) -> String {
    Digest::of(scenario.as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_of(seed: u64) -> SimulatedRun {
        SimulatedRun {
            run: "one".into(),
            seed,
            broken_laws: Vec::new(),
            hops: 1,
            wall_time_s: 0.0,
            values: [].into(),
            parts: [].into(),
        }
    }

    fn keep(folder: &Path, build: &'static str) -> RunStore {
        RunStore { folder: folder.to_owned(), build }
    }

    #[test]
    fn a_run_is_reused_only_by_the_build_that_made_it() {
        let folder = tempfile::tempdir().expect("a folder");
        keep(folder.path(), "old").put("one.json", &run_of(1), "small").expect("it can be written");
        let found = |build, scenario| keep(folder.path(), build).find("one.json", scenario);
        assert!(matches!(found("old", "small"), Found::Run(_)));
        assert!(matches!(found("new", "small"), Found::OtherBuild));
        assert!(matches!(found("old", "large"), Found::Nothing));
    }

    #[test]
    fn runs_of_two_sizes_are_stored_separately() {
        let folder = tempfile::tempdir().expect("a folder");
        let keep = keep(folder.path(), "same");
        let sizes = [("small", 10), ("large", 100)];
        for (scenario, hops) in sizes {
            let one = SimulatedRun { hops, ..run_of(1) };
            keep.put(&file("one", 1, scenario), &one, scenario).expect("it can be written");
        }
        for (scenario, hops) in sizes {
            let Found::Run(run) = keep.find(&file("one", 1, scenario), scenario) else {
                panic!("{scenario} is gone")
            };
            assert_eq!(run.hops, hops);
        }
    }
}
