//! Checks a scenario, a run folder or the folder of a sweep, given by its path.

use std::path::{Path, PathBuf};

use netloom_policy::balance::OutsidePolicies;
use netloom_records::{Problem, Verified, verify};
use netloom_scenario::Overrides;

use crate::error::LabError;
use crate::prepare::{Prepared, prepare};
use crate::runs_in::runs_in;
use crate::source::Source;
use crate::sweep::{SweepState, misplaced_points};

/// What was checked, without errors.
#[derive(Debug, Clone)]
pub enum Checked {
    /// A scenario without mistakes.
    Scenario(Box<Prepared>),
    /// A complete run folder whose tables and manifest agree with their digests.
    Run(Box<Verified>),
    /// A sweep of which every point that is there is intact and in its place; it may be unfinished.
    Sweep(Box<SweepState>),
}

/// Checks a scenario, a run folder or the folder of a sweep.
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
    match check_sweep(path)? {
        Some(state) => Ok(Checked::Sweep(Box::new(state))),
        None => Ok(Checked::Run(Box::new(check_run(path)?))),
    }
}

/// Checks the tables and the manifest of a run folder.
///
/// # Errors
/// If it is no complete run folder, cannot be read, or was altered.
pub(crate) fn check_run(path: &Path) -> Result<Verified, LabError> {
    verify(path).map_err(|problems| refusal(path.to_owned(), problems))
}

/// Checks all points of a sweep; `None` if the folder has none.
fn check_sweep(path: &Path) -> Result<Option<SweepState>, LabError> {
    let Some(state) = SweepState::read(path)? else { return Ok(None) };
    let mut mistakes: Vec<LabError> = misplaced_points(path)?.into_iter().map(LabError::from).collect();
    mistakes.extend(runs_in(path).iter().filter_map(|run| check_run(run).err()));
    if mistakes.is_empty() { Ok(Some(state)) } else { Err(LabError::several(mistakes)) }
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
