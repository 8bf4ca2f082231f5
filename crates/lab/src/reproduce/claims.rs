//! A paper's claims as its files state them.
//!
//! Models: a claim is one of two kinds. `near`: each published figure is consistent with the simulated ones.
//! `relation`: figures of several runs satisfy a relation.
//! Leaves out: evaluation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::maps::Map;
use super::quantity::Quantity;
use super::score::Score;

/// The file `claims.yaml`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claims {
    /// Numbers of seeds.
    pub seeds: SeedCounts,
    /// Names for lists of runs.
    pub groups: BTreeMap<String, Vec<String>>,
    /// Runs that change a scenario.
    pub experiments: Vec<Experiment>,
    /// Runs in which packets may be lost; in all others a loss violates an invariant.
    #[serde(default)]
    pub lossy: Vec<String>,
    /// The paper's names of systems, by the names of their files where these differ.
    #[serde(default)]
    pub systems: BTreeMap<String, String>,
    /// The paper's figures and tables, as numbers.
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// The claims, in the order of the paper.
    pub claims: Vec<Claim>,
}

/// Numbers of seeds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SeedCounts {
    /// Without `--check`.
    pub look: u64,
    /// With it.
    pub check: u64,
    /// Other numbers of seeds for the runs of some groups.
    #[serde(default)]
    pub more: Vec<MoreSeeds>,
}

/// Other numbers of seeds for some runs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MoreSeeds {
    pub group: String,
    /// Without `--check`; by default that of all others.
    #[serde(default)]
    pub look: Option<u64>,
    /// With it.
    pub check: u64,
}

/// A scenario with changes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Experiment {
    /// The name of the run.
    pub name: String,
    /// The scenario: one of the paper's, or a file of `fabrics/` by its path.
    pub from: String,
    /// Paths and values, as `--set` takes them.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
    /// Further changes with `--full`.
    #[serde(default)]
    pub full: BTreeMap<String, String>,
    /// Lists of variants: the experiment is expanded to all combinations of one from each list.
    #[serde(default)]
    pub vary: Vec<Vec<Variant>>,
    /// Its purpose.
    pub shows: String,
}

/// One of several variants of a scenario.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Variant {
    /// The suffix of the name of the run, after a `_`.
    pub name: String,
    /// Paths and values, as `--set` takes them.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
    /// Further changes with `--full`.
    #[serde(default)]
    pub full: BTreeMap<String, String>,
}

/// A figure of the paper: quantities of runs, published and simulated.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Figure {
    /// Its name in the paper.
    pub name: String,
    /// What it shows, paraphrased.
    pub shows: String,
    /// The quantities plotted, and further ones for comparison.
    pub quantities: Vec<Quantity>,
    /// Runs, `run/job`, or groups.
    pub at: Vec<String>,
    /// The divisor of each quantity, in an additional column.
    #[serde(default)]
    pub per: Option<Divisor>,
    /// The maps of the ratios.
    #[serde(default)]
    pub map: Option<Map>,
}

/// One claim.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claim {
    pub id: String,
    /// Its location in the paper.
    pub said: String,
    /// The claim, paraphrased.
    pub text: String,
    /// Whether a parameter was chosen so that it holds.
    pub kind: Kind,
    /// The size of the runs that it is about; by default both.
    #[serde(default)]
    pub scale: Option<Scale>,
    pub quantity: Quantity,
    /// Runs, `run/job`, or groups.
    pub at: Vec<String>,
    /// The divisor of each figure.
    #[serde(default)]
    pub per: Option<Divisor>,
    #[serde(default)]
    pub near: Option<Near>,
    #[serde(default)]
    pub relation: Option<Relation>,
    pub recorded: Recorded,
    /// The verdict with `--full`; by default the same.
    #[serde(default)]
    pub recorded_full: Option<Recorded>,
    /// Figures of a `near` claim with the opposite verdict.
    #[serde(default)]
    pub except: Vec<Exception>,
    /// Why it does not hold.
    #[serde(default)]
    pub reason: Option<String>,
    /// The claims that show why.
    #[serde(default)]
    pub shown_by: Vec<String>,
}

/// The divisor of figures: by default the same quantity, and the same runs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Divisor {
    #[serde(default)]
    pub quantity: Option<Quantity>,
    #[serde(default)]
    pub at: Vec<String>,
}

/// Whether a parameter was chosen so that a claim holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Yes.
    Calibrated,
    /// No: it follows from the mechanism.
    Predicted,
}

/// The size of the runs that a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Scale {
    /// As the scenarios are written.
    Quick,
    /// With the changes of `--full`.
    Full,
}

/// The verdict recorded with a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub enum Recorded {
    /// It holds.
    #[serde(rename = "reproduced")]
    Reproduced,
    /// It does not.
    #[serde(rename = "not reproduced")]
    NotReproduced,
    /// No verdict has been obtained yet.
    #[serde(rename = "not judged")]
    NotJudged,
}

/// The tolerance of a published figure.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Near {
    /// `interval`, `range`, `middle`, `exact`, a share such as `0.5%` of the simulated mean, or a distance such as
    /// `0.02` from it.
    pub within: String,
    /// The interval is extended by this at both ends.
    #[serde(default)]
    pub allow: f64,
}

/// The tolerance, parsed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Within {
    /// In the prediction interval.
    Interval,
    /// Between the smallest and the largest simulated figure.
    Range,
    /// Within the middle 95 % of the simulated figures.
    Middle,
    /// Equal to the simulated figure with every seed.
    Exact,
    /// Within this share of the simulated mean.
    Share(f64),
    /// Within this distance of the simulated mean.
    Distance(f64),
}

impl Near {
    pub(super) fn within(&self) -> Result<Within, String> {
        match self.within.as_str() {
            "interval" => Ok(Within::Interval),
            "range" => Ok(Within::Range),
            "middle" => Ok(Within::Middle),
            "exact" => Ok(Within::Exact),
            other => {
                let number = |text: &str| text.parse::<f64>().ok();
                let read = match other.strip_suffix('%') {
                    Some(percent) => number(percent).map(|percent| Within::Share(percent / 100.0)),
                    None => number(other).map(Within::Distance),
                };
                read.ok_or_else(|| format!("`within: {other}` is unknown"))
            }
        }
    }
}

/// A relation between figures.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Relation {
    /// The largest is at most this many times the smallest.
    Flat(f64),
    /// None is less than this.
    AtLeast(f64),
    /// None is greater than this.
    AtMost(f64),
    /// All are within these bounds.
    Between([f64; 2]),
    /// The smallest is within these bounds.
    SmallestBetween([f64; 2]),
    /// The largest is within these bounds.
    LargestBetween([f64; 2]),
    /// None is less than the first.
    FirstLeast,
    /// Each is greater than the one before.
    Rising,
    /// Each equals the first, seed by seed.
    Equal,
    /// None is less than this with any seed.
    EverySeedAtLeast(f64),
    /// The mean over seeds of each is within these bounds; for ratios, the mean of the ratios seed by seed.
    MeanBetween([f64; 2]),
    /// For each figure, at least one seed in ten is at or below this, and at least one in ten at or above it.
    AmongSeeds(f64),
    /// A score of all figures together against the published ones.
    Score(Score),
}

/// Figures whose verdict differs from that of their claim.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exception {
    /// Runs, `run/job`, or groups.
    pub at: Vec<String>,
    /// Why.
    pub reason: String,
}
