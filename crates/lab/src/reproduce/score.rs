//! Scores of many figures together against the published ones.
//!
//! Models: the error of a figure is |ln(simulated / published)|, so that half and double have the same error; a score
//! is the median or the 90th percentile of the errors, the share of figures whose error is at most 0.1, or the rank
//! correlation of simulated and published figures (Spearman, ties by the mean of their ranks).
//! Leaves out: which figures those are.
//!
//! Invariants: a score is reported with the number of its figures, and with the score of a trivial prediction of 1.0
//! for every figure.

use serde::Deserialize;

/// A score with bounds.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Score {
    /// The statistic.
    pub of: Statistic,
    /// Lower bound.
    #[serde(default)]
    pub at_least: Option<f64>,
    /// Upper bound.
    #[serde(default)]
    pub at_most: Option<f64>,
    /// Only figures with at least this published value count.
    #[serde(default)]
    pub published_from: Option<f64>,
    /// Only figures with less than this published value count.
    #[serde(default)]
    pub published_below: Option<f64>,
}

/// The statistic of a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Statistic {
    /// Median of the errors.
    MedianError,
    /// 90th percentile of the errors.
    NinetiethError,
    /// The share of errors that are at most 0.1.
    ShareNear,
    /// Rank correlation of simulated and published figures, from -1 to 1.
    RankCorrelation,
}

/// The largest error that counts as near.
const NEAR: f64 = 0.1;

/// A score, and that of a trivial prediction of 1.0 for every figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scored {
    /// Number of figures that count.
    pub n: usize,
    /// Score of the simulated figures.
    pub simulated: f64,
    /// Score of the trivial prediction; `None` if it is undefined.
    pub trivial: Option<f64>,
}

impl Score {
    /// Scores pairs of simulated and published figures; `None` if none counts, or a figure is missing.
    pub fn of(&self, pairs: &[(f64, f64)]) -> Option<Scored> {
        let counts = |published: f64| {
            self.published_from.is_none_or(|least| published >= least)
                && self.published_below.is_none_or(|most| published < most)
        };
        let pairs: Vec<(f64, f64)> = pairs.iter().copied().filter(|pair| counts(pair.1)).collect();
        if pairs.is_empty()
            || pairs.iter().any(|(simulated, published)| !(*simulated > 0.0 && *published > 0.0))
        {
            return None;
        }
        let trivial: Vec<(f64, f64)> = pairs.iter().map(|pair| (1.0, pair.1)).collect();
        Some(Scored { n: pairs.len(), simulated: self.of.of(&pairs)?, trivial: self.of.of(&trivial) })
    }

    /// Whether a score is within the bounds.
    pub fn holds(&self, scored: &Scored) -> bool {
        self.at_least.is_none_or(|least| scored.simulated >= least)
            && self.at_most.is_none_or(|most| scored.simulated <= most)
    }

    /// As text, with the score of the trivial prediction.
    pub fn words(&self, scored: Option<&Scored>) -> String {
        let what = match self.of {
            Statistic::MedianError => "median |ln(simulated / published)|",
            Statistic::NinetiethError => "90th percentile of |ln(simulated / published)|",
            Statistic::ShareNear => "share with |ln(simulated / published)| <= 0.1",
            Statistic::RankCorrelation => "rank correlation",
        };
        let bound =
            |sign: &str, bound: Option<f64>| bound.map_or(String::new(), |bound| format!(" {sign} {bound}"));
        let bounds = bound(">=", self.at_least) + &bound("<=", self.at_most);
        let from = self.published_from.map_or(String::new(), |from| format!(", published from {from}"));
        let below = self.published_below.map_or(String::new(), |below| format!(", published below {below}"));
        let over = scored.map_or(String::new(), |scored| {
            let trivial = scored.trivial.map_or("none".to_owned(), |trivial| format!("{trivial:.3}"));
            format!(", over {} figures{from}{below} (1.0 everywhere: {trivial})", scored.n)
        });
        format!("{what}{bounds}{over}")
    }
}

impl Statistic {
    fn of(self, pairs: &[(f64, f64)]) -> Option<f64> {
        let mut errors: Vec<f64> =
            pairs.iter().map(|(simulated, published)| (simulated / published).ln().abs()).collect();
        errors.sort_by(f64::total_cmp);
        match self {
            Statistic::MedianError => Some(quantile(&errors, 0.5)),
            Statistic::NinetiethError => Some(quantile(&errors, 0.9)),
            Statistic::ShareNear => {
                let near = errors.iter().filter(|error| **error <= NEAR).count();
                Some(near as f64 / errors.len() as f64)
            }
            Statistic::RankCorrelation => rank_correlation(pairs),
        }
    }
}

/// A quantile of sorted values, interpolated linearly as in numpy.
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[at as usize], sorted[at.ceil() as usize]);
    low + at.fract() * (high - low)
}

/// Spearman's rank correlation; `None` where all values of one side are equal.
fn rank_correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let simulated = ranks(pairs.iter().map(|pair| pair.0));
    let published = ranks(pairs.iter().map(|pair| pair.1));
    let mean = (pairs.len() + 1) as f64 / 2.0;
    let product = |left: &[f64], right: &[f64]| -> f64 {
        left.iter().zip(right).map(|(left, right)| (left - mean) * (right - mean)).sum()
    };
    let spread = (product(&simulated, &simulated) * product(&published, &published)).sqrt();
    (spread > 0.0).then(|| product(&simulated, &published) / spread)
}

/// The rank of each value, from 1; those that tie share the mean of theirs.
fn ranks(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let values: Vec<f64> = values.collect();
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| other.total_cmp(value).is_lt()).count();
        let alike = values.iter().filter(|other| other.total_cmp(value).is_eq()).count();
        below as f64 + (alike + 1) as f64 / 2.0
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(of: Statistic) -> Score {
        Score { of, at_least: None, at_most: None, published_from: None, published_below: None }
    }

    #[test]
    fn scores_follow_their_definitions() {
        let e = std::f64::consts::E;
        // Errors 0, 1, 1, 2 and 0.05.
        let pairs =
            [(0.5, 0.5), (0.1 * e, 0.1), (0.2, 0.2 * e), (0.01 * e * e, 0.01), (0.9 * 0.05_f64.exp(), 0.9)];
        let of = |statistic| score(statistic).of(&pairs).expect("five figures").simulated;
        assert!((of(Statistic::MedianError) - 1.0).abs() < 1e-12);
        assert!((of(Statistic::NinetiethError) - 1.6).abs() < 1e-12);
        assert!((of(Statistic::ShareNear) - 0.4).abs() < 1e-12);
        let high = Score { published_from: Some(0.9), ..score(Statistic::ShareNear) };
        let scored = high.of(&pairs).expect("one figure");
        assert_eq!((scored.n, scored.simulated), (1, 1.0));
        assert!(scored.trivial.is_some_and(|trivial| trivial == 0.0), "ln(1 / 0.9) is above 0.1");
        let low = Score { published_below: Some(0.05), ..score(Statistic::MedianError) };
        assert!(low.of(&pairs).is_some_and(|scored| scored.n == 1 && (scored.simulated - 2.0).abs() < 1e-12));
    }

    #[test]
    fn rank_correlation_follows_its_definition() {
        let of =
            |pairs: &[(f64, f64)]| score(Statistic::RankCorrelation).of(pairs).map(|scored| scored.simulated);
        assert_eq!(of(&[(1.0, 0.1), (2.0, 0.2), (9.0, 0.3)]), Some(1.0));
        assert_eq!(of(&[(3.0, 0.1), (2.0, 0.2), (1.0, 0.3)]), Some(-1.0));
        // Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4.
        let tied = of(&[(1.0, 0.1), (2.0, 0.2), (2.0, 0.3), (4.0, 0.4)]).expect("four figures");
        assert!((tied - 4.5 / (4.5_f64 * 5.0).sqrt()).abs() < 1e-12);
        assert_eq!(of(&[(1.0, 0.1), (1.0, 0.2)]), None, "all alike");
    }

    #[test]
    fn a_missing_figure_gives_no_score() {
        let median = score(Statistic::MedianError);
        assert_eq!(median.of(&[]), None);
        assert_eq!(median.of(&[(f64::NAN, 0.5)]), None);
        assert_eq!(median.of(&[(0.0, 0.5)]), None);
        let bounded = Score { at_most: Some(0.1), ..median };
        let scored = bounded.of(&[(0.5, 0.5)]).expect("one figure");
        assert!(bounded.holds(&scored) && !Score { at_least: Some(0.1), ..bounded }.holds(&scored));
    }
}
