//! A paper's claims as they are written down.
//!
//! Models: a claim is one of two kinds. `near`: each published figure is one that our seeds could have given.
//! `relation`: figures of several runs stand in a relation.
//! Leaves out: judging.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::maps::Map;
use super::quantity::Quantity;
use super::score::Score;

/// The file `claims.yaml`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claims {
    /// How many seeds are run.
    pub seeds: SeedCounts,
    /// Names for lists of runs.
    pub groups: BTreeMap<String, Vec<String>>,
    /// Runs that change a scenario.
    pub experiments: Vec<Experiment>,
    /// Runs in which packets may be lost; in all others that breaks a law.
    #[serde(default)]
    pub lossy: Vec<String>,
    /// What the paper calls systems whose files here are called otherwise, by the names of those.
    #[serde(default)]
    pub systems: BTreeMap<String, String>,
    /// The paper's figures and tables, as numbers.
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// The claims, in the order of the paper.
    pub claims: Vec<Claim>,
}

/// How many seeds are run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SeedCounts {
    /// Without `--check`.
    pub look: u64,
    /// With it.
    pub check: u64,
    /// Other numbers for the runs of some groups.
    #[serde(default)]
    pub more: Vec<MoreSeeds>,
}

/// Other numbers of seeds for some runs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MoreSeeds {
    pub group: String,
    /// Without `--check`; as all others if it is not said.
    #[serde(default)]
    pub look: Option<u64>,
    /// With it.
    pub check: u64,
}

/// A scenario with something changed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Experiment {
    /// What the run is called.
    pub name: String,
    /// The scenario: one of the paper's, or a file of `fabrics/` by its path.
    pub from: String,
    /// Paths and values, as `--set` takes them.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
    /// What else is changed with `--full`.
    #[serde(default)]
    pub full: BTreeMap<String, String>,
    /// Lists of variants: the experiment stands for all combinations of one of each.
    #[serde(default)]
    pub vary: Vec<Vec<Variant>>,
    /// What it is to show.
    pub shows: String,
}

/// One of several ways to change a scenario.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Variant {
    /// What is added to the name of the run, after a `_`.
    pub name: String,
    /// Paths and values, as `--set` takes them.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
    /// What else is changed with `--full`.
    #[serde(default)]
    pub full: BTreeMap<String, String>,
}

/// A figure of the paper: quantities of runs, as published and as ours.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Figure {
    /// What the paper calls it.
    pub name: String,
    /// What it shows, in our words.
    pub shows: String,
    /// What is plotted, and what should be beside it.
    pub measured: Vec<Quantity>,
    /// Runs, `run/job`, or groups.
    pub at: Vec<String>,
    /// What each quantity is divided by, in a column more.
    #[serde(default)]
    pub per: Option<Divisor>,
    /// How the ratios are drawn.
    #[serde(default)]
    pub map: Option<Map>,
}

/// One claim.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claim {
    pub id: String,
    /// Where it is said.
    pub said: String,
    /// In our words.
    pub text: String,
    /// Whether a parameter was chosen so that it holds.
    pub kind: Kind,
    /// The size of the runs that it is about; both if it is not said.
    #[serde(default)]
    pub scale: Option<Scale>,
    pub measured: Quantity,
    /// Runs, `run/job`, or groups.
    pub at: Vec<String>,
    /// What each figure is divided by.
    #[serde(default)]
    pub per: Option<Divisor>,
    #[serde(default)]
    pub near: Option<Near>,
    #[serde(default)]
    pub relation: Option<Relation>,
    pub recorded: Recorded,
    /// The verdict with `--full`; the same if it is not said.
    #[serde(default)]
    pub recorded_full: Option<Recorded>,
    /// Figures of a `near` claim whose verdict is the other one.
    #[serde(default)]
    pub except: Vec<Exception>,
    /// Why it does not hold.
    #[serde(default)]
    pub reason: Option<String>,
    /// The claims that show why.
    #[serde(default)]
    pub shown_by: Vec<String>,
}

/// What figures are divided by: by default the same quantity, and the same runs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Divisor {
    #[serde(default)]
    pub measured: Option<Quantity>,
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
    /// With what `--full` changes.
    Full,
}

/// The verdict written down with a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub enum Recorded {
    /// It holds.
    #[serde(rename = "reproduced")]
    Reproduced,
    /// It does not.
    #[serde(rename = "not reproduced")]
    NotReproduced,
    /// Nobody has obtained a verdict yet.
    #[serde(rename = "not judged")]
    NotJudged,
}

/// How near a published figure must be.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Near {
    /// `interval`, `range`, `middle`, `exact`, a share such as `0.5%` of our mean, or a distance such as `0.02` from it.
    pub within: String,
    /// The interval is longer by this at both ends.
    #[serde(default)]
    pub allow: f64,
}

/// How near, read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Within {
    /// In the prediction interval.
    Interval,
    /// Between the smallest and the largest of ours.
    Range,
    /// Among the middle 95 % of ours.
    Middle,
    /// The same with every seed.
    Exact,
    /// This share of our mean.
    Share(f64),
    /// So far from our mean.
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

/// How figures stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Relation {
    /// The largest is at most this many times the smallest.
    Flat(f64),
    /// None is below this.
    AtLeast(f64),
    /// None is above this.
    AtMost(f64),
    /// All lie from one to the other.
    Between([f64; 2]),
    /// The smallest lies from one to the other.
    SmallestBetween([f64; 2]),
    /// The largest does.
    LargestBetween([f64; 2]),
    /// None is below the first.
    FirstLeast,
    /// Each is above the one before.
    Rising,
    /// Each equals the first, seed by seed.
    Equal,
    /// With no seed is any below this.
    EverySeedAtLeast(f64),
    /// The mean over seeds of each lies from one to the other; of ratios, that of the ratios seed by seed.
    MeanBetween([f64; 2]),
    /// Of each one seed in ten or more lies at or below this, and as many at or above it.
    AmongSeeds(f64),
    /// All together are as near to those published.
    Score(Score),
}

/// Figures whose verdict is not that of their claim.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exception {
    /// Runs, `run/job`, or groups.
    pub at: Vec<String>,
    /// Why.
    pub reason: String,
}
