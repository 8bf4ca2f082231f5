//! Bisection: from which value of a range on the steps of a job take longer by a stated share than at its beginning.
//!
//! Models: for every combination of the other values, the range is halved until the bracket is narrow enough, then the gaps
//! beside the values at which the difference is certain, until the ends of the interval are close to where certainty ends;
//! differences are paired by seed, with 95 % confidence intervals.
//! Leaves out: step times that grow and fall again within the range: then one of several thresholds is found, and the report
//! says that the points do not follow one order.
//!
//! Invariants: the values depend on the results of earlier ones only, so a search that is resumed asks for the same points;
//! the ends of the interval are values at which the difference was certain.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::make::{Done, Maker, PointKey};
use super::range::ValueRange;
use super::variants::Draft;
use crate::error::LabError;
use crate::sample::Sample;
use crate::source::{Source, SourceText};

/// Most rounds of a search.
const MOST_ROUNDS: usize = 40;
/// Seeds of each value, unless a number is given.
pub(super) const SEEDS: u64 = 5;
/// The width of the final bracket as a share of the range, unless one is given.
const WIDTH: f64 = 0.01;
/// The gaps at the ends of the interval may be wider than the bracket by this factor: every halving of them costs a point
/// per seed, and changes an answer little that is uncertain by more.
const GAP_WIDTHS: f64 = 4.0;

/// A search for a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bisection {
    /// By which share steps take longer than at the beginning of the range.
    pub threshold: f64,
    /// Greatest width of the final bracket, as a share of the range.
    pub width: f64,
}

/// Text that is not the threshold of a search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a share in percent above 0, as in `5%`: {0}")]
pub struct NotAThreshold(String);

impl FromStr for Bisection {
    type Err = NotAThreshold;

    fn from_str(text: &str) -> Result<Bisection, NotAThreshold> {
        let number = text.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
        match number {
            Some(percent) if percent > 0.0 && percent.is_finite() => {
                Ok(Bisection { threshold: percent / 100.0, width: WIDTH })
            }
            _ => Err(NotAThreshold(text.to_owned())),
        }
    }
}

/// What a search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThresholdOutcome {
    /// A bracket around the threshold.
    Found,
    /// The threshold is not reached within the range.
    NotReached,
    /// A point that the search needs has no step time.
    Failed,
    /// The search was stopped.
    Stopped,
}

/// A value that was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriedValue {
    /// The value.
    pub value: String,
    /// The same as a number in base units.
    pub number: f64,
    /// Number of seeds.
    pub seeds: usize,
    /// Mean over seeds of the relative difference of the mean step time from that at the beginning of the range.
    pub relative: f64,
    /// Half of its 95 % confidence interval; absent for a single seed.
    pub half: Option<f64>,
}

/// The threshold of one combination of the other values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThresholdReport {
    /// The name of the combination; empty if there is only one.
    pub name: String,
    /// The varied path.
    pub path: String,
    /// By which share steps take longer.
    pub threshold: f64,
    /// How the search ended.
    pub outcome: ThresholdOutcome,
    /// The value at which the threshold is crossed, between the ends of the bracket in proportion; absent unless found.
    pub estimate: Option<String>,
    /// The same as a number in base units.
    #[serde(default)]
    pub estimate_number: Option<f64>,
    /// The last value below the threshold and the first above it, by their means.
    pub bracket: Option<[String; 2]>,
    /// The same by whole confidence intervals: outside of it the difference is certain; absent for a single seed.
    pub interval: Option<[String; 2]>,
    /// The same as numbers in base units.
    #[serde(default)]
    pub interval_numbers: Option<[f64; 2]>,
    /// The base unit: `bit/s`, `B`, `s`, or `number`.
    #[serde(default)]
    pub unit: String,
    /// Whether all values before the bracket are below the threshold, and all after it above.
    pub is_monotonic: bool,
    /// All values that were tried, in the order of the range.
    pub tried: Vec<TriedValue>,
}

impl ThresholdReport {
    /// What was found, in a sentence.
    pub fn words(&self) -> String {
        let with = if self.name.is_empty() { String::new() } else { format!("{}: ", self.name) };
        let (path, percent) = (&self.path, self.threshold * 100.0);
        let ends = [self.tried.first(), self.tried.last()];
        let [from, to] = ends.map(|tried| tried.map_or("", |tried| tried.value.as_str()));
        match (self.outcome, &self.estimate) {
            (ThresholdOutcome::Found, Some(estimate)) => {
                let order = if self.is_monotonic {
                    ""
                } else {
                    "; step times do not follow one order, so there may be others"
                };
                let interval = match (&self.interval, &self.bracket) {
                    (Some([low, high]), _) => format!("between {low} and {high} with 95 % confidence"),
                    (None, Some([low, high])) => {
                        let has_several = self.tried.iter().any(|tried| tried.seeds > 1);
                        let why =
                            if has_several { "two finished seeds of each value" } else { "several seeds" };
                        format!("between {low} and {high}; with {why} there is an interval")
                    }
                    (None, None) => String::new(),
                };
                format!(
                    "{with}steps take {percent} % longer than at {from} from {path}={estimate} on ({interval}{order})"
                )
            }
            (ThresholdOutcome::NotReached, _) => {
                let last = self.tried.last().map_or(0.0, |tried| tried.relative * 100.0);
                format!(
                    "{with}steps do not take {percent} % longer than at {from} up to {path}={to}: {last:+.1} % there"
                )
            }
            (ThresholdOutcome::Failed, _) => {
                format!("{with}a point of the search has no step time, so the threshold of {path} is unknown")
            }
            _ => format!("{with}the search in {path} was stopped"),
        }
    }
}

/// The relative difference of a variant from the reference.
#[derive(Debug, Clone, Copy)]
struct Relative {
    seeds: usize,
    mean: f64,
    half: Option<f64>,
}

/// A combination of the other values.
struct Group {
    /// The variants that were tried, the ends of the range first.
    tried: Vec<usize>,
    /// The ends of the bracket.
    bracket: [usize; 2],
    outcome: Option<ThresholdOutcome>,
}

/// See the module.
pub(super) struct Search<'m, 'a> {
    maker: &'m mut Maker<'a>,
    range: ValueRange,
    /// Index of the varied range among the variations.
    column: usize,
    bisection: Bisection,
    seeds: Vec<u64>,
    groups: Vec<Group>,
}

impl<'m, 'a> Search<'m, 'a> {
    /// A search among the variants of a plan, which has both ends of the range for every combination.
    pub fn new(
        maker: &'m mut Maker<'a>,
        range: ValueRange,
        column: usize,
        bisection: Bisection,
        seeds: Vec<u64>,
    ) -> Search<'m, 'a> {
        let variants = &maker.plan.variants;
        let is_start = |variant: &usize| variants[*variant].values[column] == range.at(0.0);
        let group = |start: usize| {
            let is_end = |other: &usize| {
                let (one, other) = (&variants[start], &variants[*other]);
                let others = |values: &[String]| [&values[..column], &values[column + 1..]].concat();
                one.source == other.source
                    && others(&one.values) == others(&other.values)
                    && other.values[column] == range.at(1.0)
            };
            let end = (0..variants.len()).find(is_end).expect("a plan has both ends of its range");
            Group { tried: vec![start, end], bracket: [start, end], outcome: None }
        };
        let groups = (0..variants.len()).filter(is_start).map(group).collect();
        Search { maker, range, column, bisection, seeds, groups }
    }

    /// Searches until every bracket is narrow enough, or the sweep is stopped; returns whether all points were computed.
    pub fn run(mut self) -> Result<(bool, Vec<ThresholdReport>), LabError> {
        let ends: Vec<usize> = self.groups.iter().flat_map(|group| group.tried.clone()).collect();
        let mut is_whole = self.compute(&ends)?;
        if is_whole {
            self.judge_ends();
        }
        for _ in 0..MOST_ROUNDS {
            if !is_whole {
                break;
            }
            let next = self.halve()?;
            if next.is_empty() {
                break;
            }
            let variants: Vec<usize> = next.iter().map(|(_, variant)| *variant).collect();
            is_whole = self.compute(&variants)?;
            if is_whole {
                self.judge(&next);
            }
        }
        let reports = self.groups.iter().map(|group| self.report(group)).collect();
        Ok((is_whole, reports))
    }

    fn compute(&mut self, variants: &[usize]) -> Result<bool, LabError> {
        let keys: Vec<PointKey> = variants
            .iter()
            .flat_map(|&variant| self.seeds.iter().map(move |&seed| (variant, seed)))
            .collect();
        self.maker.compute(&keys)
    }

    /// Decides for which combinations there is a threshold.
    fn judge_ends(&mut self) {
        for index in 0..self.groups.len() {
            let [start, end] = self.groups[index].bracket;
            self.groups[index].outcome = match self.relative(start, end) {
                None => Some(ThresholdOutcome::Failed),
                Some(found) if found.mean <= self.bisection.threshold => Some(ThresholdOutcome::NotReached),
                Some(_) => None,
            };
        }
    }

    /// Adds the next values of each group; returns group and variant of each.
    fn halve(&mut self) -> Result<Vec<(usize, usize)>, LabError> {
        let mut next = Vec::new();
        for index in 0..self.groups.len() {
            if self.groups[index].outcome.is_some() {
                continue;
            }
            let values = self.next_values(&self.groups[index]);
            if values.is_empty() {
                self.groups[index].outcome = Some(ThresholdOutcome::Found);
            }
            for value in values {
                let variant = self.add(index, value)?;
                next.push((index, variant));
            }
        }
        Ok(next)
    }

    /// Adds a value to a group; returns its variant.
    fn add(&mut self, group: usize, value: String) -> Result<usize, LabError> {
        let start = &self.maker.plan.variants[self.groups[group].tried[0]];
        let mut values = start.values.clone();
        values[self.column] = value;
        // The texts read at first, those of bases among them.
        let source = Source::Text(SourceText::clone(&start.texts));
        let variant = self.maker.add(&Draft { scenario: 0, values }, &source)?;
        self.groups[group].tried.push(variant);
        Ok(variant)
    }

    /// The middle of the bracket; if it is narrow enough, those of the gaps at the ends of the interval.
    fn next_values(&self, group: &Group) -> Vec<String> {
        let bracket = group.bracket.map(|variant| self.value(variant));
        if let Some(middle) = self.middle(bracket, self.bisection.width) {
            return vec![middle];
        }
        let tried = self.tried(group);
        let gaps = self.gaps(&tried).into_iter().flatten();
        let mut values: Vec<String> =
            gaps.filter_map(|gap| self.middle(gap, GAP_WIDTHS * self.bisection.width)).collect();
        values.dedup();
        values
    }

    /// The value in the middle between two values, unless they are close enough.
    fn middle(&self, [low, high]: [&str; 2], width: f64) -> Option<String> {
        let [from, to] = [low, high].map(|value| self.range.share(value));
        let middle = self.range.at(from.midpoint(to));
        let is_new = middle != low && middle != high;
        (is_new && to - from > width).then_some(middle)
    }

    /// Moves an end of each bracket to the value that was tried in it.
    fn judge(&mut self, tried: &[(usize, usize)]) {
        for &(index, variant) in tried {
            let group = &self.groups[index];
            let [from, at, to] = [group.bracket[0], variant, group.bracket[1]]
                .map(|variant| self.range.share(self.value(variant)));
            let is_inside = from < at && at < to;
            match self.relative(group.tried[0], variant) {
                None if is_inside => self.groups[index].outcome = Some(ThresholdOutcome::Failed),
                // The interval is as wide as it was before.
                None => self.groups[index].outcome = Some(ThresholdOutcome::Found),
                Some(found) if is_inside => {
                    let end = usize::from(found.mean > self.bisection.threshold);
                    self.groups[index].bracket[end] = variant;
                }
                Some(_) => {}
            }
        }
    }

    fn value(&self, variant: usize) -> &str {
        &self.maker.plan.variants[variant].values[self.column]
    }

    /// How much longer the steps of the first job take than those of a reference, paired by seed.
    fn relative(&self, reference: usize, variant: usize) -> Option<Relative> {
        let step = |done: &Done| Some(done.report.summary.jobs.first()?.step?.mean_s);
        let of = |variant: usize| self.maker.done.iter().filter(move |done| done.variant == variant);
        let base = |seed: u64| of(reference).find(|done| done.report.seed == seed).and_then(step);
        // Relative to steps that take no time there is no difference.
        let ratio =
            |done: &Done| Some(step(done)? / base(done.report.seed)? - 1.0).filter(|ratio| ratio.is_finite());
        let ratios: Vec<f64> = of(variant).filter_map(ratio).collect();
        let sample = Sample::of(&ratios)?;
        Some(Relative { seeds: ratios.len(), mean: sample.mean, half: sample.confidence() })
    }

    /// The values that were tried, in the order of the range.
    fn tried(&self, group: &Group) -> Vec<TriedValue> {
        let of = |&variant: &usize| {
            let Relative { seeds, mean, half } = self.relative(group.tried[0], variant)?;
            let value = self.value(variant).to_owned();
            Some(TriedValue { number: self.range.number(&value), value, seeds, relative: mean, half })
        };
        let mut tried: Vec<TriedValue> = group.tried.iter().filter_map(of).collect();
        tried.sort_by(|one, other| self.range.share(&one.value).total_cmp(&self.range.share(&other.value)));
        tried
    }

    fn report(&self, group: &Group) -> ThresholdReport {
        let (start, threshold) = (group.tried[0], self.bisection.threshold);
        let tried = self.tried(group);
        let outcome = group.outcome.unwrap_or(ThresholdOutcome::Stopped);
        let bracket = group.bracket.map(|variant| self.value(variant).to_owned());
        let n_below = tried.iter().take_while(|tried| tried.relative <= threshold).count();
        let is_found = outcome == ThresholdOutcome::Found;
        let estimate = is_found.then(|| self.estimate(&bracket, &tried));
        let interval = if is_found { self.interval(&tried) } else { None };
        ThresholdReport {
            name: self.maker.plan.variants[start].others(self.column, &self.maker.plan.vary),
            path: self.maker.plan.vary[self.column].path.clone(),
            threshold,
            outcome,
            estimate_number: estimate.as_deref().map(|value| self.range.number(value)),
            estimate,
            interval_numbers: interval
                .as_ref()
                .map(|ends| [&ends[0], &ends[1]].map(|end| self.range.number(end))),
            interval,
            unit: self.range.unit().to_owned(),
            bracket: is_found.then_some(bracket),
            is_monotonic: tried[n_below..].iter().all(|tried| tried.relative > threshold),
            tried,
        }
    }

    /// Where the line between the ends of a bracket crosses the threshold.
    fn estimate(&self, bracket: &[String; 2], tried: &[TriedValue]) -> String {
        let at = |value: &String| tried.iter().find(|tried| tried.value == *value);
        let [Some(low), Some(high)] = [at(&bracket[0]), at(&bracket[1])] else { return bracket[1].clone() };
        let [from, to] = [low, high].map(|end| self.range.share(&end.value));
        let part = (self.bisection.threshold - low.relative) / (high.relative - low.relative);
        if self.range.is_of_integers() {
            // The first integer above the threshold.
            return bracket[1].clone();
        }
        self.range.at(from + (to - from) * part.clamp(0.0, 1.0))
    }

    /// The last value before which, and the first value after which, all differences are certain; an end of the range
    /// where there is none.
    fn interval(&self, tried: &[TriedValue]) -> Option<[String; 2]> {
        let n_below = self.n_below(tried)?;
        let n_above = self.n_above(tried)?;
        let first = &tried[n_below.saturating_sub(1)];
        let last = &tried[(tried.len() - n_above).min(tried.len() - 1)];
        Some([first.value.clone(), last.value.clone()])
    }

    /// The values between which certainty ends: after those below the threshold, and before those above it.
    fn gaps<'t>(&self, tried: &'t [TriedValue]) -> [Option<[&'t str; 2]>; 2] {
        let gap =
            |from: usize| Some([tried.get(from)?, tried.get(from + 1)?].map(|tried| tried.value.as_str()));
        let lower = self.n_below(tried).and_then(|n| gap(n.checked_sub(1)?));
        let upper =
            self.n_above(tried).filter(|&n| n > 0).and_then(|n| gap((tried.len() - n).checked_sub(1)?));
        [lower, upper]
    }

    /// How many of the first values are certainly below the threshold; `None` for a single seed.
    fn n_below(&self, tried: &[TriedValue]) -> Option<usize> {
        n_certain(tried.iter(), |relative, half| relative + half < self.bisection.threshold)
    }

    /// How many of the last values are certainly above the threshold; `None` for a single seed.
    fn n_above(&self, tried: &[TriedValue]) -> Option<usize> {
        n_certain(tried.iter().rev(), |relative, half| relative - half > self.bisection.threshold)
    }
}

/// How many of the first values are certain; `None` if one has no interval.
fn n_certain<'t>(
    tried: impl Iterator<Item = &'t TriedValue>,
    is_certain: impl Fn(f64, f64) -> bool,
) -> Option<usize> {
    let certain: Option<Vec<bool>> =
        tried.map(|tried| Some(is_certain(tried.relative, tried.half?))).collect();
    Some(certain?.into_iter().take_while(|&certain| certain).count())
}
