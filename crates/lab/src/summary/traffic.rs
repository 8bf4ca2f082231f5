//! Kinds of traffic: completion times of the messages of each, and their throughput.
//!
//! Invariants: a kind's throughput is its payload over the time from its first start to its last arrival; memory grows
//! with the number of kinds.

use std::collections::BTreeMap;

use netloom_model::Message;
use netloom_records::statistics::Sample;
use netloom_records::{FlowRow, Names, TrafficRow};
use serde::{Deserialize, Serialize};

use super::statistics::Distribution;

/// One kind of traffic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrafficSummary {
    /// Its name.
    pub name: String,
    /// The traffic class of its packets.
    pub class: u16,
    /// Whether they may be reordered.
    pub may_reorder: bool,
    /// Messages that started.
    pub messages: u64,
    /// Completion times of those that arrived.
    pub fct: Option<Distribution>,
    /// Payload over the time from the first start to the last arrival, in bit/s.
    pub throughput_bps: f64,
}

/// Collects the figures of all kinds.
#[derive(Debug, Default)]
pub(super) struct Tally {
    kinds: BTreeMap<(u16, u32), u16>,
    found: BTreeMap<u16, Kind>,
}

#[derive(Debug, Default)]
struct Kind {
    class: u16,
    may_reorder: bool,
    arrived: Sample,
    n_messages: u64,
    bytes: u64,
    /// First start and last arrival, in ps.
    span: Option<(u64, u64)>,
}

impl Tally {
    /// Adds the kind of a group of messages; must precede these messages.
    pub fn name(&mut self, row: &TrafficRow) {
        self.kinds.insert((row.job, row.step), row.traffic);
        let kind = self.found.entry(row.traffic).or_default();
        (kind.class, kind.may_reorder) = (row.class, row.may_reorder);
    }

    /// Adds a message.
    pub fn flow(&mut self, row: &FlowRow) {
        let step = match row.job {
            Message::STAGED => row.step,
            // Their kinds are numbered by service.
            Message::FINITE => u32::from(row.phase),
            _ => 0,
        };
        let Some(kind) = self.kinds.get(&(row.job, step)) else { return };
        let kind = self.found.entry(*kind).or_default();
        kind.n_messages += 1;
        let Some(end) = row.end else { return };
        kind.arrived.push(end.since(row.start).0);
        kind.bytes += row.size.0;
        let (first, last) = kind.span.unwrap_or((row.start.0, end.0));
        kind.span = Some((first.min(row.start.0), last.max(end.0)));
    }

    /// Kind by kind.
    pub fn finish(self, names: &Names) -> Vec<TrafficSummary> {
        let one = |(number, kind): (u16, Kind)| {
            let span = kind.span.map_or(1, |(first, last)| (last - first).max(1));
            let name = names.traffic.get(usize::from(number)).cloned();
            TrafficSummary {
                name: name.unwrap_or_else(|| format!("kind {number}")),
                class: kind.class,
                may_reorder: kind.may_reorder,
                messages: kind.n_messages,
                fct: Distribution::of_sample(kind.arrived),
                throughput_bps: kind.bytes as f64 * 8e12 / span as f64,
            }
        };
        self.found.into_iter().map(one).collect()
    }
}
