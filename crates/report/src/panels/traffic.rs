//! Kinds of traffic: completion times and throughput of each, and counters of ports for each class.
//!
//! Models: completion times and throughput of every kind that a scenario names; a kind's throughput is its payload from
//! its first start to its last arrival.
//! Leaves out: traffic of no kind; background messages that started outside of the span.
//!
//! Invariants: absent if no kind is named; memory grows with the kinds, not with the messages.

use std::collections::BTreeMap;

use netloom_records::statistics::{Sample, Taken};
use netloom_records::{Batch, ClassRow, FlowRow, TrafficRow};
use serde::Serialize;

use super::{Collector, FINITE, STAGED, is_independent};
use crate::collect::About;
use crate::round::{seconds, six_digits};

/// Data of a run.
#[derive(Debug, Default)]
pub struct Traffic {
    /// The kind of each job, and of each staged flow.
    kinds: BTreeMap<(u16, u32), u16>,
    found: BTreeMap<u16, Kind>,
    classes: BTreeMap<u16, ClassData>,
}

#[derive(Debug, Default)]
struct Kind {
    class: u16,
    may_reorder: bool,
    arrived: Sample,
    n_unfinished: u64,
    bytes: u64,
    /// First start and last arrival, in ps.
    span: Option<(u64, u64)>,
}

impl Collector for Traffic {
    fn take(&mut self, about: &About, batch: Batch<'_>) {
        match batch {
            Batch::Traffic(rows) => rows.iter().for_each(|row| self.name(row)),
            Batch::Flows(rows) if !self.kinds.is_empty() => {
                let counts = |row: &&FlowRow| !is_independent(row.job) || about.span.has(row.start);
                rows.iter().filter(counts).for_each(|row| self.message(row));
            }
            Batch::Classes(rows) => rows.iter().for_each(|row| self.class(about, row)),
            _ => {}
        }
    }
}

/// The traffic of one run.
#[derive(Debug, Serialize)]
pub struct RunData {
    /// Kinds in the order in which they are named.
    pub kinds: Vec<KindData>,
    /// Classes of data, if there are counters for each.
    pub classes: Vec<ClassData>,
}

/// A kind of traffic.
#[derive(Debug, Serialize)]
pub struct KindData {
    /// Its name.
    pub name: String,
    /// Its class.
    pub class: u16,
    /// Whether its packets may be reordered.
    pub may_reorder: bool,
    /// Messages that arrived.
    pub messages: u64,
    /// Messages that did not.
    pub unfinished: u64,
    /// Completion times, in seconds; absent if none arrived.
    pub times: Option<Times>,
    /// Payload from the first start to the last arrival, in bit/s.
    pub throughput: f64,
}

/// Completion times, in seconds.
#[derive(Debug, Serialize)]
pub struct Times {
    /// Arithmetic mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
}

/// Counters of a class over all ports.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ClassData {
    /// Its number.
    pub class: u16,
    /// Bytes that hosts put on their wires.
    pub sent: u64,
    /// Largest number of bytes waiting at one port.
    pub peak: u64,
    /// Packets marked.
    pub marked: u64,
    /// Packets dropped.
    pub dropped: u64,
    /// Pause frames that stop it.
    pub pauses: u64,
    /// Longest time for which a port was paused, in seconds.
    pub paused: f64,
}

impl Traffic {
    fn name(&mut self, row: &TrafficRow) {
        self.kinds.insert((row.job, row.step), row.traffic);
        let kind = self.found.entry(row.traffic).or_default();
        (kind.class, kind.may_reorder) = (row.class, row.may_reorder);
    }

    fn message(&mut self, row: &FlowRow) {
        let step = match row.job {
            STAGED => row.step,
            // Their kinds are numbered by service.
            FINITE => u32::from(row.phase),
            _ => 0,
        };
        let Some(kind) = self.kinds.get(&(row.job, step)) else { return };
        let kind = self.found.entry(*kind).or_default();
        let Some(end) = row.end else {
            kind.n_unfinished += 1;
            return;
        };
        kind.arrived.push(end.since(row.start).0);
        kind.bytes += row.size.0;
        let (first, last) = kind.span.unwrap_or((row.start.0, end.0));
        kind.span = Some((first.min(row.start.0), last.max(end.0)));
    }

    fn class(&mut self, about: &About, row: &ClassRow) {
        let class = self.classes.entry(row.class).or_default();
        class.class = row.class;
        class.sent += if about.is_host(row.node) { row.size.0 } else { 0 };
        class.peak = class.peak.max(row.peak_size.0);
        class.marked += row.marked;
        class.dropped += row.dropped;
        class.pauses += row.pauses;
        class.paused = class.paused.max(seconds(row.paused.0 as f64));
    }

    /// The data of the whole run; none if no kind is named.
    pub fn finish(self, about: &About) -> Option<RunData> {
        if self.found.is_empty() {
            return None;
        }
        let kind = |(number, kind): (u16, Kind)| {
            let name = about.names.traffic.get(usize::from(number)).cloned();
            kind.finish(name.unwrap_or_else(|| format!("kind {number}")))
        };
        Some(RunData {
            kinds: self.found.into_iter().map(kind).collect(),
            classes: self.classes.into_values().collect(),
        })
    }
}

impl Kind {
    fn finish(self, name: String) -> KindData {
        let span = self.span.map_or(0, |(first, last)| last - first);
        let taken = self.arrived.finish();
        KindData {
            name,
            class: self.class,
            may_reorder: self.may_reorder,
            messages: taken.as_ref().map_or(0, Taken::count),
            unfinished: self.n_unfinished,
            times: taken.map(|taken| Times {
                mean: seconds(taken.mean()),
                p50: seconds(taken.quantile(0.5)),
                p99: seconds(taken.quantile(0.99)),
            }),
            throughput: six_digits(self.bytes as f64 * 8e12 / span.max(1) as f64),
        }
    }
}
