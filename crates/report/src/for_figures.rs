//! What figures for papers draw of runs: the numbers of some panels, as the page is told them.
//!
//! Models: the tables that these panels look at, and no other one.
//! Leaves out: drawing, which `netloom-figures` does; the table `series`, which it reads itself.
//!
//! Invariants: every number is one that the report of the same run shows.

use netloom_records::RunFolder;
use netloom_records::statistics::Slowdowns;

use crate::ReportedRun;
use crate::collect::{self, About};
use crate::error::ReportError;
use crate::panels::faults::{EventData, Faults};
use crate::panels::fct::{Fct, GroupData};
use crate::panels::links::{Links, TierData};
use crate::panels::slowdown::SlowdownBySize;
use crate::panels::steps::{JobData, Steps};

/// What is kept of a run.
#[derive(Debug)]
pub struct ForFigures {
    pub about: About,
    pub slowdown: SlowdownBySize,
    pub fct: Fct,
    pub steps: Steps,
    pub links: Links,
    pub faults: Faults,
}

/// What figures draw of a run.
#[derive(Debug)]
pub struct Figured {
    /// What is known of it.
    pub about: About,
    /// Slowdowns of background messages by size; nothing where no such message arrived.
    pub slowdown: Option<Slowdowns>,
    /// Completion times of background messages.
    pub background: GroupData,
    /// Completion times of messages of jobs.
    pub jobs: GroupData,
    /// Step times, job by job.
    pub steps: Vec<JobData>,
    /// Utilization between two tiers, where the fabric has them.
    pub tiers: Option<TierData>,
    /// What happened to links, switches and NICs.
    pub events: Vec<EventData>,
}

/// Reads these runs, in this order.
///
/// # Errors
/// If one of them is no complete run folder or cannot be read.
pub fn figured(runs: &[ReportedRun]) -> Result<Vec<Figured>, ReportError> {
    let read = |(number, run): (usize, &ReportedRun)| {
        let read = collect::figures(run.name.clone(), &RunFolder::open(&run.folder)?)?;
        Ok(read.finish(number, runs.len()))
    };
    runs.iter().enumerate().map(read).collect()
}

impl ForFigures {
    fn finish(self, number: usize, n_runs: usize) -> Figured {
        let fct = self.fct.finish();
        Figured {
            slowdown: self.slowdown.finish(),
            background: fct.background,
            jobs: fct.jobs,
            steps: self.steps.finish(number, &self.about),
            tiers: self.links.finish(&self.about, n_runs).tiers,
            events: self.faults.finish().events,
            about: self.about,
        }
    }
}
