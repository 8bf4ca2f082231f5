//! Evaluates claims: from runs to verdicts.
//!
//! Invariants: a `near` claim gives a verdict for each of its figures, a `relation` claim gives one; relations compare
//! means over seeds, except `equal`, which compares seed by seed.

use std::collections::BTreeSet;

use serde::Serialize;

use super::bench::{Asked, Bench, mean};
use super::claims::{Claim, Kind, Near, Recorded, Relation, Within};
use super::paper::{Paper, Target};
use super::quantity::Quantity;
use super::runs::SimulatedRun;
use super::score::{Score, Scored, quantile};
use crate::sample::{Interval, Sample};

/// The verdict on a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It holds.
    Reproduced,
    /// It does not.
    NotReproduced,
    /// It was not run, or with one seed, which gives no spread.
    TooFewSeeds,
}

impl Verdict {
    /// The printed word.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
            Verdict::NotReproduced => "not reproduced",
            Verdict::TooFewSeeds => "too few seeds",
        }
    }

    fn of(holds: bool) -> Verdict {
        if holds { Verdict::Reproduced } else { Verdict::NotReproduced }
    }
}

/// The evaluation of a claim, or of one of its figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// The claim.
    pub claim: String,
    /// The run, and the part; for a relation, the figures compared.
    pub at: String,
    /// Its location in the paper.
    pub said: String,
    /// The quantity.
    pub quantity: Quantity,
    /// The published figure, or the figures compared.
    pub published: Vec<f64>,
    /// The simulated figures, in the same order: means over seeds.
    pub simulated: Vec<f64>,
    /// Half the 95 % confidence interval of each of these; for a ratio, that of the ratios seed by seed. Absent for a
    /// single seed.
    pub halves: Vec<Option<f64>>,
    /// The smallest number of seeds among the runs.
    pub seeds: usize,
    /// The interval in which the published figure must be.
    pub interval: Option<Interval>,
    /// Whether anything was calibrated.
    pub kind: Kind,
    /// The verdict that follows from the runs.
    pub verdict: Verdict,
    /// The recorded verdict.
    pub recorded: Recorded,
    /// The recorded reason why it does not hold, if any.
    pub reason: Option<String>,
}

impl Judged {
    /// Whether the verdict is the recorded one; true if none is recorded.
    pub fn is_as_recorded(&self) -> bool {
        match self.recorded {
            Recorded::Reproduced => self.verdict == Verdict::Reproduced,
            Recorded::NotReproduced => self.verdict == Verdict::NotReproduced,
            Recorded::NotJudged => true,
        }
    }
}

/// All runs that claims refer to, in order.
pub(super) fn runs(paper: &Paper) -> Result<BTreeSet<String>, String> {
    let mut runs = BTreeSet::new();
    for claim in &paper.claims.claims {
        runs.extend(paper.targets(&claim.at, claim.quantity)?.into_iter().map(|target| target.run));
        if let Some((_, targets)) = paper.divisors(&claim.at, claim.quantity, claim.per.as_ref())? {
            runs.extend(targets.into_iter().map(|target| target.run));
        }
    }
    Ok(runs)
}

/// Evaluates all claims, in their order.
pub(super) fn judge(paper: &Paper, runs: &[SimulatedRun]) -> Result<Vec<Judged>, String> {
    let bench = Bench { paper, runs };
    let mut judged = Vec::new();
    for claim in &paper.claims.claims {
        match (&claim.near, claim.relation) {
            (Some(near), _) => judged.append(&mut bench.near(claim, near)?),
            (None, Some(relation)) => judged.push(bench.relation(claim, relation)?),
            (None, None) => {}
        }
    }
    Ok(judged)
}

impl Bench<'_> {
    fn near(&self, claim: &Claim, near: &Near) -> Result<Vec<Judged>, String> {
        let within = near.within()?;
        let mut judged = Vec::new();
        for asked in self.asked(claim)? {
            let target = &asked.above.0;
            let name = target.name();
            let published = match &asked.below {
                None => self.paper.published_of(target, claim.quantity),
                Some(_) => Some(self.published(&asked)).filter(|published| !published.is_nan()),
            };
            let published =
                published.ok_or_else(|| format!("claim `{}`: nothing is published of {name}", claim.id))?;
            let values = self.by_seed(&asked);
            let (interval, verdict) = is_near(&values, published, within, near.allow);
            let mut one = blank(claim, name);
            one.published = vec![published];
            one.simulated = Sample::of(&values).map(|sample| sample.mean).into_iter().collect();
            one.halves = Sample::of(&values).map(|sample| sample.confidence()).into_iter().collect();
            one.seeds = values.len();
            one.interval = interval;
            one.verdict = verdict;
            self.except(claim, target, &mut one)?;
            judged.push(one);
        }
        Ok(judged)
    }

    /// An exception inverts the recorded verdict.
    fn except(&self, claim: &Claim, target: &Target, judged: &mut Judged) -> Result<(), String> {
        for exception in &claim.except {
            if self.paper.targets(&exception.at, claim.quantity)?.contains(target) {
                judged.recorded = match claim.recorded {
                    Recorded::Reproduced => Recorded::NotReproduced,
                    Recorded::NotReproduced => Recorded::Reproduced,
                    Recorded::NotJudged => Recorded::NotJudged,
                };
                judged.reason = Some(exception.reason.clone());
            }
        }
        Ok(())
    }

    fn relation(&self, claim: &Claim, relation: Relation) -> Result<Judged, String> {
        let asked = self.asked(claim)?;
        let compared = Compared {
            values: asked.iter().map(|asked| self.values(&asked.above.0, asked.above.1)).collect(),
            by_seed: asked.iter().map(|asked| self.by_seed(asked)).collect(),
            simulated: asked.iter().map(|asked| self.simulated(asked)).collect(),
            published: asked.iter().map(|asked| self.published(asked)).collect(),
        };
        let mut one = blank(claim, String::new());
        if let Relation::Score(score) = relation {
            let scored = compared.scored(score);
            one.at = score.words(scored.as_ref());
            one.simulated = scored.iter().map(|scored| scored.simulated).collect();
            one.seeds = usize::from(scored.is_some());
        } else {
            one.at = words(relation);
            one.simulated.clone_from(&compared.simulated);
            one.halves = asked.iter().map(|asked| self.half(asked)).collect();
            one.seeds = asked.iter().map(|asked| self.n_seeds(asked)).min().unwrap_or(0);
            let is_published = compared.published.iter().any(|value| !value.is_nan());
            one.published = if is_published { compared.published.clone() } else { Vec::new() };
        }
        if matches!(
            relation,
            Relation::EverySeedAtLeast(_) | Relation::MeanBetween(_) | Relation::AmongSeeds(_)
        ) {
            one.simulated = compared.by_seed.iter().map(|values| mean(values)).collect();
        }
        let enough = if matches!(relation, Relation::AmongSeeds(_)) { SEEDS_FOR_TENTHS } else { 1 };
        one.verdict =
            if one.seeds < enough { Verdict::TooFewSeeds } else { Verdict::of(compared.holds(relation)) };
        Ok(one)
    }

    /// The figures that a claim refers to.
    fn asked(&self, claim: &Claim) -> Result<Vec<Asked>, String> {
        let targets = self.paper.targets(&claim.at, claim.quantity)?;
        let divisors = self.paper.divisors(&claim.at, claim.quantity, claim.per.as_ref())?;
        Ok(Asked::all(claim.quantity, targets, divisors))
    }
}

/// Fewest seeds for which the 10th and 90th percentiles are meaningful.
const SEEDS_FOR_TENTHS: usize = 10;

/// The figures that a relation compares.
struct Compared {
    /// Figures with every seed, not divided.
    values: Vec<Vec<f64>>,
    /// Figures with every seed, divided.
    by_seed: Vec<Vec<f64>>,
    /// Means over seeds, divided.
    simulated: Vec<f64>,
    /// As published, divided.
    published: Vec<f64>,
}

impl Compared {
    /// All figures together.
    fn scored(&self, score: Score) -> Option<Scored> {
        let pairs = self.simulated.iter().copied().zip(self.published.iter().copied());
        score.of(&pairs.collect::<Vec<_>>())
    }

    /// Whether a condition holds for the seeds of each figure; false without figures.
    fn each(&self, holds: impl Fn(&[f64]) -> bool) -> bool {
        self.by_seed.iter().all(|seeds| !seeds.is_empty() && holds(seeds))
    }

    /// Whether they satisfy a relation; a missing figure satisfies none.
    fn holds(&self, relation: Relation) -> bool {
        let values = &self.simulated;
        if values.iter().any(|value| value.is_nan()) {
            return false;
        }
        let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        match relation {
            Relation::Flat(limit) => largest <= limit * smallest,
            Relation::AtLeast(limit) => smallest >= limit,
            Relation::AtMost(limit) => largest <= limit,
            Relation::Between([low, high]) => low <= smallest && largest <= high,
            Relation::SmallestBetween([low, high]) => low <= smallest && smallest <= high,
            Relation::LargestBetween([low, high]) => low <= largest && largest <= high,
            Relation::FirstLeast => values.first().is_some_and(|first| *first <= smallest),
            Relation::Rising => values.windows(2).all(|two| two[0] < two[1]),
            Relation::Equal => self.values.iter().all(|own| !own.is_empty() && *own == self.values[0]),
            Relation::EverySeedAtLeast(limit) => self.each(|seeds| seeds.iter().all(|value| *value >= limit)),
            Relation::MeanBetween([low, high]) => {
                self.each(|seeds| Interval { low, high }.holds(mean(seeds)))
            }
            Relation::AmongSeeds(value) => self.each(|seeds| between(seeds, 0.1, 0.9).holds(value)),
            Relation::Score(score) => self.scored(score).is_some_and(|scored| score.holds(&scored)),
        }
    }
}

/// A claim before it is evaluated.
fn blank(claim: &Claim, at: String) -> Judged {
    Judged {
        claim: claim.id.clone(),
        at,
        said: claim.said.clone(),
        quantity: claim.quantity,
        published: Vec::new(),
        simulated: Vec::new(),
        halves: Vec::new(),
        seeds: 0,
        interval: None,
        kind: claim.kind,
        verdict: Verdict::TooFewSeeds,
        recorded: claim.recorded,
        reason: claim.reason.clone(),
    }
}

/// Whether a published figure is near the simulated ones, and the interval in which it must be.
fn is_near(values: &[f64], published: f64, within: Within, allow: f64) -> (Option<Interval>, Verdict) {
    let Some(sample) = Sample::of(values) else { return (None, Verdict::TooFewSeeds) };
    let interval = match within {
        Within::Exact | Within::Range => Some(Interval { low: sample.minimum, high: sample.maximum }),
        Within::Share(share) => {
            Some(Interval { low: sample.mean * (1.0 - share), high: sample.mean * (1.0 + share) })
        }
        Within::Distance(distance) => {
            Some(Interval { low: sample.mean - distance, high: sample.mean + distance })
        }
        Within::Middle => middle(values),
        Within::Interval => sample.prediction(),
    };
    let interval = interval.map(|interval| interval.widened(allow));
    let verdict = match interval {
        None => Verdict::TooFewSeeds,
        Some(_) if within == Within::Range && values.len() < 2 => Verdict::TooFewSeeds,
        Some(interval) if within == Within::Exact && interval.low < interval.high => Verdict::NotReproduced,
        Some(interval) => Verdict::of(interval.holds(published)),
    };
    (interval, verdict)
}

/// The interval of the middle 95 % of figures; `None` for fewer than 40, of which it would leave out none.
fn middle(values: &[f64]) -> Option<Interval> {
    const LEAST: usize = 40;
    (values.len() >= LEAST).then(|| between(values, 0.025, 0.975))
}

/// From one quantile of figures to another.
fn between(values: &[f64], low: f64, high: f64) -> Interval {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Interval { low: quantile(&sorted, low), high: quantile(&sorted, high) }
}

fn words(relation: Relation) -> String {
    match relation {
        Relation::Flat(limit) => format!("largest / smallest <= {limit}"),
        Relation::AtLeast(limit) => format!("each >= {limit}"),
        Relation::AtMost(limit) => format!("each <= {limit}"),
        Relation::Between([low, high]) => format!("each from {low} to {high}"),
        Relation::SmallestBetween([low, high]) => format!("the smallest from {low} to {high}"),
        Relation::LargestBetween([low, high]) => format!("the largest from {low} to {high}"),
        Relation::FirstLeast => "the first is the smallest".into(),
        Relation::Rising => "each above the one before".into(),
        Relation::Equal => "equal, seed by seed".into(),
        Relation::EverySeedAtLeast(limit) => format!("with every seed >= {limit}"),
        Relation::MeanBetween([low, high]) => format!("the mean over seeds from {low} to {high}"),
        Relation::AmongSeeds(value) => format!("{value} between the 10th and 90th percentile of seeds"),
        Relation::Score(score) => score.words(None),
    }
}

#[cfg(test)]
mod tests {
    use super::super::score::Statistic;
    use super::*;

    #[test]
    fn nearness_depends_on_the_variance() {
        let values = [10.0, 11.0, 9.0, 10.0];
        let verdict = |published, within, allow| is_near(&values, published, within, allow).1;
        // s = 0.8165, t(0.995, 3) = 5.841, sqrt(1.25): the half-length is 5.33.
        assert_eq!(verdict(15.0, Within::Interval, 0.0), Verdict::Reproduced);
        assert_eq!(verdict(15.4, Within::Interval, 0.0), Verdict::NotReproduced);
        assert_eq!(verdict(15.4, Within::Interval, 0.5), Verdict::Reproduced);
        assert_eq!(verdict(10.04, Within::Share(0.005), 0.0), Verdict::Reproduced);
        assert_eq!(verdict(10.06, Within::Share(0.005), 0.0), Verdict::NotReproduced);
        assert_eq!(verdict(10.0, Within::Exact, 0.0), Verdict::NotReproduced);
        assert_eq!(verdict(11.0, Within::Range, 0.0), Verdict::Reproduced);
        assert_eq!(verdict(11.1, Within::Range, 0.0), Verdict::NotReproduced);
        assert_eq!(is_near(&[7.0], 7.0, Within::Range, 0.0).1, Verdict::TooFewSeeds);
        assert_eq!(is_near(&[7.0, 7.0], 7.0, Within::Exact, 0.0).1, Verdict::Reproduced);
        assert_eq!(is_near(&[7.0], 7.0, Within::Interval, 0.0).1, Verdict::TooFewSeeds);
        assert_eq!(is_near(&[], 7.0, Within::Exact, 0.0).1, Verdict::TooFewSeeds);
        assert_eq!(verdict(10.02, Within::Distance(0.02), 0.0), Verdict::Reproduced);
        assert_eq!(verdict(10.03, Within::Distance(0.02), 0.0), Verdict::NotReproduced);
    }

    #[test]
    fn the_middle_excludes_one_in_forty_at_each_end() {
        // 0 to 80: the 2.5th percentile is 2, the 97.5th is 78.
        let values: Vec<f64> = (0..=80).rev().map(f64::from).collect();
        let verdict = |published| is_near(&values, published, Within::Middle, 0.0).1;
        assert_eq!([verdict(2.0), verdict(78.0)], [Verdict::Reproduced; 2]);
        assert_eq!([verdict(1.9), verdict(78.1)], [Verdict::NotReproduced; 2]);
        assert_eq!(is_near(&values[..39], 60.0, Within::Middle, 0.0).1, Verdict::TooFewSeeds);
    }

    #[test]
    fn relations_about_seeds_check_each_of_them() {
        // 0.0, 0.1, ... 1.0: the 10th percentile is 0.1, the 90th is 0.9.
        let seeds: Vec<f64> = (0..=10).rev().map(|tenth| f64::from(tenth) / 10.0).collect();
        let holds = |seeds: &[f64], relation| {
            let simulated = vec![mean(seeds)];
            let by_seed = vec![seeds.to_vec()];
            Compared { values: by_seed.clone(), by_seed, simulated, published: Vec::new() }.holds(relation)
        };
        assert!(holds(&seeds, Relation::EverySeedAtLeast(0.0)));
        assert!(!holds(&seeds, Relation::EverySeedAtLeast(0.01)));
        assert!(holds(&seeds, Relation::MeanBetween([0.49, 0.51])));
        assert!(!holds(&seeds, Relation::MeanBetween([0.51, 0.9])));
        assert!(holds(&seeds, Relation::AmongSeeds(0.11)) && holds(&seeds, Relation::AmongSeeds(0.89)));
        assert!(!holds(&seeds, Relation::AmongSeeds(0.09)) && !holds(&seeds, Relation::AmongSeeds(0.91)));
        assert!(!holds(&[], Relation::EverySeedAtLeast(0.0)));
        assert!(!holds(&[1.0, f64::NAN], Relation::EverySeedAtLeast(0.0)));
    }

    #[test]
    fn relations_follow_their_definitions() {
        let holds = |values: &[f64], relation| {
            let by_seed: Vec<Vec<f64>> = values.iter().map(|value| vec![*value]).collect();
            Compared {
                values: by_seed.clone(),
                by_seed,
                simulated: values.to_vec(),
                published: vec![2.0, 3.1, 4.2],
            }
            .holds(relation)
        };
        let values = [2.0, 3.0, 4.0];
        assert!(holds(&values, Relation::Flat(2.0)) && !holds(&values, Relation::Flat(1.9)));
        assert!(holds(&values, Relation::AtLeast(2.0)) && !holds(&values, Relation::AtLeast(2.1)));
        assert!(holds(&values, Relation::AtMost(4.0)) && !holds(&values, Relation::AtMost(3.9)));
        assert!(
            holds(&values, Relation::Between([2.0, 4.0])) && !holds(&values, Relation::Between([2.0, 3.9]))
        );
        assert!(!holds(&values, Relation::Between([2.1, 4.0])));
        let smallest = |from, to| holds(&values, Relation::SmallestBetween([from, to]));
        assert!(smallest(1.0, 2.0) && !smallest(2.1, 9.0) && !smallest(0.0, 1.9));
        let largest = |from, to| holds(&values, Relation::LargestBetween([from, to]));
        assert!(largest(4.0, 5.0) && !largest(4.1, 9.0) && !largest(0.0, 3.9));
        assert!(holds(&values, Relation::FirstLeast) && !holds(&[2.0, 1.9], Relation::FirstLeast));
        assert!(holds(&values, Relation::Rising) && !holds(&[2.0, 2.0], Relation::Rising));
        assert!(!holds(&[f64::NAN, 1.0], Relation::Flat(9.0)));
        assert!(holds(&[2.0, 2.0], Relation::Equal) && !holds(&values, Relation::Equal));
        let near = |least: f64| {
            let (of, none) = (Statistic::ShareNear, None);
            Score { of, at_least: Some(least), at_most: none, published_from: none, published_below: none }
        };
        assert!(holds(&values, Relation::Score(near(1.0))), "errors are 0, 0.033 and 0.049");
        assert!(!holds(&[2.0, 3.0, 5.0], Relation::Score(near(0.7))), "two in three are near");
    }
}
