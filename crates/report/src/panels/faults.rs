//! Faults as events, and packets lost, by reason.
//!
//! Invariants: lists that are cut say how long they were.

use std::collections::BTreeMap;

use netloom_records::{Batch, DropRow, FaultRow};
use serde::Serialize;

use super::Collector;
use crate::collect::About;
use crate::round::seconds;

/// Events embedded per run.
const LISTED: usize = 200;

/// What is kept of a run.
#[derive(Debug, Default)]
pub struct Faults {
    total: u64,
    events: Vec<EventData>,
    drops: BTreeMap<&'static str, Lost>,
}

/// Drops of one reason.
#[derive(Debug, Default)]
struct Lost {
    packets: u64,
    bytes: u64,
    first: u64,
    last: u64,
    /// The place with the most of them.
    worst: Option<(u64, String)>,
}

impl Collector for Faults {
    fn take(&mut self, about: &About, batch: Batch<'_>) {
        match batch {
            Batch::Faults(rows) => rows.iter().for_each(|row| self.event(about, row)),
            Batch::Drops(rows) => rows.iter().for_each(|row| self.lost(about, row)),
            _ => {}
        }
    }
}

impl Faults {
    fn event(&mut self, about: &About, row: &FaultRow) {
        self.total += 1;
        if self.events.len() < LISTED {
            let link = about.names.links.get(row.link.0 as usize).cloned();
            let link = link.unwrap_or_else(|| format!("link {}", row.link.0));
            self.events.push(EventData { time: seconds(row.time.0 as f64), link, up: row.up });
        }
    }

    fn lost(&mut self, about: &About, row: &DropRow) {
        let lost = self.drops.entry(row.reason.word()).or_default();
        lost.first = if lost.packets == 0 { row.first.0 } else { lost.first.min(row.first.0) };
        lost.last = lost.last.max(row.last.0);
        lost.packets += row.packets;
        lost.bytes += row.size.0;
        if lost.worst.as_ref().is_none_or(|(most, _)| *most < row.packets) {
            lost.worst = Some((row.packets, about.node(row.node)));
        }
    }

    /// Of the whole run.
    pub fn finish(self) -> RunData {
        let data = |(reason, lost): (&'static str, Lost)| DropData {
            reason,
            packets: lost.packets,
            bytes: lost.bytes,
            first: seconds(lost.first as f64),
            last: seconds(lost.last as f64),
            worst: lost.worst.map(|(_, node)| node).unwrap_or_default(),
        };
        RunData { total: self.total, events: self.events, drops: self.drops.into_iter().map(data).collect() }
    }
}

/// The faults and drops of one run.
#[derive(Debug, Serialize)]
pub struct RunData {
    /// How many events there were.
    pub total: u64,
    /// The first of them.
    pub events: Vec<EventData>,
    /// Packets lost.
    pub drops: Vec<DropData>,
}

/// A link went down or came up.
#[derive(Debug, Serialize)]
pub struct EventData {
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
    /// Why.
    pub reason: &'static str,
    /// How many.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The first one, in seconds.
    pub first: f64,
    /// The last one, in seconds.
    pub last: f64,
    /// The node that lost the most at one port.
    pub worst: String,
}
