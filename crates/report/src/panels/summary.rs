//! The table at the top: a row for each job of each run; what belongs to a whole run stands with its first job.
//!
//! Invariants: every number is one that another panel shows as well.

use serde::Serialize;

use super::Report;
use super::steps::{JobData, Times};
use crate::estimate::Estimate;

/// A row.
#[derive(Debug, Serialize)]
pub struct RowData {
    /// Which run, from 0.
    pub run: usize,
    /// The job, where there is one.
    pub job: Option<String>,
    /// Steps finished by all ranks.
    pub steps: Option<u32>,
    /// Mean step time.
    pub mean: Option<Estimate>,
    /// 95th percentile of step times.
    pub p95: Option<Estimate>,
    /// 99th percentile of step times.
    pub p99: Option<Estimate>,
    /// Job time, in seconds.
    pub time: Option<f64>,
    /// What belongs to the run.
    pub whole: Option<WholeData>,
}

/// The figures of a whole run.
#[derive(Debug, Serialize)]
pub struct WholeData {
    /// Mean completion time of background messages within the span, in seconds.
    pub fct_mean: Option<f64>,
    /// Its 99th percentile.
    pub fct_p99: Option<f64>,
    /// The longest queue at a host, in bytes.
    pub host_queue: Option<u64>,
    /// The longest queue at a switch, in bytes.
    pub switch_queue: Option<u64>,
    /// Packets lost; absent of a run whose network nothing is known of: a machine, or cells that were imported.
    pub dropped: Option<u64>,
    /// Messages that did not arrive; absent of such a run as well.
    pub unfinished: Option<u64>,
}

/// The rows of a run whose other panels are ready.
pub fn rows(run: usize, report: &Report) -> Vec<RowData> {
    let jobs = report.steps.iter().filter(|job| job.run == run);
    let mut rows: Vec<RowData> = jobs.map(RowData::of_job).collect();
    if rows.is_empty() {
        rows.push(RowData::without_job(run));
    }
    rows[0].whole = Some(WholeData::of(run, report));
    rows
}

impl RowData {
    fn of_job(job: &JobData) -> RowData {
        let times = |read: fn(&Times) -> Estimate| job.times.as_ref().map(read);
        RowData {
            run: job.run,
            job: Some(job.job.clone()),
            steps: Some(job.steps),
            mean: times(|times| times.mean),
            p95: times(|times| times.p95),
            p99: times(|times| times.p99),
            time: job.time,
            whole: None,
        }
    }

    fn without_job(run: usize) -> RowData {
        RowData { run, job: None, steps: None, mean: None, p95: None, p99: None, time: None, whole: None }
    }
}

impl WholeData {
    fn of(run: usize, report: &Report) -> WholeData {
        let (fct, queues) = (&report.fct[run], &report.queues[run]);
        let background = fct.background.arrived.as_ref();
        let has_network = report.runs[run].hops.is_some();
        let dropped = || report.faults[run].drops.iter().map(|drops| drops.packets).sum();
        let has_messages = has_network && report.runs[run].measured.is_none();
        let unfinished = || fct.unfinished();
        WholeData {
            fct_mean: background.map(|fct| fct.mean),
            fct_p99: background.map(|fct| fct.p99),
            host_queue: queues.hosts.as_ref().map(|peak| peak.longest),
            switch_queue: queues.switches.as_ref().map(|peak| peak.longest),
            dropped: has_network.then(dropped),
            unfinished: has_messages.then(unfinished),
        }
    }
}
