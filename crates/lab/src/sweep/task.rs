//! A point as an executor gets it, and its result: the same on this machine and on another one.
//!
//! Models: everything that a run needs, as data: the texts of the scenario and of its bases, the changes, the seed, the
//! path of the run folder, and the build that must compute it.
//! Leaves out: who computes it; files of flows, which must be readable under the same path.
//!
//! Invariants: a task is computed by the build that made it and by no other; a finished run in its folder is not computed
//! again, and one that another process is writing there is waited for; whatever goes wrong with a point is an answer, not
//! the end of the sweep.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use netloom_records::{Digest, FolderError, Overwrite, Status};
use netloom_scenario::Overrides;
use serde::{Deserialize, Serialize};

use super::done::finished;
use super::points::{Point, PointReport, RunPoint, run};
use crate::build::BUILD;
use crate::error::{ExitCode, LabError};
use crate::simulation::panic_message;
use crate::source::{Source, SourceText};
use crate::summary::{over, over_name};

/// A worker may still be writing a point of a client that was killed: it is waited for by this multiple of the time that
/// the point is expected to take, and by this number of seconds beyond it.
const WAIT_PER_EXPECTED: f64 = 10.0;
const WAIT_BEYOND_S: f64 = 60.0;
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// What all points of a sweep share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskSettings {
    /// The build that must compute them.
    pub build: String,
    /// The folder of the sweep, absolute; absent if no run folders are kept.
    pub root: Option<PathBuf>,
    /// The part of each run that figures are taken over.
    pub over: String,
    /// The command line, for the manifests.
    pub command: Vec<String>,
    /// Most wall time of a point, in seconds.
    pub limit_s: Option<f64>,
}

/// A point to be computed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PointTask {
    /// Its content address: a digest of scenario, seed and build.
    pub key: Digest,
    /// What it shares with others.
    pub settings: Arc<TaskSettings>,
    /// The texts of its scenario.
    pub source: Arc<SourceText>,
    /// Changes to it.
    pub set: Vec<(String, String)>,
    /// The values of varied paths.
    pub vary: Vec<(String, String)>,
    /// Its seed.
    pub seed: u64,
    /// The digest that its resolved scenario must have, except for the seed.
    pub meaning: Digest,
    /// Its run folder, relative to that of the sweep.
    pub folder: PathBuf,
    /// The wall time it is expected to take, in seconds.
    pub seconds: f64,
    /// The memory it is expected to need, in bytes.
    pub memory_bytes: f64,
}

/// The content address of a point of this build.
pub(super) fn key(meaning: Digest, seed: u64) -> Digest {
    key_of(BUILD, meaning, seed)
}

/// The content address of a point of a build.
pub(super) fn key_of(build: &str, meaning: Digest, seed: u64) -> Digest {
    Digest::of(format!("{build} {meaning} {seed}").as_bytes())
}

/// Why a point has no result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{reason}")]
pub struct PointFailure {
    /// The reason, for users.
    pub reason: String,
    /// Whether the same must be expected of every other point, as of a full disk: the sweep ends.
    pub ends_sweep: bool,
    /// The exit code of a command.
    pub exit_code: u8,
}

/// The result of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PointAnswer {
    /// It is finished.
    Finished {
        /// Its figures.
        report: Box<PointReport>,
        /// Whether its run folder was there already.
        was_there: bool,
    },
    /// It cannot be computed.
    Failed(PointFailure),
    /// It was stopped, or not begun.
    Stopped,
    /// This is another build than the one that made the task.
    OtherBuild {
        /// The build that was to compute it.
        build: String,
    },
}

impl PointFailure {
    /// An error of a point.
    pub fn of(error: &LabError) -> PointFailure {
        let code = error.exit_code();
        PointFailure {
            reason: error.to_string(),
            ends_sweep: code == ExitCode::StoppedEarly,
            exit_code: code as u8,
        }
    }
}

impl PointTask {
    /// Computes it here, below another folder if one is given; `on_progress` is called with packet-hops and the share that
    /// is done.
    pub fn compute(
        &self,
        root: Option<&Path>,
        stop: &AtomicBool,
        on_progress: &mut dyn FnMut(u64, f64),
    ) -> PointAnswer {
        if self.settings.build != BUILD {
            return PointAnswer::OtherBuild { build: BUILD.to_owned() };
        }
        let root = root.or(self.settings.root.as_deref());
        let computing = AssertUnwindSafe(|| self.once_free(|| self.answer(root, stop, on_progress)));
        let answer = catch_unwind(computing)
            .unwrap_or_else(|panic| Err(LabError::Internal(panic_message(panic.as_ref()).to_owned())));
        match answer {
            Ok(answer) => answer,
            Err(LabError::NotBegun) => PointAnswer::Stopped,
            Err(error) => PointAnswer::Failed(PointFailure::of(&error)),
        }
    }

    /// The answer, after a wait for another process that is writing the run folder.
    fn once_free(
        &self,
        mut answer: impl FnMut() -> Result<PointAnswer, LabError>,
    ) -> Result<PointAnswer, LabError> {
        let started = Instant::now();
        let is_late = || started.elapsed().as_secs_f64() > WAIT_BEYOND_S + self.seconds * WAIT_PER_EXPECTED;
        loop {
            let tried = Instant::now();
            match answer() {
                // A try compiles the scenario, so a wait is at least as long as a try.
                Err(LabError::Folder(FolderError::Busy(_))) if !is_late() => {
                    sleep(BETWEEN_LOOKS.max(tried.elapsed()));
                }
                answer => return answer,
            }
        }
    }

    fn answer(
        &self,
        root: Option<&Path>,
        stop: &AtomicBool,
        on_progress: &mut dyn FnMut(u64, f64),
    ) -> Result<PointAnswer, LabError> {
        let over = over(&self.settings.over).map_err(LabError::Internal)?;
        let folder = root.map(|root| root.join(&self.folder));
        if let Some(folder) = &folder
            && let Some(report) = finished(folder, self.meaning, self.seed, over)?
        {
            return Ok(PointAnswer::Finished { report: Box::new(report), was_there: true });
        }
        let limit = self.settings.limit_s.map(Duration::from_secs_f64);
        // A run at the path of a point that is not that point is not needed, so it may be replaced.
        let how = RunPoint {
            overwrite: Overwrite::Replace,
            over,
            command: &self.settings.command,
            stop: Some(stop),
            limit,
        };
        let point = Point {
            scenario: Source::Text(SourceText::clone(&self.source)),
            overrides: Overrides { set: self.set.clone(), vary: self.vary.clone(), seed: Some(self.seed) },
            meaning: Some(self.meaning),
            folder,
        };
        let report = run(&point, &how, on_progress)?;
        let was_stopped = report.outcome.status == Status::Stopped;
        match limit {
            _ if !was_stopped => Ok(PointAnswer::Finished { report: Box::new(report), was_there: false }),
            Some(limit) if !stop.load(Ordering::Relaxed) => Ok(PointAnswer::Failed(PointFailure {
                reason: format!(
                    "it took longer than the limit of {} s, and had simulated {}",
                    limit.as_secs_f64(),
                    crate::words::span(report.summary.simulated_s)
                ),
                ends_sweep: false,
                exit_code: ExitCode::StoppedEarly as u8,
            })),
            _ => Ok(PointAnswer::Stopped),
        }
    }
}

/// The settings of tasks made by this build.
pub(super) fn settings(
    root: Option<PathBuf>,
    over: netloom_records::statistics::Over,
    command: Vec<String>,
    limit: Option<Duration>,
) -> TaskSettings {
    TaskSettings {
        build: BUILD.to_owned(),
        root,
        over: over_name(over),
        command,
        limit_s: limit.map(|limit| limit.as_secs_f64()),
    }
}
