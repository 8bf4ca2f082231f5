//! Throughput to hosts and backlog of switches over time, of the whole fabric.
//!
//! Models: for each interval of the table `series`, bytes sent on the links to all hosts, and the largest number of
//! bytes waiting at one switch, summed over its ports, at the end of the interval.
//! Leaves out: peaks between two samples; single ports. The mean is over the span.
//!
//! Invariants: an interval without a row is zero; intervals are those of the table, or are combined so that there are
//! at most [`MOST`]; combining sums bytes and keeps the largest backlog.

use std::collections::BTreeMap;

use netloom_records::statistics::Span;
use netloom_records::{Batch, PortRow, SeriesRow};
use netloom_units::{NodeId, PortId};
use serde::Serialize;

use super::Collector;
use crate::collect::About;
use crate::round::six_digits;

/// Largest number of intervals of a run.
const MOST: u64 = 250;
/// A bound on the number of samples, which only a damaged table exceeds.
const MOST_READ: u64 = 1 << 20;

/// Data of a run: the positions of its ports, and a sum for each sampled instant.
#[derive(Debug, Default)]
pub struct OverTime {
    ports: Vec<PortPosition>,
    intervals: BTreeMap<u64, IntervalEnd>,
    interval: u64,
    /// The switch whose ports are being summed, with the end of the interval.
    open: Option<(u64, NodeId, u64)>,
    worst: Option<(u64, NodeId)>,
    /// Bytes to hosts within the span.
    within: f64,
}

/// The position of a port.
#[derive(Debug, Clone, Copy)]
struct PortPosition {
    port: PortId,
    node: NodeId,
    is_of_switch: bool,
    leads_to_host: bool,
}

/// An interval, by its end.
#[derive(Debug, Clone, Copy, Default)]
struct IntervalEnd {
    to_hosts: u64,
    waiting: u64,
}

impl Collector for OverTime {
    fn take(&mut self, about: &About, batch: Batch<'_>) {
        match batch {
            Batch::Ports(rows) => self.ports.extend(rows.iter().map(|row| PortPosition::of(about, row))),
            Batch::Series(rows) => rows.iter().for_each(|row| self.sample(row, &about.span)),
            _ => {}
        }
    }
}

impl PortPosition {
    fn of(about: &About, row: &PortRow) -> PortPosition {
        PortPosition {
            port: row.port,
            node: row.node,
            is_of_switch: !about.is_host(row.node),
            leads_to_host: about.is_host(row.peer),
        }
    }
}

impl OverTime {
    /// Adds a row; rows come by time, then by port, and ports of one node are consecutive.
    fn sample(&mut self, row: &SeriesRow, span: &Span) {
        let Ok(index) = self.ports.binary_search_by_key(&row.port, |position| position.port) else { return };
        let position = self.ports[index];
        let end = row.time.0;
        self.interval = self.interval.max(row.interval.0);
        let interval = self.intervals.entry(end).or_default();
        if position.leads_to_host {
            interval.to_hosts = interval.to_hosts.saturating_add(row.size.0);
            self.within += row.size.0 as f64 * span.share_of(row);
        }
        if !position.is_of_switch {
            return;
        }
        let before = self.open.filter(|(time, node, _)| (*time, *node) == (end, position.node));
        let waiting = before.map_or(0, |(.., waiting)| waiting).saturating_add(row.waiting.0);
        self.open = Some((end, position.node, waiting));
        interval.waiting = interval.waiting.max(waiting);
        if waiting > self.worst.map_or(0, |(most, _)| most) {
            self.worst = Some((waiting, position.node));
        }
    }

    /// The data of the whole run; none if ports were not sampled.
    pub fn finish(self, about: &About) -> Option<RunData> {
        let last = *self.intervals.last_key_value()?.0;
        let simulated = about.manifest.simulated_ps.max(1);
        let sampled = self.interval.max(1);
        let n_samples = simulated.max(last).div_ceil(sampled).min(MOST_READ);
        let interval = sampled * n_samples.div_ceil(MOST);
        let mut grid = vec![IntervalEnd::default(); (n_samples * sampled).div_ceil(interval) as usize];
        let last = grid.len() - 1;
        for (end, at_end) in self.intervals {
            let cell = &mut grid[((end.saturating_sub(1) / interval) as usize).min(last)];
            cell.to_hosts = cell.to_hosts.saturating_add(at_end.to_hosts);
            cell.waiting = cell.waiting.max(at_end.waiting);
        }
        // The run may end before its last interval.
        let length = |nth: usize| interval.min(simulated.saturating_sub(nth as u64 * interval).max(1));
        let rate = |(nth, interval): (usize, &IntervalEnd)| {
            six_digits(interval.to_hosts as f64 * 8e12 / length(nth) as f64)
        };
        Some(RunData {
            interval: interval as f64 / 1e12,
            throughput: grid.iter().enumerate().map(rate).collect(),
            mean: six_digits(self.within * 8e12 / about.span.length().0.max(1) as f64),
            backlog: grid.iter().map(|interval| interval.waiting).collect(),
            worst: self.worst.map(|(_, node)| about.node(node)),
        })
    }
}

/// The fabric of one run over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunData {
    /// Length of an interval, in seconds.
    pub interval: f64,
    /// Throughput to all hosts together in each interval, in bit/s.
    pub throughput: Vec<f64>,
    /// Mean throughput over the span.
    pub mean: f64,
    /// Largest number of bytes waiting at one switch, at the end of each interval.
    pub backlog: Vec<u64>,
    /// The switch with the largest backlog; absent if there was none.
    pub worst: Option<String>,
}
