//! Errors of a sweep, before its runs or in the midst of them.
//!
//! Invariants: every message names the option, file or folder it is about.

use std::path::PathBuf;

use super::design::MOST_SAMPLES;
use super::plan::MOST_POINTS;
use super::rounds::FEWEST_SEEDS;
use super::task::PointFailure;
use crate::build::BUILD;
use crate::words::some;

/// Why a sweep was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// Nothing to run.
    #[error("a sweep needs a scenario, and none was given")]
    NoScenario,
    /// No variant to compare the others with.
    #[error("--baseline {name}: no variant has this name or value; the variants are {}", .known.join("; "))]
    NoBaseline {
        /// The name that was given.
        name: String,
        /// The names of all variants.
        known: Vec<String>,
    },
    /// A value left out.
    #[error("--vary {path}: a value is empty; separate values by commas, as in `{path}=a,b`")]
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
    #[error("--set {path}: the path is varied too, so the value of --set would not be used")]
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
    /// Too many points.
    #[error(
        "the sweep has {points} points ({variants} variants, {seeds} seeds each), and the maximum is {MOST_POINTS}"
    )]
    TooMany {
        /// All of them.
        points: u128,
        /// Scenarios times values.
        variants: u128,
        /// For each variant.
        seeds: u128,
    },
    /// Scenarios with the same name.
    #[error("two scenarios have the name `{name}`: {first} and {second}")]
    SameName {
        /// The name.
        name: String,
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
    /// Variants with the same resolved scenario.
    #[error("two variants have the same resolved scenario: {first} and {second}")]
    SameVariant {
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
    /// An interval needs several seeds.
    #[error("--until-ci needs at least {FEWEST_SEEDS} seeds, and --seeds allows: {0}")]
    FewSeeds(u64),
    /// A scenario without step times.
    #[error("{option} needs step times of jobs, and there is no job in: {name}")]
    NoJobs {
        /// Which option.
        option: &'static str,
        /// The scenario.
        name: String,
    },
    /// A design without a number of values.
    #[error("--design and --design-seed need --sample N, the number of values within the ranges")]
    DesignAlone,
    /// No value within the ranges, or too many.
    #[error("--sample {0}: from 1 to {MOST_SAMPLES} values within the ranges can be run")]
    Samples(u32),
    /// A range, and nothing that says which of its values are run.
    #[error(
        "--vary {path}: a range needs --sample N, for N values within it, or --bisect 5%, for the value from which on \
         steps take 5 % longer"
    )]
    OnlyRange {
        /// Which variation.
        path: String,
    },
    /// Something is to be done with ranges, and there is none.
    #[error("{option} needs a range, as in `--vary jobs.0.start=0us..10us`")]
    NoRange {
        /// Which option.
        option: &'static str,
    },
    /// A search needs one range.
    #[error("--bisect needs exactly one range, as in `--vary jobs.0.start=0us..10us`, and there are {0}")]
    NotOneRange(usize),
    /// Two designs at once.
    #[error("--sample and --bisect exclude each other")]
    SampleAndBisect,
    /// A strategy chooses values itself.
    #[error(
        "a strategy needs one scenario and a fixed number of seeds, without --sample, --bisect and --until-ci"
    )]
    StrategyAlone,
    /// A strategy chose a wrong number of values.
    #[error("the strategy chose {found} values, and {expected} are varied")]
    Vector {
        /// How many it chose.
        found: usize,
        /// How many there are.
        expected: usize,
    },
    /// A strategy failed.
    #[error("the strategy cannot choose the next values: {0}")]
    Strategy(String),
    /// A search has a fixed number of seeds.
    #[error("--until-ci and --bisect exclude each other: give the number of seeds by --seeds")]
    UntilAndBisect,
    /// No figures of points are stored.
    #[error(
        "no point of this sweep has figures here, and no run folders are kept; the same command of the sweep computes \
         them: {}", .folder.display()
    )]
    NoPoints {
        /// Which folder.
        folder: PathBuf,
    },
    /// Figures of other points are stored.
    #[error(
        "the figures in this folder are those of another build of netloom or of another plan; the same command of the \
         sweep computes its points again: {}", .folder.display()
    )]
    OtherPoints {
        /// Which folder.
        folder: PathBuf,
    },
    /// Figures over another part of the runs are stored.
    #[error(
        "figures of this sweep are taken over `{there}`, not `{wanted}`, and no run folders are kept: give \
         `--over {there}`, or the command of the sweep with `--over {wanted}`: {}", .folder.display()
    )]
    OtherOver {
        /// The part.
        there: String,
        /// The requested part.
        wanted: String,
        /// Which folder.
        folder: PathBuf,
    },
    /// A page or figures about such a sweep and something else.
    #[error("no run folders of this sweep are kept, so {what} takes its folder alone: {}", .folder.display())]
    Alone {
        /// What was asked for.
        what: &'static str,
        /// Which folder.
        folder: PathBuf,
    },
    /// Something that needs run folders.
    #[error("{what} needs run folders, and this sweep keeps none; `netloom sweep --keep folders` does: {}", .folder.display())]
    NeedsFolders {
        /// What was asked for.
        what: &'static str,
        /// Which folder.
        folder: PathBuf,
    },
    /// A file that the scenario reads was changed while the sweep ran.
    #[error("a file that this scenario reads has changed since the sweep began: {0}")]
    Changed(String),
    /// The command by itself knows no clusters.
    #[error("--cluster needs the Python package: `python -m netloom sweep ... --cluster ADDRESS`")]
    NoCluster,
    /// A point failed for a reason that others have as well.
    #[error("{variant}, seed {seed}: {failure}")]
    Point {
        /// The name of its variant.
        variant: String,
        /// Its seed.
        seed: u64,
        /// Why it failed.
        failure: PointFailure,
    },
    /// A worker of another build.
    #[error("a worker has netloom {build}, and this is {BUILD}: results of different builds are not mixed")]
    OtherBuild {
        /// The build of the worker.
        build: String,
    },
    /// The executor ended before all points were computed.
    #[error("{reason}; {done} of {total} points are done, and the same command continues from there")]
    Executor {
        /// Why it ended.
        reason: String,
        /// Number of points that are finished.
        done: usize,
        /// Number of points.
        total: usize,
    },
    /// A folder of other files.
    #[error("the folder holds other files and is not a sweep, nothing is written there: {}", .0.display())]
    Foreign(PathBuf),
    /// A plan that cannot be parsed.
    #[error("the plan of the sweep cannot be parsed ({detail}): {}", .path.display())]
    Plan {
        /// Which file.
        path: PathBuf,
        /// Why not.
        detail: String,
    },
    /// Lines of the journal that are not points.
    #[error(
        "{} of the journal are not points; the same sweep computes what is missing: {}",
        some(*.lines as u64, "line"), .folder.display()
    )]
    Journal {
        /// Number of lines, without the last one, which a kill may cut off.
        lines: usize,
        /// The folder of the sweep.
        folder: PathBuf,
    },
    /// The run folder of a point has another run.
    #[error("this is not the run that the plan of the sweep has there, but one of another scenario or seed: {}", .folder.display())]
    Misplaced {
        /// The run folder.
        folder: PathBuf,
    },
    /// Another sweep is there.
    #[error("the folder has another sweep ({}): {}", .differences.join("; "), .path.display())]
    Other {
        /// The folder.
        path: PathBuf,
        /// How it differs from the one requested.
        differences: Vec<String>,
    },
}

impl SweepError {
    /// An executor that ended early, for this reason.
    pub fn executor(reason: String) -> SweepError {
        SweepError::Executor { reason, done: 0, total: 0 }
    }

    /// The same error with the number of finished points, and of all.
    pub(super) fn after(self, done: usize, total: usize) -> SweepError {
        match self {
            SweepError::Executor { reason, .. } => SweepError::Executor { reason, done, total },
            other => other,
        }
    }
}
