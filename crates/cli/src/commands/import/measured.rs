//! `netloom import crab`, `osu` and `nccl-tests`: write a folder of measured runs.

use std::path::{Path, PathBuf};

use netloom_lab::import::{self, Measurements, Options};
use netloom_lab::{ExitCode, LabError, Over, Overwrite, ReportOutputs, Source};

use crate::arguments::{Beside, Crab, IntoFolder, NcclTests, Osu};
use crate::commands::run::command_line;
use crate::output::Output;

/// Imports results of the framework behind the congestion paper.
pub fn crab(arguments: &Crab, output: &mut Output) -> Result<ExitCode, LabError> {
    let found = import::crab(&arguments.folders, &arguments.system)?;
    finish(&found, &arguments.into, output)
}

/// Imports latencies of the OSU micro-benchmarks.
pub fn osu(arguments: &Osu, output: &mut Output) -> Result<ExitCode, LabError> {
    let found = import::osu(&arguments.files, &options(arguments.ranks, &arguments.beside)?)?;
    finish(&found, &arguments.into, output)
}

/// Imports times of nccl-tests.
pub fn nccl_tests(arguments: &NcclTests, output: &mut Output) -> Result<ExitCode, LabError> {
    let found = import::nccl_tests(&arguments.files, &options(arguments.ranks, &arguments.beside)?)?;
    finish(&found, &arguments.into, output)
}

fn options(ranks: Option<u32>, beside: &Beside) -> Result<Options, LabError> {
    let hosts = match &beside.hosts_file {
        Some(path) => import::hosts_of(&String::from_utf8_lossy(&Source::file(path).read()?)),
        None => Vec::new(),
    };
    Ok(Options { ranks, collective: beside.collective.clone(), system: beside.system.clone(), hosts })
}

/// Writes the measured runs, and prints their folders and notes.
fn finish(found: &Measurements, into: &IntoFolder, output: &mut Output) -> Result<ExitCode, LabError> {
    let overwrite = if into.force { Overwrite::Replace } else { Overwrite::Refuse };
    let locations = found.write(&into.output, overwrite, &command_line())?;
    for (location, (_, cells)) in locations.iter().zip(found.counts()) {
        output.line(format!("{}: {}", location.display(), netloom_lab::words::some(cells as u64, "cell")));
    }
    for note in &found.notes {
        output.note(format!("  note: {note}"));
    }
    if !into.beside.is_empty() {
        let page = page(&into.output);
        let runs: Vec<PathBuf> = locations.into_iter().chain(into.beside.iter().cloned()).collect();
        let outputs = ReportOutputs { page: Some((&page, overwrite)), text: None };
        netloom_lab::report(&runs, Over::Jobs, None, None, outputs)?;
        output.line(format!("report {}", page.display()));
    }
    Ok(ExitCode::Good)
}

/// The report beside the folder, since the folder contains only runs.
fn page(folder: &Path) -> PathBuf {
    let mut name = folder.components().as_path().as_os_str().to_owned();
    name.push(".html");
    PathBuf::from(name)
}
