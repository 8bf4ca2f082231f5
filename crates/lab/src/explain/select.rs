//! The job and the step that are explained.

use std::fmt;
use std::str::FromStr;

use netloom_records::{JobRow, RunFolder, StepRow};
use netloom_units::Duration;

use super::ExplainError;
use crate::error::LabError;
use crate::summary::Distribution;

/// Which step is explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectedStep {
    /// The longest one; of several the first.
    Worst,
    /// The one in the middle by length.
    Median,
    /// The first one whose length differs from the median by at most 2 %, since what comes later costs more time to
    /// run again.
    Typical,
    /// By its number.
    Number(u32),
}

/// A word that names no step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected `worst`, `median`, `typical` or the number of a step")]
pub struct NotAStep;

impl FromStr for SelectedStep {
    type Err = NotAStep;

    fn from_str(text: &str) -> Result<SelectedStep, NotAStep> {
        match text {
            "worst" => Ok(SelectedStep::Worst),
            "median" => Ok(SelectedStep::Median),
            "typical" => Ok(SelectedStep::Typical),
            number => number.parse().map(SelectedStep::Number).map_err(|_| NotAStep),
        }
    }
}

impl fmt::Display for SelectedStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SelectedStep::Worst => f.write_str("worst"),
            SelectedStep::Median => f.write_str("median"),
            SelectedStep::Typical => f.write_str("typical"),
            SelectedStep::Number(number) => write!(f, "{number}"),
        }
    }
}

/// The job of this name, or the first one.
pub(super) fn job(folder: &RunFolder, name: Option<&str>) -> Result<JobRow, LabError> {
    let names = folder.names()?;
    let jobs = folder.jobs()?;
    let is_it = |row: &&JobRow| name.is_none_or(|name| names.job(row.job) == name);
    let known = || jobs.iter().map(|row| names.job(row.job)).collect();
    let unknown = || ExplainError::NoJob { path: folder.path().to_owned(), known: known() };
    Ok(*jobs.iter().find(is_it).ok_or_else(unknown)?)
}

/// The completed steps of a job, by length.
pub(super) struct Steps {
    sorted: Vec<StepRow>,
}

fn length(step: &StepRow) -> Duration {
    step.end.since(step.start)
}

impl Steps {
    pub fn of(folder: &RunFolder, job: u16) -> Result<Steps, LabError> {
        let mut sorted = Vec::new();
        for block in folder.rows::<StepRow>()? {
            sorted.extend(block?.into_iter().filter(|row| row.job == job));
        }
        sorted.sort_unstable_by_key(|row| (length(row), std::cmp::Reverse(row.step)));
        Ok(Steps { sorted })
    }

    pub fn select(&self, step: SelectedStep, folder: &RunFolder) -> Result<StepRow, ExplainError> {
        let found = match step {
            SelectedStep::Worst => self.sorted.last(),
            SelectedStep::Median => self.median(),
            SelectedStep::Typical => self.typical(),
            SelectedStep::Number(number) => self.sorted.iter().find(|row| row.step == number),
        };
        let last = self.sorted.iter().map(|row| row.step).max();
        let unknown = || ExplainError::NoStep { step, last, path: folder.path().to_owned() };
        found.copied().ok_or_else(unknown)
    }

    fn median(&self) -> Option<&StepRow> {
        self.sorted.get(self.sorted.len().saturating_sub(1) / 2)
    }

    fn typical(&self) -> Option<&StepRow> {
        let median = length(self.median()?).0;
        let is_near = |row: &&StepRow| length(row).0.abs_diff(median) <= median / 50;
        self.sorted.iter().filter(is_near).min_by_key(|row| row.step)
    }

    pub fn count(&self) -> usize {
        self.sorted.len()
    }

    pub fn slower_than(&self, step: &StepRow) -> usize {
        self.sorted.iter().filter(|other| length(other) > length(step)).count()
    }

    /// The median of their lengths, in seconds.
    pub fn median_s(&self) -> f64 {
        Distribution::of(self.sorted.iter().map(length).collect()).map_or(0.0, |times| times.p50_s)
    }
}
