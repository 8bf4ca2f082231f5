//! Times of iterations and rounds: `times-RANK.csv`, one file for each rank, merged iteration by iteration.
//!
//! Invariants: iterations are counted from 0 in each segment and size, in the plan's order; times of a rank never
//! decrease; all ranks of a group have the same iterations, or a partial reading keeps those that all ranks have.

use super::Reading;
use super::broken::Broken;
use super::files::Files;
use super::manifest::{Ended, Manifest};
use super::rows::{Row, Rows};
use crate::field::plan::{FieldPlan, Role, Work};

const COLUMNS: &str = "segment,bytes,iteration,start_ns,end_ns,reduce_ns";
/// Indices of its columns.
const SEGMENT: usize = 0;
const BYTES: usize = 1;
const ITERATION: usize = 2;
const START: usize = 3;
const END: usize = 4;
const REDUCE: usize = 5;
/// Sixty days, twice the longest deadline, in ns.
const LONGEST_NS: u64 = 60 * 86_400 * 1_000_000_000;

/// An iteration or a round, over all ranks of its group, in ns since the barrier at the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::field) struct Iteration {
    /// The first rank's start.
    pub start: u64,
    /// The last rank's end.
    pub end: u64,
    /// The time of the slowest rank, by its own clock.
    pub longest: u64,
    /// The part of it that an all-reduce spent in the reduction.
    pub reduce: u64,
}

/// Iterations of a segment and size.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::field) struct Series {
    pub segment: usize,
    pub bytes: u64,
    pub rows: Vec<Iteration>,
}

/// A part of each rank's file.
#[derive(Debug, Clone, Copy)]
struct Part {
    segment: usize,
    bytes: u64,
    /// Rows that a strict reading expects.
    kept: u64,
}

/// The series of a role.
pub(super) fn of_role(
    files: &dyn Files,
    plan: &FieldPlan,
    role: Role,
    manifest: &Manifest,
    reading: Reading,
    missing: &mut Vec<String>,
) -> Result<Vec<Series>, Broken> {
    let parts = parts(plan, role, manifest, reading);
    let mut all: Vec<Series> = parts
        .iter()
        .map(|part| Series { segment: part.segment, bytes: part.bytes, rows: Vec::new() })
        .collect();
    for (index, rank) in plan.ranks_of(role).into_iter().enumerate() {
        let file = format!("times-{rank}.csv");
        let head = format!("netloom-field times 1 rank {rank} role {}", role.word());
        let Some(mut rows) = Rows::open(files, &file, &head, COLUMNS, reading)? else {
            missing.push(format!("{file} is missing"));
            for series in &mut all {
                series.rows.clear();
            }
            continue;
        };
        let counts = join(&mut rows, &parts, &mut all, index == 0, reading)?;
        if !rows.is_whole() {
            missing.push(format!("{file} ends after {} rows", counts.iter().sum::<usize>()));
        }
        for (series, count) in all.iter_mut().zip(counts) {
            series.rows.truncate(count);
        }
    }
    Ok(all)
}

/// The parts of each rank's file, in order.
fn parts(plan: &FieldPlan, role: Role, manifest: &Manifest, reading: Reading) -> Vec<Part> {
    let sizes = match (&plan.work, role) {
        (Work::Interference { aggressor: Some(aggressor), .. }, Role::Aggressor) => vec![aggressor.bytes],
        _ => plan.sizes(),
    };
    let mut parts = Vec::new();
    for (segment, planned) in plan.segments.iter().enumerate() {
        if role == Role::Aggressor && !planned.is_congested {
            continue;
        }
        for (index, &bytes) in sizes.iter().enumerate() {
            let kept = match role {
                Role::Victim => manifest.kept(segment, index),
                Role::Aggressor => manifest.rounds(segment),
            };
            // The manifest of a job that died lacks the segment in which it died.
            let most = if role == Role::Victim { planned.most() } else { u64::MAX };
            let is_open = reading == Reading::Partial && matches!(manifest.status, Ended::Failed(_));
            parts.push(Part { segment, bytes, kept: if is_open { most } else { kept } });
        }
    }
    parts
}

/// Merges a rank's file into the series; returns the number of rows of each part.
fn join(
    rows: &mut Rows<'_>,
    parts: &[Part],
    all: &mut [Series],
    is_first: bool,
    reading: Reading,
) -> Result<Vec<usize>, Broken> {
    let mut counts = vec![0; parts.len()];
    let (mut at, mut before) = (0, 0);
    while let Some(row) = rows.next_row()? {
        let is_of = |part: &Part| (row[SEGMENT], row[BYTES]) == (part.segment as u64, part.bytes);
        let is_open = reading == Reading::Partial;
        while at < parts.len() && (counts[at] as u64 == parts[at].kept || is_open && !is_of(&parts[at])) {
            at += 1;
        }
        let Some(part) = parts.get(at) else {
            let n: u64 = parts.iter().map(|part| part.kept).sum();
            return Err(rows.broken(SEGMENT, format!("the end of the table, after {n} rows")));
        };
        check(rows, &row, part, counts[at], before)?;
        before = row[END];
        all[at].add(counts[at], &row, is_first);
        counts[at] += 1;
    }
    let short = parts.iter().zip(&counts).find(|(part, count)| (**count as u64) < part.kept);
    match short.filter(|_| reading == Reading::Strict) {
        None => Ok(counts),
        Some((part, count)) => Err(rows.ends_early(format!(
            "{} rows of segment {} with {} bytes, of which it has {count}",
            part.kept, part.segment, part.bytes
        ))),
    }
}

fn check(rows: &Rows<'_>, row: &Row, part: &Part, iteration: usize, before: u64) -> Result<(), Broken> {
    let exact = [(SEGMENT, part.segment as u64), (BYTES, part.bytes), (ITERATION, iteration as u64)];
    if let Some((column, expected)) = exact.into_iter().find(|(column, expected)| row[*column] != *expected) {
        let name = COLUMNS.split(',').nth(column).unwrap_or_default();
        return Err(rows.broken(column, format!("`{name}` {expected}")));
    }
    if row[START] < before {
        return Err(
            rows.broken(START, format!("a start at {before} ns or later: times of a rank never decrease"))
        );
    }
    if row[END] < row[START] || row[END] > LONGEST_NS {
        return Err(rows.broken(END, format!("an end from {} ns on, within sixty days", row[START])));
    }
    if row[REDUCE] > row[END] - row[START] {
        return Err(rows.broken(REDUCE, "a part of the iteration's time"));
    }
    Ok(())
}

impl Series {
    fn add(&mut self, iteration: usize, row: &Row, is_first: bool) {
        let [start, end, reduce] = [row[START], row[END], row[REDUCE]];
        let longest = end - start;
        if is_first {
            self.rows.push(Iteration { start, end, longest, reduce });
            return;
        }
        // A partial reading ignores rows beyond those of the previous ranks.
        let Some(joined) = self.rows.get_mut(iteration) else { return };
        joined.start = joined.start.min(start);
        joined.end = joined.end.max(end);
        if longest > joined.longest {
            (joined.longest, joined.reduce) = (longest, reduce);
        }
    }
}
