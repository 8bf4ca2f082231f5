//! Exposed communication of jobs that compute or have groups, over their recorded steps.

use netloom_records::JobLayout;
use netloom_records::SpanRow;
use netloom_report::breakdown::{Breakdown, HostLinks, MeanTime};
use serde::{Deserialize, Serialize};

/// Where the time of a job's steps goes: means over ranks and recorded steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExposedSummary {
    /// The recorded steps that were completed.
    pub steps: Vec<u32>,
    /// A rank's step.
    pub step_s: f64,
    /// Computation.
    pub compute: ShareSummary,
    /// Communication that computation of the same rank did not cover.
    pub exposed: ShareSummary,
    /// Barriers.
    pub barrier: ShareSummary,
    /// Idle time, the bubble.
    pub idle: ShareSummary,
}

/// A part of a step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ShareSummary {
    /// Mean over ranks and steps.
    pub mean_s: f64,
    /// The same as a share of the mean step.
    pub share: f64,
    /// The largest mean of a rank.
    pub worst_s: f64,
    /// That rank.
    pub worst_rank: u32,
}

/// Collects the spans of recorded steps.
#[derive(Debug, Default)]
pub(super) struct Tally {
    spans: Vec<SpanRow>,
}

impl Tally {
    pub(super) fn take(&mut self, rows: &[SpanRow]) {
        self.spans.extend_from_slice(rows);
    }

    /// The figures of each job with a layout, by its number.
    pub(super) fn finish(mut self, layouts: &[JobLayout]) -> Vec<(u16, ExposedSummary)> {
        if layouts.is_empty() {
            return Vec::new();
        }
        self.spans.sort_by_key(SpanRow::order);
        let found = Breakdown::of_jobs(layouts, &self.spans, &HostLinks::default());
        found.into_iter().map(|found| (found.job, summary(found))).collect()
    }
}

fn summary(found: Breakdown) -> ExposedSummary {
    let times = found.times;
    ExposedSummary {
        steps: found.steps,
        step_s: times.step.mean,
        compute: part(times.compute),
        exposed: part(times.exposed),
        barrier: part(times.barrier),
        idle: part(times.idle),
    }
}

fn part(time: MeanTime) -> ShareSummary {
    ShareSummary { mean_s: time.mean, share: time.share, worst_s: time.worst, worst_rank: time.rank }
}
