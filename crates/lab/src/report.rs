//! One HTML file about some runs, or their figures as text.

use std::path::{Path, PathBuf};

use netloom_records::Overwrite;
use netloom_records::statistics::Over;
use netloom_report::panel_data::Report;
use netloom_report::{ReportedRun, check_overwrite, read, write};

use crate::check::check_run;
use crate::error::LabError;
use crate::explain::page_data;
use crate::labels::labels;
use crate::reason::{ReasonRequest, RecordedSteps, SecondRunsOf, add_reasons, run_again_for_page};
use crate::runs_in::runs_in;
use crate::study::{self, only_study, threshold_data};
use crate::sweep::{SweepError, SweepState, plan_in, study_in, unfinished_sweeps};
use crate::text::{self, Look};

/// What is made of a report.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReportOutputs<'a> {
    /// The page: one HTML file.
    pub page: Option<(&'a Path, Overwrite)>,
    /// The text for a terminal: the data of the page's panels, in characters.
    pub text: Option<Look>,
}

/// Reports on these run folders, or all runs of these sweeps, with the names that [`crate::compare`] gives, with figures
/// over a part of each; runs that recorded causes are explained to say why a variant is better, with a request for
/// reasons others as well. Of a sweep without run folders, which must be alone, the page has what the sweep stored. Returns
/// the text, if it is wanted.
///
/// # Errors
/// If one of them is not a complete run folder, was altered or cannot be read, an interval is not within it, no variant
/// has the name of the baseline, a run that is explained was stopped, or the page cannot be written.
pub fn report(
    folders: &[PathBuf],
    over: Over,
    baseline: Option<&str>,
    reasons: Option<&ReasonRequest<'_>>,
    outputs: ReportOutputs<'_>,
) -> Result<Option<String>, LabError> {
    if let Some((file, overwrite)) = outputs.page {
        check_overwrite(file, overwrite)?;
    }
    if let Some(study) = only_study(folders, over, "a report")? {
        let refused = |what| SweepError::NeedsFolders { what, folder: study.folder.clone() };
        match (reasons, outputs.text, outputs.page) {
            (Some(_), ..) => return Err(refused("--why").into()),
            (None, Some(_), _) => return Err(refused("--text").into()),
            (None, None, page) => page.map(|page| study::page(&study, over, baseline, page)).transpose()?,
        };
        return Ok(None);
    }
    let reported = read_report(folders, over, baseline, reasons)?;
    if let Some((file, overwrite)) = outputs.page {
        write(&reported, file, overwrite)?;
    }
    let said: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    Ok(outputs.text.map(|look| text::report(&reported, &said, look)))
}

/// The data of the report.
///
/// # Errors
/// As [`report`], without those of the page.
pub fn read_report(
    folders: &[PathBuf],
    over: Over,
    baseline: Option<&str>,
    reasons: Option<&ReasonRequest<'_>>,
) -> Result<Report, LabError> {
    // A page is shown to others, and figures of damaged rows would be believed. Checking takes a fifth of the time.
    named(folders).iter().try_for_each(|run| check_run(&run.folder).map(drop))?;
    Ok(read_and_explain(folders, over, baseline, reasons)?.0)
}

/// The data of the report, and what was found by running runs again. Whether runs were altered is not checked.
///
/// # Errors
/// As [`read_report`] otherwise.
pub(crate) fn read_and_explain(
    folders: &[PathBuf],
    over: Over,
    baseline: Option<&str>,
    reasons: Option<&ReasonRequest<'_>>,
) -> Result<(Report, SecondRunsOf), LabError> {
    let runs = named(folders);
    let mut reported = read(&runs, over)?;
    reported.remarks = unfinished_sweeps(folders)?.iter().map(SweepState::words).collect();
    if let Some(name) = baseline_of(folders, &runs, baseline) {
        reported.choose_baseline(name)?;
    }
    if let [folder] = folders {
        reported.thresholds = study_in(folder).as_ref().and_then(threshold_data);
    }
    let mut recorded = RecordedSteps::new(&runs);
    reported.why = recorded.by_job()?;
    let again = match reasons {
        Some(request) => run_again_for_page(reported.answer.as_ref(), &runs, &mut recorded, request)?,
        None => SecondRunsOf::new(),
    };
    let explained = again.iter().filter_map(|(run, found)| Some(page_data(*run, found.as_ref().ok()?)));
    reported.explained = explained.filter(|found| !found.is_empty()).collect();
    if let Some(answer) = &mut reported.answer {
        add_reasons(answer, &runs, &mut recorded, &again)?;
    }
    Ok((reported, again))
}

/// The name of the baseline: the one that was asked for, by its name or by its folder in a sweep; else a run of that of
/// the sweep, if these are the runs of one.
pub(crate) fn baseline_of<'a>(
    folders: &[PathBuf],
    runs: &'a [ReportedRun],
    wanted: Option<&'a str>,
) -> Option<&'a str> {
    let of_sweep = || {
        let [folder] = folders else { return None };
        let plan = plan_in(folder)?;
        let below = folder.join(plan.get("baseline")?.as_str()?);
        runs.iter().find(|run| run.folder.starts_with(&below)).map(|run| run.name.as_str())
    };
    let of_point = |wanted: &'a str| {
        let is_point = |run: &&ReportedRun| run.folder.iter().any(|part| part == wanted);
        let is_name = runs.iter().any(|run| run.name == wanted);
        runs.iter().find(is_point).filter(|_| !is_name).map_or(wanted, |run| run.name.as_str())
    };
    wanted.map(of_point).or_else(of_sweep)
}

/// The runs of these folders, those of a sweep in place of its folder, each with its name.
pub fn named_runs(folders: &[PathBuf]) -> Vec<(String, PathBuf)> {
    named(folders).into_iter().map(|run| (run.name, run.folder)).collect()
}

/// The runs of these folders, those of a sweep in place of its folder, with the names that [`crate::compare`] gives.
pub(crate) fn named(folders: &[PathBuf]) -> Vec<ReportedRun> {
    let folders: Vec<PathBuf> = folders.iter().flat_map(|folder| runs_in(folder)).collect();
    let named = labels(&folders).into_iter().zip(&folders);
    named.map(|(name, folder)| ReportedRun { name, folder: folder.clone() }).collect()
}
