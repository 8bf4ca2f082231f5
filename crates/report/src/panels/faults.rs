//! Fault events of the scenario, state changes of links, and packets lost, by reason.
//!
//! Leaves out: state changes of links after the end of the run, which table `faults` may contain: fault processes
//! continue when all other work is done.
//!
//! Invariants: for lists that are cut the total number is given.

use std::collections::BTreeMap;

use netloom_records::{Batch, DropRow, EventRow, FaultRow, Target};
use serde::Serialize;

use super::Collector;
use crate::collect::About;
use crate::round::{seconds, six_digits};

/// Largest number of events, and of state changes of links, of a run.
const LISTED: usize = 200;

/// Data of a run.
#[derive(Debug, Default)]
pub struct Faults {
    total: u64,
    changes: Vec<ChangeData>,
    total_events: u64,
    events: Vec<EventData>,
    drops: BTreeMap<&'static str, Lost>,
}

/// Drops of one reason.
#[derive(Debug, Default)]
struct Lost {
    packets: u64,
    bytes: u64,
    /// Whether some row lacks its number of bytes.
    n_unknown: u64,
    first: u64,
    last: u64,
    /// The node and port with the largest number of them.
    worst: Option<(u64, String)>,
}

impl Collector for Faults {
    fn take(&mut self, about: &About, batch: Batch<'_>) {
        match batch {
            Batch::Faults(rows) => rows.iter().for_each(|row| self.change(about, row)),
            Batch::Events(rows) => rows.iter().for_each(|row| self.event(about, row)),
            Batch::Drops(rows) => rows.iter().for_each(|row| self.lost(about, row)),
            _ => {}
        }
    }
}

impl Faults {
    fn change(&mut self, about: &About, row: &FaultRow) {
        if row.time.0 > about.manifest.simulated_ps {
            return;
        }
        self.total += 1;
        if self.changes.len() < LISTED {
            let link = about.link(row.link);
            self.changes.push(ChangeData { time: seconds(row.time.0 as f64), link, up: row.up });
        }
    }

    fn event(&mut self, about: &About, row: &EventRow) {
        self.total_events += 1;
        if self.events.len() >= LISTED {
            return;
        }
        let name = match row.target {
            Target::Link | Target::Nic => about.link(row.link),
            Target::Switch | Target::Host => about.node(row.node),
        };
        self.events.push(EventData {
            time: seconds(row.time.0 as f64),
            detected: row.detected.map(|at| seconds(at.0 as f64)),
            target: row.target.word(),
            name,
            action: row.action.word(),
            rate: row.rate.map(|rate| rate.0 as f64),
            loss: row.loss.map(six_digits),
            period: row.period.map(|span| seconds(span.0 as f64)),
        });
    }

    fn lost(&mut self, about: &About, row: &DropRow) {
        let lost = self.drops.entry(row.reason.word()).or_default();
        lost.first = if lost.packets == 0 { row.first.0 } else { lost.first.min(row.first.0) };
        lost.last = lost.last.max(row.last.0);
        lost.packets += row.packets;
        lost.bytes += row.size.0.map_or(0, |size| size.0);
        lost.n_unknown += u64::from(row.size.0.is_none());
        if lost.worst.as_ref().is_none_or(|(most, _)| *most < row.packets) {
            lost.worst = Some((row.packets, about.node(row.node)));
        }
    }

    /// Of the whole run.
    pub fn finish(self) -> RunData {
        let data = |(reason, lost): (&'static str, Lost)| DropData {
            reason,
            packets: lost.packets,
            bytes: (lost.n_unknown == 0).then_some(lost.bytes),
            first: seconds(lost.first as f64),
            last: seconds(lost.last as f64),
            worst: lost.worst.map(|(_, node)| node).unwrap_or_default(),
        };
        RunData {
            total: self.total,
            changes: self.changes,
            total_events: self.total_events,
            events: self.events,
            drops: self.drops.into_iter().map(data).collect(),
        }
    }
}

/// The faults and drops of one run.
#[derive(Debug, Serialize)]
pub struct RunData {
    /// Number of state changes of links.
    pub total: u64,
    /// The first of these.
    pub changes: Vec<ChangeData>,
    /// Number of events.
    pub total_events: u64,
    /// The first of them.
    pub events: Vec<EventData>,
    /// Packets lost.
    pub drops: Vec<DropData>,
}

/// An event of the scenario.
#[derive(Debug, Serialize)]
pub struct EventData {
    /// When, in seconds.
    pub time: f64,
    /// When it was detected, in seconds; absent if it never was, or need not be.
    pub detected: Option<f64>,
    /// Kind of its target.
    pub target: &'static str,
    /// Name of its target.
    pub name: String,
    /// Kind of event.
    pub action: &'static str,
    /// The rate from then on, in bits per second.
    pub rate: Option<f64>,
    /// The probability that a full packet is lost from then on.
    pub loss: Option<f64>,
    /// Period of flapping, in seconds.
    pub period: Option<f64>,
}

/// A link went down or came up.
#[derive(Debug, Serialize)]
pub struct ChangeData {
    /// When, in seconds.
    pub time: f64,
    /// Its name.
    pub link: String,
    /// Whether it carries packets from then on.
    pub up: bool,
}

/// Packets lost for one reason.
#[derive(Debug, Clone, Serialize)]
pub struct DropData {
    /// The reason.
    pub reason: &'static str,
    /// Number of packets.
    pub packets: u64,
    /// Their bytes; absent for a measured run.
    pub bytes: Option<u64>,
    /// The first one, in seconds.
    pub first: f64,
    /// The last one, in seconds.
    pub last: f64,
    /// The node of the port with most losses.
    pub worst: String,
}
