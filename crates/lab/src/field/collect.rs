//! `netloom field collect`: turns the program's results into a folder of measured runs.
//!
//! Models: run folders for each point: the victim in isolation and beside its aggressor, a timed collective, or
//! streams.
//! Leaves out: the contents of a run folder.
//!
//! Invariants: everything is read and checked before anything is written; a point that is not measured, or whose job
//! died, is an error, or is reported as missing if partial results are requested.

use std::fs;
use std::path::PathBuf;

use netloom_records::{Overwrite, Status};
use serde::Serialize;

use super::error::FieldError;
use super::files::PointFolder;
use super::measured_run::{BY, MeasuredRun};
use super::results::{self, Ended, FolderFiles, Reading, Results};
use super::study::{RunKind, Study, StudyPoint};
use crate::cells::write_measured;
use crate::error::{ExitCode, LabError};

/// Maximum number of lines about a network.
const MOST_LINES: usize = 64;

/// What to collect, and the destination.
#[derive(Debug, Clone)]
pub struct Collection {
    /// The folder of the study.
    pub study: PathBuf,
    /// Destination of the run folders.
    pub folder: PathBuf,
    /// Whether points that are not measured are left out, and jobs that died are read up to where they ended.
    pub is_partial: bool,
    /// What to do if runs were collected there before.
    pub overwrite: Overwrite,
    /// The command line, for the manifests.
    pub command: Vec<String>,
}

/// What was collected.
#[derive(Debug, Clone, Serialize)]
pub struct Collected {
    /// The destination.
    pub folder: PathBuf,
    /// Points that were measured.
    pub points: Vec<CollectedPoint>,
    /// What is missing, and why.
    pub missing: Vec<String>,
}

/// A point that was measured.
#[derive(Debug, Clone, Serialize)]
pub struct CollectedPoint {
    /// Its name.
    pub name: String,
    /// Mean time of the victim in isolation, or of the collective.
    pub baseline_s: Option<f64>,
    /// Mean time beside the aggressor.
    pub congested_s: Option<f64>,
    /// Whether iterations are missing.
    pub is_cut: bool,
    /// Reasons to doubt the times.
    pub details: Vec<String>,
}

impl Collected {
    /// The exit code of a command.
    pub fn exit_code(&self) -> ExitCode {
        let is_whole = self.missing.is_empty() && !self.points.iter().any(|point| point.is_cut);
        if is_whole { ExitCode::Good } else { ExitCode::StoppedEarly }
    }
}

/// A point with its results.
pub(super) struct MeasuredPoint<'a> {
    pub point: &'a StudyPoint,
    pub results: Results,
    /// The folder they were read from.
    pub folder: PathBuf,
    /// Remarks about the network, if it was the testbed's.
    pub network: Vec<String>,
}

/// Makes run folders of the results of a study.
///
/// # Errors
/// If there is no study, a point is not measured or its job died and partial results are not requested, nothing is
/// measured at all, a file is malformed, or the folder cannot be used.
pub fn collect(asked: &Collection) -> Result<Collected, LabError> {
    let study = Study::read(&asked.study)?;
    let (mut measured, mut missing, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for point in &study.points {
        match read(asked, point) {
            Ok(Found::Measured(results, folder)) => {
                let network = network(&PointFolder::new(&asked.study, &point.name));
                measured.push(MeasuredPoint { point, results: *results, folder, network });
            }
            Ok(Found::Missing(reason)) => missing.push(format!("{}: {reason}", point.name)),
            Err(error) => errors.push(error.into()),
        }
    }
    if !errors.is_empty() {
        return Err(LabError::several(errors));
    }
    let (n_points, path) = (study.points.len(), asked.study.clone());
    if measured.is_empty() {
        return Err(FieldError::NothingMeasured { n_points, path, missing }.into());
    }
    if !missing.is_empty() && !asked.is_partial {
        return Err(FieldError::NotWhole { n_points, path, missing }.into());
    }
    let runs = runs(&study, &measured, &mut missing)?;
    let source = format!("{} of study {}", asked.study.display(), study.digest);
    write_measured(&asked.folder, BY, &source, &runs, asked.overwrite, &asked.command)?;
    Ok(Collected { folder: asked.folder.clone(), points: points(&runs), missing })
}

/// The results of a point, or why there are none.
enum Found {
    Measured(Box<Results>, PathBuf),
    Missing(String),
}

fn read(asked: &Collection, point: &StudyPoint) -> Result<Found, FieldError> {
    let location = PointFolder::new(&asked.study, &point.name);
    let (result, draft) = (location.result(), location.draft());
    let (folder, has_died) = match (result.exists(), draft.exists()) {
        (true, _) => (result, false),
        (false, true) => (draft, true),
        (false, false) => return Ok(Found::Missing("not measured yet".to_owned())),
    };
    let files = FolderFiles(folder.clone());
    let status = results::status_of(&files, &point.plan);
    let has_failed = has_died || matches!(status, Some(Ended::Failed(_)));
    if has_failed && !asked.is_partial {
        return Ok(Found::Missing(format!("{} ({})", reason(status.as_ref(), has_died), folder.display())));
    }
    // If received data was wrong, the times are invalid.
    if let Some(Ended::Failed(reason)) = &status
        && !has_died
    {
        return Ok(Found::Missing(format!("the program failed: {reason} ({})", folder.display())));
    }
    let reading = if has_failed { Reading::Partial } else { Reading::Strict };
    let found = results::read(&files, &point.plan, reading)?;
    if !found.is_useful() {
        let reason =
            if has_failed { reason(status.as_ref(), has_died) } else { "it reached its deadline".to_owned() };
        return Ok(Found::Missing(format!("{reason}, and no iteration was written ({})", folder.display())));
    }
    Ok(Found::Measured(Box::new(found), folder))
}

/// The lines about the testbed's network, if it ran in one.
fn network(location: &PointFolder) -> Vec<String> {
    let text = fs::read(location.network()).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().take(MOST_LINES).map(str::to_owned).collect()
}

fn reason(status: Option<&Ended>, has_died: bool) -> String {
    match status {
        Some(Ended::Failed(reason)) if has_died => format!("its job died: {reason}"),
        Some(Ended::Failed(reason)) => format!("the program failed: {reason}"),
        _ => "its job died".to_owned(),
    }
}

/// All runs, and what is missing from jobs that died.
fn runs<'a>(
    study: &Study,
    measured: &'a [MeasuredPoint<'a>],
    missing: &mut Vec<String>,
) -> Result<Vec<MeasuredRun<'a>>, LabError> {
    let mut runs = Vec::new();
    for one in measured {
        let MeasuredPoint { point, results, .. } = one;
        for run in &point.runs {
            match MeasuredRun::new(study, one, run)? {
                Some(run) => runs.push(run),
                None => {
                    missing.push(format!(
                        "{}: no iteration of `{}` was finished",
                        point.name,
                        run.kind.word()
                    ));
                }
            }
        }
        missing.extend(results.missing.iter().map(|text| format!("{}: {text}", point.name)));
    }
    Ok(runs)
}

fn points(runs: &[MeasuredRun<'_>]) -> Vec<CollectedPoint> {
    let mut points: Vec<CollectedPoint> = Vec::new();
    for run in runs {
        let name = &run.point().name;
        if points.last().is_none_or(|last| last.name != *name) {
            let (baseline_s, congested_s) = (None, None);
            let (is_cut, details) = (false, Vec::new());
            points.push(CollectedPoint { name: name.clone(), baseline_s, congested_s, is_cut, details });
        }
        let Some(point) = points.last_mut() else { continue };
        let mean_s = run.mean().map(|mean| mean.mean / 1e12);
        match run.kind() {
            RunKind::Congested => point.congested_s = mean_s,
            RunKind::Baseline | RunKind::Latency | RunKind::Streams => point.baseline_s = mean_s,
        }
        let outcome = run.outcome();
        point.is_cut |= outcome.status != Status::Complete;
        for detail in outcome.details {
            if !point.details.contains(&detail) {
                point.details.push(detail);
            }
        }
    }
    points
}
