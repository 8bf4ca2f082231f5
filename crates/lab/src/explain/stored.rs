//! A stored run with its scenario, as it is run again.
//!
//! Models: flows from a file are read again, from the folder of the scenario that the run's command names, or from the
//! current folder; the scenario states the digest of the file, so that another file is refused.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use netloom_records::RunFolder;
use netloom_scenario::Overrides;

use super::{ExplainError, error};
use crate::error::LabError;
use crate::export::alone::scenario_of;
use crate::prepare::{Prepared, prepare};
use crate::source::{Source, SourceText};

/// A stored run with its scenario.
pub(super) struct StoredRun {
    pub folder: RunFolder,
    pub prepared: Prepared,
}

impl StoredRun {
    /// # Errors
    /// If the folder is no run that can be made again.
    pub fn open(folder: &Path) -> Result<StoredRun, LabError> {
        let folder = RunFolder::open(folder)?;
        error::check(&folder)?;
        let file = folder.manifest().scenario["flows"]["file"].as_str().filter(|file| *file != "none");
        let prepared = match file {
            Some(file) => with_flows(&folder, file)?,
            None => scenario_of(&folder)?,
        };
        Ok(StoredRun { folder, prepared })
    }
}

/// The scenario with its flows from a file.
fn with_flows(folder: &RunFolder, file: &str) -> Result<Prepared, LabError> {
    let manifest = folder.manifest();
    // One of the command's arguments is the path of the scenario; the last path stands for one in the current folder.
    let named = manifest.command.iter().skip(1).map(PathBuf::from);
    let mut paths = named.chain([PathBuf::from("scenario.yaml")]);
    let has_flows = |path: &PathBuf| path.parent().is_some_and(|folder| folder.join(file).is_file());
    let missing = || ExplainError::NoFlows { file: file.to_owned(), path: folder.path().to_owned() };
    let path = paths.find(has_flows).ok_or_else(missing)?;
    // The scenario was valid with its file.
    let other = |_| {
        let file = path.parent().unwrap_or(&path).join(file);
        ExplainError::OtherFlows { file, path: folder.path().to_owned() }.into()
    };
    let name = format!("the scenario of {}", folder.path().display());
    let text = manifest.scenario_yaml.as_str().into();
    let source = SourceText { name, text, path: Some(path.clone()), bases: Arc::default() };
    prepare(&Source::Text(source), &Overrides::default()).map_err(other)
}
