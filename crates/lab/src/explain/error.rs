//! Why a step cannot be explained.

use std::path::PathBuf;

use netloom_records::RunFolder;

use super::SelectedStep;

/// Why a step cannot be explained.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExplainError {
    /// A measured run has no scenario to run again.
    #[error("this run was measured, not simulated, so it cannot be run again: {}", .0.display())]
    Measured(PathBuf),
    /// The file with the flows of the scenario was not found.
    #[error(
        "this run has flows from the file `{file}`, which was found neither beside its scenario nor in the current folder; call this from the folder of the scenario: {}",
        .path.display()
    )]
    NoFlows {
        /// The file, as the scenario names it.
        file: String,
        /// The run folder.
        path: PathBuf,
    },
    /// The file with the flows of the scenario has changed.
    #[error("{} is not the file of flows that this run read; its digest is another one: {}", .file.display(), .path.display())]
    OtherFlows {
        /// The file.
        file: PathBuf,
        /// The run folder.
        path: PathBuf,
    },
    /// There is no job, or none of this name.
    #[error("{}: {}", no_job(.known), .path.display())]
    NoJob {
        /// The run folder.
        path: PathBuf,
        /// The names of its jobs.
        known: Vec<String>,
    },
    /// There is no such step.
    #[error("{}: {}", no_step(*.step, *.last), .path.display())]
    NoStep {
        /// Which step was asked for.
        step: SelectedStep,
        /// The last completed step, if there is one.
        last: Option<u32>,
        /// The run folder.
        path: PathBuf,
    },
    /// Messages were summed, or the step has none.
    #[error(
        "this step has no recorded messages; `record.messages: each` in its scenario records them one by one: {}",
        .0.display()
    )]
    NoMessages(PathBuf),
    /// Causes were not recorded, or no step was completed.
    #[error(
        "this run has no recorded causes of completed steps; `record: {{causes: steps}}` in its scenario records them, `all` also those of steps of very many messages: {}",
        .0.display()
    )]
    NoCauses(PathBuf),
    /// The second run was interrupted.
    #[error("stopped before the second run had reached the end of the step")]
    Stopped,
}

fn no_job(known: &[String]) -> String {
    match known {
        [] => "this run has no job".to_owned(),
        known => format!("no job has this name; the jobs are {}", known.join(", ")),
    }
}

fn no_step(step: SelectedStep, last: Option<u32>) -> String {
    match (step, last) {
        (_, None) => "no step of this job was completed".to_owned(),
        (step, Some(last)) => format!("step {step} was not completed; the last one is {last}"),
    }
}

/// Refuses a run that was not simulated.
pub(super) fn check(folder: &RunFolder) -> Result<(), ExplainError> {
    match folder.manifest().measured {
        Some(_) => Err(ExplainError::Measured(folder.path().to_owned())),
        None => Ok(()),
    }
}
