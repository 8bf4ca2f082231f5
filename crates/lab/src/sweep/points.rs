//! Many runs at once, a core for each.
//!
//! Models: points (a scenario, changes to it, a seed) spread over cores; their figures in the order of the points.
//! Leaves out: runs that use several threads themselves.
//!
//! Invariants: a point's result is the same as that of a single run; results are in the order of the points.

use std::env::temp_dir;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use netloom_engine::Options;
use netloom_engine::observe::{Control, Observer, Progress, States};
use netloom_records::statistics::Over;
use netloom_records::{Digest, DigestSink, FolderError, Outcome, Overwrite};
use netloom_scenario::Overrides;
use netloom_units::Time;
use serde::{Deserialize, Serialize};

use super::error::SweepError;
use super::variants::digest_without_seed;
use crate::error::LabError;
use crate::line::store;
use crate::prepare::{Prepared, prepare};
use crate::simulate::simulate;
use crate::source::Source;
use crate::spread::{SweepProgress, Task, spread};
use crate::summary::{SpanSummary, Summary, over_name};
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
    /// The path of its run folder; `None` keeps only the figures.
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// The part of each run that figures are taken over.
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
    let how = RunPoint {
        overwrite: sweep.overwrite,
        over: sweep.over,
        command: &sweep.command,
        stop: sweep.stop,
        limit: None,
    };
    let work = |point: &Point, mut task: Task<'_>| {
        // A point is finished only when its records are stored, not at its last step.
        let report = run(point, &how, &mut |hops, share| task.note(hops, share.min(0.99)))?;
        task.finish(report.summary.hops.unwrap_or_default());
        Ok(report)
    };
    let done = spread(&sweep.points, sweep.threads, sweep.on_progress, |_| 1, work);
    done.unwrap_or_else(|_| {
        let threads = sweep.threads.unwrap_or_default();
        sweep.points.iter().map(|_| Err(LabError::Threads(threads))).collect()
    })
}

/// How a point is run.
pub(super) struct RunPoint<'a> {
    pub overwrite: Overwrite,
    pub over: Over,
    pub command: &'a [String],
    pub stop: Option<&'a AtomicBool>,
    /// Most wall time it may take; it is stopped then.
    pub limit: Option<Duration>,
}

impl RunPoint<'_> {
    /// Whether no more points may begin.
    fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Runs one point; `on_progress` is called with its packet-hops and the share that is done.
pub(super) fn run(
    point: &Point,
    how: &RunPoint<'_>,
    on_progress: &mut dyn FnMut(u64, f64),
) -> Result<PointReport, LabError> {
    if how.is_stopped() {
        return Err(LabError::NotBegun);
    }
    let prepared = prepare(&point.scenario, &point.overrides)?;
    let means_it = |digest| digest_without_seed(&prepared.compiled.resolved_yaml) == digest;
    if !point.meaning.is_none_or(means_it) {
        return Err(SweepError::Changed(point.scenario.name()).into());
    }
    let is_late = AtomicBool::new(false);
    let mut on_progress = |progress: &RunProgress| {
        on_progress(progress.hops, progress.share.unwrap_or(0.0));
        is_late.fetch_or(how.limit.is_some_and(|limit| progress.elapsed > limit), Ordering::Relaxed);
    };
    let mut limit = StopWhen(&is_late);
    let mut watch = Watch { stop: how.stop, on_progress: Some(&mut on_progress), ..Watch::default() };
    if how.limit.is_some() {
        watch.observer = Some(&mut limit);
    }
    match &point.folder {
        Some(folder) => run_into(&prepared, folder.clone(), how, watch),
        None => run_unstored(&prepared, how, watch),
    }
}

/// Ends a run once a flag is set.
struct StopWhen<'a>(&'a AtomicBool);

impl Observer for StopWhen<'_> {
    fn at_window(&mut self, _: &Progress, _: &dyn States) -> Control {
        if self.0.load(Ordering::Relaxed) { Control::Stop } else { Control::Continue }
    }
}

fn run_into(
    prepared: &Prepared,
    folder: PathBuf,
    how: &RunPoint<'_>,
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

/// Runs a point without a run folder.
fn run_unstored(prepared: &Prepared, how: &RunPoint<'_>, watch: Watch<'_>) -> Result<PointReport, LabError> {
    if !is_over_whole_run(prepared, how.over) {
        // Figures over a part are taken from stored rows.
        let refused =
            |source| FolderError::Io { action: "make a temporary folder", path: temp_dir(), source };
        let home = tempfile::tempdir().map_err(refused)?;
        let report = run_into(prepared, home.path().join("run"), how, watch)?;
        return Ok(PointReport { folder: None, ..report });
    }
    let mut sink = DigestSink::new(prepared.names());
    let simulated = simulate(prepared, &mut sink, Options::default(), watch)?;
    let whole = simulated.summary;
    Ok(PointReport {
        name: prepared.name.clone(),
        seed: prepared.compiled.model.seed,
        outcome: simulated.outcome,
        summary: Summary { span: SpanSummary { over: over_name(how.over), ..whole.span }, ..whole },
        digest: sink.finish().digest,
        wall_time_s: simulated.wall_time_s,
        folder: None,
    })
}

/// Whether figures over a part of the run are those over all of it, as far as is known before: a job runs from the
/// beginning to the end.
fn is_over_whole_run(prepared: &Prepared, over: Over) -> bool {
    let workload = &prepared.compiled.model.workload;
    let has_others = workload.background.is_some() || workload.staged.is_some() || workload.finite.is_some();
    match over {
        Over::All => true,
        Over::Jobs => !has_others && workload.jobs.iter().any(|job| job.start == Time::ZERO),
        Over::Between(..) => false,
    }
}
