//! Many runs at once, a core for each.
//!
//! Models: points (a scenario, changes to it, a seed) spread over cores; their figures in the order of the points.
//! Leaves out: runs that use several threads themselves.
//!
//! Invariants: a point's result is the same as if it had been run alone; results come in the order of the points.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use netloom_engine::Options;
use netloom_records::{Digest, DigestSink, Outcome, Overwrite};
use netloom_scenario::Overrides;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use crate::error::{LabError, check_threads};
use crate::line::store;
use crate::prepare::{Prepared, prepare};
use crate::simulate::simulate;
use crate::source::Source;
use crate::summary::Summary;
use crate::watch::{RunProgress, Watch};

/// One run of a sweep.
#[derive(Debug, Clone)]
pub struct Point {
    /// The scenario.
    pub scenario: Source,
    /// Changes to it, the seed among them.
    pub overrides: Overrides,
    /// Where its run folder goes; `None` keeps nothing but the figures.
    pub folder: Option<PathBuf>,
}

impl Point {
    /// A scenario as it is, of which the figures are kept.
    pub fn new(scenario: Source) -> Point {
        Point { scenario, overrides: Overrides::default(), folder: None }
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

/// What came of a point.
#[derive(Debug, Clone)]
pub struct PointReport {
    /// What the scenario is called.
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
    /// Where its records are, if they were stored.
    pub folder: Option<PathBuf>,
}

/// How far a sweep has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweepProgress {
    /// Points that are done.
    pub finished: usize,
    /// Points there are.
    pub total: usize,
    /// Packets that have crossed a link, in all points together.
    pub hops: u64,
    /// Wall time so far.
    pub elapsed: Duration,
    /// How much is done, from 0 to 1.
    pub share: f64,
}

impl SweepProgress {
    /// Packet-hops per second of wall time.
    pub fn rate(&self) -> f64 {
        self.hops as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// Wall time left if things go on as before.
    pub fn left(&self) -> Option<Duration> {
        let seconds = self.elapsed.as_secs_f64() * (1.0 - self.share) / self.share;
        (self.share > 0.0 && seconds < 1e9).then(|| Duration::from_secs_f64(seconds.max(0.0)))
    }
}

/// Many runs, and how to make them.
#[derive(Clone)]
pub struct Sweep<'a> {
    /// The points.
    pub points: Vec<Point>,
    /// How many at a time; `None` takes all cores.
    pub threads: Option<usize>,
    /// What to do where a complete run is already.
    pub overwrite: Overwrite,
    /// The command line, for the manifests.
    pub command: Vec<String>,
    /// Raised to end all runs; points not begun by then are not run.
    pub stop: Option<&'a AtomicBool>,
    /// Called with the progress, from any thread.
    pub tell: Option<&'a (dyn Fn(&SweepProgress) + Sync)>,
}

impl Default for Sweep<'_> {
    fn default() -> Self {
        Sweep {
            points: Vec::new(),
            threads: None,
            overwrite: Overwrite::Refuse,
            command: Vec::new(),
            stop: None,
            tell: None,
        }
    }
}

/// Runs all points; each has its own result, in their order.
pub fn sweep(sweep: &Sweep<'_>) -> Vec<Result<PointReport, LabError>> {
    let threads = sweep.threads.unwrap_or_else(cores);
    if check_threads(threads).is_err() {
        return sweep.points.iter().map(|_| Err(LabError::Threads(threads))).collect();
    }
    let board = Board::new(sweep);
    let run = || {
        let each = sweep.points.par_iter().enumerate().with_max_len(1);
        each.map(|(number, point)| board.run(number, point)).collect()
    };
    match rayon::ThreadPoolBuilder::new().num_threads(threads.min(sweep.points.len().max(1))).build() {
        Ok(pool) => pool.install(run),
        // Without threads of its own a sweep still runs, one point after the other.
        Err(_) => sweep.points.iter().enumerate().map(|(number, point)| board.run(number, point)).collect(),
    }
}

/// How many threads the machine runs at a time.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// What the points of a sweep share.
struct Board<'a> {
    sweep: &'a Sweep<'a>,
    begun: Instant,
    /// Per point: packet-hops so far, and the share done in millionths.
    hops: Vec<AtomicU64>,
    millionths: Vec<AtomicU64>,
}

const MILLION: f64 = 1e6;

impl<'a> Board<'a> {
    fn new(sweep: &'a Sweep<'a>) -> Board<'a> {
        let zeros = || sweep.points.iter().map(|_| AtomicU64::new(0)).collect();
        Board { sweep, begun: Instant::now(), hops: zeros(), millionths: zeros() }
    }

    fn run(&self, number: usize, point: &Point) -> Result<PointReport, LabError> {
        if self.sweep.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(LabError::NotBegun);
        }
        let prepared = prepare(&point.scenario, &point.overrides)?;
        let mut tell = |progress: &RunProgress| {
            // The last step is not the end: a point counts as done when its records are stored.
            self.note(number, progress.hops, progress.share.unwrap_or(0.0).min(0.99));
        };
        let watch = Watch { stop: self.sweep.stop, tell: Some(&mut tell), observer: None };
        let report = match &point.folder {
            Some(folder) => self.run_into(&prepared, folder.clone(), watch),
            None => run_in_memory(&prepared, watch),
        }?;
        self.note(number, report.summary.hops, 1.0);
        Ok(report)
    }

    fn run_into(
        &self,
        prepared: &Prepared,
        folder: PathBuf,
        watch: Watch<'_>,
    ) -> Result<PointReport, LabError> {
        let command = self.sweep.command.clone();
        let report = store(prepared, folder, self.sweep.overwrite, Options::default(), command, watch)?;
        Ok(PointReport {
            name: report.name,
            seed: report.manifest.seed,
            outcome: report.manifest.outcome,
            summary: report.summary,
            digest: report.manifest.digest,
            wall_time_s: report.manifest.wall_time_s,
            folder: Some(report.folder),
        })
    }

    fn note(&self, number: usize, hops: u64, share: f64) {
        self.hops[number].store(hops, Ordering::Relaxed);
        self.millionths[number].store((share * MILLION) as u64, Ordering::Relaxed);
        let Some(tell) = self.sweep.tell else { return };
        let all = |values: &[AtomicU64]| -> Vec<u64> {
            values.iter().map(|value| value.load(Ordering::Relaxed)).collect()
        };
        let shares = all(&self.millionths);
        let total = shares.len();
        tell(&SweepProgress {
            finished: shares.iter().filter(|&&share| share as f64 >= MILLION).count(),
            total,
            hops: all(&self.hops).iter().sum(),
            elapsed: self.begun.elapsed(),
            share: shares.iter().sum::<u64>() as f64 / MILLION / total as f64,
        });
    }
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
