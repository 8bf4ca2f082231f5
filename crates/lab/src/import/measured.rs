//! What an importer of measured results gives, and the folder it becomes: shared by all of them.
//!
//! Models: runs of cells, who measured them and from which texts, and what was left out; choosing systems and calling them
//! otherwise; cells of which there are two.
//! Leaves out: any format.
//!
//! Invariants: what is not taken over is counted and told; of two cells of one place neither is dropped silently.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use netloom_records::Overwrite;

use super::ImportError;
use crate::cells::{self, At, CellRun};
use crate::error::LabError;

/// Measured results, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurements {
    /// The program that measured.
    pub by: &'static str,
    /// Where its numbers come from.
    pub source: String,
    /// Its runs, by name of the system.
    pub runs: Vec<CellRun>,
    /// What a reader should know: what was left out, and why.
    pub notes: Vec<String>,
}

impl Measurements {
    /// Writes a folder of measured runs; tells where each run is.
    ///
    /// # Errors
    /// If there is no cell at all, something is there that shall stay, or the system refuses.
    pub fn write(
        &self,
        folder: &Path,
        overwrite: Overwrite,
        command: &[String],
    ) -> Result<Vec<PathBuf>, LabError> {
        cells::write_measured(folder, self.by, &self.source, &self.runs, overwrite, command)
    }

    /// How many cells each run has, by its name.
    pub fn counts(&self) -> impl Iterator<Item = (&str, usize)> {
        self.runs.iter().map(|run| (run.system.as_str(), run.cells.len()))
    }
}

/// A system that is wanted, and what it is to be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// As the text calls it.
    pub system: String,
    /// As the run is to be called.
    pub called: String,
}

/// Why a word names no system.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected `NAME` or `NAME=NEW`, names of letters, digits, `-`, `_` and `.`")]
pub struct NotASystem;

impl FromStr for Wanted {
    type Err = NotASystem;

    fn from_str(text: &str) -> Result<Wanted, NotASystem> {
        let (system, called) = text.split_once('=').unwrap_or((text, text));
        if !(cells::is_name(system) && cells::is_name(called)) {
            return Err(NotASystem);
        }
        Ok(Wanted { system: system.to_owned(), called: called.to_owned() })
    }
}

/// What a system is called, if it is wanted; all are where none is named.
pub(super) fn called(system: &str, wanted: &[Wanted]) -> Option<String> {
    if wanted.is_empty() {
        return Some(system.to_owned());
    }
    wanted.iter().find(|one| one.system == system).map(|one| one.called.clone())
}

/// Refuses names that no system has.
pub(super) fn check_wanted<'a>(
    wanted: &[Wanted],
    known: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), ImportError> {
    for one in wanted {
        if !known.clone().any(|system| system == one.system) {
            let known: Vec<String> = known.map(str::to_owned).collect();
            return Err(ImportError::NoSystem { name: one.system.clone(), known });
        }
    }
    Ok(())
}

/// Where the cells of a system were told, to find those that are told twice.
#[derive(Debug, Default)]
pub(super) struct Seen(BTreeMap<(String, At), String>);

impl Seen {
    /// Notes a cell and where it is told; the answer is where it was told before.
    pub fn add(&mut self, system: &str, at: &At, place: String) -> Option<String> {
        let key = (system.to_owned(), at.clone());
        match self.0.entry(key) {
            Entry::Occupied(before) => Some(before.get().clone()),
            Entry::Vacant(free) => {
                free.insert(place);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_chosen_and_called_otherwise() {
        let wanted = ["lumi", "cresco8=crescos8"].map(|text| text.parse().expect("it names a system"));
        assert_eq!(called("cresco8", &wanted).as_deref(), Some("crescos8"));
        assert_eq!(called("leonardo", &wanted), None);
        assert_eq!(called("leonardo", &[]).as_deref(), Some("leonardo"));
        assert!("a/b".parse::<Wanted>().is_err() && "a=".parse::<Wanted>().is_err());
        assert!(check_wanted(&wanted, ["lumi"].into_iter()).is_err());
    }
}
