//! Papers as tests: runs a paper's scenarios and evaluates its claims by the results.
//!
//! Models: claims about published figures (is this figure consistent with the simulated ones?) and claims that compare
//! runs; experiments that change a scenario to show why a claim does not hold; the verdicts recorded with the paper.
//! Leaves out: plotting (`netloom-report`); tuning, of which there is none.
//!
//! Invariants: a verdict follows only from the claim and the runs; the recorded verdict is compared with it afterwards
//! and never changes it.

mod bench;
pub(crate) mod cells;
mod claims;
mod completion;
mod drawn;
mod error;
mod figures;
mod files;
mod judge;
mod maps;
mod paper;
mod parts;
mod published;
mod quantity;
mod report;
mod run_store;
mod runs;
mod score;
mod store;
mod table;
mod uplinks;
mod variations;

use std::path::Path;
use std::sync::atomic::AtomicBool;

pub use claims::{Kind, Recorded};
pub use error::ReproduceError;
pub use files::{file, files, papers};
pub use judge::{Judged, Verdict};
pub use paper::Paper;
pub use parts::Parts;
pub use published::Published;
pub use quantity::Quantity;
pub use report::{Report, Tally};
pub use runs::SimulatedRun;
pub(crate) use store::REPORT_FILE;

pub use crate::sample::{Interval, Sample};
use crate::seeds::Seeds;
use crate::spread::SweepProgress;

/// A request for a reproduction.
#[derive(Default)]
pub struct Request<'a> {
    /// The same seeds for all runs; by default the number in the paper's file.
    pub seeds: Option<Seeds>,
    /// Whether every verdict must be the recorded one; more seeds are run then, unless seeds are given.
    pub check: bool,
    /// A folder with the runs of an earlier report, which are evaluated instead of new ones.
    pub stored: Option<&'a Path>,
    /// Whether runs have the paper's full size; stored runs keep the size they were made with.
    pub full: bool,
    /// The folder of the report: finished runs are stored there until the report is written, and the same executable
    /// does not repeat them.
    pub store: Option<&'a Path>,
    /// The claims to evaluate, by name; all if none is named.
    pub only: Vec<String>,
    /// Number of runs at a time; `None` uses all cores.
    pub threads: Option<usize>,
    /// Set to stop all runs.
    pub stop: Option<&'a AtomicBool>,
    /// Called with the progress, from any thread.
    pub on_progress: Option<&'a (dyn Fn(&SweepProgress) + Sync)>,
}

/// Compiles all runs of a paper, of one size or the other, and returns their number.
///
/// # Errors
/// If a scenario with its changes has errors.
pub fn check_runs(mut paper: Paper, full: bool) -> Result<usize, ReproduceError> {
    paper.scale(full);
    runs::check(&paper)
}

/// Runs a paper's scenarios, or reads stored runs, and evaluates its claims.
///
/// # Errors
/// If a run cannot be made or read, or the runs were stopped.
pub fn reproduce(mut paper: Paper, request: &Request<'_>) -> Result<Report, ReproduceError> {
    if !request.only.is_empty() {
        paper.keep(&request.only)?;
    }
    let stored = request.stored.map(|folder| store::runs(&paper.id, folder)).transpose()?;
    paper.scale(stored.as_ref().map_or(request.full, |stored| stored.full));
    if let Some(id) = request.only.iter().find(|id| !paper.has_claim(id)) {
        return Err(ReproduceError::OtherSize(id.clone()));
    }
    let (runs, account) = match stored {
        Some(stored) => (stored.runs, run_store::StoreReport::default()),
        None => runs::run(&paper, request)?,
    };
    Report::new(paper, runs, account)
}
