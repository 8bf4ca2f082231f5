//! Many runs at once, a core for each.
//!
//! Models: points (a scenario, changes to it, a seed) spread over cores; their figures in the order of the points.
//! Leaves out: runs that use several threads themselves.
//!
//! Invariants: a point's result is the same as that of a single run; results are in the order of the points.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use netloom_engine::Options;
use netloom_records::statistics::Over;
use netloom_records::{Digest, DigestSink, Outcome, Overwrite};
use netloom_scenario::Overrides;

use super::error::SweepError;
use super::variants::digest_without_seed;
use crate::error::LabError;
use crate::line::store;
use crate::prepare::{Prepared, prepare};
use crate::simulate::simulate;
use crate::source::Source;
use crate::spread::{SweepProgress, Task, spread};
use crate::summary::Summary;
use crate::watch::{RunProgress, Watch};

/// One run of a sweep.
#[derive(Debug, Clone)]
pub struct Point {
    /// The scenario.
    pub scenario: Source,
    /// Changes to it, the seed among them.
    pub overrides: Overrides,
    /// The digest that its resolved scenario must have, except for the seed; `None` accepts any.
    pub(super) meaning: Option<Digest>,
    /// The path of its run folder; `None` keeps only the figures, over the whole run.
    pub folder: Option<PathBuf>,
}

impl Point {
    /// A scenario without changes, of which only the figures are kept.
    pub fn new(scenario: Source) -> Point {
        Point { scenario, overrides: Overrides::default(), meaning: None, folder: None }
    }

    /// With another seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Point {
        self.overrides.seed = Some(seed);
        self
    }

    /// With a value changed, as `--set path=value` does.
    #[must_use]
    pub fn set(mut self, path: impl Into<String>, value: impl Into<String>) -> Point {
        self.overrides.set.push((path.into(), value.into()));
        self
    }

    /// With a run folder.
    #[must_use]
    pub fn into_folder(mut self, folder: impl Into<PathBuf>) -> Point {
        self.folder = Some(folder.into());
        self
    }
}

/// The result of a point.
#[derive(Debug, Clone)]
pub struct PointReport {
    /// The name of the scenario.
    pub name: String,
    /// Its seed.
    pub seed: u64,
    /// How the run ended.
    pub outcome: Outcome,
    /// Its figures.
    pub summary: Summary,
    /// The digest of its records, whether they were stored or not.
    pub digest: Digest,
    /// Wall time of the simulation, in seconds.
    pub wall_time_s: f64,
    /// The folder of its records, if they were stored.
    pub folder: Option<PathBuf>,
}

/// A request for many runs.
#[derive(Clone)]
pub struct Sweep<'a> {
    /// The points.
    pub points: Vec<Point>,
    /// Number of runs at a time; `None` uses all cores.
    pub threads: Option<usize>,
    /// Whether complete runs that are there already may be replaced.
    pub overwrite: Overwrite,
    /// The part of each stored run that figures are taken over.
    pub over: Over,
    /// The command line, for the manifests.
    pub command: Vec<String>,
    /// Set to stop all runs; points not begun by then are not run.
    pub stop: Option<&'a AtomicBool>,
    /// Called with the progress, from any thread.
    pub on_progress: Option<&'a (dyn Fn(&SweepProgress) + Sync)>,
}

impl Default for Sweep<'_> {
    fn default() -> Self {
        Sweep {
            points: Vec::new(),
            threads: None,
            overwrite: Overwrite::Refuse,
            over: Over::Jobs,
            command: Vec::new(),
            stop: None,
            on_progress: None,
        }
    }
}

/// Runs all points; returns a result for each, in their order.
pub fn sweep(sweep: &Sweep<'_>) -> Vec<Result<PointReport, LabError>> {
    let how = How { overwrite: sweep.overwrite, over: sweep.over, command: &sweep.command, stop: sweep.stop };
    let done =
        spread(&sweep.points, sweep.threads, sweep.on_progress, |_| 1, |point, task| run(point, &how, task));
    done.unwrap_or_else(|_| {
        let threads = sweep.threads.unwrap_or_default();
        sweep.points.iter().map(|_| Err(LabError::Threads(threads))).collect()
    })
}

/// How points are run.
pub(super) struct How<'a> {
    pub overwrite: Overwrite,
    pub over: Over,
    pub command: &'a [String],
    pub stop: Option<&'a AtomicBool>,
}

impl How<'_> {
    /// Whether no more points may begin.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Runs one point.
pub(super) fn run(point: &Point, how: &How<'_>, mut task: Task<'_>) -> Result<PointReport, LabError> {
    if how.is_stopped() {
        return Err(LabError::NotBegun);
    }
    let prepared = prepare(&point.scenario, &point.overrides)?;
    let means_it = |digest| digest_without_seed(&prepared.compiled.resolved_yaml) == digest;
    if !point.meaning.is_none_or(means_it) {
        return Err(SweepError::Changed(point.scenario.name()).into());
    }
    let mut on_progress = |progress: &RunProgress| {
        // A point is finished only when its records are stored, not at its last step.
        task.note(progress.hops, progress.share.unwrap_or(0.0).min(0.99));
    };
    let watch = Watch { stop: how.stop, on_progress: Some(&mut on_progress), ..Watch::default() };
    let report = match &point.folder {
        Some(folder) => run_into(&prepared, folder.clone(), how, watch),
        None => run_in_memory(&prepared, watch),
    }?;
    task.finish(report.summary.hops.unwrap_or_default());
    Ok(report)
}

fn run_into(
    prepared: &Prepared,
    folder: PathBuf,
    how: &How<'_>,
    watch: Watch<'_>,
) -> Result<PointReport, LabError> {
    let report = store(prepared, folder, how.overwrite, Options::default(), how.command.to_vec(), watch)?;
    let report = report.over(how.over)?;
    Ok(PointReport {
        name: report.name,
        seed: prepared.compiled.model.seed,
        outcome: report.manifest.outcome,
        summary: report.summary,
        digest: report.manifest.digest,
        wall_time_s: report.manifest.wall_time_s,
        folder: Some(report.folder),
    })
}

fn run_in_memory(prepared: &Prepared, watch: Watch<'_>) -> Result<PointReport, LabError> {
    let mut sink = DigestSink::new(prepared.names());
    let simulated = simulate(prepared, &mut sink, Options::default(), watch)?;
    Ok(PointReport {
        name: prepared.name.clone(),
        seed: prepared.compiled.model.seed,
        outcome: simulated.outcome,
        summary: simulated.summary,
        digest: sink.finish().digest,
        wall_time_s: simulated.wall_time_s,
        folder: None,
    })
}
