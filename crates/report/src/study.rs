//! A sweep as a study of its values: means over seeds of each variant, curves over the varied values, and thresholds.
//!
//! Models: what a sweep keeps without run folders; the same data are drawn by the page (`web/src/study.ts`) and by figures.
//! Leaves out: how means and thresholds are computed, which the sweep does.
//!
//! Invariants: a missing number is absent, never zero; points that failed or are missing are counted, never hidden.

use serde::Serialize;

use crate::answer::AnswerData;
use crate::error::ReportError;
use crate::page::page;

/// A sweep.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudyData {
    /// The name of its folder.
    pub name: String,
    /// The names of its scenarios.
    pub scenarios: Vec<String>,
    /// Version of netloom that computed it.
    pub netloom: String,
    /// What was varied: each path with its values, as it was typed.
    pub varied: Vec<String>,
    /// The first and the last seed.
    pub seeds: [u64; 2],
    /// The part of each run that figures are taken over, in words.
    pub over: String,
    /// Number of points with figures.
    pub points: usize,
    /// Number of points.
    pub total: usize,
    /// Points that failed.
    pub failed: Vec<FailedData>,
    /// The variants.
    pub variants: Vec<StudyVariant>,
    /// Index of the variant that others are compared with.
    pub baseline: usize,
    /// Which variant is better, by means of each seed.
    pub answer: Option<AnswerData>,
    /// Times over the varied values.
    pub curves: Vec<CurveData>,
    /// Thresholds, if some were searched.
    pub thresholds: Option<ThresholdData>,
}

/// A point that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedData {
    /// The name of its variant.
    pub variant: String,
    /// Its seed.
    pub seed: u64,
    /// Why it failed.
    pub reason: String,
}

/// A variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudyVariant {
    /// Its name.
    pub name: String,
    /// Number of its points with figures.
    pub points: usize,
    /// Job by job.
    pub jobs: Vec<StudyJob>,
    /// Mean completion time of background messages.
    pub fct: Option<MeanData>,
    /// Mean over seeds of their 99th percentile, in seconds.
    pub fct_p99: Option<f64>,
}

/// A job of a variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudyJob {
    /// Its name.
    pub name: String,
    /// Number of seeds with a step time.
    pub seeds: usize,
    /// Mean step time.
    pub step: Option<MeanData>,
    /// Mean over seeds of the 99th percentile of its steps, in seconds.
    pub step_p99: Option<f64>,
    /// Difference from the baseline, paired by seed; absent for that one.
    pub difference: Option<DifferenceData>,
}

/// A mean over seeds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeanData {
    /// In seconds.
    pub mean: f64,
    /// Half of its 95 % interval; absent for a single seed.
    pub half: Option<f64>,
}

/// A paired difference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DifferenceData {
    /// Number of pairs.
    pub seeds: usize,
    /// Mean of the differences.
    #[serde(flatten)]
    pub mean: MeanData,
    /// The mean of the baseline over these seeds, in seconds.
    pub base: f64,
}

/// The axis of varied values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValueAxis {
    /// The varied path; empty if values are names of variants.
    pub path: String,
    /// The unit of values: `bit/s`, `B`, `s`, or `number`.
    pub unit: &'static str,
    /// Whether distances show ratios.
    pub log: bool,
    /// Names at 0, 1, ... in place of numbers; empty if there are numbers.
    pub names: Vec<String>,
}

/// A time over the varied values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CurveData {
    /// What it is, such as `mean step time`.
    pub quantity: String,
    /// The axis.
    pub axis: ValueAxis,
    /// Whether neighbouring points are joined; not if other values change with them.
    pub is_joined: bool,
    /// A line for each combination of the other values.
    pub lines: Vec<CurveLine>,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CurveLine {
    /// The other values; empty if there is one line only.
    pub name: String,
    /// Its points by increasing number.
    pub points: Vec<CurvePoint>,
}

/// A point of a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CurvePoint {
    /// The value as text.
    pub value: String,
    /// The same as a number in the unit of the axis, or the index of its name.
    pub number: f64,
    /// Number of seeds.
    pub seeds: usize,
    /// The mean over seeds, in the unit of the curve: seconds, or a share.
    pub mean: f64,
    /// Half of its 95 % interval, if it is known.
    pub half: Option<f64>,
}

/// What a search for thresholds found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThresholdData {
    /// The axis of the values that were tried.
    pub axis: ValueAxis,
    /// By which share steps take longer at the threshold.
    pub threshold: f64,
    /// By combination of the other values.
    pub found: Vec<FoundThreshold>,
}

/// The threshold of one combination.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundThreshold {
    /// What was found, in a sentence.
    pub words: String,
    /// Where the threshold is crossed, as a number; absent unless it was found.
    pub estimate: Option<f64>,
    /// Between which values it certainly lies, ascending: by 95 % intervals, or by means if there are none.
    pub interval: Option<[f64; 2]>,
    /// The values that were tried: relative differences of the step time from that at the beginning of the range.
    pub tried: CurveLine,
}

/// The data of the page, with a key that distinguishes it from a report about runs.
#[derive(Serialize)]
struct PageData<'a> {
    study: &'a StudyData,
}

/// The page about a sweep, in one file that fetches nothing.
///
/// # Errors
/// If it would be too large.
pub fn render_study(study: &StudyData) -> Result<String, ReportError> {
    page(&PageData { study }, (study.variants.len(), "variants"))
}
