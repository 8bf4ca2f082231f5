//! The result of an importer of measurements, and the folder into which it is written; shared by all importers.
//!
//! Models: runs of cells, the program that measured them and the source texts, and what was left out; selecting and
//! renaming systems; cells that occur twice.
//! Leaves out: all formats.
//!
//! Invariants: what is not imported is counted and reported; of two cells of one point neither is dropped silently.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use netloom_records::Overwrite;

use super::ImportError;
use crate::cells::{self, At, CellRun};
use crate::error::LabError;

/// Imported measurements.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurements {
    /// The program that measured.
    pub by: &'static str,
    /// The source of its numbers.
    pub source: String,
    /// Its runs, by name of the system.
    pub runs: Vec<CellRun>,
    /// Remarks for users: what was left out, and why.
    pub notes: Vec<String>,
}

impl Measurements {
    /// Writes a folder of measured runs; returns the path of each run.
    ///
    /// # Errors
    /// If there is no cell at all, an existing file may not be replaced, or the operating system reports an error.
    pub fn write(
        &self,
        folder: &Path,
        overwrite: Overwrite,
        command: &[String],
    ) -> Result<Vec<PathBuf>, LabError> {
        cells::write_measured(folder, self.by, &self.source, &self.runs, overwrite, command)
    }

    /// The number of cells of each run, by its name.
    pub fn counts(&self) -> impl Iterator<Item = (&str, usize)> {
        self.runs.iter().map(|run| (run.system.as_str(), run.cells.len()))
    }
}

/// A selected system, and its name in the import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Its name in the text.
    pub system: String,
    /// The name of its run.
    pub called: String,
}

/// A word that does not select a system.
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

/// The name of a system's run, if the system is selected; all are if `wanted` is empty.
pub(super) fn called(system: &str, wanted: &[Wanted]) -> Option<String> {
    if wanted.is_empty() {
        return Some(system.to_owned());
    }
    wanted.iter().find(|one| one.system == system).map(|one| one.called.clone())
}

/// Refuses selected names that no system has.
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

/// Where the cells of a system were found, to detect duplicates.
#[derive(Debug, Default)]
pub(super) struct Seen(BTreeMap<(String, At), String>);

impl Seen {
    /// Records a cell and where it was found; returns where it was found before.
    pub fn add(&mut self, system: &str, at: &At, location: String) -> Option<String> {
        let key = (system.to_owned(), at.clone());
        match self.0.entry(key) {
            Entry::Occupied(before) => Some(before.get().clone()),
            Entry::Vacant(free) => {
                free.insert(location);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_selected_and_renamed() {
        let wanted = ["lumi", "cresco8=crescos8"].map(|text| text.parse().expect("it names a system"));
        assert_eq!(called("cresco8", &wanted).as_deref(), Some("crescos8"));
        assert_eq!(called("leonardo", &wanted), None);
        assert_eq!(called("leonardo", &[]).as_deref(), Some("leonardo"));
        assert!("a/b".parse::<Wanted>().is_err() && "a=".parse::<Wanted>().is_err());
        assert!(check_wanted(&wanted, ["lumi"].into_iter()).is_err());
    }
}
