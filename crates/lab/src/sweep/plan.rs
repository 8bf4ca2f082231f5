//! Compiles a grid into a plan of runs.
//!
//! Models: reading the scenarios, compiling every variant, and all checks of a grid.
//! Leaves out: the folder.
//!
//! Invariants: all errors are reported at once, before any run; equal plans have equal digests, independent of folder,
//! threads and command.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use netloom_records::Digest;
use netloom_records::statistics::Over;
use netloom_scenario::Diagnostics;
use serde::Serialize;
use serde_json::{Value, json};

use super::bisect::{self, Bisection};
use super::design::{MOST_SAMPLES, Sampling};
use super::error::SweepError;
use super::executor::Executor;
use super::keep::Keep;
use super::range::ValueRange;
use super::rounds::{DEFAULT_MOST_SEEDS, FEWEST_SEEDS, Precision};
use super::strategy::Strategy;
use super::variants::{Draft, Variant, combinations, name_all};
use super::variation::Variation;
use crate::build::BUILD;
use crate::error::LabError;
use crate::memory::{MemoryLimit, check_estimate};
use crate::seeds::Seeds;
use crate::source::Source;
use crate::spread::{SweepProgress, spread};

/// Most points of a sweep.
pub const MOST_POINTS: u128 = 1_000_000;

/// A request for a sweep: scenarios, variations and seeds, and how to run them.
#[derive(Clone, Default)]
pub struct Grid<'a> {
    /// The scenarios.
    pub scenarios: Vec<Source>,
    /// Changes to all of them.
    pub set: Vec<(String, String)>,
    /// Variations; every combination of listed values is run.
    pub vary: Vec<Variation>,
    /// Which values of ranges are run, with every such combination.
    pub sampling: Option<Sampling>,
    /// The search for a threshold in a range.
    pub bisection: Option<Bisection>,
    /// Chooses the values that are run, of lists as well.
    pub strategy: Option<&'a dyn Strategy>,
    /// The seeds of every variant; by default only seed 1, and with `until` at most 200 seeds.
    pub seeds: Option<Seeds>,
    /// The precision of the means until which seeds are added, if any.
    pub until: Option<Precision>,
    /// The folder of the sweep.
    pub folder: PathBuf,
    /// What is kept of each point.
    pub keep: Keep,
    /// Most wall time of a point; one that takes longer is stopped and has failed.
    pub point_limit: Option<Duration>,
    /// The most memory that a point computed here may be expected to need; that of this machine if absent.
    pub memory_limit: Option<MemoryLimit>,
    /// Who computes the points; the cores of this machine if absent.
    pub executor: Option<&'a dyn Executor>,
    /// Whether the folder of another sweep may be reused; points that belong to both are kept.
    pub force: bool,
    /// Number of runs at a time; `None` uses all cores.
    pub threads: Option<usize>,
    /// The variant that others are compared with, by its name or one of its values; by default the one with the values of
    /// the file itself, else the first.
    pub baseline: Option<String>,
    /// The part of each run that figures are taken over; the stored records do not depend on it.
    pub over: Over,
    /// The command line, for plan and manifests.
    pub command: Vec<String>,
    /// Set to stop all runs.
    pub stop: Option<&'a AtomicBool>,
    /// Called with the progress, from any thread.
    pub on_progress: Option<&'a (dyn Fn(&SweepProgress) + Sync)>,
    /// Called before the runs with the settings that have no effect, if there are any.
    pub warn: Option<&'a (dyn Fn(&Diagnostics) + Sync)>,
}

/// A valid plan of runs.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Changes to all scenarios.
    pub set: Vec<(String, String)>,
    /// Variations.
    pub vary: Vec<Variation>,
    /// Which values of ranges are run.
    pub sampling: Option<Sampling>,
    /// The search for a threshold in a range, whose ends alone are among the variants of the plan.
    pub bisection: Option<Bisection>,
    /// The name of the strategy that chooses values, if there is one; the plan has no variants then.
    pub strategy: Option<String>,
    /// The scenario of which a strategy makes variants.
    pub(super) source: Option<Source>,
    /// The seeds of every variant, or the maximum range with `until`.
    pub seeds: Seeds,
    /// The required precision of means.
    pub until: Option<Precision>,
    /// What is kept of each point.
    pub keep: Keep,
    /// Every scenario with every combination.
    pub variants: Vec<Variant>,
    /// Index of the variant that others are compared with.
    pub baseline: usize,
    /// Settings of variants that have no effect.
    pub warnings: Diagnostics,
    /// Digest of the plan.
    pub digest: Digest,
}

/// A scenario as it is stored in the plan.
#[derive(Serialize)]
struct Scenario<'a> {
    name: &'a str,
    /// The resolved scenario of the first variant.
    resolved: &'a str,
}

impl Plan {
    /// Checks the request and compiles every variant.
    ///
    /// # Errors
    /// All errors in it.
    pub fn new(grid: &Grid<'_>) -> Result<Plan, LabError> {
        let seeds = grid.seeds.clone().unwrap_or_else(|| default_seeds(grid));
        let mut mistakes: Vec<LabError> = of_words(grid, &seeds).into_iter().map(LabError::from).collect();
        let sources = readable(&grid.scenarios, &mut mistakes);
        let (mut variants, warnings) = match too_many(grid, &seeds) {
            Some(error) => {
                mistakes.push(error.into());
                (Vec::new(), Diagnostics::join([]))
            }
            None => compiled(grid, &sources, *seeds.0.start(), &mut mistakes)?,
        };
        if mistakes.is_empty() {
            mistakes = of_variants(grid, &variants).into_iter().map(LabError::from).collect();
            mistakes.extend(too_large(grid, &variants));
        }
        if !mistakes.is_empty() {
            return Err(LabError::several(mistakes));
        }
        name_all(&mut variants, &grid.vary);
        let baseline = match grid.strategy {
            None => baseline(grid, &sources, *seeds.0.start(), &variants)?,
            Some(_) => 0,
        };
        forget_but_first(&mut variants);
        let (set, vary, until, keep) = (grid.set.clone(), grid.vary.clone(), grid.until, kept(grid));
        let (sampling, bisection) = (grid.sampling, grid.bisection);
        let strategy = grid.strategy.map(Strategy::name);
        let source = sources.first().cloned();
        if strategy.is_some() {
            // They were compiled only to find errors before the study begins.
            variants.clear();
        }
        let mut plan = Plan {
            set,
            vary,
            sampling,
            bisection,
            strategy,
            source,
            seeds,
            until,
            keep,
            variants,
            baseline,
            warnings,
            digest: Digest::of(&[]),
        };
        plan.digest = Digest::of(plan.meaning().to_string().as_bytes());
        Ok(plan)
    }

    /// As it is stored: the runs, and the origin of the plan.
    pub(super) fn to_json(&self, command: &[String]) -> Value {
        let mut value = self.meaning();
        value["sources"] = json!(self.per_scenario().map(|first| first.source.name()).collect::<Vec<_>>());
        value["netloom"] = json!(env!("CARGO_PKG_VERSION"));
        value["build"] = json!(BUILD);
        value["digest"] = json!(self.digest);
        value["command"] = json!(command);
        value["baseline"] = json!(self.variants.get(self.baseline).map(|variant| &variant.folder));
        value
    }

    /// Everything that determines the runs.
    fn meaning(&self) -> Value {
        let scenario = |first: &Variant| json!(Scenario { name: &first.scenario, resolved: &first.resolved });
        json!({
            "scenarios": self.per_scenario().map(scenario).collect::<Vec<_>>(),
            "set": self.set,
            "vary": self.vary,
            "sample": self.sampling,
            "bisect": self.bisection,
            "strategy": self.strategy,
            "seeds": { "first": self.seeds.0.start(), "last": self.seeds.0.end() },
            "until_ci": self.until.map(|precision| precision.to_string()),
            "keep": self.keep,
            "variants": self.variants,
        })
    }
}

impl Plan {
    /// Compiles a further variant of a scenario; returns its number.
    ///
    /// # Errors
    /// All errors in it.
    pub(super) fn add(&mut self, draft: &Draft, source: &Source) -> Result<usize, LabError> {
        let (mut variant, _) = draft.compile(source, &self.set, &self.vary, *self.seeds.0.start())?;
        share_texts(self.variants.last(), &mut variant);
        variant.resolved = String::new();
        self.variants.push(variant);
        name_all(&mut self.variants, &self.vary);
        Ok(self.variants.len() - 1)
    }

    /// The first variant of each scenario.
    fn per_scenario(&self) -> impl Iterator<Item = &Variant> {
        let same = |left: &Variant, right: &Variant| left.source == right.source;
        self.variants.chunk_by(same).map(|variants| &variants[0])
    }
}

/// The index of the baseline.
fn baseline(grid: &Grid<'_>, sources: &[Source], seed: u64, variants: &[Variant]) -> Result<usize, LabError> {
    let Some(name) = &grid.baseline else {
        return Ok(own_variant(grid, sources, seed, variants).unwrap_or(0));
    };
    let is_it = |variant: &Variant| {
        variant.name == *name || variant.scenario == *name || variant.values.contains(name)
    };
    let known = || variants.iter().map(|variant| variant.name.clone()).collect();
    let unknown = || SweepError::NoBaseline { name: name.clone(), known: known() };
    Ok(variants.iter().position(is_it).ok_or_else(unknown)?)
}

/// The variant that has the values of the first scenario itself.
fn own_variant(grid: &Grid<'_>, sources: &[Source], seed: u64, variants: &[Variant]) -> Option<usize> {
    if grid.vary.is_empty() || variants.len() < 2 {
        return None;
    }
    let draft = Draft { scenario: 0, values: Vec::new() };
    // A scenario that is incomplete without a varied value has none.
    let (own, _) = draft.compile(&sources[0], &grid.set, &[], seed).ok()?;
    variants.iter().position(|variant| variant.digest == own.digest)
}

/// Keeps the resolved scenario of the first variant of each; for the others the digest is enough.
fn forget_but_first(variants: &mut [Variant]) {
    for variants in variants.chunk_by_mut(|left, right| left.source == right.source) {
        variants.iter_mut().skip(1).for_each(|variant| variant.resolved = String::new());
    }
}

/// What is kept of each point: an executor may put run folders elsewhere.
fn kept(grid: &Grid<'_>) -> Keep {
    let is_elsewhere = grid.executor.is_some_and(Executor::keeps_folders);
    if is_elsewhere && grid.keep == Keep::Folders { Keep::Elsewhere } else { grid.keep }
}

fn default_seeds(grid: &Grid<'_>) -> Seeds {
    let last = match (grid.until, grid.bisection) {
        (Some(_), _) => DEFAULT_MOST_SEEDS,
        (None, Some(_)) => bisect::SEEDS,
        (None, None) => 1,
    };
    Seeds(1..=last)
}

/// Errors that are found before any scenario is read.
fn of_words(grid: &Grid<'_>, seeds: &Seeds) -> Vec<SweepError> {
    let mut mistakes = Vec::new();
    if grid.scenarios.is_empty() {
        mistakes.push(SweepError::NoScenario);
    }
    mistakes.extend(of_ranges(grid));
    for (number, variation) in grid.vary.iter().enumerate() {
        let (path, values) = (&variation.path, variation.list().unwrap_or_default());
        if grid.vary[..number].iter().any(|other| other.path == *path) {
            mistakes.push(SweepError::SamePath { path: path.clone() });
        }
        if values.iter().any(String::is_empty) {
            mistakes.push(SweepError::EmptyValue { path: path.clone() });
        }
        let mut seen = BTreeSet::new();
        let again = values.iter().filter(|value| !value.is_empty() && !seen.insert(*value));
        mistakes
            .extend(again.map(|value| SweepError::SameValue { path: path.clone(), value: value.clone() }));
        if grid.set.iter().any(|(other, _)| other == path) {
            mistakes.push(SweepError::AlsoVaried { path: path.clone() });
        }
    }
    let is_seed = |path: &String| path == "seed";
    if grid.vary.iter().any(|variation| is_seed(&variation.path)) {
        mistakes.push(SweepError::Seed { option: "--vary" });
    }
    if grid.set.iter().any(|(path, _)| is_seed(path)) {
        mistakes.push(SweepError::Seed { option: "--set" });
    }
    let n_seeds = count(seeds);
    if grid.until.is_some() && n_seeds < FEWEST_SEEDS as u128 {
        mistakes.push(SweepError::FewSeeds(n_seeds as u64));
    }
    mistakes
}

/// Errors about ranges, and about what is to be done with them.
fn of_ranges(grid: &Grid<'_>) -> Vec<SweepError> {
    let ranges: Vec<&Variation> = grid.vary.iter().filter(|variation| variation.range().is_some()).collect();
    let mut mistakes = Vec::new();
    if grid.strategy.is_some() {
        let has_others = grid.sampling.is_some() || grid.bisection.is_some() || grid.until.is_some();
        let is_alone = !has_others && grid.scenarios.len() == 1;
        return if is_alone { Vec::new() } else { vec![SweepError::StrategyAlone] };
    }
    match (grid.sampling, grid.bisection) {
        (Some(_), Some(_)) => mistakes.push(SweepError::SampleAndBisect),
        (Some(_), None) if ranges.is_empty() => mistakes.push(SweepError::NoRange { option: "--sample" }),
        (None, Some(_)) if ranges.len() != 1 => mistakes.push(SweepError::NotOneRange(ranges.len())),
        (None, None) => {
            mistakes.extend(ranges.first().map(|range| SweepError::OnlyRange { path: range.path.clone() }));
        }
        _ => {}
    }
    if let Some(Sampling { points, .. }) = grid.sampling
        && !(1..=MOST_SAMPLES).contains(&u64::from(points))
    {
        mistakes.push(SweepError::Samples(points));
    }
    if grid.until.is_some() && grid.bisection.is_some() {
        mistakes.push(SweepError::UntilAndBisect);
    }
    mistakes
}

/// The values of the ranges that a plan has, a vector of one value of each range.
fn vectors(grid: &Grid<'_>) -> Vec<Vec<String>> {
    let ranges: Vec<ValueRange> = grid.vary.iter().filter_map(Variation::range).collect();
    match (grid.sampling, grid.bisection) {
        (Some(sampling), _) => sampling.vectors(&ranges),
        (None, _) if grid.strategy.is_some() => vec![ranges.iter().map(|range| range.at(0.0)).collect()],
        (None, Some(_)) => {
            let at = |share| ranges.iter().map(|range| range.at(share)).collect();
            vec![at(0.0), at(1.0)]
        }
        (None, None) => vec![Vec::new()],
    }
}

fn count(seeds: &Seeds) -> u128 {
    u128::from(*seeds.0.end() - *seeds.0.start()) + 1
}

fn too_many(grid: &Grid<'_>, seeds: &Seeds) -> Option<SweepError> {
    let values = grid.vary.iter().filter_map(|variation| Some(variation.list()?.len() as u128));
    let vectors = grid.sampling.map_or(1, |sampling| u128::from(sampling.points));
    let variants = values.fold(grid.scenarios.len() as u128 * vectors, u128::saturating_mul);
    let seeds = count(seeds);
    let points = variants.saturating_mul(seeds);
    (points > MOST_POINTS).then_some(SweepError::TooMany { points, variants, seeds })
}

/// The texts of the scenarios, read once, so that a later change of a file does not affect points. Those of bases are read
/// as variants are compiled, and belong to their tasks.
fn readable(scenarios: &[Source], mistakes: &mut Vec<LabError>) -> Vec<Source> {
    let mut sources = Vec::new();
    for source in scenarios {
        match source.read().map(String::from_utf8) {
            Ok(Ok(text)) => sources.push(match source.path() {
                Some(path) => Source::text_of(path, text),
                None => Source::text(source.name(), text),
            }),
            // A file that is not text is refused by the reader of scenarios, with the location.
            Ok(Err(_)) => sources.push(source.clone()),
            Err(error) => mistakes.push(error),
        }
    }
    sources
}

/// Every variant without errors, compiled with the first seed, and warnings.
fn compiled(
    grid: &Grid<'_>,
    sources: &[Source],
    seed: u64,
    mistakes: &mut Vec<LabError>,
) -> Result<(Vec<Variant>, Diagnostics), LabError> {
    let drafts = combinations(sources.len(), &grid.vary, &vectors(grid));
    let compile = |draft: &Draft| {
        if grid.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(LabError::NotBegun);
        }
        draft.compile(&sources[draft.scenario], &grid.set, &grid.vary, seed)
    };
    let (mut variants, mut warnings) = (Vec::new(), Vec::new());
    let (mut diagnostics, mut others) = (Vec::new(), BTreeMap::new());
    for answer in spread(&drafts, grid.threads, None, |_| 1, |draft, _| compile(draft))? {
        match answer {
            Ok((mut variant, found)) => {
                share_texts(variants.last(), &mut variant);
                variants.push(variant);
                warnings.push(found);
            }
            Err(LabError::Scenario(found)) => diagnostics.push(*found),
            Err(LabError::NotBegun) => return Err(LabError::NotBegun),
            Err(other) => drop(others.insert(other.to_string(), other)),
        }
    }
    if !diagnostics.is_empty() {
        mistakes.push(Diagnostics::join(diagnostics).into());
    }
    mistakes.extend(others.into_values());
    Ok((variants, Diagnostics::join(warnings)))
}

/// Variants of one scenario share its texts.
fn share_texts(last: Option<&Variant>, variant: &mut Variant) {
    if let Some(last) = last.filter(|last| last.texts == variant.texts) {
        variant.texts = Arc::clone(&last.texts);
    }
}

/// The first variant that this machine is not expected to have the memory for, if it computes the points.
fn too_large(grid: &Grid<'_>, variants: &[Variant]) -> Option<LabError> {
    let mut found = variants.iter().filter(|_| grid.executor.is_none()).map(|variant| {
        let name = if variant.name.is_empty() { &variant.scenario } else { &variant.name };
        check_estimate(name, variant.memory_bytes, grid.memory_limit)
    });
    found.find_map(Result::err)
}

/// Errors that are found only when all variants are known.
fn of_variants(grid: &Grid<'_>, variants: &[Variant]) -> Vec<SweepError> {
    let mut mistakes = Vec::new();
    let mut names: BTreeMap<&str, &Variant> = BTreeMap::new();
    let per_scenario = variants.len() / grid.scenarios.len().max(1);
    for first in variants.iter().step_by(per_scenario.max(1)) {
        if let Some(other) = names.insert(&first.scenario, first) {
            mistakes.push(SweepError::SameName {
                name: first.scenario.clone(),
                first: other.source.name(),
                second: first.source.name(),
            });
        }
        let option = if grid.bisection.is_some() { "--bisect" } else { "--until-ci" };
        if (grid.until.is_some() || grid.bisection.is_some()) && !first.has_jobs {
            mistakes.push(SweepError::NoJobs { option, name: first.source.name() });
        }
    }
    if mistakes.is_empty() {
        let mut digests: BTreeMap<Digest, &Variant> = BTreeMap::new();
        // Settings of an absent aggressor have no effect, so baselines may be equal.
        let is_baseline = |variant: &&Variant| variant.is_baseline(&grid.vary);
        for variant in variants.iter().filter(|variant| !is_baseline(variant)) {
            if let Some(other) = digests.insert(variant.digest, variant) {
                let (first, second) = (other.name.clone(), variant.name.clone());
                mistakes.push(SweepError::SameVariant { first, second });
            }
        }
    }
    mistakes
}
