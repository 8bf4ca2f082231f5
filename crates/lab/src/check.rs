//! Checks a scenario or a run folder, given by its path.

use std::path::{Path, PathBuf};

use netloom_policy::balance::OutsidePolicies;
use netloom_records::{Manifest, Problem, verify};
use netloom_scenario::Overrides;

use crate::error::LabError;
use crate::prepare::{Prepared, prepare};
use crate::source::Source;

/// What was checked, without errors.
#[derive(Debug, Clone)]
pub enum Checked {
    /// A scenario without mistakes.
    Scenario(Box<Prepared>),
    /// A complete run folder whose tables agree with its manifest.
    Run(Box<Manifest>),
}

/// Checks a scenario or a run folder.
///
/// # Errors
/// All errors in it.
pub fn check(path: &Path) -> Result<Checked, LabError> {
    check_with(path, &OutsidePolicies::default())
}

/// As [`check`]; a scenario may name these balancing policies as well.
///
/// # Errors
/// As [`check`].
pub fn check_with(path: &Path, policies: &OutsidePolicies) -> Result<Checked, LabError> {
    if !path.is_dir() {
        let source = Source::file(path).with_policies(policies.clone());
        let prepared = prepare(&source, &Overrides::default())?;
        prepared.check_programs()?;
        return Ok(Checked::Scenario(Box::new(prepared)));
    }
    match verify(path) {
        Ok(verified) => Ok(Checked::Run(Box::new(verified.manifest))),
        Err(problems) => Err(refusal(path.to_owned(), problems)),
    }
}

/// A folder that cannot be read at all is reported in one sentence, an altered one with all differences.
fn refusal(path: PathBuf, mut problems: Vec<Problem>) -> LabError {
    match (problems.len(), problems.pop()) {
        (1, Some(Problem::Read(error))) => LabError::Read(error),
        (_, last) => {
            problems.extend(last);
            LabError::Altered { path, problems }
        }
    }
}
