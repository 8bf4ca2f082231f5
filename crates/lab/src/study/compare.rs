//! Points of sweeps without run folders, side by side with each other and with runs.
//!
//! Invariants: points have the names and the order that their run folders would have; a variant is called better only by
//! the means of several seeds that both have.

use std::path::PathBuf;

use netloom_records::statistics::Over;
use netloom_records::{RunFolder, Status};
use netloom_report::{AnswerData, MeansOfRun, ReportError, ReportedRun, Variant, answer_of_means};

use crate::compare::{Comparison, Entry, compare};
use crate::error::LabError;
use crate::labels::labels;
use crate::report::baseline_of;
use crate::runs_in::runs_in;
use crate::summary::Summary;
use crate::sweep::{Study, StudyPoint};

/// Most points of which it is said which variant is better.
const MOST_POINTS: usize = 1_000;

/// Compares the points of these studies with each other and with the runs of the other folders.
///
/// # Errors
/// If a run cannot be read, or there is no such baseline.
pub(crate) fn compare_with(
    folders: &[PathBuf],
    studies: &[Option<Study>],
    over: Over,
    baseline: Option<&str>,
) -> Result<Comparison, LabError> {
    let mut found: Vec<(PathBuf, Option<StudyPoint<'_>>)> = Vec::new();
    for (folder, study) in folders.iter().zip(studies) {
        match study {
            Some(study) => found.extend(study.points().map(|point| (path_of(study, point), Some(point)))),
            None => found.extend(runs_in(folder).into_iter().map(|run| (run, None))),
        }
    }
    let paths: Vec<PathBuf> = found.iter().map(|(path, _)| path.clone()).collect();
    let named = labels(&paths).into_iter().zip(paths);
    let runs: Vec<ReportedRun> = named.map(|(name, folder)| ReportedRun { name, folder }).collect();
    let entries: Vec<Entry> = runs
        .iter()
        .zip(&found)
        .map(|(run, (_, point))| match point {
            Some(point) => Ok(entry_of(run.name.clone(), *point)),
            None => entry_in(run, over),
        })
        .collect::<Result<_, LabError>>()?;
    let alone = match studies {
        [Some(study)] => Some(study),
        _ => None,
    };
    let variants = alone.map(variants).unwrap_or_default();
    let index = baseline_index(folders, &runs, &variants, alone, baseline)?;
    let answer = alone.and_then(|study| answer(study, &runs, variants, index));
    let notes = studies.iter().flatten().filter_map(Study::remark).collect();
    Ok(Comparison { notes, ..compare(&entries, index, answer) })
}

/// The path that the run folder of a point would have.
fn path_of(study: &Study, point: StudyPoint<'_>) -> PathBuf {
    let variant = &study.about.variants[point.variant];
    study.folder.join(&variant.folder).join(format!("seed-{}", point.report.seed))
}

fn entry_of(name: String, point: StudyPoint<'_>) -> Entry {
    let report = point.report;
    Entry { name, seed: Some(report.seed), status: report.outcome.status, summary: report.summary.clone() }
}

fn entry_in(run: &ReportedRun, over: Over) -> Result<Entry, LabError> {
    let folder = RunFolder::open(&run.folder)?;
    let summary = Summary::of_folder(&folder, over)?;
    let manifest = folder.manifest();
    Ok(Entry { name: run.name.clone(), seed: manifest.seed, status: manifest.outcome.status, summary })
}

/// The variants of a study that have points, with the indices of these.
fn variants(study: &Study) -> Vec<Variant> {
    let folders: Vec<PathBuf> = study.about.variants.iter().map(|variant| variant.folder.clone()).collect();
    let mut named: Vec<Variant> =
        labels(&folders).into_iter().map(|name| Variant { name, runs: Vec::new() }).collect();
    for (run, point) in study.points().enumerate() {
        named[point.variant].runs.push(run);
    }
    named.retain(|variant| !variant.runs.is_empty());
    named
}

/// The index of the run that others are compared with.
fn baseline_index(
    folders: &[PathBuf],
    runs: &[ReportedRun],
    variants: &[Variant],
    study: Option<&Study>,
    baseline: Option<&str>,
) -> Result<usize, LabError> {
    let Some(name) = baseline_of(folders, runs, baseline) else { return Ok(0) };
    let named = variants.iter().find(|variant| variant.name == name);
    // As the tables of the sweep name it.
    let of_sweep = || {
        let variants = &study?.about.variants;
        let number = variants.iter().position(|variant| variant.name == name)?;
        study?.points().position(|point| point.variant == number)
    };
    let by_run = || runs.iter().position(|run| run.name == name);
    let found = named.map(|variant| variant.runs[0]).or_else(of_sweep).or_else(by_run);
    let known = || variants.iter().map(|variant| variant.name.clone()).collect();
    Ok(found.ok_or_else(|| ReportError::NoBaseline { name: name.to_owned(), known: known() })?)
}

/// Which variant is better, by the means of each seed.
pub(super) fn answer(
    study: &Study,
    runs: &[ReportedRun],
    variants: Vec<Variant>,
    baseline: usize,
) -> Option<AnswerData> {
    if runs.len() > MOST_POINTS {
        return None;
    }
    let number = variants.iter().position(|variant| variant.runs.contains(&baseline))?;
    let means = |(run, point): (&ReportedRun, StudyPoint<'_>)| {
        let summary = &point.report.summary;
        MeansOfRun {
            name: run.name.clone(),
            seed: point.report.seed,
            is_complete: point.report.outcome.status == Status::Complete,
            jobs: summary
                .jobs
                .iter()
                .map(|job| (job.name.clone(), job.step.map(|step| step.mean_s)))
                .collect(),
            fct_s: summary.background.as_ref().and_then(|background| Some(background.fct?.mean_s)),
        }
    };
    let means: Vec<MeansOfRun> = runs.iter().zip(study.points()).map(means).collect();
    answer_of_means(&means, variants, number)
}

/// The same of a study alone, with its baseline or another variant.
pub(super) fn answer_of(
    study: &Study,
    baseline: Option<&str>,
) -> Result<(Option<AnswerData>, usize), LabError> {
    let paths: Vec<PathBuf> = study.points().map(|point| path_of(study, point)).collect();
    let named = labels(&paths).into_iter().zip(paths);
    let runs: Vec<ReportedRun> = named.map(|(name, folder)| ReportedRun { name, folder }).collect();
    let variants = variants(study);
    let folders = [study.folder.clone()];
    let index = baseline_index(&folders, &runs, &variants, Some(study), baseline)?;
    let number = match baseline {
        Some(_) => study.points().nth(index).map_or(0, |point| point.variant),
        None => study.baseline(),
    };
    Ok((answer(study, &runs, variants, index), number))
}
