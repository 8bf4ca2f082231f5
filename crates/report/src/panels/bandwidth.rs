//! Bandwidth of collectives by size, as nccl-tests define it: a line for each job with collectives of several sizes.
//!
//! Models: over all collectives of one job, number of ranks, factor and size: algorithm bandwidth, bus bandwidth, and
//! the mean time. The factor (bus over algorithm bandwidth) distinguishes collectives of one job, such as an all-reduce
//! and an all-to-all.
//! Leaves out: the name of the collective, which no table has; jobs whose collectives all have one size.
//!
//! Invariants: memory grows with the number of sizes in a scenario, not with the number of collectives.

use std::collections::BTreeMap;

use netloom_records::{Batch, CollectiveRow};
use serde::Serialize;

use super::Collector;
use crate::collect::About;
use crate::round::six_digits;

/// Job, number of ranks, and bus over algorithm bandwidth in units of one part of the vector, which has one part for
/// each rank.
type Line = (u16, u32, u64);

/// Sums of a run.
#[derive(Debug, Default)]
pub struct Bandwidth(BTreeMap<Line, BTreeMap<u64, Tally>>);

/// Collectives of one size.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    count: u64,
    span_s: f64,
    /// Bytes counted for bus bandwidth.
    on_bus: f64,
}

impl Collector for Bandwidth {
    fn take(&mut self, _: &About, batch: Batch<'_>) {
        if let Batch::Collectives(rows) = batch {
            for row in rows {
                self.collective(row);
            }
        }
    }
}

/// One line.
#[derive(Debug, Serialize)]
pub struct LineData {
    /// Name of the job.
    pub job: String,
    /// Number of ranks.
    pub ranks: u32,
    /// Bus over algorithm bandwidth.
    pub factor: f64,
    /// One point for each size, in ascending order.
    pub points: Vec<PointData>,
}

/// Collectives of one size.
#[derive(Debug, Serialize)]
pub struct PointData {
    /// Bytes of the full vector.
    pub bytes: u64,
    /// Number of collectives.
    pub count: u64,
    /// Mean time, in seconds.
    pub time: f64,
    /// Algorithm bandwidth, in bytes per second.
    pub algbw: f64,
    /// Bus bandwidth, in bytes per second.
    pub busbw: f64,
}

impl Bandwidth {
    fn collective(&mut self, row: &CollectiveRow) {
        let span_s = row.end.since(row.start).as_seconds();
        if row.algbw > 0.0 && span_s > 0.0 {
            // A whole number for every collective: 2(n - 1), n - 1 or n.
            let parts = (row.busbw / row.algbw * f64::from(row.ranks)).round() as u64;
            let sizes = self.0.entry((row.job, row.ranks, parts)).or_default();
            let tally = sizes.entry(row.size.0).or_default();
            tally.count += 1;
            tally.span_s += span_s;
            tally.on_bus += row.busbw * span_s;
        }
    }

    /// The lines; none if each has a single size.
    pub fn finish(self, about: &About) -> Option<Vec<LineData>> {
        let lines = self.0.into_iter().filter(|(_, sizes)| sizes.len() > 1);
        let line = |((job, ranks, parts), sizes): (Line, BTreeMap<u64, Tally>)| LineData {
            job: about.job(job),
            ranks,
            factor: six_digits(parts as f64 / f64::from(ranks)),
            points: sizes.into_iter().map(|(bytes, tally)| tally.point(bytes)).collect(),
        };
        let lines: Vec<LineData> = lines.map(line).collect();
        (!lines.is_empty()).then_some(lines)
    }
}

impl Tally {
    fn point(self, bytes: u64) -> PointData {
        let Tally { count, span_s, on_bus } = self;
        PointData {
            bytes,
            count,
            time: six_digits(span_s / count as f64),
            algbw: six_digits(bytes as f64 * count as f64 / span_s),
            busbw: six_digits(on_bus / span_s),
        }
    }
}
