//! Flow completion times: of messages of jobs, and of the background messages and finite flows that started within the
//! span, each from start to last byte.
//!
//! Leaves out: messages of staged flows, which follow each other without a pause; of these only the unfinished are
//! counted.

use netloom_records::{Batch, FlowRow};
use serde::Serialize;

use super::steps::Cdf;
use super::{Collector, FINITE, STAGED, is_independent};
use crate::collect::About;
use crate::round::seconds;
use netloom_records::statistics::{Sample, Taken};

/// What the messages are that belong to no job and to no staged flow.
const BACKGROUND_MESSAGES: &str = "background messages";
const FINITE_FLOWS: &str = "finite flows";
const BOTH: &str = "background messages and finite flows";

/// Distributions and counts of a run.
#[derive(Debug, Default)]
pub struct Fct {
    jobs: Group,
    background: Group,
    /// Finite flows among the background messages.
    n_finite: u64,
    /// Unfinished background messages outside of the span.
    n_others_unfinished: u64,
    n_staged_unfinished: u64,
}

#[derive(Debug, Default)]
struct Group {
    arrived: Sample,
    n_unfinished: u64,
}

impl Collector for Fct {
    fn take(&mut self, about: &About, batch: Batch<'_>) {
        let Batch::Flows(rows) = batch else { return };
        for row in rows {
            match row.job {
                job if is_independent(job) && about.span.has(row.start) => {
                    self.background.add(row);
                    self.n_finite += u64::from(job == FINITE);
                }
                job if is_independent(job) => self.n_others_unfinished += u64::from(row.end.is_none()),
                STAGED => self.n_staged_unfinished += u64::from(row.end.is_none()),
                _ => self.jobs.add(row),
            }
        }
    }
}

impl RunData {
    /// Messages of all kinds that did not arrive, in the whole run.
    pub fn unfinished(&self) -> u64 {
        self.jobs.unfinished + self.background.unfinished + self.others_unfinished + self.staged_unfinished
    }
}

/// What the messages of several runs are that belong to no job and to no staged flow.
pub fn independent<'a>(runs: impl IntoIterator<Item = &'a RunData>) -> &'static str {
    let names = runs.into_iter().map(|run| run.independent);
    names.reduce(|one, other| if one == other { one } else { BOTH }).unwrap_or(BACKGROUND_MESSAGES)
}

impl Group {
    fn add(&mut self, row: &FlowRow) {
        match row.end {
            Some(end) => self.arrived.push(end.since(row.start).0),
            None => self.n_unfinished += 1,
        }
    }

    fn finish(self) -> GroupData {
        GroupData {
            unfinished: self.n_unfinished,
            arrived: self.arrived.finish().map(|taken| FctData::of(&taken)),
        }
    }
}

/// The messages of one run.
#[derive(Debug, Serialize)]
pub struct RunData {
    /// Messages of all its jobs.
    pub jobs: GroupData,
    /// Background messages and finite flows within the span.
    pub background: GroupData,
    /// What these are.
    pub independent: &'static str,
    /// Background messages outside of the span that did not arrive.
    pub others_unfinished: u64,
    /// Messages of staged flows that did not arrive.
    pub staged_unfinished: u64,
}

/// A group of messages.
#[derive(Debug, Clone, Serialize)]
pub struct GroupData {
    /// Number of messages that did not arrive.
    pub unfinished: u64,
    /// Those that arrived.
    pub arrived: Option<FctData>,
}

/// Flow completion times, in seconds.
#[derive(Debug, Clone, Serialize)]
pub struct FctData {
    /// Number of messages.
    pub count: u64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
    /// The longest.
    pub maximum: f64,
    /// Whether percentiles are exact; otherwise they are within 0.4 %.
    pub exact: bool,
    /// The distribution.
    pub cdf: Cdf,
}

impl FctData {
    fn of(taken: &Taken) -> FctData {
        let quantile = |share| seconds(taken.quantile(share));
        FctData {
            count: taken.count(),
            mean: seconds(taken.mean()),
            p50: quantile(0.50),
            p95: quantile(0.95),
            p99: quantile(0.99),
            p999: quantile(0.999),
            maximum: seconds(taken.maximum() as f64),
            exact: taken.is_exact(),
            cdf: Cdf::of(taken),
        }
    }
}

impl Fct {
    /// Of the run.
    pub fn finish(self) -> RunData {
        let n_independent = self.background.arrived.count() + self.background.n_unfinished;
        let independent = match self.n_finite {
            0 => BACKGROUND_MESSAGES,
            all if all == n_independent => FINITE_FLOWS,
            _ => BOTH,
        };
        RunData {
            independent,
            jobs: self.jobs.finish(),
            background: self.background.finish(),
            others_unfinished: self.n_others_unfinished,
            staged_unfinished: self.n_staged_unfinished,
        }
    }
}
