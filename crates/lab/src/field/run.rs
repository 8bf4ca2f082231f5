//! `netloom field run`: measures the plans of a prepared study on this machine.
//!
//! Models: the plans are measured one after the other; points that are measured are skipped, so the same command
//! continues after an interruption.
//! Leaves out: clusters, which use `run.sh` and `job.slurm` of the prepared folder.
//!
//! Invariants: measured data is never overwritten: a result of a job that died or failed is set aside.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use netloom_records::Marker;
use serde::Serialize;

use super::error::FieldError;
use super::files::{PointFolder, RUNNING_FILE, RUNNING_TEXT};
use super::mpi::{self, Launcher, Mpi};
use super::network::Network;
use super::process::{self, Ending, command_text};
use super::results::{Ended, FolderFiles, status_of};
use super::study::{Study, StudyPoint};
use crate::error::{ExitCode, LabError};

/// Suffixes of results that are set aside: received data was wrong, or the job died.
const FAILED: &str = "failed";
const DIED: &str = "died";

/// What to measure, and how.
pub struct FieldRun<'a> {
    /// The folder of the study.
    pub study: PathBuf,
    /// The MPI library; `None` takes the one that is installed.
    pub mpi: Option<Mpi>,
    /// The launcher with its options, without the number of ranks and the program.
    pub launcher: Option<String>,
    /// The program; `None` builds it.
    pub program: Option<PathBuf>,
    /// The network in which it runs; `None` is this machine.
    pub network: Option<Network>,
    /// Set to stop early.
    pub stop: Option<&'a AtomicBool>,
    /// Called for each event.
    pub report: &'a mut dyn FnMut(&FieldEvent<'_>),
}

/// An event of a measurement.
#[derive(Debug)]
pub enum FieldEvent<'a> {
    /// The program is being built.
    Building,
    /// A point has been measured before.
    Kept {
        /// Name of the point.
        point: &'a str,
        /// Whether it was ended by its deadline.
        is_cut: bool,
    },
    /// A result of a job that died or failed was set aside.
    IncompleteResultMoved {
        /// Its new path.
        path: &'a Path,
    },
    /// The measurement of a point begins.
    Begin {
        /// Name of the point.
        point: &'a str,
        /// Its number, from 1.
        number: usize,
        /// Number of points.
        total: usize,
        /// Its number of ranks.
        ranks: usize,
        /// The command line.
        command: &'a str,
    },
    /// A point is being measured.
    Running {
        /// Name of the point.
        point: &'a str,
        /// Number of points that are done, those before this command included.
        done: usize,
        /// Number of points.
        total: usize,
        /// Time since its beginning.
        elapsed: Duration,
        /// Expected time until all points are done, estimated from those before.
        left: Option<Duration>,
    },
    /// The measurement of a point has ended.
    End {
        /// How it ended.
        status: &'a str,
        /// Its duration.
        elapsed: Duration,
    },
}

/// Summary of a measurement.
#[derive(Debug, Clone, Serialize)]
pub struct FieldReport {
    /// The folder of the study.
    pub folder: PathBuf,
    /// Number of points.
    pub total: usize,
    /// Points measured by this command.
    pub measured: usize,
    /// Points measured before.
    pub kept: usize,
    /// Points ended by a deadline.
    pub cut: usize,
    /// Points whose received data was wrong.
    pub wrong: usize,
    /// Whether it was stopped.
    pub is_stopped: bool,
}

impl FieldReport {
    /// The exit code of a command.
    pub fn exit_code(&self) -> ExitCode {
        if self.wrong > 0 {
            ExitCode::CheckFailed
        } else if self.is_stopped || self.cut > 0 {
            ExitCode::StoppedEarly
        } else {
            ExitCode::Good
        }
    }
}

/// Measures the points of a study that are not measured yet.
///
/// # Errors
/// If there is no study, a tool is missing, the program cannot be built, or a point could not be measured.
pub fn run(mut asked: FieldRun<'_>) -> Result<FieldReport, LabError> {
    let study = Study::read(&asked.study)?;
    // A launcher may start ranks in another folder.
    asked.study = asked.study.canonicalize().map_err(FieldError::io("find the folder", &asked.study))?;
    check_plans(&asked.study, &study)?;
    let marker = Marker::set(&asked.study, RUNNING_FILE, RUNNING_TEXT)?;
    let measured = measure_all(asked, &study);
    marker.lift()?;
    measured
}

/// Refuses edited plans: their results would not belong to the study.
fn check_plans(folder: &Path, study: &Study) -> Result<(), LabError> {
    let is_edited = |point: &&StudyPoint| {
        let path = PointFolder::new(folder, &point.name).plan();
        fs::read_to_string(path).ok() != Some(point.plan.to_string())
    };
    let edited = study.points.iter().filter(is_edited);
    let errors: Vec<LabError> =
        edited.map(|point| FieldError::Edited(PointFolder::new(folder, &point.name).plan()).into()).collect();
    if errors.is_empty() { Ok(()) } else { Err(LabError::several(errors)) }
}

fn measure_all(mut asked: FieldRun<'_>, study: &Study) -> Result<FieldReport, LabError> {
    let mut report = FieldReport {
        folder: asked.study.clone(),
        total: study.points.len(),
        measured: 0,
        kept: 0,
        cut: 0,
        wrong: 0,
        is_stopped: false,
    };
    let left = left(&mut asked, study, &mut report);
    if left.is_empty() {
        return Ok(report);
    }
    let launcher = Launcher::find(asked.mpi, asked.launcher.as_deref())?;
    let Some(program) = program(&mut asked, &launcher)? else {
        report.is_stopped = true;
        return Ok(report);
    };
    let begin = Instant::now();
    for (number, point) in left {
        let measurement = Measurement {
            point,
            folder: PointFolder::new(&asked.study, &point.name),
            number,
            begin,
            report: report.clone(),
        };
        match measurement.run(&mut asked, &launcher, &program)? {
            None => {
                report.is_stopped = true;
                return Ok(report);
            }
            Some(Ended::Complete) => {}
            Some(Ended::Deadline) => report.cut += 1,
            Some(Ended::Failed(_)) => report.wrong += 1,
        }
        report.measured += 1;
    }
    Ok(report)
}

/// Points that are not measured yet, with their numbers; the others are counted and reported.
fn left<'a>(
    asked: &mut FieldRun<'_>,
    study: &'a Study,
    report: &mut FieldReport,
) -> Vec<(usize, &'a StudyPoint)> {
    let mut left = Vec::new();
    for (number, point) in (1..).zip(&study.points) {
        let result = PointFolder::new(&asked.study, &point.name).result();
        match status_of(&FolderFiles(result), &point.plan) {
            Some(status @ (Ended::Complete | Ended::Deadline)) => {
                let is_cut = status == Ended::Deadline;
                report.kept += 1;
                report.cut += usize::from(is_cut);
                (asked.report)(&FieldEvent::Kept { point: &point.name, is_cut });
            }
            _ => left.push((number, point)),
        }
    }
    left
}

/// The path of the program, built if necessary; `None` if the build was stopped.
fn program(asked: &mut FieldRun<'_>, launcher: &Launcher) -> Result<Option<String>, FieldError> {
    let path = if let Some(program) = &asked.program {
        if !program.is_file() {
            return Err(FieldError::NoProgram(program.clone()));
        }
        program.clone()
    } else {
        (asked.report)(&FieldEvent::Building);
        match mpi::build(&asked.study, launcher, asked.stop)? {
            Some(program) => program,
            None => return Ok(None),
        }
    };
    // A launcher may start it from another folder.
    let path = path.canonicalize().map_err(FieldError::io("find the program", &path))?;
    Ok(Some(path.display().to_string()))
}

/// A point that is being measured.
struct Measurement<'a> {
    point: &'a StudyPoint,
    folder: PointFolder,
    number: usize,
    /// Start of the first point of this command.
    begin: Instant,
    /// Summary of the points before.
    report: FieldReport,
}

impl Measurement<'_> {
    /// Runs it to its end; `None` if it was stopped.
    fn run(
        &self,
        asked: &mut FieldRun<'_>,
        launcher: &Launcher,
        program: &str,
    ) -> Result<Option<Ended>, LabError> {
        rename_away(&self.folder, FAILED, asked)?;
        rename_away(&self.folder, DIED, asked)?;
        let (words, notes) = self.words(asked, launcher, program)?;
        self.write_notes(&notes)?;
        let (name, command) = (&self.point.name, command_text(&words));
        let (number, total, ranks) = (self.number, self.report.total, self.point.plan.n_ranks());
        (asked.report)(&FieldEvent::Begin { point: name, number, total, ranks, command: &command });
        let log = self.folder.log();
        fs::write(&log, format!("{command}\n")).map_err(FieldError::io("write the file", &log))?;
        let begin = Instant::now();
        let done = self.report.kept + self.report.measured;
        let expected = self.expected();
        let report = &mut asked.report;
        let ending = process::run(&words, &log, launcher.mpi.packages(), asked.stop, |elapsed| {
            let left = expected.map(|expected| expected.saturating_sub(elapsed));
            report(&FieldEvent::Running { point: name, done, total, elapsed, left });
        })?;
        let Ending::Exited(status) = ending else { return Ok(None) };
        let ended = status_of(&FolderFiles(self.folder.result()), &self.point.plan);
        let is_refused = ended == Some(Ended::Complete) && !status.success();
        let Some(ended) = ended.filter(|_| !is_refused) else {
            // The testbed found that messages did not cross the network.
            let (point, tail) = (name.clone(), process::tail(&log));
            if is_refused {
                rename_away(&self.folder, FAILED, asked)?;
            }
            return Err(FieldError::NotMeasured { point, how: status.to_string(), tail }.into());
        };
        let text = match &ended {
            Ended::Complete => "complete".to_owned(),
            Ended::Deadline => "ended by its deadline".to_owned(),
            Ended::Failed(reason) => format!("failed: {reason}"),
        };
        (asked.report)(&FieldEvent::End { status: &text, elapsed: begin.elapsed() });
        Ok(Some(ended))
    }

    /// The command line, and remarks about the network.
    fn words(
        &self,
        asked: &FieldRun<'_>,
        launcher: &Launcher,
        program: &str,
    ) -> Result<(Vec<String>, Vec<String>), LabError> {
        let text = |path: PathBuf| path.display().to_string();
        let (plan, result) = (text(self.folder.plan()), text(self.folder.result()));
        let started = [program.to_owned(), plan, "--out".to_owned(), result];
        match asked.network {
            Some(network) => network.command(self.point, &self.folder.scenario(), launcher, &started),
            None => Ok((launcher.command(self.point.plan.n_ranks(), &started), Vec::new())),
        }
    }

    /// Writes remarks about the network, or removes those of an earlier one.
    fn write_notes(&self, notes: &[String]) -> Result<(), FieldError> {
        let path = self.folder.network();
        if !notes.is_empty() {
            return fs::write(&path, notes.join("\n") + "\n")
                .map_err(FieldError::io("write the file", &path));
        }
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(FieldError::io("remove the file", &path)(error))
            }
            _ => Ok(()),
        }
    }

    /// Expected time of this point and those after it, from the mean of those that this command has measured.
    fn expected(&self) -> Option<Duration> {
        let FieldReport { total, measured, kept, .. } = self.report;
        let mean = self.begin.elapsed().checked_div(u32::try_from(measured).ok()?)?;
        mean.checked_mul(u32::try_from(total - kept - measured).ok()?)
    }
}

/// Renames an earlier result, with a suffix and a free number, together with the log of its launcher.
fn rename_away(folder: &PointFolder, word: &str, asked: &mut FieldRun<'_>) -> Result<(), FieldError> {
    let path = if word == DIED { folder.draft() } else { folder.result() };
    if !path.exists() {
        return Ok(());
    }
    let named = |number: u32| path.with_file_name(format!("result.{word}-{number}"));
    let number = (1..u32::MAX).find(|number| !named(*number).exists()).unwrap_or(u32::MAX);
    let rename = |from: &Path, to: &Path| {
        fs::rename(from, to).map_err(FieldError::io("set aside an earlier result", from))
    };
    rename(&path, &named(number))?;
    if folder.log().exists() {
        rename(&folder.log(), &path.with_file_name(format!("log.{word}-{number}.txt")))?;
    }
    (asked.report)(&FieldEvent::IncompleteResultMoved { path: &named(number) });
    Ok(())
}
