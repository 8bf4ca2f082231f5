//! The pipeline: compile, simulate, store.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use netloom_engine::Options;
use netloom_model::{Job, Phase};
use netloom_records::statistics::Over;
use netloom_records::{FolderError, FolderSink, Manifest, Overwrite};
use netloom_scenario::{Diagnostics, Overrides};

use crate::error::{ExitCode, LabError, check_threads};
use crate::export::alone::name as algorithm_name;
use crate::live::{self, Serve};
use crate::manifest::run_summary;
use crate::memory::{MemoryLimit, check_memory};
use crate::names::safe_name;
use crate::prepare::{Prepared, prepare};
use crate::programs::Programs;
use crate::simulate::simulate;
use crate::source::Source;
use crate::spread::cores;
use crate::summary::{Summary, taken_over};
use crate::watch::Watch;
use crate::words;

/// Most threads of a run if their number is not given.
const MOST_BY_ITSELF: usize = 16;

/// A request for a run: the scenario, how it is run, and where its records go.
pub struct RunRequest<'a> {
    /// The scenario.
    pub scenario: Source,
    /// Changes to it, the seed among them.
    pub overrides: Overrides,
    /// The path of the run folder; `out/<name of the scenario>` by default.
    pub folder: Option<PathBuf>,
    /// Whether a complete run that is there already may be replaced.
    pub overwrite: Overwrite,
    /// The most memory that it may be expected to need; `None` for that of this machine.
    pub memory_limit: Option<MemoryLimit>,
    /// Number of threads; no result depends on it. `None` chooses by the size of the fabric.
    pub threads: Option<usize>,
    /// The part of the run that figures are taken over.
    pub over: Over,
    /// The command line, for the manifest.
    pub command: Vec<String>,
    /// Observers of the run.
    pub watch: Watch<'a>,
    /// Whether and where it is shown live.
    pub live: Option<Serve<'a>>,
    /// Programs that supply operations.
    pub programs: Option<Programs>,
    /// Called before the run with the settings that have no effect, if there are any.
    pub warn: Option<&'a mut (dyn FnMut(&Diagnostics) + 'a)>,
}

impl RunRequest<'_> {
    /// A run without observers, into the folder of its name.
    pub fn new(scenario: Source) -> Self {
        RunRequest {
            scenario,
            overrides: Overrides::default(),
            folder: None,
            overwrite: Overwrite::Refuse,
            memory_limit: None,
            threads: None,
            over: Over::Jobs,
            command: Vec::new(),
            watch: Watch::default(),
            live: None,
            programs: None,
            warn: None,
        }
    }
}

/// The result of a run.
#[derive(Debug, Clone)]
pub struct RunReport {
    /// The name of the scenario.
    pub name: String,
    /// Where its records are.
    pub folder: PathBuf,
    /// The manifest in its folder.
    pub manifest: Manifest,
    /// Its figures.
    pub summary: Summary,
    /// The collectives of each communication phase, by job and phase.
    pub collectives: BTreeMap<(usize, u16), String>,
}

impl RunReport {
    /// Bus bandwidths of a job as nccl-tests report them, in bytes per second: of each collective, over all its phases.
    pub fn bandwidths(&self, job: usize) -> Vec<(String, f64)> {
        let mut found: Vec<(String, [f64; 2])> = Vec::new();
        let phases = self.summary.jobs.get(job).map_or(&[][..], |job| &job.phases);
        for phase in phases {
            let name = self.collectives.get(&(job, phase.phase)).cloned().unwrap_or_default();
            let seconds = phase.time.map_or(0.0, |time| time.mean_s * time.count as f64);
            let index = found.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
                found.push((name, [0.0, 0.0]));
                found.len() - 1
            });
            let [bytes, time] = &mut found[index].1;
            (*bytes, *time) = (*bytes + phase.busbw * seconds, *time + seconds);
        }
        let over_time = |[bytes, time]: [f64; 2]| if time > 0.0 { bytes / time } else { 0.0 };
        found.into_iter().map(|(name, sums)| (name, over_time(sums))).collect()
    }

    /// The same with figures over a part of the run.
    pub(crate) fn over(self, over: Over) -> Result<RunReport, LabError> {
        let summary = taken_over(&self.folder, over, self.summary)?;
        Ok(RunReport { summary, ..self })
    }

    /// The exit code for how it ended.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::of(&self.manifest.outcome)
    }
}

/// Runs a scenario from its text to its run folder.
///
/// The folder is complete and records how the run ended, whatever the outcome.
///
/// # Errors
/// If the scenario has errors, the folder cannot be written, or figures are requested over an interval that is not
/// within the run; what was recorded is stored even then.
pub fn run(request: RunRequest<'_>) -> Result<RunReport, LabError> {
    let mut prepared = prepare(&request.scenario, &request.overrides)?;
    if let Some(programs) = request.programs {
        prepared = prepared.with_programs(programs)?;
    }
    prepared.check_programs()?;
    let warnings = &prepared.compiled.warnings;
    if let Some(warn) = request.warn.filter(|_| !warnings.is_empty()) {
        warn(warnings);
    }
    check_memory(&prepared, request.memory_limit)?;
    let folder = request.folder.unwrap_or_else(|| default_folder(&prepared.name));
    let threads = request.threads.unwrap_or_else(|| fitting_threads(&prepared));
    let options = Options { threads, ..Options::default() };
    let destination = folder.clone();
    let line =
        |watch: Watch<'_>| store(&prepared, destination, request.overwrite, options, request.command, watch);
    let report = match request.live {
        None => line(request.watch),
        Some(serve) => live::around(&prepared, &folder, serve, request.watch, line),
    }?;
    report.over(request.over)
}

/// Number of threads by the size of the fabric: a window is shared among threads only where that is faster, so more
/// threads than a window has work for cost little, yet small fabrics never have enough work for several.
pub(crate) fn fitting_threads(prepared: &Prepared) -> usize {
    const HOSTS_PER_THREAD: usize = 128;
    cores().min(prepared.n_hosts() as usize / HOSTS_PER_THREAD).clamp(1, MOST_BY_ITSELF)
}

/// The pipeline after compilation, with figures over the whole run.
pub(crate) fn store(
    prepared: &Prepared,
    folder: PathBuf,
    overwrite: Overwrite,
    options: Options,
    command: Vec<String>,
    watch: Watch<'_>,
) -> Result<RunReport, LabError> {
    check_threads(options.threads)?;
    let mut sink = FolderSink::create(&folder, prepared.names(), overwrite)?;
    let simulated = simulate(prepared, &mut sink, options, watch)?;
    let finished = sink.finish(run_summary(prepared, &simulated, options.threads, command));
    let manifest = finished.map_err(not_stored)?;
    let collectives = collectives(&prepared.compiled.model.workload.jobs);
    Ok(RunReport { name: prepared.name.clone(), folder, manifest, summary: simulated.summary, collectives })
}

/// The names of the collectives of each phase, with their size where all have the same.
fn collectives(jobs: &[Job]) -> BTreeMap<(usize, u16), String> {
    let phases = jobs.iter().enumerate().flat_map(|(job, of)| {
        of.phases.iter().zip(0_u16..).map(move |(phase, number)| ((job, number), phase))
    });
    phases.filter_map(|(index, phase)| Some((index, collectives_of(phase)?))).collect()
}

/// The names of the collectives of a phase, with their size where all have the same.
fn collectives_of(phase: &Phase) -> Option<String> {
    let Phase::Communicate { buckets, .. } = phase else { return None };
    let all = || buckets.iter().flat_map(|bucket| &bucket.collectives);
    let mut names: Vec<&str> = Vec::new();
    for name in all().filter_map(|found| algorithm_name(found.algorithm)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let size = all().next().map(|first| first.size).filter(|size| all().all(|found| found.size == *size));
    let size = size.map(|size| format!(" {}", words::size(size.0 as f64)));
    (!names.is_empty()).then(|| names.join(" + ") + &size.unwrap_or_default())
}

/// The name of a phase: its collectives, or its kind.
pub(crate) fn phase_name(phase: &Phase) -> String {
    let kind = match phase {
        Phase::Compute { .. } => "compute",
        Phase::Communicate { .. } => "collectives",
        Phase::PointToPoint(_) => "point_to_point",
        Phase::Pipeline(_) => "pipeline",
        Phase::Barrier => "barrier",
        Phase::Program => "program",
    };
    collectives_of(phase).unwrap_or_else(|| kind.to_owned())
}

/// A system error at the end, such as a full disk, is reported like one during the run.
pub(crate) fn not_stored(error: FolderError) -> LabError {
    match error {
        FolderError::Io { .. } | FolderError::Parquet { .. } => LabError::Storing(error.into()),
        error => LabError::Folder(error),
    }
}

/// The default folder of a run; its name is safe on every system.
fn default_folder(name: &str) -> PathBuf {
    let safe = safe_name(name);
    Path::new("out").join(if safe.is_empty() { "scenario" } else { &safe })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_folder_of_any_name_is_inside_out() {
        assert_eq!(default_folder("ecmp"), Path::new("out/ecmp"));
        assert_eq!(default_folder("two jobs, one fabric"), Path::new("out/two-jobs--one-fabric"));
        assert_eq!(default_folder("../../etc"), Path::new("out/-..-etc"));
        assert_eq!(default_folder(".."), Path::new("out/scenario"));
    }
}
