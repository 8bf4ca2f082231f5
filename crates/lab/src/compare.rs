//! Several runs side by side.
//!
//! Models: a row for each run (for each of its jobs, where it has several), a column for each metric, and what each
//! value is relative to that of the first run.
//! Leaves out: whether a difference means anything; that takes several seeds.

use std::path::PathBuf;

use netloom_records::{RunFolder, Status};
use serde_json::{Map, Value, json};

use crate::error::LabError;
use crate::labels::labels;
use crate::summary::{Distribution, JobSummary, Summary};

/// What the numbers of a column count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// Packets.
    Packets,
}

/// A column.
#[derive(Debug)]
pub struct Metric {
    /// Its name for programs.
    pub key: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What its numbers count.
    pub unit: Unit,
    read: Read,
}

/// Where a metric's value is found.
#[derive(Debug, Clone, Copy)]
enum Read {
    Job(fn(&JobSummary) -> Option<f64>),
    Run(fn(&Summary) -> Option<f64>),
}

const fn of_job(key: &'static str, title: &'static str, read: fn(&JobSummary) -> Option<f64>) -> Metric {
    Metric { key, title, unit: Unit::Seconds, read: Read::Job(read) }
}

const fn of_run(
    key: &'static str,
    title: &'static str,
    unit: Unit,
    read: fn(&Summary) -> Option<f64>,
) -> Metric {
    Metric { key, title, unit, read: Read::Run(read) }
}

/// The columns; FCT is that of background messages, and of queues the longest one is meant.
pub static METRICS: &[Metric] = &[
    of_job("step_mean_s", "step mean", |job| job.step.map(|step| step.mean_s)),
    of_job("step_p95_s", "step p95", |job| job.step.map(|step| step.p95_s)),
    of_job("step_p99_s", "step p99", |job| job.step.map(|step| step.p99_s)),
    of_job("job_time_s", "job time", |job| job.time_s),
    of_run("fct_mean_s", "FCT mean", Unit::Seconds, |run| fct(run).map(|fct| fct.mean_s)),
    of_run("fct_p99_s", "FCT p99", Unit::Seconds, |run| fct(run).map(|fct| fct.p99_s)),
    of_run("peak_hosts_bytes", "host queues", Unit::Bytes, |run| Some(run.queues.hosts.bytes as f64)),
    of_run("peak_switches_bytes", "switch queues", Unit::Bytes, |run| Some(run.queues.switches.bytes as f64)),
    of_run("dropped_packets", "dropped", Unit::Packets, |run| Some(run.drops.packets as f64)),
];

fn fct(run: &Summary) -> Option<Distribution> {
    run.background.as_ref().and_then(|background| background.fct)
}

/// A run to be compared.
#[derive(Debug, Clone)]
pub struct Entry {
    /// What to call it.
    pub name: String,
    /// Its seed.
    pub seed: u64,
    /// How it ended.
    pub status: Status,
    /// Its figures.
    pub summary: Summary,
}

/// One value, and what it is relative to that of the first run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// The value, in the unit of its column.
    pub value: f64,
    /// Value over that of the first run; absent for the first run, and where that has none or zero.
    pub ratio: Option<f64>,
}

/// One row; its cells are in the order of [`METRICS`].
#[derive(Debug, Clone)]
pub struct Row {
    /// The run.
    pub run: String,
    /// Its seed.
    pub seed: u64,
    /// How it ended.
    pub status: Status,
    /// The job, where there is one.
    pub job: Option<String>,
    /// What was measured.
    pub cells: Vec<Option<Cell>>,
}

/// Runs side by side.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Run by run, job by job.
    pub rows: Vec<Row>,
}

/// Compares runs at hand.
pub fn compare(entries: &[Entry]) -> Comparison {
    let Some(first) = entries.first() else { return Comparison { rows: Vec::new() } };
    let rows = entries.iter().enumerate().flat_map(|(number, entry)| {
        let base = (number > 0).then_some(&first.summary);
        (0..entry.summary.jobs.len().max(1)).map(move |job| row(entry, job, base))
    });
    Comparison { rows: rows.collect() }
}

/// Compares run folders.
///
/// # Errors
/// If one of them is no complete run folder, or cannot be read.
pub fn compare_folders(paths: &[PathBuf]) -> Result<Comparison, LabError> {
    let names = labels(paths);
    let entry = |(path, name): (&PathBuf, String)| -> Result<Entry, LabError> {
        let folder = RunFolder::open(path)?;
        let summary = Summary::of_folder(&folder)?;
        let manifest = folder.manifest();
        Ok(Entry { name, seed: manifest.seed, status: manifest.outcome.status, summary })
    };
    let entries: Vec<Entry> = paths.iter().zip(names).map(entry).collect::<Result<_, _>>()?;
    Ok(compare(&entries))
}

fn row(entry: &Entry, job: usize, base: Option<&Summary>) -> Row {
    let cell = |metric: &Metric| {
        let value = metric.value(&entry.summary, job)?;
        let first = base.and_then(|base| metric.value(base, job)).filter(|first| *first > 0.0);
        Some(Cell { value, ratio: first.map(|first| value / first) })
    };
    Row {
        run: entry.name.clone(),
        seed: entry.seed,
        status: entry.status,
        job: entry.summary.jobs.get(job).map(|job| job.name.clone()),
        cells: METRICS.iter().map(cell).collect(),
    }
}

impl Metric {
    /// The value for a job of a run; what belongs to the whole run stands with its first job.
    fn value(&self, run: &Summary, job: usize) -> Option<f64> {
        match self.read {
            Read::Job(read) => run.jobs.get(job).and_then(read),
            Read::Run(read) => {
                if job == 0 {
                    read(run)
                } else {
                    None
                }
            }
        }
    }
}

impl Comparison {
    /// As data for programs.
    pub fn to_json(&self) -> Value {
        Value::Array(self.rows.iter().map(Row::to_json).collect())
    }
}

impl Row {
    fn to_json(&self) -> Value {
        let part = |read: fn(&Cell) -> Option<f64>| -> Map<String, Value> {
            let pairs = METRICS.iter().zip(&self.cells);
            pairs.map(|(metric, cell)| (metric.key.to_owned(), json!(cell.as_ref().and_then(read)))).collect()
        };
        json!({
            "run": self.run,
            "seed": self.seed,
            "status": self.status,
            "job": self.job,
            "values": part(|cell| Some(cell.value)),
            "relative": part(|cell| cell.ratio),
        })
    }
}
