//! The results of a sweep: means over seeds of each variant, and its differences from the baseline.
//!
//! Models: means over seeds with 95 % confidence intervals (Student's t); paired differences: seed by seed from the
//! baseline, so that common variation cancels out.
//! Leaves out: corrections for multiple comparisons.
//!
//! Invariants: seeds that one of the two variants lacks are left out of a difference.

use std::collections::BTreeMap;
use std::path::PathBuf;

use netloom_records::{Digest, Status};
use netloom_report::AnswerData;
use serde::Serialize;

use super::bisect::ThresholdReport;
use super::keep::Keep;
use super::make::{Done, FailedPoint, step_times};
use super::plan::{Grid, Plan};
use super::rounds::{Known, Precision};
use crate::error::{ExitCode, LabError};
use crate::report::named;
use crate::sample::Sample;
use crate::summary::{BackgroundSummary, JobSummary, StageSummary, over_name};

/// A mean over seeds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mean {
    /// The mean, in seconds.
    pub mean_s: f64,
    /// Half of its 95 % confidence interval, in seconds; absent for a single seed.
    pub half_s: Option<f64>,
}

/// How a mean step time differs from that of the baseline, seed by seed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// Number of seeds that both have.
    pub seeds: usize,
    /// Mean of the differences; negative where this variant is faster.
    #[serde(flatten)]
    pub mean: Mean,
    /// The mean step time of the baseline over these seeds, in seconds.
    pub base_s: f64,
}

/// One job of a variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JobReport {
    /// Its name.
    pub name: String,
    /// Number of seeds with a step time.
    pub seeds: usize,
    /// Mean step time.
    pub step: Option<Mean>,
    /// Mean over seeds of the 95th percentile of its steps, in seconds.
    pub step_p95_s: Option<f64>,
    /// Mean over seeds of the 99th percentile of its steps, in seconds.
    pub step_p99_s: Option<f64>,
    /// Mean job time in seconds, over the seeds in which it finished.
    pub time_s: Option<f64>,
    /// Difference from the baseline; absent for that one.
    pub difference: Option<Difference>,
}

/// The background traffic of a variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BackgroundReport {
    /// Number of seeds in which a message arrived.
    pub seeds: usize,
    /// Mean completion time.
    pub fct: Mean,
    /// Mean over seeds of the 99th percentile of completion times, in seconds.
    pub fct_p99_s: f64,
    /// Mean over seeds of the mean slowdown; absent if no message has an ideal time.
    pub slowdown_mean: Option<f64>,
    /// Mean over seeds of the 99th percentile of slowdowns.
    pub slowdown_p99: Option<f64>,
}

/// One stage of the staged flows of a variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageReport {
    /// Its number, from 0.
    pub stage: u32,
    /// Number of seeds that have it.
    pub seeds: usize,
    /// Mean over seeds of the sum of its flows' throughputs, in bit/s.
    pub sum_bps: f64,
    /// Half the 95 % confidence interval of that; absent for a single seed.
    pub sum_half_bps: Option<f64>,
    /// Mean over seeds of Jain's index of these throughputs; absent if all are zero.
    pub jain: Option<f64>,
    /// Mean over seeds of the variance of these throughputs, in (bit/s)^2.
    pub variance_bps2: f64,
}

/// One variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariantReport {
    /// Its name.
    pub name: String,
    /// Number of finished points.
    pub points: usize,
    /// Those of them whose run did not complete its work.
    pub unfinished: usize,
    /// Whether every job's mean has the requested precision; absent if none was requested.
    pub precise: Option<bool>,
    /// Job by job.
    pub jobs: Vec<JobReport>,
    /// Stage by stage; empty without staged flows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageReport>,
    /// Background messages; absent if none arrived.
    pub background: Option<BackgroundReport>,
}

/// The result of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GridReport {
    /// Its folder.
    pub folder: PathBuf,
    /// Digest of its plan.
    pub plan: Digest,
    /// Number of points, as far as known so far.
    pub total: usize,
    /// Points run by this call.
    pub made: usize,
    /// Points that were stored already.
    pub kept: usize,
    /// Points that have no result.
    pub failed: Vec<FailedPoint>,
    /// What a search for thresholds found, by combination of the other values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub thresholds: Vec<ThresholdReport>,
    /// The part of each run over which background messages are reported: `jobs`, `all`, or an interval.
    pub over: String,
    /// Packet-hops of all finished points.
    pub hops: u64,
    /// Variant by variant.
    pub variants: Vec<VariantReport>,
    /// Index of the variant that others are compared with.
    pub baseline: usize,
    /// Which variant is better; absent if there are not several, or none can be compared.
    pub answer: Option<AnswerData>,
    /// The exit code of a command.
    #[serde(skip)]
    exit_code: ExitCode,
}

impl GridReport {
    pub(super) fn new(
        plan: &Plan,
        grid: &Grid<'_>,
        done: &[Done],
        failed: Vec<FailedPoint>,
        total: usize,
    ) -> Result<GridReport, LabError> {
        let points = |variant: usize| {
            let first = done.partition_point(|point| point.variant < variant);
            let end = done.partition_point(|point| point.variant <= variant);
            &done[first..end]
        };
        let report = |number: usize| {
            let base = (number != plan.baseline).then(|| points(plan.baseline));
            VariantReport::new(&plan.variants[number].name, plan.until, points(number), base)
        };
        let worst = done.iter().map(|point| ExitCode::of(&point.report.outcome)).max();
        let n_missing = total.saturating_sub(done.len() + failed.len());
        let stopped = if n_missing > 0 { ExitCode::StoppedEarly } else { ExitCode::Good };
        let failure = failed.iter().map(|point| ExitCode::from_number(point.exit_code)).max();
        Ok(GridReport {
            folder: grid.folder.clone(),
            plan: plan.digest,
            total,
            made: done.iter().filter(|point| !point.kept).count(),
            kept: done.iter().filter(|point| point.kept).count(),
            over: over_name(grid.over),
            failed,
            thresholds: Vec::new(),
            hops: done.iter().filter_map(|point| point.report.summary.hops).sum(),
            variants: (0..plan.variants.len()).map(report).collect(),
            baseline: plan.baseline,
            answer: answer(plan, grid, done)?,
            exit_code: worst.into_iter().chain(failure).fold(stopped, ExitCode::max),
        })
    }

    /// Number of points that were not computed.
    pub fn n_missing(&self) -> usize {
        self.total.saturating_sub(self.made + self.kept + self.failed.len())
    }

    /// The exit code of a command: the worst of its runs, also accounting for missing points.
    pub fn exit_code(&self) -> ExitCode {
        self.exit_code
    }

    /// The variants whose means do not have the requested precision.
    pub fn imprecise(&self) -> impl Iterator<Item = &VariantReport> {
        self.variants.iter().filter(|variant| variant.precise == Some(false))
    }
}

/// Which variant is better, by the stored steps.
fn answer(plan: &Plan, grid: &Grid<'_>, done: &[Done]) -> Result<Option<AnswerData>, LabError> {
    if plan.keep != Keep::Folders {
        return Ok(None);
    }
    let folder =
        |point: &Done| grid.folder.join(plan.variants[point.variant].point_folder(point.report.seed));
    let folders: Vec<PathBuf> = done.iter().map(folder).collect();
    let runs = named(&folders);
    let of_baseline = done.iter().position(|point| point.variant == plan.baseline);
    let name = of_baseline.map(|index| runs[index].name.as_str());
    Ok(netloom_report::answer(&runs, grid.over, name)?)
}

impl VariantReport {
    pub(super) fn new(
        name: &str,
        until: Option<Precision>,
        points: &[Done],
        base: Option<&[Done]>,
    ) -> VariantReport {
        let times = step_times(points);
        let is_known = |precision: Precision| {
            !times.is_empty() && times.iter().all(|times| precision.judge(times) == Known::Well)
        };
        let is_unfinished = |point: &&Done| point.report.outcome.status != Status::Complete;
        let job = |job: usize| JobReport::new(job, points, base);
        VariantReport {
            name: name.to_owned(),
            points: points.len(),
            unfinished: points.iter().filter(is_unfinished).count(),
            precise: until.map(is_known),
            jobs: (0..times.len()).map(job).collect(),
            stages: StageReport::all(points),
            background: BackgroundReport::new(points),
        }
    }
}

impl BackgroundReport {
    fn new(points: &[Done]) -> Option<BackgroundReport> {
        let values = |read: fn(&BackgroundSummary) -> Option<f64>| -> Vec<f64> {
            points.iter().filter_map(|point| read(point.report.summary.background.as_ref()?)).collect()
        };
        let mean = |read: fn(&BackgroundSummary) -> Option<f64>| Some(Sample::of(&values(read))?.mean);
        let times = values(|background| Some(background.fct?.mean_s));
        Some(BackgroundReport {
            seeds: times.len(),
            fct: Mean::of(&times)?,
            fct_p99_s: mean(|background| Some(background.fct?.p99_s))?,
            slowdown_mean: mean(|background| Some(background.slowdown.as_ref()?.all.mean)),
            slowdown_p99: mean(|background| Some(background.slowdown.as_ref()?.all.p99)),
        })
    }
}

impl StageReport {
    /// The stages of a variant, in order.
    fn all(points: &[Done]) -> Vec<StageReport> {
        let mut by_stage: BTreeMap<u32, Vec<&StageSummary>> = BTreeMap::new();
        let staged = points.iter().filter_map(|point| point.report.summary.flows.as_ref());
        for stage in staged.flat_map(|flows| &flows.stages) {
            by_stage.entry(stage.stage).or_default().push(stage);
        }
        by_stage.into_values().filter_map(|stages| StageReport::new(&stages)).collect()
    }

    fn new(stages: &[&StageSummary]) -> Option<StageReport> {
        let sample = |read: fn(&StageSummary) -> Option<f64>| {
            Sample::of(&stages.iter().filter_map(|stage| read(stage)).collect::<Vec<f64>>())
        };
        let sum = sample(|stage| Some(stage.sum_bps))?;
        Some(StageReport {
            stage: stages.first()?.stage,
            seeds: stages.len(),
            sum_bps: sum.mean,
            sum_half_bps: sum.confidence(),
            jain: sample(|stage| stage.jain).map(|sample| sample.mean),
            variance_bps2: sample(|stage| Some(stage.variance_bps2))?.mean,
        })
    }
}

impl JobReport {
    fn new(job: usize, points: &[Done], base: Option<&[Done]>) -> JobReport {
        let values = |read: fn(&JobSummary) -> Option<f64>| -> Vec<f64> {
            points.iter().filter_map(|point| read(point.report.summary.jobs.get(job)?)).collect()
        };
        let mean = |read: fn(&JobSummary) -> Option<f64>| Sample::of(&values(read)).map(|sample| sample.mean);
        let steps = values(step_mean);
        JobReport {
            name: points[0].report.summary.jobs[job].name.clone(),
            seeds: steps.len(),
            step: Mean::of(&steps),
            step_p95_s: mean(|job| Some(job.step?.p95_s)),
            step_p99_s: mean(|job| Some(job.step?.p99_s)),
            time_s: mean(|job| job.time_s),
            difference: base.and_then(|base| Difference::of(job, points, base)),
        }
    }
}

impl Mean {
    fn of(values: &[f64]) -> Option<Mean> {
        let sample = Sample::of(values)?;
        Some(Mean { mean_s: sample.mean, half_s: sample.confidence() })
    }
}

impl Difference {
    fn of(job: usize, points: &[Done], base: &[Done]) -> Option<Difference> {
        let name = &points[0].report.summary.jobs[job].name;
        let (mut differences, mut bases) = (Vec::new(), Vec::new());
        for point in points {
            // Both are sorted by seed.
            let seed = point.report.seed;
            let Ok(location) = base.binary_search_by_key(&seed, |other| other.report.seed) else { continue };
            let jobs = &base[location].report.summary.jobs;
            let Some(other) = counterpart(jobs, name, job) else { continue };
            let here = step_mean(&point.report.summary.jobs[job]);
            if let (Some(here), Some(there)) = (here, step_mean(other)) {
                differences.push(here - there);
                bases.push(there);
            }
        }
        let base_s = Sample::of(&bases)?.mean;
        Some(Difference { seeds: differences.len(), mean: Mean::of(&differences)?, base_s })
    }
}

/// The job of the same name, or with the same index if no name matches.
fn counterpart<'a>(jobs: &'a [JobSummary], name: &str, location: usize) -> Option<&'a JobSummary> {
    jobs.iter().find(|job| job.name == name).or_else(|| jobs.get(location))
}

fn step_mean(job: &JobSummary) -> Option<f64> {
    Some(job.step?.mean_s)
}
