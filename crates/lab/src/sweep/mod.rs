//! Many runs at once: any points ([`sweep`]), or a grid of them in a folder that can be resumed ([`grid`]).
//!
//! Models: points spread over cores; scenarios times variations times seeds, a run folder for each point and a dataset
//! over all of them; seeds added until means are precise enough; values chosen within ranges, or by bisection; variants
//! compared seed by seed.
//! Leaves out: runs that use several threads themselves.
//!
//! Invariants: a point's result is the same as that of a single run; every variant runs the same seeds; the final
//! content of a sweep's folder does not depend on interruptions.

mod bisect;
mod dataset;
mod design;
mod done;
mod error;
mod executor;
mod folder;
mod journal;
mod keep;
mod make;
mod plan;
mod points;
mod range;
mod report;
mod rounds;
mod state;
mod strategy;
mod study;
mod task;
mod variants;
mod variation;
mod written;

pub use bisect::{Bisection, NotAThreshold, ThresholdOutcome, ThresholdReport, TriedValue};
pub use design::{Design, MOST_SAMPLES, Sampling};
pub use error::SweepError;
pub use executor::{EndOfSweep, Executor};
pub(crate) use folder::plan_in;
pub use folder::{PLAN_FILE, UNFINISHED_FILE};
pub use journal::JOURNAL_FILE;
pub use keep::{Keep, point_limit};
pub use make::{FailedPoint, grid};
pub use plan::{Grid, MOST_POINTS, Plan};
pub use points::{Point, PointReport, Sweep, sweep};
pub use range::{NotARange, ValueRange};
pub use report::{BackgroundReport, Difference, GridReport, JobReport, Mean, StageReport, VariantReport};
pub use rounds::{NotAPrecision, Precision};
pub(crate) use state::misplaced_points;
pub use state::{NamedPoint, SweepState, unfinished_sweeps};
pub use strategy::{ChosenPoint, Strategy};
pub use study::STUDY_FILE;
pub(crate) use study::{Study, StudyFile, StudyPoint, Varied, study_in};
pub use task::{PointAnswer, PointFailure, PointTask, TaskSettings};
pub use variants::Variant;
pub use variation::{NotAVariation, Variation, VariedValues};
pub use written::WrittenStudy;

pub use crate::spread::SweepProgress;
