//! Whether the sweep in a folder is finished, and which of its points are missing.
//!
//! Models: the points of the plan against run folders, or against the journal; the marker of an unfinished sweep.
//! Leaves out: whether run folders were altered (`netloom check`).
//!
//! Invariants: a sweep is finished exactly if it ran to its end and every planned point is there. How many points a sweep
//! has that chooses values or seeds by itself is known only at its end.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use netloom_records::{RunFolder, Status};
use serde::Serialize;
use serde_json::Value;

use super::done::is_run_of;
use super::error::SweepError;
use super::folder::{PLAN_FILE, UNFINISHED_FILE, read_plan};
use super::journal::Journal;
use super::make::FailedPoint;
use super::plan::MOST_POINTS;
use super::study::{StudyFile, StudyVariant, file_in, keeps_none};
use super::task::key_of;
use crate::build::BUILD;
use crate::error::LabError;
use crate::words::{count, some};

/// Missing points that a message names.
const MOST_NAMED: usize = 3;

/// A point by the name of its variant and its seed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct NamedPoint {
    /// The name of its variant.
    pub variant: String,
    /// Its seed.
    pub seed: u64,
}

/// The state of a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SweepState {
    /// Its folder.
    pub folder: PathBuf,
    /// Whether it ran to its end, and all points are there.
    pub is_finished: bool,
    /// Number of finished points; of a sweep that chooses values by itself and was killed, those of the planned values.
    pub points: usize,
    /// Number of points in all; `None` if the sweep chooses values or seeds by itself, and none is stored.
    pub total: Option<usize>,
    /// Points that were tried without a result.
    pub failed: Vec<NamedPoint>,
    /// Other planned points that are not there.
    pub missing: Vec<NamedPoint>,
}

/// The states of those of these folders that are unfinished sweeps.
///
/// # Errors
/// If a plan or a journal cannot be read.
pub fn unfinished_sweeps(folders: &[PathBuf]) -> Result<Vec<SweepState>, LabError> {
    let states = folders.iter().filter_map(|folder| SweepState::read(folder).transpose());
    states.filter(|state| !matches!(state, Ok(state) if state.is_finished)).collect()
}

impl SweepState {
    /// The state of the sweep in a folder; `None` if there is none.
    ///
    /// # Errors
    /// If its plan or its journal cannot be read.
    pub fn read(folder: &Path) -> Result<Option<SweepState>, LabError> {
        let Some(plan) = read_plan(folder)? else { return Ok(None) };
        let chooses = ["until_ci", "bisect", "strategy"].iter().any(|key| !plan[*key].is_null());
        let study = about(folder, plan.clone())?;
        let there = if keeps_none(&plan) {
            in_journal(&Journal::open(folder)?, &study)
        } else {
            in_folders(folder, &study)
        };
        Ok(Some(SweepState::new(folder, &study, &there, chooses)))
    }

    fn new(folder: &Path, study: &StudyFile, there: &BTreeSet<NamedPoint>, chooses: bool) -> SweepState {
        let is_marked = folder.join(UNFINISHED_FILE).exists();
        let failed: BTreeSet<NamedPoint> = study.failed.iter().map(NamedPoint::of_failed).collect();
        let failed: BTreeSet<NamedPoint> = failed.difference(there).cloned().collect();
        let planned: Vec<NamedPoint> =
            if chooses { Vec::new() } else { planned(study).map(|(_, point)| point).collect() };
        let total = if chooses { study.total.filter(|_| !is_marked) } else { Some(planned.len()) };
        let is_open = |point: &NamedPoint| !there.contains(point) && !failed.contains(point);
        let missing: Vec<NamedPoint> = planned.into_iter().filter(is_open).collect();
        SweepState {
            folder: folder.to_owned(),
            is_finished: !is_marked && missing.is_empty() && failed.is_empty(),
            points: there.len(),
            total,
            failed: failed.into_iter().collect(),
            missing,
        }
    }

    /// The description and the folder.
    pub fn words(&self) -> String {
        format!("{}: {}", self.description(), self.folder.display())
    }

    /// How many points there are of how many, with the first of those that are not.
    pub fn description(&self) -> String {
        let kind = if self.is_finished { "a finished sweep" } else { "an unfinished sweep" };
        let points = match self.total {
            Some(total) => format!("{} of {}", count(self.points as u64), some(total as u64, "point")),
            None if self.is_finished => some(self.points as u64, "point"),
            // Those of values that were chosen since the plan was written are known at the end.
            None => format!("at least {}", some(self.points as u64, "point")),
        };
        let lacking = [("failed", &self.failed), ("missing", &self.missing)];
        let lacking = lacking.iter().filter(|(_, points)| !points.is_empty());
        let lacking: Vec<String> =
            lacking.map(|(what, points)| format!("; {what}: {}", named(points))).collect();
        format!("{kind}, {points}{}", lacking.concat())
    }
}

impl NamedPoint {
    fn of_failed(failed: &FailedPoint) -> NamedPoint {
        NamedPoint { variant: failed.name.clone(), seed: failed.seed }
    }
}

/// The points of the sweep in a folder that have the run of another scenario or seed, and lines of its journal that are not
/// points, as errors.
///
/// # Errors
/// If its plan or its journal cannot be read.
pub(crate) fn misplaced_points(folder: &Path) -> Result<Vec<SweepError>, LabError> {
    let Some(plan) = read_plan(folder)? else { return Ok(Vec::new()) };
    let keeps_none = keeps_none(&plan);
    let study = about(folder, plan)?;
    if keeps_none {
        let lines = Journal::open(folder)?.n_unreadable;
        let folder = folder.to_owned();
        return Ok((lines > 0).then_some(SweepError::Journal { lines, folder }).into_iter().collect());
    }
    let is_other = |(variant, point): &(&StudyVariant, NamedPoint)| {
        let run = RunFolder::open(&run_folder(folder, variant, point.seed)).ok()?;
        let is_planned = is_run_of(run.manifest(), variant.digest, point.seed);
        (!is_planned).then(|| SweepError::Misplaced { folder: run.path().to_owned() })
    };
    Ok(planned(&study).filter_map(|point| is_other(&point)).collect())
}

/// What the folder says of its sweep: its study if there is one of this plan, else the plan.
pub(super) fn about(folder: &Path, plan: Value) -> Result<StudyFile, LabError> {
    let broken = |detail: String| SweepError::Plan { path: folder.join(PLAN_FILE), detail };
    let study = match file_in(folder, &plan) {
        Some(study) => study,
        None => serde_json::from_value(plan).map_err(|error| broken(error.to_string()))?,
    };
    // The points of a plan that was altered might not fit into memory.
    let points = (study.variants.len() as u64).saturating_mul(study.seeds.count());
    if u128::from(points) > MOST_POINTS {
        return Err(broken(format!("{} are too many", some(points, "point"))).into());
    }
    Ok(study)
}

/// All variants with all seeds, in the order of the plan.
pub(super) fn planned(study: &StudyFile) -> impl Iterator<Item = (&StudyVariant, NamedPoint)> {
    let seeds = study.seeds.first..=study.seeds.last;
    study.variants.iter().flat_map(move |variant| {
        seeds.clone().map(move |seed| (variant, NamedPoint { variant: variant.name.clone(), seed }))
    })
}

/// The path of a point's run folder.
pub(super) fn run_folder(folder: &Path, variant: &StudyVariant, seed: u64) -> PathBuf {
    folder.join(&variant.folder).join(format!("seed-{seed}"))
}

/// The points with a complete run folder whose run was not stopped.
fn in_folders(folder: &Path, study: &StudyFile) -> BTreeSet<NamedPoint> {
    let is_there = |(variant, point): &(&StudyVariant, NamedPoint)| {
        let run = RunFolder::open(&run_folder(folder, variant, point.seed));
        run.is_ok_and(|run| run.manifest().outcome.status != Status::Stopped)
    };
    planned(study).filter(is_there).map(|(_, point)| point).collect()
}

/// The points in the journal of one build, that of the study or this one, with figures over any part of their runs.
pub(super) fn in_journal(journal: &Journal, study: &StudyFile) -> BTreeSet<NamedPoint> {
    let of_build = |build: &str| -> BTreeSet<NamedPoint> {
        let is_there = |(variant, point): &(&StudyVariant, NamedPoint)| {
            journal.find_any(key_of(build, variant.digest, point.seed)).is_some()
        };
        planned(study).filter(is_there).map(|(_, point)| point).collect()
    };
    let [of_study, of_this] = [study.build.as_str(), BUILD].map(of_build);
    if of_this.len() > of_study.len() { of_this } else { of_study }
}

fn named(points: &[NamedPoint]) -> String {
    let first = points.iter().take(MOST_NAMED).map(|point| match point.variant.as_str() {
        "" => format!("seed {}", point.seed),
        name => format!("{name} seed {}", point.seed),
    });
    let more = points.len().saturating_sub(MOST_NAMED);
    let more = (more > 0).then(|| format!("{} more", count(more as u64)));
    first.chain(more).collect::<Vec<_>>().join(", ")
}
