//! Where the time of a job's steps goes: exposed communication, bubble, waiting for slowest members, bandwidth.
//!
//! Models: figures over the completed steps of a job that table `spans` has.
//! Leaves out: steps that were not completed; lists are cut, with their full length.
//!
//! Invariants: activities of a rank may overlap, so times are lengths of unions of intervals; computation, exposed
//! communication, barriers and idle time of a rank sum up to its step.

mod bandwidths;
mod host_links;
mod intervals;
mod phases;
mod times;
mod waits;

use std::collections::BTreeMap;

use netloom_records::{Activity, CollectiveLayout, JobLayout, SpanRow};
use netloom_units::Time;
use serde::Serialize;

pub use bandwidths::{BoundKind, GroupBandwidth};
pub use host_links::HostLinks;
pub use phases::PhaseTime;
pub use times::{MeanTime, RankTimes, TimesOverRanks};
pub use waits::MemberWait;

use crate::round::seconds;

/// Largest number of rows of a list.
const MOST_ROWS: usize = 20;
/// Largest number of ranks of a communicator that its name lists.
const MOST_MEMBERS: usize = 4;

/// The figures of a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Breakdown {
    /// The job by its number.
    pub job: u16,
    /// The steps over which figures are taken.
    pub steps: Vec<u32>,
    /// Number of ranks.
    pub ranks: usize,
    /// Times of ranks in a step.
    pub times: TimesOverRanks,
    /// Phases, the most exposed first.
    pub phases: CutList<PhaseTime>,
    /// Waiting for the slowest member of a communicator, the longest first.
    pub waits: CutList<MemberWait>,
    /// Bandwidth of the communicators of a phase, the lowest share of the bound first.
    pub bandwidths: CutList<GroupBandwidth>,
}

/// The first rows of a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CutList<T> {
    /// Those rows.
    pub rows: Vec<T>,
    /// Number of rows of the whole list.
    pub total: usize,
}

impl<T> CutList<T> {
    fn of(mut rows: Vec<T>) -> CutList<T> {
        let total = rows.len();
        rows.truncate(MOST_ROWS);
        CutList { rows, total }
    }
}

impl Breakdown {
    /// The figures of a job from its spans in the table's order; none if no step was completed.
    pub fn of(layout: &JobLayout, rows: &[SpanRow], links: &HostLinks) -> Option<Breakdown> {
        let steps: Vec<&[SpanRow]> = rows
            .chunk_by(|one, other| one.step == other.step)
            .filter(|rows| is_completed(layout, rows))
            .collect();
        let ranks = steps.iter().flat_map(|rows| rows.chunk_by(|one, other| one.rank == other.rank));
        let ranks: Vec<RankSpans<'_>> = ranks.map(RankSpans).collect();
        let times = TimesOverRanks::of(&ranks)?;
        Some(Breakdown {
            job: layout.job,
            steps: steps.iter().map(|rows| rows[0].step).collect(),
            ranks: times.n_ranks,
            phases: CutList::of(phases::phases(layout, &ranks, times.step.mean)),
            waits: CutList::of(waits::waits(layout, &steps)),
            bandwidths: CutList::of(bandwidths::bandwidths(layout, &steps, links)),
            times,
        })
    }

    /// The figures of all jobs that have a layout.
    pub fn of_jobs(layouts: &[JobLayout], rows: &[SpanRow], links: &HostLinks) -> Vec<Breakdown> {
        let jobs: BTreeMap<u16, &[SpanRow]> =
            rows.chunk_by(|one, other| one.job == other.job).map(|rows| (rows[0].job, rows)).collect();
        let found = |layout: &JobLayout| Breakdown::of(layout, jobs.get(&layout.job)?, links);
        layouts.iter().filter_map(found).collect()
    }
}

/// Whether all ranks began a step, and all their activities in it have ended.
fn is_completed(layout: &JobLayout, rows: &[SpanRow]) -> bool {
    let n_ranks = rows.iter().filter(|row| row.activity == Activity::Step).count();
    n_ranks == layout.ranks as usize && rows.iter().all(|row| row.end.is_some())
}

/// The activities of a rank in a step.
#[derive(Debug, Clone, Copy)]
struct RankSpans<'a>(&'a [SpanRow]);

impl RankSpans<'_> {
    /// The union of the spans that fit; those that were not completed are cut at the end of the run.
    fn union(&self, run_end: Time, fits: impl Fn(&SpanRow) -> bool) -> intervals::Intervals {
        let interval = |row: &SpanRow| (row.start.0, row.end.unwrap_or(run_end).0);
        intervals::Intervals::union(self.0.iter().filter(|row| fits(row)).map(interval))
    }

    /// Whether a phase is a pipeline that computes: what it does not cover with computation is idle time.
    fn is_pipeline(&self, phase: Option<u16>) -> bool {
        self.0.iter().any(|row| row.activity == Activity::Compute && row.phase == phase)
    }
}

/// The collectives of a communicator in one bucket of one step: of each member its rank and its span.
type Members<'a> = Vec<&'a SpanRow>;

/// A communicator of a kind of groups by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CommunicatorKey {
    group: Option<u16>,
    number: usize,
}

/// Calls for every communicator of two members or more in every bucket of these steps, if all members took part.
fn for_each_communicator(
    layout: &JobLayout,
    steps: &[&[SpanRow]],
    mut visit: impl FnMut(CommunicatorKey, &CollectiveLayout, &Members<'_>),
) {
    let mut communicators: BTreeMap<Option<u16>, Vec<Vec<u32>>> = BTreeMap::new();
    for rows in steps {
        for (&(phase, bucket), spans) in &buckets(rows) {
            for found in layout.collectives(phase, bucket) {
                let lists =
                    communicators.entry(found.group).or_insert_with(|| layout.communicators(found.group));
                for (number, list) in lists.iter().enumerate().filter(|(_, list)| list.len() > 1) {
                    let members: Option<Members<'_>> =
                        list.iter().map(|rank| spans.get(rank).copied()).collect();
                    if let Some(members) = members {
                        visit(CommunicatorKey { group: found.group, number }, found, &members);
                    }
                }
            }
        }
    }
}

/// The spans of collectives of a step, by phase and bucket, then by rank.
fn buckets(rows: &[SpanRow]) -> BTreeMap<(u16, u16), BTreeMap<u32, &SpanRow>> {
    let mut found: BTreeMap<(u16, u16), BTreeMap<u32, &SpanRow>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.activity == Activity::Collective) {
        if let (Some(phase), Some(bucket)) = (row.phase, row.bucket) {
            found.entry((phase, bucket)).or_default().insert(row.rank, row);
        }
    }
    found
}

/// The name of a communicator: its kind of groups, its number among them, and its first ranks.
fn communicator_name(layout: &JobLayout, key: CommunicatorKey) -> String {
    if key.group.is_none() {
        return "all ranks".to_owned();
    }
    let members = layout.communicators(key.group).get(key.number).cloned().unwrap_or_default();
    let first: Vec<String> = members.iter().take(MOST_MEMBERS).map(u32::to_string).collect();
    let more = if members.len() > MOST_MEMBERS { ", …" } else { "" };
    format!("{} {} (ranks {}{more})", layout.group_name(key.group), key.number, first.join(", "))
}

/// The name of a phase with its number.
fn phase_name(layout: &JobLayout, phase: u16) -> String {
    layout.phases.get(usize::from(phase)).map_or_else(String::new, |found| found.name.clone())
}

/// The mean of times in ps, in seconds.
fn mean_seconds(sum: f64, count: usize) -> f64 {
    seconds(sum / count.max(1) as f64)
}

#[cfg(test)]
mod tests;
