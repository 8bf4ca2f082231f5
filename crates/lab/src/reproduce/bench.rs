//! Simulated and published figures, each divided by another figure where a claim requests it.
//!
//! Models: a figure of a run or a part with every seed; ratios of two figures.
//! Leaves out: verdicts, and the format of figures.
//!
//! Invariants: claims and figures use the same ratios: mean over mean. The confidence interval of a ratio follows from
//! the ratios seed by seed, since runs with the same seed share what the seed decides, such as failed links.

use super::paper::{Paper, Target};
use super::quantity::Quantity;
use super::runs::SimulatedRun;
use crate::sample::Sample;

/// Looks figures up.
#[derive(Clone, Copy)]
pub(super) struct Bench<'a> {
    pub paper: &'a Paper,
    pub runs: &'a [SimulatedRun],
}

/// A quantity of a run or a part, over another one if a divisor is given.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    pub above: (Target, Quantity),
    pub below: Option<(Target, Quantity)>,
}

impl Asked {
    /// A quantity of each of these targets, over the divisor with the same index.
    pub(super) fn all(
        quantity: Quantity,
        targets: Vec<Target>,
        divisors: Option<(Quantity, Vec<Target>)>,
    ) -> Vec<Asked> {
        let mut below = divisors.map(|(by, divisors)| divisors.into_iter().map(move |divisor| (divisor, by)));
        let one =
            |target| Asked { above: (target, quantity), below: below.as_mut().and_then(Iterator::next) };
        targets.into_iter().map(one).collect()
    }
}

impl Bench<'_> {
    /// A figure with every seed; empty where the run does not have it.
    pub(super) fn values(&self, target: &Target, quantity: Quantity) -> Vec<f64> {
        let runs = self.runs.iter().filter(|run| run.run == target.run);
        runs.filter_map(|run| run.get(target.part.as_deref(), quantity)).collect()
    }

    /// A figure, or a ratio for every seed that both runs have.
    pub(super) fn by_seed(&self, asked: &Asked) -> Vec<f64> {
        let (target, quantity) = &asked.above;
        let Some((below, by)) = &asked.below else { return self.values(target, *quantity) };
        let ratio = |run: &SimulatedRun| {
            let other = self.runs.iter().find(|other| other.run == below.run && other.seed == run.seed)?;
            Some(run.get(target.part.as_deref(), *quantity)? / other.get(below.part.as_deref(), *by)?)
        };
        self.runs.iter().filter(|run| run.run == target.run).filter_map(ratio).collect()
    }

    /// Half of the 95 % confidence interval.
    pub(super) fn half(&self, asked: &Asked) -> Option<f64> {
        Sample::of(&self.by_seed(asked)).and_then(|sample| sample.confidence())
    }

    /// The mean over seeds, or the ratio of two means; NaN where there is none.
    pub(super) fn simulated(&self, asked: &Asked) -> f64 {
        divided(asked, |target, quantity| mean(&self.values(target, quantity)))
    }

    /// The same of published figures.
    pub(super) fn published(&self, asked: &Asked) -> f64 {
        divided(asked, |target, quantity| {
            self.paper.published.get(&target.run, target.part.as_deref(), quantity).unwrap_or(f64::NAN)
        })
    }

    /// The smallest number of seeds among the runs.
    pub(super) fn n_seeds(&self, asked: &Asked) -> usize {
        let count = |(target, quantity): &(Target, Quantity)| self.values(target, *quantity).len();
        asked.below.as_ref().map_or(usize::MAX, count).min(count(&asked.above))
    }
}

/// The mean of a figure over seeds; NaN without any.
pub(super) fn mean(values: &[f64]) -> f64 {
    Sample::of(values).map_or(f64::NAN, |sample| sample.mean)
}

/// A value, over its divisor if there is one.
fn divided(asked: &Asked, value: impl Fn(&Target, Quantity) -> f64) -> f64 {
    let of = |(target, quantity): &(Target, Quantity)| value(target, *quantity);
    of(&asked.above) / asked.below.as_ref().map_or(1.0, of)
}
