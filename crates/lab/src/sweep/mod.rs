//! Many runs at once: any points ([`sweep`]), or a grid of them in a folder that can be gone on with ([`grid`]).
//!
//! Models: points spread over cores; scenarios times variations times seeds, a run folder for each point and a dataset
//! over all of them; seeds repeated until means are known well enough; variants compared seed by seed.
//! Leaves out: runs that use several threads themselves.
//!
//! Invariants: a point's result is the same as if it had been run alone; every variant runs the same seeds; what is in a
//! sweep's folder at its end does not depend on how often it was interrupted.

mod dataset;
mod done;
mod error;
mod expected;
mod folder;
mod make;
mod plan;
mod points;
mod report;
mod rounds;
mod variants;
mod variation;

pub use error::SweepError;
pub use folder::{PLAN_FILE, UNFINISHED_FILE};
pub use make::grid;
pub use plan::{Grid, MOST_POINTS, Plan};
pub use points::{Point, PointReport, Sweep, sweep};
pub use report::{BackgroundReport, Difference, GridReport, JobReport, Mean, StageReport, VariantReport};
pub use rounds::{NotAPrecision, Precision};
pub use variants::Variant;
pub use variation::{NotAVariation, Variation};

pub use crate::spread::SweepProgress;
