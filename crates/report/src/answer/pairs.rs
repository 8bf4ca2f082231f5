//! Pairs of times of a variant and the baseline, and their ratio.
//!
//! Models: pairs by seed, of mean step times, where at least two seeds have both; else step by step within the seed that
//! both have. The ratio is the geometric mean of the ratios of the pairs, its 95 % interval that of Student's t over
//! their logarithms.
//! Leaves out: dependence among the steps of a run, so that an interval over steps says nothing about other seeds.

use std::collections::BTreeMap;

use netloom_records::statistics::student;
use serde::Serialize;

use super::{Observed, Outcome};
use crate::round::six_digits;

/// Probability that the interval contains the ratio.
const CONFIDENT: f64 = 0.95;

/// Times of a variant and of the baseline, in seconds.
pub(super) type Pair = [f64; 2];

/// What the pairs are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Basis {
    /// Means of runs with the same seed.
    Seeds,
    /// Steps of two runs with this seed; absent for measured runs.
    Steps(Option<u64>),
}

/// The pairs of a comparison.
#[derive(Debug)]
pub(super) struct Pairs {
    pub basis: Basis,
    pub pairs: Vec<Pair>,
    /// The first two runs with a common seed.
    pub runs: Option<[usize; 2]>,
    /// Whether the times are those of steps.
    pub of_steps: bool,
}

/// How many times as fast as the baseline a variant is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Speedup {
    /// Geometric mean over the pairs of baseline time over time.
    pub ratio: f64,
    /// Lower end of its interval; absent for a single pair.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Number of pairs.
    pub pairs: usize,
    /// Number of pairs in which the variant was faster.
    pub faster: usize,
}

impl Pairs {
    /// The pairs of two variants, given by their runs.
    pub(super) fn of(job: Option<&str>, runs: &[Observed], [own, base]: [&[usize]; 2]) -> Pairs {
        let by_seed = |numbers: &[usize]| -> BTreeMap<Option<u64>, usize> {
            let with_time = numbers.iter().rev().filter(|&&run| mean_time(&runs[run], job).is_some());
            with_time.map(|&run| (runs[run].seed, run)).collect()
        };
        let (own, base) = (by_seed(own), by_seed(base));
        let common: Vec<[usize; 2]> =
            own.iter().filter_map(|(seed, &run)| Some([run, *base.get(seed)?])).collect();
        let (first, of_steps) = (common.first().copied(), job.is_some());
        if let (&[[one, other]], Some(job)) = (common.as_slice(), job) {
            let pairs = pairs_of_steps(steps(&runs[one], job), steps(&runs[other], job));
            return Pairs { basis: Basis::Steps(runs[one].seed), pairs, runs: first, of_steps };
        }
        let pair = |both: &[usize; 2]| both.map(|run| mean_time(&runs[run], job).expect("it was asked for"));
        Pairs { basis: Basis::Seeds, pairs: common.iter().map(pair).collect(), runs: first, of_steps }
    }

    /// Mean over the pairs.
    pub(super) fn mean(&self, read: fn(&Pair) -> f64) -> Option<f64> {
        let sum: f64 = self.pairs.iter().map(read).sum();
        (!self.pairs.is_empty()).then(|| six_digits(sum / self.pairs.len() as f64))
    }

    /// The ratio.
    pub(super) fn speedup(&self) -> Option<Speedup> {
        let logarithms: Vec<f64> = self.pairs.iter().map(|[own, base]| (base / own).ln()).collect();
        let count = logarithms.len();
        if count == 0 {
            return None;
        }
        let mean = logarithms.iter().sum::<f64>() / count as f64;
        let squares: f64 = logarithms.iter().map(|value| (value - mean).powi(2)).sum();
        let half = (count > 1).then(|| {
            let deviation = (squares / (count - 1) as f64).sqrt();
            student::within(CONFIDENT, count as u64 - 1) * deviation / (count as f64).sqrt()
        });
        Some(Speedup {
            ratio: six_digits(mean.exp()),
            low: half.map(|half| six_digits((mean - half).exp())),
            high: half.map(|half| six_digits((mean + half).exp())),
            pairs: count,
            faster: self.pairs.iter().filter(|[own, base]| own < base).count(),
        })
    }

    /// What they show.
    pub(super) fn outcome(&self) -> Outcome {
        let Some(speedup) = self.speedup() else { return Outcome::NoPair };
        match (speedup.low, speedup.high) {
            (Some(low), _) if low > 1.0 => Outcome::Faster,
            (_, Some(high)) if high < 1.0 => Outcome::Slower,
            (Some(_), Some(_)) => Outcome::NoDifference,
            _ => Outcome::OnePair,
        }
    }
}

fn steps<'a>(run: &'a Observed, job: &str) -> &'a [(u32, f64)] {
    run.jobs.iter().find(|(name, _)| name == job).map_or(&[], |(_, steps)| steps)
}

/// Steps that both have, with positive times.
fn pairs_of_steps(own: &[(u32, f64)], base: &[(u32, f64)]) -> Vec<Pair> {
    let base: BTreeMap<u32, f64> = base.iter().copied().collect();
    let pair = |&(step, time): &(u32, f64)| Some([time, *base.get(&step)?]);
    own.iter().filter_map(pair).filter(|pair| pair.iter().all(|time| *time > 0.0)).collect()
}

/// Mean step time of a job of a run, or mean completion time of its messages; absent if there is none.
fn mean_time(run: &Observed, job: Option<&str>) -> Option<f64> {
    let Some(job) = job else { return run.fct_s.filter(|time| *time > 0.0) };
    let steps = steps(run, job);
    let sum: f64 = steps.iter().map(|(_, time)| time).sum();
    (sum > 0.0).then(|| sum / steps.len() as f64)
}
