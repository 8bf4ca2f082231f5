//! Finished runs, kept while others are still to be made: a reproduction that was ended goes on where it was.
//!
//! Models: a file for each finished run in the folder that will take the report; it goes when a report that has the run
//! is written.
//! Leaves out: runs that were under way.
//!
//! Invariants: a file is there whole or not at all; a run is taken up only if it was made by this very executable and of
//! the very scenario that is wanted, seed included; a report takes away the files of its own runs and no others.

use std::fs;
use std::path::{Path, PathBuf};

use netloom_records::{Digest, write_whole};
use serde::{Deserialize, Serialize};

use super::error::ReproduceError;
use super::runs::Measured;
use crate::build::build;
use crate::error::LabError;

/// The folder of the runs, in that of the report.
const FOLDER: &str = "unfinished";

/// Digits of the scenario's digest in the name of a file: runs of one name and seed differ in size, or in what was
/// changed in the paper's files.
const DIGITS: usize = 12;

/// Where finished runs are kept.
pub(super) struct RunStore {
    folder: PathBuf,
    /// Of the executable; a run of another build is not taken up, and if it cannot be read none is.
    build: Option<String>,
}

/// A file.
#[derive(Deserialize, Serialize)]
struct Kept {
    #[serde(default)]
    build: Option<String>,
    /// Of the resolved scenario.
    scenario: String,
    measured: Measured,
}

/// What is kept of a run.
pub(super) enum Found {
    /// Nothing that can be read.
    Nothing,
    /// A run of the scenario by another build.
    OtherBuild,
    /// The run.
    Run(Box<Measured>),
}

/// What a report has to do with kept runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StoreReport {
    /// The files of its runs.
    pub files: Vec<String>,
    /// Runs that were not made again.
    pub taken_up: usize,
    /// Runs that were, since another build had made what was kept.
    pub ignored: usize,
}

impl StoreReport {
    /// Notes one run.
    pub fn add(&mut self, file: String, found: &Found) {
        self.files.push(file);
        match found {
            Found::Nothing => {}
            Found::OtherBuild => self.ignored += 1,
            Found::Run(_) => self.taken_up += 1,
        }
    }

    /// For people; empty if nothing was kept.
    pub fn words(&self) -> String {
        match (self.taken_up, self.ignored) {
            (0, 0) => String::new(),
            (taken_up, 0) => format!("kept runs: {taken_up} taken up\n"),
            (taken_up, ignored) => {
                format!("kept runs: {taken_up} taken up, {ignored} of another build ignored\n")
            }
        }
    }

    /// Takes away the files of the report's runs, and the folder if nothing else is in it.
    pub fn forget(&self, report: &Path) -> Result<(), ReproduceError> {
        let folder = report.join(FOLDER);
        for file in &self.files {
            let path = folder.join(file);
            match fs::remove_file(&path) {
                Err(source) if path.exists() => return Err(ReproduceError::Write { path, source }),
                _ => {}
            }
        }
        // It stays where it holds runs of others, and need not be there at all.
        fs::remove_dir(folder).unwrap_or_default();
        Ok(())
    }
}

impl RunStore {
    /// In the folder that will take the report; it is made if need be.
    pub fn open(report: &Path) -> Result<RunStore, ReproduceError> {
        let folder = report.join(FOLDER);
        match fs::create_dir_all(&folder) {
            Ok(()) => Ok(RunStore { folder, build: build() }),
            Err(source) => Err(ReproduceError::Write { path: folder, source }),
        }
    }

    /// The run of a scenario, if it is there.
    pub fn find(&self, file: &str, scenario: &str) -> Found {
        let text = fs::read_to_string(self.folder.join(file)).unwrap_or_default();
        match serde_json::from_str::<Kept>(&text) {
            Ok(kept) if kept.scenario != digest(scenario) => Found::Nothing,
            Ok(kept) if kept.build.is_none() || kept.build != self.build => Found::OtherBuild,
            Ok(kept) => Found::Run(Box::new(kept.measured)),
            Err(_) => Found::Nothing,
        }
    }

    /// Keeps a run.
    pub fn put(&self, file: &str, measured: &Measured, scenario: &str) -> Result<(), ReproduceError> {
        let kept = Kept { build: self.build.clone(), scenario: digest(scenario), measured: measured.clone() };
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

    fn measured(seed: u64) -> Measured {
        Measured {
            run: "one".into(),
            seed,
            broken_laws: Vec::new(),
            hops: 1,
            wall_time_s: 0.0,
            values: [].into(),
            parts: [].into(),
        }
    }

    fn keep(folder: &Path, build: Option<&str>) -> RunStore {
        RunStore { folder: folder.to_owned(), build: build.map(str::to_owned) }
    }

    #[test]
    fn a_run_is_taken_up_by_the_build_that_made_it() {
        let folder = tempfile::tempdir().expect("a folder");
        keep(folder.path(), Some("old")).put("one.json", &measured(1), "small").expect("it can be written");
        let found = |build, scenario| keep(folder.path(), build).find("one.json", scenario);
        assert!(matches!(found(Some("old"), "small"), Found::Run(_)));
        assert!(matches!(found(Some("new"), "small"), Found::OtherBuild));
        assert!(matches!(found(None, "small"), Found::OtherBuild));
        assert!(matches!(found(Some("old"), "large"), Found::Nothing));
        // A build that cannot be told is no build, not even the same one.
        keep(folder.path(), None).put("one.json", &measured(1), "small").expect("it can be written");
        assert!(matches!(found(None, "small"), Found::OtherBuild));
    }

    #[test]
    fn runs_of_two_sizes_lie_side_by_side() {
        let folder = tempfile::tempdir().expect("a folder");
        let keep = keep(folder.path(), Some("same"));
        let sizes = [("small", 10), ("large", 100)];
        for (scenario, hops) in sizes {
            let one = Measured { hops, ..measured(1) };
            keep.put(&file("one", 1, scenario), &one, scenario).expect("it can be written");
        }
        for (scenario, hops) in sizes {
            let Found::Run(measured) = keep.find(&file("one", 1, scenario), scenario) else {
                panic!("{scenario} is gone")
            };
            assert_eq!(measured.hops, hops);
        }
    }
}
