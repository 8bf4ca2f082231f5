//! Ranks on the timeline: one thread per rank, with its activity in recorded steps.
//!
//! Models: table `spans` as slices: a step, its phases in it, buckets in these.
//! Leaves out: steps without recorded spans.
//!
//! Invariants: a slice is a row; a slice that is not nested in the one that began before it, such as a parallel bucket,
//! is on a track below the thread.

use std::collections::BTreeMap;

use netloom_model::Workload;
use netloom_records::{Activity, SpanRow, Table};
use netloom_units::Time;

use super::jobs::{Jobs, collective};
use super::lanes::Lanes;
use super::trace::{Slice, Trace, Track, number};
use crate::error::LabError;
use crate::export::ExportError;
use crate::show::Recorded;

/// A rank of a job.
struct Rank {
    thread: Track,
    beside: Lanes,
    /// The slices of the thread that have begun and not ended, each nested in the one before.
    open: Vec<Open>,
}

/// A slice that has begun.
struct Open {
    depth: u8,
    end: Time,
}

/// The ranks found so far, by job and number.
type Ranks = BTreeMap<(u16, u32), Rank>;

/// Adds the spans.
///
/// # Errors
/// If the table cannot be read, the scenario lacks one of its collectives, or the operating system reports an error.
pub fn add(run: &Recorded, workload: &Workload, jobs: &mut Jobs, trace: &mut Trace) -> Result<(), LabError> {
    // Folders of earlier versions lack this table.
    if !run.folder.manifest().tables.contains_key(Table::Spans.name()) {
        return Ok(());
    }
    let mut ranks = Ranks::new();
    let mut step: Vec<SpanRow> = Vec::new();
    for rows in run.folder.rows::<SpanRow>()? {
        for row in rows? {
            let location = |row: &SpanRow| (row.job, row.step, row.rank);
            if let Some(first) = step.first().filter(|first| location(first) != location(&row)) {
                let rank = rank_of(first, run, jobs, &mut ranks, trace);
                add_step(&mut step, workload, rank, trace)?;
            }
            step.push(row);
        }
    }
    if let Some(first) = step.first() {
        let rank = rank_of(first, run, jobs, &mut ranks, trace);
        add_step(&mut step, workload, rank, trace)?;
    }
    ranks.into_values().try_for_each(|mut rank| rank.close(trace))
}

fn rank_of<'a>(
    row: &SpanRow,
    run: &Recorded,
    jobs: &mut Jobs,
    ranks: &'a mut Ranks,
    trace: &mut Trace,
) -> &'a mut Rank {
    ranks.entry((row.job, row.rank)).or_insert_with(|| {
        let process = jobs.process(row.job, trace);
        let host = run.names.nodes.get(row.host.index()).cloned().unwrap_or_default();
        let thread = trace.thread(process, format!("rank {} ({host})", row.rank));
        Rank { thread, beside: Lanes::new(Some(thread), "beside"), open: Vec::new() }
    })
}

/// Adds one step of one rank.
fn add_step(
    rows: &mut Vec<SpanRow>,
    workload: &Workload,
    rank: &mut Rank,
    trace: &mut Trace,
) -> Result<(), LabError> {
    // In nesting order: an outer slice before those in it, and a barrier after the slice that it ends.
    rows.sort_by_key(|row| (row.start, row.phase, row.activity == Activity::Barrier, row.bucket));
    rows.drain(..).try_for_each(|row| rank.add(&row, slice(&row, workload)?, trace))
}

fn slice(row: &SpanRow, workload: &Workload) -> Result<Slice, LabError> {
    let name = match (row.activity, row.phase, row.bucket) {
        (Activity::Step, ..) => format!("step {}", row.step),
        (Activity::Collective, Some(phase), Some(bucket)) => {
            let stranger = ExportError::StrangeCollective { job: row.job, step: row.step, phase };
            collective(workload, row.job, phase, bucket).ok_or(stranger)?
        }
        (Activity::Compute, _, Some(microbatch)) => format!("microbatch {microbatch}"),
        (activity, ..) => activity.word().to_owned(),
    };
    let mut about = vec![number("step", row.step)];
    about.extend(row.phase.map(|phase| number("phase", phase)));
    about.extend(row.bucket.map(|bucket| number("bucket", bucket)));
    Ok(Slice { name, start: row.start, end: row.end, about })
}

/// Nesting depth: phases in steps; buckets, the barriers that end them, and passes of microbatches in phases.
fn depth(row: &SpanRow) -> u8 {
    match row.activity {
        Activity::Step => 0,
        Activity::Compute if row.bucket.is_some() => 2,
        Activity::Compute | Activity::Communicate | Activity::Stages => 1,
        Activity::Barrier | Activity::Collective => 2,
    }
}

impl Rank {
    fn add(&mut self, row: &SpanRow, slice: Slice, trace: &mut Trace) -> Result<(), LabError> {
        let new = Open { depth: depth(row), end: row.end.unwrap_or(trace.end()) };
        while let Some(over) = self.open.pop_if(|above| !above.holds(&new) && above.end <= row.start) {
            trace.finish(self.thread, over.end)?;
        }
        if self.open.last().is_some_and(|above| !above.holds(&new)) {
            return self.beside.slice(trace, slice);
        }
        trace.begin(self.thread, slice)?;
        self.open.push(new);
        Ok(())
    }

    /// Ends all open slices.
    fn close(&mut self, trace: &mut Trace) -> Result<(), LabError> {
        while let Some(over) = self.open.pop() {
            trace.finish(self.thread, over.end)?;
        }
        Ok(())
    }
}

impl Open {
    fn holds(&self, other: &Open) -> bool {
        self.depth < other.depth && other.end <= self.end
    }
}
