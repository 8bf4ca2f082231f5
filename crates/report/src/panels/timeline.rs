//! Activities of ranks in recorded steps: spans for the page to draw, and sums.
//!
//! Models: time in computation, in exposed communication, at barriers, and idle, for each rank; over all recorded steps
//! of a job, where its time goes by phase and communicator (`crate::breakdown`).
//! Leaves out: spans of steps for which the page has no room; these steps have only sums, and are marked as not drawn.
//!
//! Invariants: activities of a rank may overlap; computation, exposed communication, barriers and idle time sum up to
//! its step.

use netloom_records::{Activity, Batch, SpanRow};
use netloom_units::Time;
use serde::Serialize;

use super::Collector;
use crate::breakdown::{Breakdown, HostLinks, RankTimes};
use crate::collect::About;
use crate::drawing::pack;
use crate::round::seconds;

/// Largest number of spans of all runs of a page: each takes some ten bytes.
const MOST_SPANS: usize = 250_000;

/// Data of a run: its spans, of which a run records a bounded number.
#[derive(Debug, Default)]
pub struct Timeline {
    spans: Vec<SpanRow>,
    links: HostLinks,
}

impl Collector for Timeline {
    fn take(&mut self, about: &About, batch: Batch<'_>) {
        match batch {
            Batch::Spans(rows) => self.spans.extend_from_slice(rows),
            Batch::Ports(rows) => self.links.take(rows, about.n_hosts),
            _ => {}
        }
    }
}

/// The recorded steps of one run.
#[derive(Debug, Serialize)]
pub struct RunData {
    /// By job, then by step.
    pub steps: Vec<StepData>,
    /// The spans of those steps that are drawn, step by step and in the table's order: of each its rank, its activity,
    /// its phase and its bucket counted from 1 with 0 for none, its start since that of the step, and its length
    /// its phase and its bucket counted from 1 with 0 for none, its start since that of the step, and its length
    /// counted from 1 with 0 for one that was not completed; all times in ps..
    /// counted from 1 with 0 for one that was not completed; all times in ps..
    pub packed: String,
    /// Jobs that compute or have groups: where their time goes, over the recorded steps that were completed.
    pub jobs: Vec<Breakdown>,
}

/// A step of a job.
#[derive(Debug, Serialize)]
pub struct StepData {
    /// The job by its number.
    pub job: u16,
    /// Its name.
    pub name: String,
    /// The step by its number.
    pub step: u32,
    /// When its first rank began, in seconds.
    pub start: f64,
    /// The same in ps, as text.
    pub start_ps: String,
    /// From then to its last rank's end, in seconds; absent if it was not completed.
    pub time: Option<f64>,
    /// Number of ranks.
    pub ranks: usize,
    /// Number of spans that are drawn; 0 if there is no room.
    pub drawn: usize,
    /// Time of ranks in computation.
    pub compute: OverRanks,
    /// Time of ranks in exposed communication.
    pub exposed: OverRanks,
    /// Time of ranks at barriers.
    pub barrier: OverRanks,
    /// Idle time of ranks.
    pub idle: OverRanks,
}

/// A time of each rank, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct OverRanks {
    /// Mean over the ranks.
    pub mean: f64,
    /// Minimum over the ranks.
    pub least: f64,
    /// Maximum over the ranks.
    pub most: f64,
}

impl Timeline {
    /// The data of the whole run; absent if no step was recorded.
    pub fn finish(self, about: &About) -> Option<RunData> {
        let steps: Vec<&[SpanRow]> =
            self.spans.chunk_by(|one, other| (one.job, one.step) == (other.job, other.step)).collect();
        let drawn = with_room(&steps, MOST_SPANS / about.n_runs.max(1));
        let end = Time(about.manifest.simulated_ps);
        let step_data = |(rows, is_drawn): (&&[SpanRow], &bool)| step(about, rows, *is_drawn, end);
        let numbers = steps.iter().zip(&drawn).filter(|(_, is_drawn)| **is_drawn).flat_map(|(rows, _)| {
            let start = first_start(rows);
            rows.iter().flat_map(move |row| numbers(row, start))
        });
        (!steps.is_empty()).then(|| RunData {
            jobs: Breakdown::of_jobs(&about.manifest.jobs, &self.spans, &self.links),
            packed: pack::pack(numbers),
            steps: steps.iter().zip(&drawn).map(step_data).collect(),
        })
    }
}

/// The steps that are drawn: the slowest first, as long as there is room. A step that was not completed is the slowest.
fn with_room(steps: &[&[SpanRow]], room: usize) -> Vec<bool> {
    let mut order: Vec<usize> = (0..steps.len()).collect();
    order.sort_by_key(|&index| (std::cmp::Reverse(length(steps[index]).unwrap_or(u64::MAX)), index));
    let mut left = room;
    let mut drawn = vec![false; steps.len()];
    for index in order {
        drawn[index] = steps[index].len() <= left;
        left -= if drawn[index] { steps[index].len() } else { 0 };
    }
    drawn
}

fn first_start(rows: &[SpanRow]) -> Time {
    rows.iter().map(|row| row.start).min().unwrap_or(Time::ZERO)
}

/// From a step's first start to its last end; absent if it was not completed.
fn length(rows: &[SpanRow]) -> Option<u64> {
    let mut steps = rows.iter().filter(|row| row.activity == Activity::Step);
    let end = steps.try_fold(Time::ZERO, |last, row| row.end.map(|end| last.max(end)));
    Some(end?.since(first_start(rows)).0)
}

fn numbers(row: &SpanRow, start: Time) -> [u64; 6] {
    [
        row.rank.into(),
        Activity::ALL.iter().position(|activity| *activity == row.activity).unwrap_or(0) as u64,
        row.phase.map_or(0, |phase| u64::from(phase) + 1),
        row.bucket.map_or(0, |bucket| u64::from(bucket) + 1),
        row.start.since(start).0,
        row.end.map_or(0, |end| end.since(row.start).0 + 1),
    ]
}

fn step(about: &About, rows: &[SpanRow], is_drawn: bool, end: Time) -> StepData {
    let start = first_start(rows);
    let ranks = rows.chunk_by(|one, other| one.rank == other.rank);
    let ranks: Vec<RankTimes> = ranks.map(|rows| RankTimes::of(rows, end)).collect();
    StepData {
        job: rows[0].job,
        name: about.job(rows[0].job),
        step: rows[0].step,
        start: seconds(start.0 as f64),
        start_ps: start.0.to_string(),
        time: length(rows).map(|time| seconds(time as f64)),
        ranks: ranks.len(),
        drawn: if is_drawn { rows.len() } else { 0 },
        compute: over(&ranks, |times| times.compute),
        exposed: over(&ranks, |times| times.exposed),
        barrier: over(&ranks, |times| times.barrier),
        idle: over(&ranks, |times| times.idle),
    }
}

fn over(ranks: &[RankTimes], read: fn(&RankTimes) -> u64) -> OverRanks {
    let times = || ranks.iter().map(read);
    OverRanks {
        mean: seconds(times().map(|time| time as f64).sum::<f64>() / ranks.len().max(1) as f64),
        least: seconds(times().min().unwrap_or(0) as f64),
        most: seconds(times().max().unwrap_or(0) as f64),
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::HostId;

    use super::*;

    /// Steps of one rank each, by their starts and ends.
    fn steps(ends: &[Option<u64>]) -> Vec<SpanRow> {
        let row = |(step, end): (usize, &Option<u64>)| SpanRow {
            start: Time(100),
            end: end.map(Time),
            job: 0,
            step: step as u32,
            rank: 0,
            host: HostId(0),
            activity: Activity::Step,
            phase: None,
            bucket: None,
        };
        ends.iter().enumerate().map(row).collect()
    }

    #[test]
    fn a_step_that_was_not_completed_is_drawn_before_all_others() {
        let rows = steps(&[Some(500), None, Some(900), Some(300)]);
        let steps: Vec<&[SpanRow]> = rows.chunks(1).collect();
        assert_eq!(with_room(&steps, 1), [false, true, false, false]);
        assert_eq!(with_room(&steps, 2), [false, true, true, false]);
        assert_eq!(with_room(&steps, 4), [true; 4]);
        assert_eq!(with_room(&steps, 0), [false; 4]);
    }

    #[test]
    fn a_step_that_does_not_fit_leaves_its_room_to_a_smaller_one() {
        let rows = steps(&[Some(900), Some(900), Some(900), Some(500)]);
        let steps = [&rows[..3], &rows[3..]];
        assert_eq!(with_room(&steps, 2), [false, true]);
    }
}
