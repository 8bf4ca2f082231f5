//! Computes the points of a sweep that are missing.
//!
//! Models: rounds of seeds, or of values of a search; in each, finished points are read and missing ones are passed to the executor.
//! Leaves out: who computes them (`executor.rs`).
//!
//! Invariants: a point that was interrupted or failed is missing, never partial; a point that failed does not end the
//! sweep, unless the same must be expected of every other one.

use std::path::absolute;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use netloom_records::Status;
use serde::{Deserialize, Serialize};

use super::bisect::{Bisection, Search, ThresholdReport};
use super::dataset::dataset;
use super::done::finished;
use super::error::SweepError;
use super::executor::{AnswerProgress, EndOfSweep, Executor, LocalExecutor};
use super::folder::SweepFolder;
use super::journal::Journal;
use super::keep::Keep;
use super::plan::{Grid, Plan};
use super::points::PointReport;
use super::report::GridReport;
use super::rounds::{FEWEST_SEEDS, Known, next_round};
use super::study::{Outcomes, write_study};
use super::task::{PointAnswer, PointFailure, PointTask, TaskSettings, key, settings};
use super::variants::Draft;
use crate::error::LabError;
use crate::memory::check_estimate;
use crate::source::Source;
use crate::spread::spread;

/// A finished point.
#[derive(Debug, Clone)]
pub(super) struct Done {
    /// Number of its variant.
    pub variant: usize,
    pub report: PointReport,
    /// Whether it was stored already.
    pub kept: bool,
}

/// A point without a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedPoint {
    /// Number of its variant.
    #[serde(skip)]
    pub(super) variant: usize,
    /// The name of its variant.
    #[serde(rename = "variant")]
    pub name: String,
    /// Its seed.
    pub seed: u64,
    /// Why it has none.
    pub reason: String,
    #[serde(skip)]
    pub(super) exit_code: u8,
}

/// Runs the missing points of a grid and reports all points.
///
/// If it is stopped, the points finished by then are reported; the same call resumes it.
///
/// # Errors
/// All errors in the grid; a folder that cannot be used; or what ended the sweep before all points were computed.
pub fn grid(grid: &Grid<'_>) -> Result<GridReport, LabError> {
    let plan = Plan::new(grid)?;
    if let Some(warn) = grid.warn.filter(|_| !plan.warnings.is_empty()) {
        warn(&plan.warnings);
    }
    let folder = SweepFolder::claim(&grid.folder, &plan, grid.force, &grid.command)?;
    let mut maker = Maker::new(grid, plan)?;
    let computed = match (grid.strategy, maker.plan.bisection) {
        (Some(strategy), _) => maker.follow(strategy).map(|is_whole| (is_whole, Vec::new())),
        (None, Some(bisection)) => maker.search(bisection),
        (None, None) => maker.all_rounds().map(|is_whole| (is_whole, Vec::new())),
    };
    let Maker { plan, done, failed, total, .. } = maker;
    let found = computed.as_ref().map_or(&[][..], |(_, found)| found);
    let stored = dataset(&plan, &done, &failed)
        .write(&grid.folder)
        .map_err(LabError::from)
        .and_then(|()| write_study(grid, &plan, Outcomes { total, failed: &failed, thresholds: found }));
    // What ended the sweep, such as a full disk, may be why nothing more could be stored.
    let (is_whole, thresholds) = computed?;
    stored?;
    if is_whole && failed.is_empty() {
        folder.finish()?;
    }
    let mut report = GridReport::new(&plan, grid, &done, failed, total)?;
    report.thresholds = thresholds;
    Ok(report)
}

/// A sweep in progress.
pub(super) struct Maker<'a> {
    grid: &'a Grid<'a>,
    pub plan: Plan,
    settings: Arc<TaskSettings>,
    journal: Journal,
    /// Finished points by variant, then by seed.
    pub done: Vec<Done>,
    /// Failed points, likewise.
    pub failed: Vec<FailedPoint>,
    /// Number of points that were needed so far.
    total: usize,
}

/// A point by the number of its variant and its seed.
pub(super) type PointKey = (usize, u64);

/// The answers to tasks so far.
#[derive(Default)]
struct Answers {
    done: Vec<Done>,
    failed: Vec<FailedPoint>,
    /// Which tasks have been answered.
    answered: Vec<bool>,
    /// What ends the sweep.
    ended: Vec<LabError>,
}

impl Answers {
    /// Whether this is the first answer to a task; if not, the sweep ends.
    fn is_first(&mut self, index: usize) -> bool {
        let is_first = self.answered.get_mut(index).is_some_and(|known| !std::mem::replace(known, true));
        if !is_first {
            let reason = "the executor answered a task twice, or one that there is not".to_owned();
            self.ended.push(SweepError::executor(reason).into());
        }
        is_first
    }
}

impl<'a> Maker<'a> {
    fn new(grid: &'a Grid<'a>, plan: Plan) -> Result<Maker<'a>, LabError> {
        let root = (plan.keep == Keep::Folders)
            .then(|| absolute(&grid.folder).unwrap_or_else(|_| grid.folder.clone()));
        let settings = Arc::new(settings(root, grid.over, grid.command.clone(), grid.point_limit));
        let journal = Journal::open(&grid.folder)?;
        Ok(Maker { grid, plan, settings, journal, done: Vec::new(), failed: Vec::new(), total: 0 })
    }

    /// Runs all variants, with more seeds until means are precise enough; returns whether all points were computed.
    fn all_rounds(&mut self) -> Result<bool, LabError> {
        let all_seeds: Vec<u64> = self.plan.seeds.0.clone().collect();
        let mut next = Some(if self.plan.until.is_some() { FEWEST_SEEDS } else { all_seeds.len() });
        let (mut n_seeds, mut is_whole) = (0, true);
        while let (true, Some(end)) = (is_whole, next) {
            let seeds = &all_seeds[n_seeds..end];
            let variants = 0..self.plan.variants.len();
            let keys: Vec<PointKey> =
                variants.flat_map(|variant| seeds.iter().map(move |&seed| (variant, seed))).collect();
            is_whole = self.compute(&keys)?;
            n_seeds = end;
            next = self.next(n_seeds, all_seeds.len());
        }
        Ok(is_whole)
    }

    /// Searches for thresholds; returns whether all points were computed, and what was found.
    fn search(&mut self, bisection: Bisection) -> Result<(bool, Vec<ThresholdReport>), LabError> {
        let mut ranges = self.plan.vary.iter().enumerate();
        let found = ranges.find_map(|(column, variation)| Some((column, variation.range()?)));
        let (column, range) = found.ok_or(SweepError::NotOneRange(0))?;
        let seeds = self.plan.seeds.0.clone().collect();
        Search::new(self, range, column, bisection, seeds).run()
    }

    /// Compiles a further variant of a scenario; returns its number.
    pub fn add(&mut self, draft: &Draft, source: &Source) -> Result<usize, LabError> {
        let added = self.plan.add(draft, source)?;
        let variant = &self.plan.variants[added];
        if self.grid.executor.is_none() {
            check_estimate(&variant.name, variant.memory_bytes, self.grid.memory_limit)?;
        }
        Ok(added)
    }

    /// The scenario of which a strategy makes variants.
    pub fn source(&self) -> Source {
        self.plan.source.clone().expect("a plan has a scenario")
    }

    /// Finds or computes points; returns whether all were computed.
    pub fn compute(&mut self, keys: &[PointKey]) -> Result<bool, LabError> {
        self.total += keys.len();
        let there = spread(keys, self.grid.threads, None, |_| 1, |key, _| self.find(*key))?;
        let there = there.into_iter().collect::<Result<Vec<_>, LabError>>()?;
        self.done.extend(there.iter().flatten().cloned());
        let missing: Vec<PointKey> =
            keys.iter().zip(&there).filter(|(_, done)| done.is_none()).map(|(key, _)| *key).collect();
        let made = self.make(&missing);
        let is_whole = made.done.len() + made.failed.len() == missing.len();
        self.done.extend(made.done);
        self.done.sort_by_key(|done| (done.variant, done.report.seed));
        self.failed.extend(made.failed);
        self.failed.sort_by_key(|failed| (failed.variant, failed.seed));
        if made.ended.is_empty() { Ok(is_whole) } else { Err(LabError::several(made.ended)) }
    }

    /// A point that is finished already.
    fn find(&self, (variant, seed): PointKey) -> Result<Option<Done>, LabError> {
        let chosen = &self.plan.variants[variant];
        let found = match self.plan.keep {
            Keep::Folders => {
                let folder = self.grid.folder.join(chosen.point_folder(seed));
                match finished(&folder, chosen.digest, seed, self.grid.over) {
                    // A point that cannot have these figures is one that fails, with its reason.
                    Err(LabError::OutsideRun { .. }) => None,
                    found => found?,
                }
            }
            Keep::Summary | Keep::Elsewhere => {
                self.journal.find(key(chosen.digest, seed), &self.settings.over).cloned()
            }
        };
        Ok(found.map(|report| Done { variant, report, kept: true }))
    }

    /// Computes points; those that were stopped or not begun have no answer.
    fn make(&self, missing: &[PointKey]) -> Answers {
        let tasks = Arc::new(missing.iter().map(|key| self.task(*key)).collect::<Vec<_>>());
        let answers = Mutex::new(Answers { answered: vec![false; tasks.len()], ..Answers::default() });
        let never = AtomicBool::new(false);
        let end = EndOfSweep::new(self.grid.stop.unwrap_or(&never));
        let take = |index: usize, answer: PointAnswer| {
            if !answers.lock().unwrap_or_else(std::sync::PoisonError::into_inner).is_first(index) {
                return end.end();
            }
            let found = self.answered(missing[index], &tasks[index], answer);
            let mut answers = answers.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            match found {
                Ok(Some(Ok(done))) => answers.done.push(done),
                Ok(Some(Err(failed))) => answers.failed.push(failed),
                Ok(None) => {}
                Err(error) => {
                    end.end();
                    answers.ended.push(error);
                }
            }
        };
        let computed = match self.grid.executor {
            _ if tasks.is_empty() => Ok(()),
            None => {
                let local = LocalExecutor { threads: self.grid.threads, on_progress: self.grid.on_progress };
                local.compute(&tasks, &end, &take)
            }
            Some(executor) => {
                let progress = AnswerProgress::new(&tasks, self.grid.on_progress);
                executor.compute(&tasks, &end, &|index, answer| {
                    if let Some(task) = tasks.get(index) {
                        progress.count(task, &answer);
                    }
                    take(index, answer);
                })
            }
        };
        let mut answers = answers.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let n_done = self.done.len() + answers.done.len();
        answers.ended.extend(computed.err().map(|error| match error {
            LabError::Sweep(error) => error.after(n_done, self.done.len() + missing.len()).into(),
            other => other,
        }));
        answers
    }

    /// Stores the answer to a task; returns what became of its point, unless it was stopped.
    fn answered(
        &self,
        (variant, seed): PointKey,
        task: &PointTask,
        answer: PointAnswer,
    ) -> Result<Option<Result<Done, FailedPoint>>, LabError> {
        let name = || self.plan.variants[variant].name.clone();
        let failed = |failure: PointFailure| FailedPoint {
            variant,
            name: name(),
            seed,
            reason: failure.reason,
            exit_code: failure.exit_code,
        };
        match answer {
            PointAnswer::Finished { report, .. } if report.outcome.status == Status::Stopped => Ok(None),
            PointAnswer::Finished { report, was_there } => {
                if self.plan.keep != Keep::Folders {
                    self.journal.append(task.key, &report)?;
                }
                Ok(Some(Ok(Done { variant, report: *report, kept: was_there })))
            }
            PointAnswer::Failed(failure) if failure.ends_sweep => {
                Err(SweepError::Point { variant: name(), seed, failure }.into())
            }
            PointAnswer::Failed(failure) => Ok(Some(Err(failed(failure)))),
            PointAnswer::Stopped => Ok(None),
            PointAnswer::OtherBuild { build } => Err(SweepError::OtherBuild { build }.into()),
        }
    }

    fn task(&self, (variant, seed): PointKey) -> PointTask {
        let chosen = &self.plan.variants[variant];
        PointTask {
            key: key(chosen.digest, seed),
            settings: Arc::clone(&self.settings),
            source: Arc::clone(&chosen.texts),
            set: chosen.overrides.set.clone(),
            vary: chosen.overrides.vary.clone(),
            seed,
            meaning: chosen.digest,
            folder: chosen.point_folder(seed),
            seconds: chosen.seconds,
            memory_bytes: chosen.memory_bytes,
        }
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
