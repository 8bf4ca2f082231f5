//! Checking what a path leads to: a scenario, or a run folder.

use std::path::{Path, PathBuf};

use netloom_records::{Manifest, Problem, verify};
use netloom_scenario::Overrides;

use crate::error::LabError;
use crate::prepare::{Prepared, prepare};
use crate::source::Source;

/// What was found to be right.
#[derive(Debug, Clone)]
pub enum Checked {
    /// A scenario without mistakes.
    Scenario(Box<Prepared>),
    /// A complete run folder whose tables are what its manifest says.
    Run(Box<Manifest>),
}

/// Checks a scenario or a run folder.
///
/// # Errors
/// Everything that is wrong with it.
pub fn check(path: &Path) -> Result<Checked, LabError> {
    if !path.is_dir() {
        let prepared = prepare(&Source::file(path), &Overrides::default())?;
        return Ok(Checked::Scenario(Box::new(prepared)));
    }
    match verify(path) {
        Ok(verified) => Ok(Checked::Run(Box::new(verified.manifest))),
        Err(problems) => Err(refusal(path.to_owned(), problems)),
    }
}

/// A folder that cannot be read at all is told in one sentence, an altered one with everything that differs.
fn refusal(path: PathBuf, mut problems: Vec<Problem>) -> LabError {
    match (problems.len(), problems.pop()) {
        (1, Some(Problem::Read(error))) => LabError::Read(error),
        (_, last) => {
            problems.extend(last);
            LabError::Altered { path, problems }
        }
    }
}
