//! What runs gave and what was published, each over something else where that is asked for.
//!
//! Models: a figure of a run or a part with every seed; ratios of two figures.
//! Leaves out: verdicts, and how figures are written down.
//!
//! Invariants: claims and figures divide in the same way: means over means, and what is known of a ratio follows from the
//! ratios seed by seed, since runs with one seed share what the seed decides, failed links above all.

use super::paper::{Paper, Target};
use super::quantity::Quantity;
use super::runs::Measured;
use crate::sample::Sample;

/// Where figures are looked up.
#[derive(Clone, Copy)]
pub(super) struct Bench<'a> {
    pub paper: &'a Paper,
    pub measured: &'a [Measured],
}

/// A quantity of a run or a part, over another one if that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    pub above: (Target, Quantity),
    pub below: Option<(Target, Quantity)>,
}

impl Asked {
    /// A quantity of each of these, over what stands at the same place of the divisors.
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
    /// A figure with every seed; nothing where the run has none.
    pub(super) fn values(&self, target: &Target, quantity: Quantity) -> Vec<f64> {
        let runs = self.measured.iter().filter(|measured| measured.run == target.run);
        runs.filter_map(|run| run.get(target.part.as_deref(), quantity)).collect()
    }

    /// A figure, or a ratio for every seed that both runs have.
    pub(super) fn by_seed(&self, asked: &Asked) -> Vec<f64> {
        let (target, quantity) = &asked.above;
        let Some((below, by)) = &asked.below else { return self.values(target, *quantity) };
        let ratio = |run: &Measured| {
            let other =
                self.measured.iter().find(|other| other.run == below.run && other.seed == run.seed)?;
            Some(run.get(target.part.as_deref(), *quantity)? / other.get(below.part.as_deref(), *by)?)
        };
        self.measured.iter().filter(|run| run.run == target.run).filter_map(ratio).collect()
    }

    /// How well it is known: half of the 95 % confidence interval.
    pub(super) fn half(&self, asked: &Asked) -> Option<f64> {
        Sample::of(&self.by_seed(asked)).and_then(|sample| sample.confidence())
    }

    /// The mean over seeds, or a mean over another; not a number where there is none.
    pub(super) fn ours(&self, asked: &Asked) -> f64 {
        divided(asked, |target, quantity| mean(&self.values(target, quantity)))
    }

    /// The same as published.
    pub(super) fn published(&self, asked: &Asked) -> f64 {
        divided(asked, |target, quantity| {
            self.paper.published.get(&target.run, target.part.as_deref(), quantity).unwrap_or(f64::NAN)
        })
    }

    /// Seeds of the run with the fewest.
    pub(super) fn n_seeds(&self, asked: &Asked) -> usize {
        let count = |(target, quantity): &(Target, Quantity)| self.values(target, *quantity).len();
        asked.below.as_ref().map_or(usize::MAX, count).min(count(&asked.above))
    }
}

/// The mean of a figure over seeds; not a number without any.
pub(super) fn mean(values: &[f64]) -> f64 {
    Sample::of(values).map_or(f64::NAN, |sample| sample.mean)
}

/// A value, over its divisor if there is one.
fn divided(asked: &Asked, value: impl Fn(&Target, Quantity) -> f64) -> f64 {
    let of = |(target, quantity): &(Target, Quantity)| value(target, *quantity);
    of(&asked.above) / asked.below.as_ref().map_or(1.0, of)
}
