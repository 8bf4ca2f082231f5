//! The table at the top: a row for each job of each run; figures of a whole run are in the row of its first job.
//!
//! Invariants: another panel shows each of these numbers, too.

use serde::Serialize;

use super::Report;
use super::steps::{JobData, Times};
use crate::estimate::Estimate;

/// A row.
#[derive(Debug, Serialize)]
pub struct RowData {
    /// Index of the run, from 0.
    pub run: usize,
    /// The job, if there is one.
    pub job: Option<String>,
    /// Steps completed by all ranks.
    pub steps: Option<u32>,
    /// Mean step time.
    pub mean: Option<Estimate>,
    /// 95th percentile of step times.
    pub p95: Option<Estimate>,
    /// 99th percentile of step times.
    pub p99: Option<Estimate>,
    /// Job time, in seconds.
    pub time: Option<f64>,
    /// Figures of the run.
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
    /// Packets lost; absent for a run without data of its network, such as measured or imported cells.
    pub dropped: Option<u64>,
    /// Messages that did not arrive; absent as for `dropped`.
    pub unfinished: Option<u64>,
}

/// The rows of a run, from its other panels.
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
