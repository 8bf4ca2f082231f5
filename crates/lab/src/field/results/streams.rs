//! Bytes received of streams in each tenth of a second: `streams-RANK.csv`, of each rank that receives a stream.
//!
//! Invariants: streams of a file are those that its rank receives, in the plan's order; intervals of a stream are
//! consecutive. Times count from the start of the segment at the receiving rank.

use std::collections::BTreeMap;

use super::Reading;
use super::broken::Broken;
use super::files::Files;
use super::rows::Rows;
use crate::field::plan::FieldPlan;

const COLUMNS: &str = "segment,stream,start_ns,end_ns,bytes";
/// Indices of its columns.
const SEGMENT: usize = 0;
const STREAM: usize = 1;
const START: usize = 2;
const END: usize = 3;
const BYTES: usize = 4;
/// Length of an interval, in ns.
const STRETCH_NS: u64 = 100_000_000;
/// Maximum number of bytes of an interval: 1 TiB.
const MOST_BYTES: u64 = 1 << 40;

/// A tenth of a second of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::field) struct Stretch {
    /// Start, since the segment's start.
    pub start: u64,
    /// End, since the segment's start.
    pub end: u64,
    pub bytes: u64,
}

/// The intervals of all streams, by number of the stream.
pub(super) fn read(
    files: &dyn Files,
    plan: &FieldPlan,
    reading: Reading,
    missing: &mut Vec<String>,
) -> Result<BTreeMap<usize, Vec<Stretch>>, Broken> {
    let mut found: BTreeMap<usize, Vec<Stretch>> = BTreeMap::new();
    let mut receivers: Vec<u32> = plan.streams().iter().map(|stream| stream.to).collect();
    receivers.sort_unstable();
    receivers.dedup();
    for rank in receivers {
        let file = format!("streams-{rank}.csv");
        let head = format!("netloom-field streams 1 rank {rank}");
        let Some(mut rows) = Rows::open(files, &file, &head, COLUMNS, reading)? else {
            missing.push(format!("{file} is missing"));
            continue;
        };
        of_rank(&mut rows, plan, rank, &mut found)?;
        if !rows.is_whole() {
            missing.push(format!("the end of {file}"));
        }
    }
    Ok(found)
}

fn of_rank(
    rows: &mut Rows<'_>,
    plan: &FieldPlan,
    rank: u32,
    found: &mut BTreeMap<usize, Vec<Stretch>>,
) -> Result<(), Broken> {
    let own: Vec<u64> =
        (0..).zip(plan.streams()).filter(|(_, stream)| stream.to == rank).map(|(number, _)| number).collect();
    let (mut at, mut origin) = (0, None);
    while let Some(row) = rows.next_row()? {
        if row[SEGMENT] != 0 {
            return Err(rows.broken(SEGMENT, "`segment` 0"));
        }
        // Streams follow in order; one that never received anything has no rows.
        while at < own.len() && own[at] != row[STREAM] {
            at += 1;
        }
        let Some(&number) = own.get(at) else {
            return Err(
                rows.broken(STREAM, format!("a stream that rank {rank} receives, in order: one of {own:?}"))
            );
        };
        let stream = &plan.streams()[number as usize];
        let first = stream.start_ns / STRETCH_NS * STRETCH_NS;
        let list = found.entry(number as usize).or_default();
        // The first interval of a stream begins at its start in the plan.
        let since = match list.last() {
            Some(last) => last.end,
            None => first,
        };
        let own_origin = row[START].checked_sub(since);
        let Some(own_origin) = own_origin.filter(|own| origin.is_none_or(|origin| origin == *own)) else {
            let expected = origin.map_or(since, |origin: u64| origin.saturating_add(since));
            return Err(rows.broken(START, format!("an interval from {expected} ns on")));
        };
        origin = Some(own_origin);
        if row[END].checked_sub(row[START]) != Some(STRETCH_NS) {
            return Err(rows.broken(END, format!("an end {STRETCH_NS} ns after the start")));
        }
        if row[BYTES] > MOST_BYTES {
            return Err(rows.broken(BYTES, format!("at most {MOST_BYTES} bytes in a tenth of a second")));
        }
        list.push(Stretch { start: since, end: since + STRETCH_NS, bytes: row[BYTES] });
    }
    Ok(())
}
