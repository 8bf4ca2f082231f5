//! Single scenarios and runs: check, run, and read what was stored.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use netloom_lab::explain::{ExplainRequest, NotAStep, SelectedStep};
use netloom_lab::summary::Summary;
use netloom_lab::{
    Diagnostics, LabError, MemoryLimit, Overwrite, Prepared, RunReport, RunRequest, Source, Style, Watch,
    cost, prepare,
};
use netloom_records::{NameValues, RunFolder, Table, with_names};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::errors::Refused;
use crate::programs::{PythonPrograms, Raised};
use crate::source::{ScenarioSource, json as text_of, over as parsed_over, overrides};
use crate::tables::ArrowTable;
use crate::watched::{detached, watched, watched_with};

/// The result of work, and the exception that stopped it.
pub type Stoppable<T> = (T, Option<Py<PyAny>>);

/// What replaces a complete run that is there already.
pub fn overwrite(replace: bool) -> Overwrite {
    if replace { Overwrite::Replace } else { Overwrite::Refuse }
}

/// Checks a scenario; returns its size, its estimated cost, its warnings, and its resolved text, as JSON.
#[pyfunction]
#[pyo3(signature = (source, set, seed))]
pub fn check(
    py: Python<'_>,
    source: ScenarioSource,
    set: Vec<(String, String)>,
    seed: Option<u64>,
) -> PyResult<String> {
    detached(py, || {
        let prepared = prepare(&source.into(), &overrides(set, seed))?;
        text_of(&checked(&prepared)?)
    })
}

fn checked(prepared: &Prepared) -> Result<Value, LabError> {
    let size = prepared.size();
    Ok(json!({
        "name": prepared.name,
        "hosts": size.hosts,
        "switches": size.switches,
        "links": size.links,
        "jobs": size.jobs,
        "cost": cost(prepared)?,
        "warnings": warnings(&prepared.compiled.warnings),
        "assumptions": prepared.compiled.notes,
        "yaml": prepared.compiled.resolved_yaml,
    }))
}

pub fn warnings(found: &Diagnostics) -> Vec<String> {
    if found.is_empty() { Vec::new() } else { vec![found.render(Style::Plain).trim_end().to_owned()] }
}

/// A limit of memory as a size with its unit.
pub fn parsed_memory_limit(text: Option<&str>) -> Result<Option<MemoryLimit>, Refused> {
    let parse =
        |text| MemoryLimit::parse(text).map_err(|message| Refused::argument("memory_limit", text, &message));
    text.map(parse).transpose()
}

/// Runs a scenario into a folder; returns name, folder, summary and warnings as JSON, and the exception that stopped it.
#[pyfunction]
#[pyo3(signature = (source, set, seed, folder, replace, threads, memory_limit, over, words, on_progress, programs = None))]
pub fn run(
    py: Python<'_>,
    source: ScenarioSource,
    set: Vec<(String, String)>,
    seed: Option<u64>,
    folder: Option<PathBuf>,
    replace: bool,
    threads: Option<usize>,
    memory_limit: Option<&str>,
    over: &str,
    words: Vec<String>,
    on_progress: Option<Py<PyAny>>,
    programs: Option<PythonPrograms>,
) -> PyResult<Stoppable<String>> {
    let over = parsed_over(over)?;
    let memory_limit = parsed_memory_limit(memory_limit)?;
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Raised::default();
    let interrupt = programs.as_ref().map(|programs| programs.interrupt.clone_ref(py));
    let (programs, policies) = programs.map(|programs| programs.made(&stop, &raised)).unzip();
    let source = Source::from(source).with_policies(policies.unwrap_or_default());
    let (report, stopped) = watched_with(py, &stop, on_progress, interrupt.as_ref(), |latest| {
        let mut found = Vec::new();
        let mut warn = |diagnostics: &Diagnostics| found = warnings(diagnostics);
        let mut on_progress = |now: &netloom_lab::RunProgress| latest.run(now);
        let report = netloom_lab::run(RunRequest {
            overrides: overrides(set, seed),
            folder,
            overwrite: overwrite(replace),
            memory_limit,
            threads,
            over,
            command: words,
            watch: Watch { stop: Some(&stop), on_progress: Some(&mut on_progress), ..Watch::default() },
            programs,
            warn: Some(&mut warn),
            ..RunRequest::new(source)
        })?;
        Ok::<_, LabError>((report, found))
    })?;
    // Without the folder, whose name need not be text.
    let (RunReport { name, summary, .. }, warnings) = report;
    let text = text_of(&json!({ "name": name, "summary": summary, "warnings": warnings }))?;
    let stopped = stopped.or_else(|| raised.take());
    Ok((text, stopped.map(|error| error.into_value(py).into_any())))
}

/// Opens a run folder; an error if it is none, or incomplete.
fn opened(folder: &Path) -> Result<RunFolder, Refused> {
    Ok(RunFolder::open(folder).map_err(LabError::from)?)
}

/// The manifest of a run folder, as JSON.
#[pyfunction]
pub fn manifest(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    detached(py, || text_of(opened(&folder)?.manifest()))
}

/// Checks that the tables of a run folder are those that its manifest states.
#[pyfunction]
pub fn verify(py: Python<'_>, folder: PathBuf) -> PyResult<()> {
    detached(py, || {
        opened(&folder)?;
        netloom_lab::check(&folder)?;
        Ok(())
    })
}

/// The figures of a run over a part of it, as JSON.
#[pyfunction]
pub fn summary(py: Python<'_>, folder: PathBuf, over: &str) -> PyResult<String> {
    let over = parsed_over(over)?;
    detached(py, || text_of(&Summary::of_folder(&opened(&folder)?, over)?))
}

/// Explains a step of a run; returns the explanation as JSON, and the exception that stopped it.
#[pyfunction]
#[pyo3(signature = (folder, job, step, threads, on_progress))]
pub fn explain(
    py: Python<'_>,
    folder: PathBuf,
    job: Option<String>,
    step: &str,
    threads: usize,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Stoppable<String>> {
    let step: SelectedStep =
        step.parse().map_err(|error: NotAStep| Refused::argument("step", step, &error.to_string()))?;
    let stop = AtomicBool::new(false);
    let (found, stopped) = watched(py, &stop, on_progress, |latest| {
        let mut on_progress = |now: &netloom_lab::RunProgress| latest.run(now);
        let watch = Watch { stop: Some(&stop), on_progress: Some(&mut on_progress), ..Watch::default() };
        netloom_lab::explain::explain(&folder, ExplainRequest { job, step, threads, watch })
    })?;
    Ok((text_of(&found)?, stopped.map(|error| error.into_value(py).into_any())))
}

/// The run folders below a folder: those of a sweep, in its order; else the folder itself.
#[pyfunction]
pub fn runs_in(py: Python<'_>, folder: PathBuf) -> PyResult<Vec<(String, PathBuf)>> {
    detached(py, || Ok(netloom_lab::named_runs(&[folder])))
}

/// A table as it is stored: ids, picoseconds, bytes.
#[pyfunction]
pub fn stored_table(py: Python<'_>, folder: PathBuf, table: &str) -> PyResult<ArrowTable> {
    let table = known(table)?;
    detached(py, || Ok(ArrowTable::new(opened(&folder)?.whole(table).map_err(LabError::from)?)))
}

/// A table with names instead of ids, and units in the names of its columns.
#[pyfunction]
pub fn named_table(py: Python<'_>, folder: PathBuf, table: &str) -> PyResult<ArrowTable> {
    let table = known(table)?;
    detached(py, || {
        let folder = opened(&folder)?;
        let names = NameValues::of(&folder).map_err(LabError::from)?;
        let stored = folder.whole(table).map_err(LabError::from)?;
        Ok(ArrowTable::new(with_names(&stored, table.spec(), &names)))
    })
}

fn known(table: &str) -> Result<Table, Refused> {
    let names = || Table::ALL.iter().map(|table| table.name()).collect::<Vec<_>>().join(", ");
    Table::from_name(table)
        .ok_or_else(|| Refused::argument("table", table, &format!("expected one of {}", names())))
}
