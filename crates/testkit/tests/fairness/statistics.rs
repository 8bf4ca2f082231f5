//! Figures over all flow sets of a configuration, as a row of a table, and the worst sets as scenarios.

use std::env;

use crate::comparison::{Comparison, Share};
use crate::configuration::Configuration;

/// The share of its max-min share below which a flow starves.
pub const STARVING: f64 = 0.05;

/// Figures over all flow sets of a configuration.
#[derive(Debug, Clone)]
pub struct Statistics {
    /// Total throughput relative to that with an ideal crossbar.
    pub sum: f64,
    /// The throughput of each flow relative to its ideal, ascending.
    of_ideal: Vec<f64>,
    /// Flows that get less than [`STARVING`] of their max-min share.
    pub n_starving: usize,
    /// The worst share of max-min.
    worst_of_max_min: f64,
    /// The same with an ideal crossbar, which shows the effect of head-of-line blocking.
    ideal_of_max_min: f64,
    n_sets: usize,
}

/// Headings of the columns.
const HEAD: &str = "configuration                                         sets flows    sum  worst     1%     5%    \
                    50%   >0.6   >0.9 | of max-min: <0.05  worst ideal's";

impl Statistics {
    /// Of at least one comparison.
    pub fn of(comparisons: &[Comparison]) -> Statistics {
        let shares: Vec<Share> =
            comparisons.iter().flat_map(|comparison| comparison.shares.clone()).collect();
        let sum = |read: fn(&Share) -> f64| shares.iter().map(read).sum::<f64>();
        let least = |read: fn(&Share) -> f64| shares.iter().map(read).fold(f64::MAX, f64::min);
        let mut of_ideal: Vec<f64> = shares.iter().map(Share::of_ideal).collect();
        of_ideal.sort_by(f64::total_cmp);
        Statistics {
            sum: sum(|share| share.found) / sum(|share| share.ideal),
            of_ideal,
            n_starving: shares.iter().filter(|share| share.of_max_min() < STARVING).count(),
            worst_of_max_min: least(Share::of_max_min),
            ideal_of_max_min: least(|share| share.ideal / share.max_min),
            n_sets: comparisons.len(),
        }
    }

    /// The lowest throughput of a flow relative to its ideal.
    pub fn worst(&self) -> f64 {
        self.of_ideal[0]
    }

    /// The fraction of flows above this share of their ideal.
    pub fn above(&self, share: f64) -> f64 {
        let n_below = self.of_ideal.partition_point(|&found| found <= share);
        1.0 - n_below as f64 / self.of_ideal.len() as f64
    }

    fn quantile(&self, part: f64) -> f64 {
        self.of_ideal[((self.of_ideal.len() - 1) as f64 * part).round() as usize]
    }

    fn row(&self, configuration: Configuration) -> String {
        let [first, fifth, median] = [0.01, 0.05, 0.5].map(|part| self.quantile(part));
        format!(
            "{:52} {:5} {:5} {:6.3} {:6.3} {first:6.3} {fifth:6.3} {median:6.3} {:6.3} {:6.3} |             {:5}  \
             {:5.3}   {:5.3}",
            configuration.to_string(),
            self.n_sets,
            self.of_ideal.len(),
            self.sum,
            self.worst(),
            self.above(0.6),
            self.above(0.9),
            self.n_starving,
            self.worst_of_max_min,
            self.ideal_of_max_min,
        )
    }
}

/// Prints the figures of a configuration, and its worst flow sets by each of the two measures.
pub fn report(configuration: Configuration, comparisons: &[Comparison]) -> Statistics {
    let statistics = Statistics::of(comparisons);
    let mut text = format!("{HEAD}\n{}\n", statistics.row(configuration));
    let n_worst = number("NETLOOM_FAIRNESS_WORST", 1);
    let mut list = |name: &str, measure: fn(&Comparison) -> f64| {
        let mut sorted: Vec<&Comparison> = comparisons.iter().collect();
        sorted.sort_by(|one, other| measure(one).total_cmp(&measure(other)));
        for comparison in sorted.into_iter().take(n_worst) {
            text += &format!("# worst of {name}\n{}", comparison.text(configuration));
        }
    };
    list("ideal", Comparison::worst_of_ideal);
    list("max-min", Comparison::worst_of_max_min);
    // In one call, since other tests print, too.
    println!("{text}");
    statistics
}

/// A whole number from the environment.
pub fn number(variable: &str, default: usize) -> usize {
    match env::var(variable) {
        Ok(text) => {
            text.parse().unwrap_or_else(|_| panic!("{variable}: a whole number is expected, found `{text}`"))
        }
        Err(_) => default,
    }
}
