//! Runs the points of a sweep that are missing.
//!
//! Models: rounds of seeds; in each, finished points are read and missing ones are run, a core for each.
//!
//! Invariants: a point that was interrupted or failed is missing, never partial; after a failure no new point begins,
//! and those in progress are finished.

use std::sync::atomic::{AtomicBool, Ordering};

use netloom_records::{Overwrite, Status};

use super::dataset::dataset;
use super::done::finished;
use super::folder::SweepFolder;
use super::plan::{Grid, Plan};
use super::points::{How, Point, PointReport, run};
use super::report::GridReport;
use super::rounds::{FEWEST_SEEDS, Known, next_round};
use crate::error::LabError;
use crate::spread::{Task, spread};

/// A finished point.
#[derive(Debug, Clone)]
pub(super) struct Done {
    /// Number of its variant.
    pub variant: usize,
    pub report: PointReport,
    /// Whether it was stored already.
    pub kept: bool,
}

/// Runs the missing points of a grid and reports all points.
///
/// If it is stopped, the points finished by then are reported; the same call resumes it.
///
/// # Errors
/// All errors in the grid; a folder that cannot be used; or the errors of points.
pub fn grid(grid: &Grid<'_>) -> Result<GridReport, LabError> {
    let plan = Plan::new(grid)?;
    if let Some(warn) = grid.warn.filter(|_| !plan.warnings.is_empty()) {
        warn(&plan.warnings);
    }
    let folder = SweepFolder::claim(&grid.folder, &plan, grid.force, &grid.command)?;
    let mut maker = Maker { grid, plan: &plan, done: Vec::new() };
    let all_seeds: Vec<u64> = plan.seeds.0.clone().collect();
    let mut next = Some(if plan.until.is_some() { FEWEST_SEEDS } else { all_seeds.len() });
    let mut n_seeds = 0;
    let mut is_whole = true;
    while let (true, Some(end)) = (is_whole, next) {
        is_whole = maker.round(&all_seeds[n_seeds..end])?;
        n_seeds = end;
        next = maker.next(n_seeds, all_seeds.len());
    }
    let done = maker.done;
    dataset(&plan, &done).write(&grid.folder)?;
    if is_whole {
        folder.finish()?;
    }
    let total = n_seeds * plan.variants.len();
    GridReport::new(&plan, grid, &done, total)
}

struct Maker<'a> {
    grid: &'a Grid<'a>,
    plan: &'a Plan,
    /// Finished points by variant, then by seed.
    done: Vec<Done>,
}

/// A point by the number of its variant and its seed.
type PointKey = (usize, u64);

impl Maker<'_> {
    /// Runs all variants with these seeds; returns whether all points are finished.
    fn round(&mut self, seeds: &[u64]) -> Result<bool, LabError> {
        let numbers = 0..self.plan.variants.len();
        let keys: Vec<PointKey> =
            numbers.flat_map(|variant| seeds.iter().map(move |&seed| (variant, seed))).collect();
        let there = spread(&keys, self.grid.threads, None, |_| 1, |key, _| self.find(*key))?;
        let there = there.into_iter().collect::<Result<Vec<_>, LabError>>()?;
        self.done.extend(there.iter().flatten().cloned());
        let missing: Vec<PointKey> =
            keys.iter().zip(&there).filter(|(_, done)| done.is_none()).map(|(key, _)| *key).collect();
        let made = self.make(&missing)?;
        let is_whole = made.len() == missing.len();
        self.done.extend(made);
        self.done.sort_by_key(|done| (done.variant, done.report.seed));
        Ok(is_whole)
    }

    fn find(&self, (variant, seed): PointKey) -> Result<Option<Done>, LabError> {
        let chosen = &self.plan.variants[variant];
        let folder = self.grid.folder.join(chosen.point_folder(seed));
        let found = finished(&folder, chosen, seed, self.grid.over)?;
        Ok(found.map(|report| Done { variant, report, kept: true }))
    }

    /// Runs points; those that were stopped or not begun are left out.
    fn make(&self, missing: &[PointKey]) -> Result<Vec<Done>, LabError> {
        // A run at the path of a point that is not that point is not needed, so it may be replaced.
        let how = How {
            overwrite: Overwrite::Replace,
            over: self.grid.over,
            command: &self.grid.command,
            stop: self.grid.stop,
        };
        let failed = AtomicBool::new(false);
        let work = |key: &PointKey, task: Task<'_>| {
            if failed.load(Ordering::Relaxed) {
                return Err(LabError::NotBegun);
            }
            let made = run(&self.point(*key), &how, task);
            let is_failure = made.as_ref().is_err_and(|error| !matches!(error, LabError::NotBegun));
            failed.fetch_or(is_failure, Ordering::Relaxed);
            made.map(|report| Done { variant: key.0, report, kept: false })
        };
        let weight = |(variant, _): &PointKey| self.plan.variants[*variant].weight;
        let (mut made, mut errors) = (Vec::new(), Vec::new());
        for answer in spread(missing, self.grid.threads, self.grid.on_progress, weight, work)? {
            match answer {
                Ok(done) if done.report.outcome.status != Status::Stopped => made.push(done),
                Ok(_) | Err(LabError::NotBegun) => {}
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(made) } else { Err(LabError::several(errors)) }
    }

    fn point(&self, (variant, seed): PointKey) -> Point {
        let chosen = &self.plan.variants[variant];
        let mut point = Point::new(chosen.source.clone());
        point.overrides = chosen.overrides.clone();
        point.meaning = Some(chosen.digest);
        point.seed(seed).into_folder(self.grid.folder.join(chosen.point_folder(seed)))
    }

    /// The number of seeds after the next round.
    fn next(&self, so_far: usize, most: usize) -> Option<usize> {
        let precision = self.plan.until?;
        let variants = self.done.chunk_by(|left, right| left.variant == right.variant);
        let known = variants.flat_map(|points| {
            step_times(points).into_iter().map(|times| precision.judge(&times)).collect::<Vec<Known>>()
        });
        next_round(so_far, most, known)
    }
}

/// The mean step times of each job of a variant, one for each seed.
pub(super) fn step_times(points: &[Done]) -> Vec<Vec<Option<f64>>> {
    let n_jobs = points.first().map_or(0, |point| point.report.summary.jobs.len());
    let of_job = |job: usize| -> Vec<Option<f64>> {
        points.iter().map(|point| Some(point.report.summary.jobs.get(job)?.step?.mean_s)).collect()
    };
    (0..n_jobs).map(of_job).collect()
}
