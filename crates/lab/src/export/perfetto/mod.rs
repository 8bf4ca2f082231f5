//! A run as a timeline that the public Perfetto viewer opens.
//!
//! Models: a process for each job (its steps, its collectives, a thread for each recorded rank), counters of the NICs,
//! and faults; one module per part, and `trace` for what they share.
//! Leaves out: messages and packets, which are too many for a viewer.
//!
//! Invariants: one pass over each table, in bounded memory; packets are in order of time, and the order is total.
//!
//! Source: the format is Perfetto's (`schema`); the choice of tracks is a modelling assumption.

mod faults;
mod jobs;
mod lanes;
mod ports;
mod ranks;
mod schema;
mod sorted;
mod trace;

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use netloom_records::Overwrite;
use netloom_units::Time;
use serde::Serialize;

use self::jobs::Jobs;
use self::trace::Trace;
use super::location::refused;
use super::{ExportError, NewFile, alone};
use crate::error::LabError;
use crate::show::Recorded;

/// Contents of a written trace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TraceReport {
    /// Path of the file.
    pub file: PathBuf,
    /// Number of jobs.
    pub processes: u64,
    /// Number of ranks with recorded steps.
    pub threads: u64,
    /// Number of counters.
    pub counters: u64,
    /// Number of slices on all tracks.
    pub slices: u64,
    /// Number of instants on all tracks.
    pub instants: u64,
    /// Number of values of all counters.
    pub values: u64,
}

/// Writes the timeline of a run folder; if no file is named, next to the folder.
///
/// # Errors
/// If the folder is no complete run or cannot be read, or recorded nothing with a time; if a file is there and may not
/// be replaced; if the operating system reports an error.
pub fn perfetto(folder: &Path, file: Option<&Path>, overwrite: Overwrite) -> Result<TraceReport, LabError> {
    let run = Recorded::open(folder)?;
    let location = file.map_or_else(|| default_location(folder), |file| Ok(file.to_owned()))?;
    let mut file = NewFile::create(&location, overwrite)?;
    let trace = trace_of(&run, &file.backup_path())?;
    let report = trace.write(&mut file)?;
    file.finish()?;
    Ok(TraceReport { file: location, ..report })
}

fn trace_of(run: &Recorded, backup: &Path) -> Result<Trace, LabError> {
    // Only the scenario describes the collectives.
    let prepared = alone::scenario_of(&run.folder)?;
    let workload = &prepared.compiled.model.workload;
    let mut trace = Trace::new(Time(run.folder.manifest().simulated_ps), backup);
    let mut jobs = Jobs::of(run, &mut trace)?;
    jobs.add_steps(run, &mut trace)?;
    jobs.add_collectives(run, workload, &mut trace)?;
    ranks::add(run, workload, &mut jobs, &mut trace)?;
    ports::add(run, &mut trace)?;
    faults::add(run, &mut trace)?;
    if trace.is_empty() {
        return Err(ExportError::NoTimeline(run.folder.path().to_owned()).into());
    }
    Ok(trace)
}

/// `RUN.perfetto-trace`, next to the folder.
fn default_location(folder: &Path) -> Result<PathBuf, ExportError> {
    // The last part of `..` is not a name.
    let named = match folder.file_name() {
        Some(_) => folder.to_owned(),
        None => fs::canonicalize(folder).map_err(refused(folder))?,
    };
    let mut name = named.file_name().unwrap_or_default().to_owned();
    name.push(".perfetto-trace");
    Ok(named.with_file_name(name))
}
