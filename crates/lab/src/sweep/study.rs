//! What a sweep without run folders has in its folder, read back for comparisons, pages and figures.
//!
//! Models: `study.json`, written beside the dataset: the variants that were computed, the points that failed, and the
//! thresholds that were found; the figures of points, from the journal.
//! Leaves out: sweeps that keep run folders, of which only thresholds are read here.
//!
//! Invariants: nothing is computed again; a study of another plan is ignored; a damaged line of the journal is a missing
//! point, and points that are missing are counted.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use netloom_records::statistics::Over;
use netloom_records::{Digest, read_bounded, write_whole};
use serde::Deserialize;
use serde_json::{Value, json};

use super::bisect::ThresholdReport;
use super::error::SweepError;
use super::folder::{PLAN_FILE, plan_in, read_plan};
use super::journal::{JOURNAL_FILE, Journal};
use super::keep::Keep;
use super::make::{Done, FailedPoint};
use super::plan::{Grid, Plan};
use super::points::PointReport;
use super::range::{ValueRange, numbers_of};
use super::report::VariantReport;
use super::state::{about, in_journal};
use super::task::key_of;
use crate::build::BUILD;
use crate::error::LabError;
use crate::summary::over_name;

/// Name of the file with the variants, failures and thresholds of a sweep.
pub const STUDY_FILE: &str = "study.json";
/// Its name while it is being written.
const STUDY_DRAFT: &str = "study.json.draft";
/// An axis of listed values is logarithmic if they differ by more than this factor.
const WIDE: f64 = 8.0;

/// What became of a sweep, beside its finished points.
#[derive(Clone, Copy)]
pub(super) struct Outcomes<'a> {
    pub total: usize,
    pub failed: &'a [FailedPoint],
    pub thresholds: &'a [ThresholdReport],
}

/// A sweep as its folder describes it: its study, or its plan if it was ended before.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct StudyFile {
    #[serde(default)]
    pub netloom: String,
    #[serde(default)]
    pub(super) build: String,
    #[serde(default)]
    pub vary: Vec<Varied>,
    pub seeds: SeedRange,
    pub variants: Vec<StudyVariant>,
    baseline: Option<PathBuf>,
    pub(super) total: Option<usize>,
    #[serde(default)]
    pub failed: Vec<FailedPoint>,
    #[serde(default)]
    pub thresholds: Vec<ThresholdReport>,
}

/// The seeds of every variant.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct SeedRange {
    pub first: u64,
    pub last: u64,
}

impl SeedRange {
    /// Number of seeds.
    pub fn count(self) -> u64 {
        (self.last.saturating_add(1)).saturating_sub(self.first)
    }
}

/// A varied path with its values.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Varied {
    pub path: String,
    #[serde(default)]
    values: Vec<String>,
    range: Option<String>,
}

/// The values of a varied path as numbers.
pub(crate) struct VariedNumbers {
    pub unit: &'static str,
    /// Whether an axis of them shows ratios.
    pub log: bool,
    /// Each value as it was written, with its number.
    pub values: Vec<(String, f64)>,
}

/// A variant.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct StudyVariant {
    pub name: String,
    pub scenario: String,
    pub values: Vec<String>,
    pub folder: PathBuf,
    pub(super) digest: Digest,
}

/// A sweep without run folders.
#[derive(Debug)]
pub(crate) struct Study {
    pub folder: PathBuf,
    pub about: StudyFile,
    /// Finished points with figures over the part of the run that is read, by variant, then by seed.
    done: Vec<Done>,
    /// Number of finished points.
    n_finished: usize,
}

/// A finished point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StudyPoint<'a> {
    /// Number of its variant.
    pub variant: usize,
    pub report: &'a PointReport,
}

/// Writes the study of a sweep, if it has something that neither plan nor run folders have, or replaces an earlier one.
pub(super) fn write_study(grid: &Grid<'_>, plan: &Plan, outcomes: Outcomes<'_>) -> Result<(), LabError> {
    let has_more = !outcomes.thresholds.is_empty() || !outcomes.failed.is_empty();
    if plan.keep == Keep::Folders && !has_more && !grid.folder.join(STUDY_FILE).exists() {
        return Ok(());
    }
    let mut value = plan.to_json(&grid.command);
    if let Some(fields) = value.as_object_mut() {
        // The resolved scenarios are in the plan.
        fields.remove("scenarios");
    }
    value["total"] = json!(outcomes.total);
    value["failed"] = json!(outcomes.failed);
    value["thresholds"] = json!(outcomes.thresholds);
    let mut text = serde_json::to_string_pretty(&value).expect("a study is JSON");
    text.push('\n');
    let [path, draft] = [STUDY_FILE, STUDY_DRAFT].map(|name| grid.folder.join(name));
    Ok(write_whole(&path, &draft, text.as_bytes())?)
}

/// The study in a folder with this plan, if there is one that can be read.
pub(super) fn file_in(folder: &Path, plan: &Value) -> Option<StudyFile> {
    let bytes = read_bounded(&folder.join(STUDY_FILE)).ok()?;
    let value: Value = serde_json::from_slice(&bytes).ok()?;
    if value.get("digest") == plan.get("digest") { serde_json::from_value(value).ok() } else { None }
}

/// What a search of the sweep in a folder found; `None` if there was none.
pub(crate) fn study_in(folder: &Path) -> Option<StudyFile> {
    file_in(folder, &plan_in(folder)?).filter(|study| !study.thresholds.is_empty())
}

impl Study {
    /// The sweep in a folder, with figures over a part of each run; `None` if it is no sweep, or keeps run folders.
    ///
    /// # Errors
    /// If none of its points has such figures.
    pub fn read(folder: &Path, over: Over) -> Result<Option<Study>, LabError> {
        if ![PLAN_FILE, JOURNAL_FILE].iter().all(|name| folder.join(name).is_file()) {
            let is_study = plan_in(folder).is_some_and(|plan| keeps_none(&plan));
            let lacking = || SweepError::NoPoints { folder: folder.to_owned() }.into();
            return if is_study { Err(lacking()) } else { Ok(None) };
        }
        let Some(plan) = read_plan(folder)?.filter(keeps_none) else { return Ok(None) };
        let about = about(folder, plan)?;
        let journal = Journal::open(folder)?;
        let done = points(folder, &journal, &about, over)?;
        let n_finished = in_journal(&journal, &about).len();
        Ok(Some(Study { folder: folder.to_owned(), about, done, n_finished }))
    }

    /// Finished points by variant, then by seed.
    pub fn points(&self) -> impl Iterator<Item = StudyPoint<'_>> {
        self.done.iter().map(|done| StudyPoint { variant: done.variant, report: &done.report })
    }

    /// Number of points of the sweep.
    pub fn total(&self) -> usize {
        let seeds = self.about.seeds.count();
        let planned = self.about.variants.len().saturating_mul(usize::try_from(seeds).unwrap_or(usize::MAX));
        self.about.total.unwrap_or(planned).max(self.done.len())
    }

    /// Index of the variant that others are compared with.
    pub fn baseline(&self) -> usize {
        let is_it = |variant: &StudyVariant| Some(&variant.folder) == self.about.baseline.as_ref();
        self.about.variants.iter().position(is_it).unwrap_or(0)
    }

    /// Means over seeds, variant by variant, and differences from one of them.
    pub fn variants(&self, baseline: usize) -> Vec<VariantReport> {
        let points = |variant: usize| {
            let first = self.done.partition_point(|point| point.variant < variant);
            let end = self.done.partition_point(|point| point.variant <= variant);
            &self.done[first..end]
        };
        let report = |(number, variant): (usize, &StudyVariant)| {
            let base = (number != baseline).then(|| points(baseline));
            VariantReport::new(&variant.name, None, points(number), base)
        };
        self.about.variants.iter().enumerate().map(report).collect()
    }

    /// How many of the finished points have figures over the part of the run that was read, if some have none.
    pub fn remark(&self) -> Option<String> {
        let (done, finished) = (self.done.len(), self.n_finished);
        let folder = self.folder.display();
        (done < finished)
            .then(|| format!("{done} of {finished} finished points have figures over this part: {folder}"))
    }
}

pub(super) fn keeps_none(plan: &Value) -> bool {
    plan.get("keep").is_some_and(|keep| keep != "folders")
}

/// The points of a sweep in its journal.
fn points(folder: &Path, journal: &Journal, about: &StudyFile, over: Over) -> Result<Vec<Done>, LabError> {
    let is_of_sweep = |seed: &u64| (about.seeds.first..=about.seeds.last).contains(seed);
    let seeds: BTreeSet<u64> = journal.points().map(|report| report.seed).filter(is_of_sweep).collect();
    let keys_of = |build: &str| -> Vec<(usize, Digest)> {
        let variants = about.variants.iter().enumerate();
        let of_variant = |(variant, chosen): (usize, &StudyVariant)| {
            let key = |&seed: &u64| (variant, key_of(build, chosen.digest, seed));
            seeds.iter().map(key).collect::<Vec<_>>()
        };
        variants.flat_map(of_variant).collect()
    };
    // Points of one build only: that of the study, or this one if it has continued the sweep and computed more.
    let builds = [about.build.as_str(), BUILD].map(keys_of);
    let wanted = over_name(over);
    let done_of = |keys: &[(usize, Digest)]| -> Vec<Done> {
        let done = |&(variant, key): &(usize, Digest)| {
            journal.find(key, &wanted).map(|report| Done { variant, report: report.clone(), kept: true })
        };
        keys.iter().filter_map(done).collect()
    };
    let [of_study, of_this] = [done_of(&builds[0]), done_of(&builds[1])];
    let done = if of_this.len() > of_study.len() { of_this } else { of_study };
    if !done.is_empty() {
        return Ok(done);
    }
    let mut others = builds.iter().flatten().filter_map(|&(_, key)| journal.find_any(key));
    let folder = folder.to_owned();
    match others.next().map(|report| report.summary.span.over.clone()) {
        Some(there) => Err(SweepError::OtherOver { there, wanted, folder }.into()),
        None if journal.points().next().is_none() => Err(SweepError::NoPoints { folder }.into()),
        None => Err(SweepError::OtherPoints { folder }.into()),
    }
}

impl Varied {
    /// As it was typed.
    pub fn words(&self) -> String {
        format!("{}={}", self.path, self.range.clone().unwrap_or_else(|| self.values.join(",")))
    }

    /// Its range, if its values are within one.
    pub fn range(&self) -> Option<ValueRange> {
        ValueRange::parse(self.range.as_deref()?).ok()
    }

    /// Its values as numbers, if they are at least three numbers or quantities of one kind.
    pub fn numbers(&self) -> Option<VariedNumbers> {
        let texts: Vec<&str> = self.values.iter().map(String::as_str).collect();
        let (unit, numbers) = numbers_of(&texts).filter(|(_, numbers)| numbers.len() > 2)?;
        let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let log = least > 0.0 && most > WIDE * least;
        Some(VariedNumbers { unit, log, values: self.values.iter().cloned().zip(numbers).collect() })
    }
}
