//! Bisection: from which value of a range on the steps of a job take longer by a stated share than at its beginning.
//!
//! Models: for every combination of the other values, the range is halved until the bracket is narrow enough; differences
//! are paired by seed, with 95 % confidence intervals.
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

/// Most values that are tried in a range, beside its ends.
const MOST_VALUES: usize = 40;
/// Seeds of each value, unless a number is given.
pub(super) const SEEDS: u64 = 5;
/// The width of the final bracket as a share of the range, unless one is given.
const WIDTH: f64 = 0.01;

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
    /// The last value below the threshold and the first above it, by their means.
    pub bracket: Option<[String; 2]>,
    /// The same by whole confidence intervals: outside of it the difference is certain; absent for a single seed.
    pub interval: Option<[String; 2]>,
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
                        format!("between {low} and {high}; with several seeds there is an interval")
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
        for _ in 0..MOST_VALUES {
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

    /// Adds the middle of each bracket that is too wide; returns group and variant of each.
    fn halve(&mut self) -> Result<Vec<(usize, usize)>, LabError> {
        let mut next = Vec::new();
        for index in 0..self.groups.len() {
            if self.groups[index].outcome.is_some() {
                continue;
            }
            match self.middle(&self.groups[index]) {
                None => self.groups[index].outcome = Some(ThresholdOutcome::Found),
                Some(value) => {
                    let start = &self.maker.plan.variants[self.groups[index].tried[0]];
                    let mut values = start.values.clone();
                    values[self.column] = value;
                    let draft = Draft { scenario: 0, values };
                    let source = start.source.clone();
                    let variant = self.maker.add(&draft, &source)?;
                    self.groups[index].tried.push(variant);
                    next.push((index, variant));
                }
            }
        }
        Ok(next)
    }

    /// The value in the middle of a bracket, unless it is narrow enough.
    fn middle(&self, group: &Group) -> Option<String> {
        let [low, high] = group.bracket.map(|variant| self.value(variant));
        let [from, to] = [low, high].map(|value| self.range.share(value));
        let middle = self.range.at(from.midpoint(to));
        let is_new = middle != low && middle != high;
        (is_new && to - from > self.bisection.width).then_some(middle)
    }

    /// Moves an end of each bracket to the value that was tried in it.
    fn judge(&mut self, tried: &[(usize, usize)]) {
        for &(index, variant) in tried {
            let reference = self.groups[index].tried[0];
            match self.relative(reference, variant) {
                None => self.groups[index].outcome = Some(ThresholdOutcome::Failed),
                Some(found) => {
                    let end = usize::from(found.mean > self.bisection.threshold);
                    self.groups[index].bracket[end] = variant;
                }
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
        let ratio = |done: &Done| Some(step(done)? / base(done.report.seed)? - 1.0);
        let ratios: Vec<f64> = of(variant).filter_map(ratio).collect();
        let sample = Sample::of(&ratios)?;
        Some(Relative { seeds: ratios.len(), mean: sample.mean, half: sample.confidence() })
    }

    fn report(&self, group: &Group) -> ThresholdReport {
        let (start, threshold) = (group.tried[0], self.bisection.threshold);
        let mut tried: Vec<TriedValue> = group
            .tried
            .iter()
            .filter_map(|&variant| {
                let Relative { seeds, mean, half } = self.relative(start, variant)?;
                let value = self.value(variant).to_owned();
                Some(TriedValue { number: self.range.number(&value), value, seeds, relative: mean, half })
            })
            .collect();
        tried.sort_by(|one, other| self.range.share(&one.value).total_cmp(&self.range.share(&other.value)));
        let outcome = group.outcome.unwrap_or(ThresholdOutcome::Stopped);
        let bracket = group.bracket.map(|variant| self.value(variant).to_owned());
        let n_below = tried.iter().take_while(|tried| tried.relative <= threshold).count();
        let is_found = outcome == ThresholdOutcome::Found;
        ThresholdReport {
            name: self.maker.plan.variants[start].others(self.column, &self.maker.plan.vary),
            path: self.maker.plan.vary[self.column].path.clone(),
            threshold,
            outcome,
            estimate: is_found.then(|| self.estimate(&bracket, &tried)),
            interval: if is_found { self.interval(&tried) } else { None },
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

    /// The last value before which, and the first value after which, all differences are certain.
    fn interval(&self, tried: &[TriedValue]) -> Option<[String; 2]> {
        let halves: Option<Vec<f64>> = tried.iter().map(|tried| tried.half).collect();
        let halves = halves?;
        let threshold = self.bisection.threshold;
        let below = tried.iter().zip(&halves).take_while(|(tried, half)| tried.relative + *half < threshold);
        let above =
            tried.iter().zip(&halves).rev().take_while(|(tried, half)| tried.relative - *half > threshold);
        let first = below.last().map_or_else(|| tried[0].value.clone(), |(tried, _)| tried.value.clone());
        let last = above
            .last()
            .map_or_else(|| tried[tried.len() - 1].value.clone(), |(tried, _)| tried.value.clone());
        Some([first, last])
    }
}
