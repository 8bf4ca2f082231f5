//! Several runs: sweeps, comparisons, reports, figures, papers.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use netloom_lab::compare::compare_folders;
use netloom_lab::figures::{Format, Wanted};
use netloom_lab::reproduce::{Paper, ReproduceError, Request};
use netloom_lab::sweep::{
    Bisection, Design, Executor, Grid, Keep, Precision, Sampling, Strategy, Variation, grid,
    point_limit as point_limit_of,
};
use netloom_lab::{AnswerData, Diagnostics, LabError, ReportOutputs, Seeds, SweepProgress};
use pyo3::prelude::*;
use serde_json::json;

use crate::cluster::{ExecutorArgument, PythonExecutor};
use crate::errors::Refused;
use crate::results::{Stoppable, overwrite, parsed_memory_limit, warnings};
use crate::source::{ScenarioSource, json as text_of, over as parsed_over};
use crate::strategy::{PythonStrategy, StrategyArgument};
use crate::watched::{detached, watched};

/// An argument in the form of the command line.
fn parsed<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, Refused>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|error: T::Err| Refused::argument(name, text, &error.to_string()))
}

/// Runs scenarios in all combinations of varied values; returns the report as JSON, warnings, and the exception
/// that stopped it.
#[pyfunction]
#[pyo3(signature = (scenarios, folder, set, vary, sample, bisect, strategy, seeds, until_ci, keep, point_limit, memory_limit, executor, force, threads, baseline, over, words, on_progress))]
pub fn sweep(
    py: Python<'_>,
    scenarios: Vec<ScenarioSource>,
    folder: PathBuf,
    set: Vec<(String, String)>,
    vary: Vec<String>,
    sample: Option<(u32, String, u64)>,
    bisect: Option<&str>,
    strategy: Option<StrategyArgument>,
    seeds: Option<&str>,
    until_ci: Option<&str>,
    keep: &str,
    point_limit: Option<&str>,
    memory_limit: Option<&str>,
    executor: Option<ExecutorArgument>,
    force: bool,
    threads: Option<usize>,
    baseline: Option<String>,
    over: &str,
    words: Vec<String>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<(String, Vec<String>, Option<Py<PyAny>>)> {
    let vary = vary.iter().map(|text| parsed::<Variation>("vary", text)).collect::<Result<Vec<_>, _>>()?;
    let sampling = sample.map(|(points, design, seed)| {
        parsed::<Design>("design", &design).map(|design| Sampling { points, design, seed })
    });
    let sampling = sampling.transpose()?;
    let bisection = bisect.map(|text| parsed::<Bisection>("bisect", text)).transpose()?;
    let strategy = strategy.map(PythonStrategy::from);
    let strategy = strategy.as_ref().map(|strategy| strategy as &dyn Strategy);
    let seeds = seeds.map(|text| parsed::<Seeds>("seeds", text)).transpose()?;
    let until = until_ci.map(|text| parsed::<Precision>("until_ci", text)).transpose()?;
    let keep = parsed::<Keep>("keep", keep)?;
    let limit =
        |text| point_limit_of(text).map_err(|message| Refused::argument("point_limit", text, &message));
    let point_limit = point_limit.map(limit).transpose()?;
    let memory_limit = parsed_memory_limit(memory_limit)?;
    let executor = executor.map(PythonExecutor::from);
    let executor = executor.as_ref().map(|executor| executor as &dyn Executor);
    let over = parsed_over(over)?;
    let found = Mutex::new(Vec::new());
    let warn = |diagnostics: &Diagnostics| {
        if let Ok(mut found) = found.lock() {
            found.extend(warnings(diagnostics));
        }
    };
    let stop = AtomicBool::new(false);
    let (report, stopped) = watched(py, &stop, on_progress, |latest| {
        let on_progress = |now: &SweepProgress| latest.sweep(now);
        grid(&Grid {
            scenarios: scenarios.into_iter().map(Into::into).collect(),
            set,
            vary,
            sampling,
            bisection,
            strategy,
            seeds,
            until,
            folder,
            keep,
            point_limit,
            memory_limit,
            executor,
            force,
            threads,
            baseline,
            over,
            command: words,
            stop: Some(&stop),
            on_progress: Some(&on_progress),
            warn: Some(&warn),
        })
    })?;
    let found = found.into_inner().unwrap_or_default();
    Ok((text_of(&report)?, found, stopped.map(|error| error.into_value(py).into_any())))
}

/// Compares runs; returns the comparison as JSON, and the sentences of its answer, reasons marked.
#[pyfunction]
pub fn compare(
    py: Python<'_>,
    folders: Vec<PathBuf>,
    over: &str,
    baseline: Option<&str>,
) -> PyResult<(String, Vec<(bool, String)>)> {
    let over = parsed_over(over)?;
    detached(py, || {
        let comparison = compare_folders(&folders, over, baseline, None)?;
        let sentences = comparison.answer.iter().flat_map(AnswerData::sentences);
        let sentences = sentences.map(|said| (said.is_reason, said.text.to_owned())).collect();
        Ok((text_of(&comparison.to_json())?, sentences))
    })
}

/// Writes the report about runs as one page.
#[pyfunction]
pub fn report(
    py: Python<'_>,
    folders: Vec<PathBuf>,
    file: PathBuf,
    over: &str,
    baseline: Option<&str>,
    replace: bool,
) -> PyResult<()> {
    let over = parsed_over(over)?;
    detached(py, || {
        let outputs = ReportOutputs { page: Some((&file, overwrite(replace))), text: None };
        netloom_lab::report(&folders, over, baseline, None, outputs)?;
        Ok(())
    })
}

/// Writes figures about runs; returns each with its data, and those without data with the reason.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "lists of names, paths and reasons")]
pub fn figures(
    py: Python<'_>,
    folders: Vec<PathBuf>,
    output: PathBuf,
    format: &str,
    dots_per_inch: Option<u32>,
    width_mm: f64,
    over: &str,
    replace: bool,
) -> PyResult<(Vec<(PathBuf, PathBuf)>, Vec<(String, String)>)> {
    let over = parsed_over(over)?;
    if !Format::WORDS.contains(&format) {
        let expected = format!("expected one of {}", Format::WORDS.join(", "));
        return Err(Refused::argument("format", format, &expected).into());
    }
    let width = width_mm.to_string();
    let width_mm = netloom_lab::figures::width(&width)
        .map_err(|message| Refused::argument("width_mm", &width, &message))?;
    detached(py, || {
        let format = Format::of(format, dots_per_inch).map_err(LabError::from)?;
        let wanted = Wanted { format, width_mm, over, overwrite: overwrite(replace) };
        let made = netloom_lab::figures::figures(&folders, &output, wanted)?;
        let drawn = made.figures.into_iter().map(|figure| (figure.picture, figure.data)).collect();
        let left_out = made.left_out.into_iter().map(|left| (left.name.to_owned(), left.reason));
        Ok((drawn, left_out.collect()))
    })
}

/// Runs the scenarios of a paper and checks its claims; returns the table as text, the counts as JSON, and the exception
/// that stopped it.
#[pyfunction]
#[pyo3(signature = (paper, folder, seeds, check, full, only, threads, on_progress))]
pub fn reproduce(
    py: Python<'_>,
    paper: &str,
    folder: PathBuf,
    seeds: Option<&str>,
    check: bool,
    full: bool,
    only: Vec<String>,
    threads: Option<usize>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Stoppable<(String, String, String)>> {
    let seeds = seeds.map(|text| parsed::<Seeds>("seeds", text)).transpose()?;
    let stop = AtomicBool::new(false);
    let (done, stopped) = watched(py, &stop, on_progress, |latest| {
        let on_progress = |now: &SweepProgress| latest.sweep(now);
        let report = netloom_lab::reproduce::reproduce(
            Paper::open(paper)?,
            &Request {
                seeds,
                check,
                stored: None,
                full,
                store: Some(&folder),
                only,
                threads,
                stop: Some(&stop),
                on_progress: Some(&on_progress),
            },
        )?;
        report.write(&folder)?;
        Ok::<_, ReproduceError>((
            report.table(),
            report.tally(),
            report.is_as_recorded(),
            report.differences(),
        ))
    })?;
    let (table, tally, is_as_recorded, differences) = done;
    let counts = text_of(&json!({ "tally": tally, "is_as_recorded": is_as_recorded }))?;
    Ok(((table, counts, differences), stopped.map(|error| error.into_value(py).into_any())))
}
