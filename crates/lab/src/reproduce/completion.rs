//! Completion times of messages relative to the ideal: the time in which the busiest NIC transmits all of its messages.
//!
//! Models: T, the most payload that any host sends or receives over the rate of its NIC, a lower bound for every
//! network if all messages start together; the mean, the shortest and the longest time from start to end over T; the
//! share of messages that take longer than a given multiple of T.
//! Leaves out: messages of background traffic and of flows; latency and headers, which count as excess.
//!
//! Invariants: a message that did not arrive exceeds every multiple.

use std::collections::BTreeMap;

use netloom_model::{Message, Model};
use netloom_records::FlowRow;
use netloom_units::{HostId, NodeId};

use super::parts::Parts;
use super::quantity::Quantity;

/// The completion times of a run's messages.
#[derive(Debug, Default)]
pub(super) struct Completion {
    /// From start to end, in ps; absent for messages that did not arrive.
    spans: Vec<Option<u64>>,
    sent: BTreeMap<HostId, u64>,
    received: BTreeMap<HostId, u64>,
}

impl Completion {
    /// Adds rows of messages.
    pub fn take(&mut self, rows: &[FlowRow]) {
        for row in rows.iter().filter(|row| row.job < Message::FIRST_OF_OTHERS) {
            self.spans.push(row.end.map(|end| end.since(row.start).0));
            *self.sent.entry(row.source).or_default() += row.size.0;
            *self.received.entry(row.destination).or_default() += row.size.0;
        }
    }

    /// Figures of the whole run; empty without messages.
    pub fn whole(&self, model: &Model) -> Vec<(Quantity, f64)> {
        let Some(ideal) = self.ideal(model) else { return Vec::new() };
        let arrived: Vec<f64> = self.spans.iter().flatten().map(|span| *span as f64 / ideal).collect();
        if arrived.len() < self.spans.len() {
            return Vec::new();
        }
        vec![
            (Quantity::FlowMean, arrived.iter().sum::<f64>() / arrived.len() as f64),
            (Quantity::FlowShortest, arrived.iter().copied().fold(f64::INFINITY, f64::min)),
            (Quantity::FlowLongest, arrived.iter().copied().fold(0.0, f64::max)),
        ]
    }

    /// Shares of messages beyond each of these multiples.
    pub fn parts<'a>(&self, model: &Model, multiples: impl IntoIterator<Item = &'a str>) -> Parts {
        let Some(ideal) = self.ideal(model) else { return Parts::new() };
        let share = |multiple: f64| {
            let is_beyond = |span: &&Option<u64>| span.is_none_or(|span| span as f64 > multiple * ideal);
            self.spans.iter().filter(is_beyond).count() as f64 / self.spans.len() as f64
        };
        let part = |name: &str| {
            let value = share(name.parse().ok()?);
            Some((name.to_owned(), BTreeMap::from([(Quantity::FlowsBeyond, value)])))
        };
        multiples.into_iter().filter_map(part).collect()
    }

    /// T, in ps.
    fn ideal(&self, model: &Model) -> Option<f64> {
        let line =
            |host: HostId| model.fabric.ports_of(NodeId(host.0)).iter().map(|port| port.rate.0).sum::<u64>();
        let hosts = self.sent.iter().chain(&self.received);
        let times = hosts.map(|(host, bytes)| *bytes as f64 * 8e12 / line(*host) as f64);
        times.max_by(f64::total_cmp).filter(|time| *time > 0.0)
    }
}
