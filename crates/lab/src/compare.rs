//! Compares several runs side by side.
//!
//! Models: a row for each run (for each of its jobs and stages, where it has several), a column for each metric, and
//! the ratio of each value to that of the baseline; which variant is better, with the interval of the ratio.
//! Leaves out: whether a difference is significant in columns other than step times.

use std::path::PathBuf;

use netloom_records::statistics::Over;
use netloom_records::{RunFolder, Status};
use netloom_report::{AnswerData, ReportedRun};
use serde_json::{Map, Value, json};

use crate::error::LabError;
use crate::reason::{ReasonRequest, RecordedSteps, SecondRunsOf, add_reasons, run_typical_again};
use crate::report::{baseline_of, named};
use crate::study::{compare_with, studies};
use crate::summary::{Distribution, JobSummary, SpanSummary, StageSummary, Summary};
use crate::sweep::{SweepError, SweepState, unfinished_sweeps};

/// The unit of a column's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// Packets.
    Packets,
    /// Bits per second.
    BitsPerSecond,
    /// A share, shown in percent; of links, of the time in which they were transmitting.
    Share,
    /// Dimensionless: an index.
    One,
    /// Squares of bits per second.
    BitsPerSecondSquared,
}

/// A column.
#[derive(Debug)]
pub struct Metric {
    /// Its name for programs.
    pub key: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The unit of its numbers.
    pub unit: Unit,
    read: Read,
}

/// Where a metric's value is read from.
#[derive(Debug, Clone, Copy)]
enum Read {
    Job(fn(&JobSummary) -> Option<f64>),
    Stage(fn(&StageSummary) -> Option<f64>),
    Run(fn(&Summary) -> Option<f64>),
}

const fn of_job(key: &'static str, title: &'static str, read: fn(&JobSummary) -> Option<f64>) -> Metric {
    Metric { key, title, unit: Unit::Seconds, read: Read::Job(read) }
}

const fn of_stage(
    key: &'static str,
    title: &'static str,
    unit: Unit,
    read: fn(&StageSummary) -> Option<f64>,
) -> Metric {
    Metric { key, title, unit, read: Read::Stage(read) }
}

const fn of_run(
    key: &'static str,
    title: &'static str,
    unit: Unit,
    read: fn(&Summary) -> Option<f64>,
) -> Metric {
    Metric { key, title, unit, read: Read::Run(read) }
}

/// The columns; FCT is that of background messages within the span, and queues are the longest ones.
pub static METRICS: &[Metric] = &[
    of_job("step_mean_s", "step mean", |job| job.step.map(|step| step.mean_s)),
    of_job("step_p95_s", "step p95", |job| job.step.map(|step| step.p95_s)),
    of_job("step_p99_s", "step p99", |job| job.step.map(|step| step.p99_s)),
    of_job("job_time_s", "job time", |job| job.time_s),
    of_stage("stage_sum_bps", "sum", Unit::BitsPerSecond, |stage| Some(stage.sum_bps)),
    of_stage("stage_jain", "Jain", Unit::One, |stage| stage.jain),
    of_stage("stage_variance_bps2", "variance", Unit::BitsPerSecondSquared, |stage| {
        Some(stage.variance_bps2)
    }),
    of_run("fct_mean_s", "FCT mean", Unit::Seconds, |run| fct(run).map(|fct| fct.mean_s)),
    of_run("fct_p99_s", "FCT p99", Unit::Seconds, |run| fct(run).map(|fct| fct.p99_s)),
    of_run("peak_hosts_bytes", "host queues", Unit::Bytes, |run| {
        network(run)?.queues.hosts.bytes.map(|bytes| bytes as f64)
    }),
    of_run("peak_switches_bytes", "switch queues", Unit::Bytes, |run| {
        network(run)?.queues.switches.bytes.map(|bytes| bytes as f64)
    }),
    of_run("busiest_link", "busiest link", Unit::Share, |run| network(run).map(|run| run.links.busiest)),
    of_run("late_share", "late", Unit::Share, |run| run.reordering.map(|found| found.late_share)),
    of_run("extent_packets", "late by", Unit::Packets, |run| {
        run.reordering.map(|found| f64::from(found.extent))
    }),
    of_run("held_bytes", "to hold", Unit::Bytes, |run| {
        run.reordering.map(|found| found.buffered_bytes as f64)
    }),
    of_run("dropped_packets", "dropped", Unit::Packets, |run| {
        network(run).map(|run| run.drops.packets as f64)
    }),
];

/// The run, if it has records of its network; runs measured on a machine have none of packets.
fn network(run: &Summary) -> Option<&Summary> {
    run.hops.is_some().then_some(run)
}

fn fct(run: &Summary) -> Option<Distribution> {
    run.background.as_ref().and_then(|background| background.fct)
}

/// A run to be compared.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its seed; absent for a measured run.
    pub seed: Option<u64>,
    /// How it ended.
    pub status: Status,
    /// Its figures.
    pub summary: Summary,
}

/// One value, and its ratio to that of the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// The value, in the unit of its column.
    pub value: f64,
    /// Value over that of the baseline; absent for the baseline itself, and where its value is absent or zero.
    pub ratio: Option<f64>,
}

/// One row; its cells are in the order of [`METRICS`].
#[derive(Debug, Clone)]
pub struct Row {
    /// The run.
    pub run: String,
    /// Its seed; absent for a measured run.
    pub seed: Option<u64>,
    /// How it ended.
    pub status: Status,
    /// The job, where there is one.
    pub job: Option<String>,
    /// The stage, where there is one.
    pub stage: Option<u32>,
    /// The values.
    pub cells: Vec<Option<Cell>>,
}

/// Runs side by side.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    /// Run by run, job by job, then stage by stage.
    pub rows: Vec<Row>,
    /// Runs with background messages, and the part of each that they are taken over.
    pub spans: Vec<(String, SpanSummary)>,
    /// Name of the run that ratios are relative to.
    pub baseline: String,
    /// Which variant is better; absent if there are not several, or none can be compared.
    pub answer: Option<AnswerData>,
    /// The sweeps among the folders that are unfinished.
    pub unfinished: Vec<SweepState>,
    /// A sentence about each unfinished sweep, and about each of which some finished points have no such figures.
    pub notes: Vec<String>,
}

/// The part of a run that a row describes; the first row of a run also has the figures of the whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A run without parts.
    Whole,
    /// The job with this index.
    Job(usize),
    /// The stage with this index.
    Stage(usize),
}

/// The parts of a run, in order.
fn parts(run: &Summary) -> Vec<Part> {
    let n_stages = run.flows.as_ref().map_or(0, |flows| flows.stages.len());
    let jobs = (0..run.jobs.len()).map(Part::Job);
    let parts: Vec<Part> = jobs.chain((0..n_stages).map(Part::Stage)).collect();
    if parts.is_empty() { vec![Part::Whole] } else { parts }
}

/// Compares runs in memory with a run among them; the answer is that of their stored steps.
pub(crate) fn compare(entries: &[Entry], baseline: usize, answer: Option<AnswerData>) -> Comparison {
    let Some(first) = entries.get(baseline) else { return Comparison::default() };
    let rows = entries.iter().enumerate().flat_map(|(number, entry)| {
        let base = (number != baseline).then_some(&first.summary);
        parts(&entry.summary).into_iter().map(move |part| row(entry, part, base))
    });
    let spans = entries.iter().filter(|entry| entry.summary.background.is_some());
    let spans = spans.map(|entry| (entry.name.clone(), entry.summary.span.clone()));
    let (rows, spans) = (rows.collect(), spans.collect());
    Comparison {
        rows,
        spans,
        baseline: first.name.clone(),
        answer,
        unfinished: Vec::new(),
        notes: Vec::new(),
    }
}

/// Compares run folders, or all runs of folders of sweeps and of measured runs, with figures over a part of each; of a
/// sweep without run folders, the figures that it stored. The
/// baseline is a variant or a run by its name; by default that of the sweep, if these are the runs of one, else the first.
/// Runs that recorded causes are explained to say why a variant is better; with a request for reasons, others as well.
/// Points of a sweep that are missing are listed.
///
/// # Errors
/// If one of them is not a complete run folder or cannot be read, an interval is not within it, or there is no such
/// baseline.
pub fn compare_folders(
    folders: &[PathBuf],
    over: Over,
    baseline: Option<&str>,
    reasons: Option<&ReasonRequest<'_>>,
) -> Result<Comparison, LabError> {
    let mut comparison = compare_found(folders, over, baseline, reasons)?;
    comparison.unfinished = unfinished_sweeps(folders)?;
    comparison.notes.extend(comparison.unfinished.iter().map(SweepState::words));
    Ok(comparison)
}

/// Compares what is there.
fn compare_found(
    folders: &[PathBuf],
    over: Over,
    baseline: Option<&str>,
    reasons: Option<&ReasonRequest<'_>>,
) -> Result<Comparison, LabError> {
    if let Some(studies) = studies(folders, over)? {
        if let (Some(_), Some(study)) = (reasons, studies.iter().flatten().next()) {
            return Err(SweepError::NeedsFolders { what: "--why", folder: study.folder.clone() }.into());
        }
        return compare_with(folders, &studies, over, baseline);
    }
    let runs = named(folders);
    let entry = |run: &ReportedRun| -> Result<Entry, LabError> {
        let folder = RunFolder::open(&run.folder)?;
        let summary = Summary::of_folder(&folder, over)?;
        let manifest = folder.manifest();
        Ok(Entry { name: run.name.clone(), seed: manifest.seed, status: manifest.outcome.status, summary })
    };
    let entries: Vec<Entry> = runs.iter().map(entry).collect::<Result<_, _>>()?;
    let baseline = baseline_of(folders, &runs, baseline);
    let mut answer = netloom_report::answer(&runs, over, baseline)?;
    if let Some(answer) = &mut answer {
        let mut recorded = RecordedSteps::new(&runs);
        let again = match reasons {
            Some(request) => run_typical_again(answer, &runs, &mut recorded, request)?,
            None => SecondRunsOf::new(),
        };
        add_reasons(answer, &runs, &mut recorded, &again)?;
    }
    let of_variant = answer.as_ref().map(|answer| answer.variants[answer.baseline].runs[0]);
    let by_name = || runs.iter().position(|run| Some(run.name.as_str()) == baseline);
    let baseline = of_variant.or_else(by_name).unwrap_or(0);
    Ok(compare(&entries, baseline, answer))
}

fn row(entry: &Entry, part: Part, base: Option<&Summary>) -> Row {
    let summary = &entry.summary;
    let cell = |metric: &Metric| {
        let value = metric.value(summary, part)?;
        let first = base.and_then(|base| metric.value(base, part)).filter(|first| *first > 0.0);
        Some(Cell { value, ratio: first.map(|first| value / first) })
    };
    Row {
        run: entry.name.clone(),
        seed: entry.seed,
        status: entry.status,
        job: part.job(summary).map(|job| job.name.clone()),
        stage: part.stage(summary).map(|stage| stage.stage),
        cells: METRICS.iter().map(cell).collect(),
    }
}

impl Part {
    fn job(self, run: &Summary) -> Option<&JobSummary> {
        if let Part::Job(index) = self { run.jobs.get(index) } else { None }
    }

    fn stage(self, run: &Summary) -> Option<&StageSummary> {
        if let Part::Stage(index) = self { run.flows.as_ref()?.stages.get(index) } else { None }
    }
}

impl Metric {
    /// The value for a part of a run; values of the whole run are in the row of its first part.
    fn value(&self, run: &Summary, part: Part) -> Option<f64> {
        match self.read {
            Read::Job(read) => part.job(run).and_then(read),
            Read::Stage(read) => part.stage(run).and_then(read),
            Read::Run(read) if part == parts(run)[0] => read(run),
            Read::Run(_) => None,
        }
    }
}

impl Comparison {
    /// As JSON.
    pub fn to_json(&self) -> Value {
        let span = |row: &Row| self.spans.iter().find(|(run, _)| *run == row.run).map(|(_, span)| span);
        let rows: Vec<Value> = self.rows.iter().map(|row| row.to_json(span(row))).collect();
        let mut value = json!({ "baseline": self.baseline, "answer": self.answer, "rows": rows });
        if !self.notes.is_empty() {
            value["notes"] = json!(self.notes);
        }
        if !self.unfinished.is_empty() {
            value["unfinished"] = json!(self.unfinished);
        }
        value
    }
}

impl Row {
    fn to_json(&self, span: Option<&SpanSummary>) -> Value {
        let part = |read: fn(&Cell) -> Option<f64>| -> Map<String, Value> {
            let pairs = METRICS.iter().zip(&self.cells);
            pairs.map(|(metric, cell)| (metric.key.to_owned(), json!(cell.as_ref().and_then(read)))).collect()
        };
        json!({
            "run": self.run,
            "seed": self.seed,
            "status": self.status,
            "job": self.job,
            "stage": self.stage,
            "span": span,
            "values": part(|cell| Some(cell.value)),
            "relative": part(|cell| cell.ratio),
        })
    }
}
