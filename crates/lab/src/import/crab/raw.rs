//! The layout that the framework writes: `data/SYSTEM/TIME/` with `config.json`, `data_app_N.csv` and
//! `slurm_output.log`.
//!
//! Models: one folder for each job; the programs of a job from its configuration: victims of one size each, one after
//! the other, and at most one aggressor; times of every iteration, of which those of the slowest rank count; the nodes
//! from the log.
//! Leaves out: jobs of other forms, and jobs that did not finish a size: counted by reason. If a job's label
//! contradicts the arguments of its programs, the arguments count.
//!
//! Invariants: of two jobs of one cell the later counts; the baseline is that of the job nearest in time. Both are
//! modelling assumptions, and are reported.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use netloom_records::{Allocation, Measured};
use netloom_scenario::Diagnostics;

use super::jobs::{self, Job, Left};
use super::times::{self, Read, Times};
use super::{BY, facts};
use crate::cells::{At, Cell, CellRun, NONE, is_name};
use crate::error::LabError;
use crate::import::ImportError;
use crate::import::measured::{Measurements, Wanted, called};
use crate::source::Source;
use crate::words;

/// The configuration of a job; a folder with this file is a job.
const CONFIG: &str = "config.json";
const LOG: &str = "slurm_output.log";

/// Folders of jobs, by system; empty if a folder has another layout.
pub(super) fn jobs_in(folder: &Path) -> BTreeMap<String, Vec<PathBuf>> {
    let data = folder.join("data");
    let data = if data.is_dir() { data } else { folder.to_owned() };
    let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for system in folders(&data) {
        let jobs: Vec<PathBuf> =
            folders(&system).into_iter().filter(|job| job.join(CONFIG).is_file()).collect();
        if !jobs.is_empty() {
            found.insert(name(&system), jobs);
        }
    }
    let own: Vec<PathBuf> = folders(&data).into_iter().filter(|job| job.join(CONFIG).is_file()).collect();
    if !own.is_empty() {
        found.entry(name(&fs::canonicalize(&data).unwrap_or(data))).or_default().extend(own);
    }
    found
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

/// The times of one size of one job.
#[derive(Debug)]
struct Taken {
    at: At,
    /// When the job was created.
    when: i64,
    times: Times,
}

/// Everything read so far.
#[derive(Debug, Default)]
pub(super) struct Raws {
    taken: BTreeMap<String, Vec<Taken>>,
    allocations: BTreeMap<String, Vec<(i64, Allocation)>>,
    left: BTreeMap<Left, u64>,
    notes: BTreeSet<String>,
    /// Jobs whose label contradicts the arguments of their programs.
    mislabelled: Vec<String>,
    mistakes: Vec<Diagnostics>,
    errors: Vec<LabError>,
    n_jobs: u64,
}

impl Raws {
    /// Reads the jobs of the selected systems.
    pub fn read(&mut self, jobs: BTreeMap<String, Vec<PathBuf>>, wanted: &[Wanted]) -> Result<(), LabError> {
        for (system, folders) in jobs {
            if called(&system, wanted).is_none() || !is_name(&system) {
                let jobs = words::some(folders.len() as u64, "job");
                self.notes.insert(format!("{jobs} of {system} left out: the system was not selected"));
                self.taken.entry(system).or_default();
                continue;
            }
            for folder in folders {
                self.job(&system, &folder)?;
            }
        }
        Ok(())
    }

    /// The systems of these jobs.
    pub fn systems(&self) -> impl Iterator<Item = &str> + Clone {
        self.taken.keys().map(String::as_str)
    }

    fn job(&mut self, system: &str, folder: &Path) -> Result<(), LabError> {
        self.taken.entry(system.to_owned()).or_default();
        let path = folder.join(CONFIG);
        let job = match jobs::read(&Source::file(&path).read()?) {
            Ok(Ok(job)) => job,
            Ok(Err(left)) => {
                *self.left.entry(left).or_default() += 1;
                return Ok(());
            }
            Err(mistakes) => {
                let name = path.display().to_string();
                self.errors.push(ImportError::Document { name, mistakes }.into());
                return Ok(());
            }
        };
        let Some(when) = jobs::when(&name(folder)) else {
            *self.left.entry(Left::NoTime).or_default() += 1;
            return Ok(());
        };
        if let Some(label) = &job.other_label {
            self.mislabelled.push(format!("{system}/{} (`{label}`)", name(folder)));
        }
        self.n_jobs += 1;
        let mut is_any = false;
        for victim in &job.victims {
            let path = folder.join(format!("data_app_{}.csv", victim.number));
            if !path.is_file() {
                *self.left.entry(Left::NoData).or_default() += 1;
                continue;
            }
            let bytes = Source::file(&path).read()?;
            match times::read(&bytes, &path.display().to_string(), victim) {
                Ok(Read::Times(times)) => {
                    is_any = true;
                    let at = At {
                        nodes: job.nodes,
                        victim: victim.collective.to_owned(),
                        aggressor: job.aggressor.clone(),
                        size: victim.size,
                    };
                    self.taken.entry(system.to_owned()).or_default().push(Taken { at, when, times });
                }
                Ok(Read::Short) => *self.left.entry(Left::Short).or_default() += 1,
                Err(mistakes) => self.mistakes.push(mistakes),
            }
        }
        if is_any {
            self.allocate(system, &job, when, &folder.join(LOG))?;
        }
        Ok(())
    }

    /// Reads the nodes of a job.
    fn allocate(&mut self, system: &str, job: &Job, when: i64, log: &Path) -> Result<(), LabError> {
        let hosts = if log.is_file() { jobs::hosts(&Source::file(log).read()?) } else { None };
        let Some(hosts) = hosts.filter(|hosts| hosts.len() == job.nodes as usize) else {
            *self.left.entry(Left::NoHosts).or_default() += 1;
            return Ok(());
        };
        let aggressor = job.aggressor.as_ref();
        let allocation = Allocation {
            victim: job.victims.first().map(|victim| victim.collective.to_owned()),
            aggressor: Some(aggressor.map_or(NONE, |found| &found.collective).to_owned()),
            bursts: aggressor.and_then(|found| found.bursts).map(|bursts| bursts.map(|span| span.0)),
            hosts,
        };
        self.allocations.entry(system.to_owned()).or_default().push((when, allocation));
        Ok(())
    }

    /// The runs of the selected systems.
    ///
    /// # Errors
    /// All mistakes.
    pub fn finish(mut self, wanted: &[Wanted]) -> Result<Measurements, LabError> {
        if !self.mistakes.is_empty() {
            self.errors.insert(0, ImportError::from(Diagnostics::join(self.mistakes)).into());
        }
        if !self.errors.is_empty() {
            return Err(LabError::several(self.errors));
        }
        let mut notes: Vec<String> = self.notes.into_iter().collect();
        if let Some(first) = self.mislabelled.first() {
            let jobs = words::some(self.mislabelled.len() as u64, "job");
            notes.push(format!(
                "{jobs} with a label that contradicts its programs' arguments, which are used; the first is {first}"
            ));
        }
        notes.extend(self.left.iter().map(|(left, count)| left.words(*count)));
        let source = format!("{} of the framework", words::some(self.n_jobs, "job"));
        let mut runs = Vec::new();
        for (system, taken) in self.taken.into_iter().filter(|(_, taken)| !taken.is_empty()) {
            let Some(called) = called(&system, wanted) else { continue };
            let allocations = latest(self.allocations.remove(&system).unwrap_or_default());
            let (cells, left_out) = cells(taken);
            notes.extend(left_out.into_iter().map(|text| format!("{system}: {text}")));
            let mut facts = facts();
            facts.insert("median".to_owned(), "over the iterations that count".to_owned());
            let assumptions = vec![
                "A cell is that of the latest job that measured it, and its baseline that of the job nearest in time."
                    .to_owned(),
            ];
            let measured = Measured { by: BY.to_owned(), source: source.clone(), facts, allocations };
            runs.push(CellRun { system: called, cells, measured: Some(measured), assumptions });
        }
        if runs.is_empty() {
            return Err(ImportError::Empty(notes.join("; ")).into());
        }
        Ok(Measurements { by: BY, source, runs, notes })
    }
}

/// Of allocations for the same cells the latest; those with bursts first, since those without match any bursts.
fn latest(mut allocations: Vec<(i64, Allocation)>) -> Vec<Allocation> {
    allocations.sort_by_key(|(when, one)| (one.bursts.is_none(), -when));
    allocations.into_iter().map(|(_, one)| one).collect()
}

/// Cells with their baselines, and a report of what was left out.
fn cells(mut taken: Vec<Taken>) -> (Vec<Cell>, Vec<String>) {
    taken.sort_by_key(|one| one.when);
    let mut alone: BTreeMap<At, Vec<(i64, Times)>> = BTreeMap::new();
    let mut last: BTreeMap<At, (i64, Times)> = BTreeMap::new();
    let n_taken = taken.len();
    for Taken { at, when, times } in taken {
        if at.aggressor.is_none() {
            alone.entry(at.clone()).or_default().push((when, times.clone()));
        }
        last.insert(at, (when, times));
    }
    let mut n_unpaired = 0;
    let mut cells = Vec::new();
    let n_kept = last.len();
    for (at, (when, times)) in last {
        let below = At { aggressor: None, ..at.clone() };
        let candidates = alone.get(&below).filter(|_| at.aggressor.is_some());
        let nearest = candidates.and_then(|found| found.iter().min_by_key(|(other, _)| (other - when).abs()));
        n_unpaired += usize::from(at.aggressor.is_some() && nearest.is_none());
        cells.push(Cell {
            at,
            mean: times.mean,
            half_interval: times.half_interval,
            median: Some(times.median),
            steps: times.steps,
            warm_up: times.warm_up,
            baseline: nearest.map(|(_, times)| (times.mean, times.half_interval)),
        });
    }
    let mut left_out = Vec::new();
    if n_taken > n_kept {
        let sizes = words::some((n_taken - n_kept) as u64, "measurement");
        left_out.push(format!("{sizes} left out: a later job measured the same"));
    }
    if n_unpaired > 0 {
        left_out.push(format!("{} without a baseline", words::some(n_unpaired as u64, "cell")));
    }
    (cells, left_out)
}
