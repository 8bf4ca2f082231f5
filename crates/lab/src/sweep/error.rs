//! What can be wrong with a sweep before any of its runs.
//!
//! Invariants: every message names the option, file or folder it is about.

use std::path::PathBuf;

use super::plan::MOST_POINTS;
use super::rounds::FEWEST_SEEDS;

/// What is wrong with what was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// Nothing to run.
    #[error("a sweep needs a scenario, and none was given")]
    NoScenario,
    /// A value left out.
    #[error("--vary {path}: a value is empty; values stand between commas, as in `{path}=a,b`")]
    EmptyValue {
        /// Which variation.
        path: String,
    },
    /// A value given twice.
    #[error("--vary {path}: the value is given twice: {value}")]
    SameValue {
        /// Which variation.
        path: String,
        /// Which value.
        value: String,
    },
    /// A path varied twice.
    #[error("--vary {path}: the path is varied twice; give all of its values at once")]
    SamePath {
        /// Which path.
        path: String,
    },
    /// A path both set and varied.
    #[error("--set {path}: the path is varied too, so what is set would never be used")]
    AlsoVaried {
        /// Which path.
        path: String,
    },
    /// Seeds have an option of their own.
    #[error("{option} seed: seeds are the same for all variants; use --seeds, as in `--seeds 3..7`")]
    Seed {
        /// Which option.
        option: &'static str,
    },
    /// More points than anybody can want.
    #[error(
        "these are {points} points ({variants} variants, {seeds} seeds each), and the most is {MOST_POINTS}"
    )]
    TooMany {
        /// All of them.
        points: u128,
        /// Scenarios times values.
        variants: u128,
        /// For each variant.
        seeds: u128,
    },
    /// Scenarios that could not be told apart.
    #[error("two scenarios have the name `{name}`: {first} and {second}")]
    SameName {
        /// The name.
        name: String,
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
    /// Variants that could not be told apart.
    #[error("two variants are the same once everything is written out: {first} and {second}")]
    SameVariant {
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
    /// An interval needs several seeds.
    #[error("--until-ci needs at least {FEWEST_SEEDS} seeds, and --seeds allows: {0}")]
    FewSeeds(u64),
    /// Nothing has a step time.
    #[error("--until-ci is about the step times of jobs, and there is no job in: {0}")]
    NoJobs(String),
    /// A base was written to while the sweep ran.
    #[error("a scenario that this one inherits from has changed since the sweep began: {0}")]
    Changed(String),
    /// Somebody else's folder.
    #[error("the folder holds other files and is no sweep, nothing is written there: {}", .0.display())]
    Foreign(PathBuf),
    /// A plan that cannot be understood.
    #[error("the plan of the sweep cannot be understood ({detail}): {}", .path.display())]
    Plan {
        /// Which file.
        path: PathBuf,
        /// Why not.
        detail: String,
    },
    /// Another sweep is there.
    #[error("another sweep is there ({}): {}", .differences.join("; "), .path.display())]
    Other {
        /// Where.
        path: PathBuf,
        /// How it differs from the one asked for.
        differences: Vec<String>,
    },
}
