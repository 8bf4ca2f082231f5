//! Goodput of hosts: payload of the messages that arrived, over the time in which the host had such a message in
//! flight.
//!
//! Models: the union of the messages' times for each host, and the line rate of the ports that these messages could
//! use; for a host whose messages use ports of several rates, such as a GPU with a NIC and a link inside its server,
//! the rate at which it could have sent these bytes one message after the other.
//! Leaves out: messages that never arrived.
//!
//! Invariants: memory is bounded; a host with more than [`KEPT`] separate intervals may count time twice if a message
//! is longer than all of them.

use std::collections::BTreeMap;

use netloom_records::statistics::HostPorts;
use netloom_records::{Batch, FlowRow};
use netloom_units::NodeId;
use serde::Serialize;

use super::Collector;
use crate::collect::About;
use crate::round::six_digits;

/// Largest number of separate intervals in memory for each host.
const KEPT: usize = 1_024;

/// Data of a run.
#[derive(Debug, Default)]
pub struct Goodput {
    hosts: BTreeMap<u32, Busy>,
    ports: HostPorts,
}

/// Intervals in which a host had messages in flight.
#[derive(Debug, Default)]
struct Busy {
    bytes: u64,
    /// Serialization time of these bytes at the rates of the ports they could use, in s.
    least_s: f64,
    /// Total length of intervals no longer in memory, in ps.
    past: u64,
    /// Disjoint intervals, in order: (start, end) in ps.
    times: Vec<(u64, u64)>,
}

impl Collector for Goodput {
    fn take(&mut self, about: &About, batch: Batch<'_>) {
        match batch {
            Batch::Flows(rows) => rows.iter().for_each(|row| self.message(row)),
            Batch::Ports(rows) => self.ports.extend(about.n_hosts, rows),
            _ => {}
        }
    }
}

impl Busy {
    /// Adds a message; messages come in the order of their ends.
    fn add(&mut self, (start, end): (u64, u64), bytes: u64) {
        self.bytes += bytes;
        let mut whole = (start, end);
        while let Some(last) = self.times.pop_if(|last| last.1 >= start) {
            whole.0 = whole.0.min(last.0);
        }
        self.times.push(whole);
        if self.times.len() > KEPT {
            let (from, to) = self.times.remove(0);
            self.past += to - from;
        }
    }

    /// The rate of its ports, in bit/s.
    fn line(&self) -> f64 {
        if self.least_s > 0.0 { self.bytes as f64 * 8.0 / self.least_s } else { 0.0 }
    }

    /// In bit/s.
    fn goodput(&self) -> f64 {
        let span: u64 = self.past + self.times.iter().map(|(start, end)| end - start).sum::<u64>();
        self.bytes as f64 * 8e12 / span.max(1) as f64
    }
}

/// The hosts of one run that sent messages.
#[derive(Debug, Serialize)]
pub struct RunData {
    /// Number of hosts.
    pub hosts: usize,
    /// Mean over them, in bit/s.
    pub mean: f64,
    /// The slowest of them, in bit/s.
    pub slowest: f64,
    /// Its name.
    pub slowest_host: String,
    /// The fastest of them, in bit/s.
    pub fastest: f64,
    /// Line rate of the ports that the messages of a host could use, mean over hosts, in bit/s.
    pub line: f64,
}

impl Goodput {
    fn message(&mut self, row: &FlowRow) {
        if let Some(end) = row.end {
            let busy = self.hosts.entry(row.source.0).or_default();
            busy.add((row.start.0, end.0), row.size.0);
            let rate = self.ports.rate(row.source, Some(row.destination)).all;
            busy.least_s += if rate > 0.0 { row.size.0 as f64 * 8.0 / rate } else { 0.0 };
        }
    }

    /// Of the whole run.
    pub fn finish(self, about: &About) -> Option<RunData> {
        let found: Vec<(u32, f64)> = self.hosts.iter().map(|(&host, busy)| (host, busy.goodput())).collect();
        let slowest = found.iter().min_by(|left, right| left.1.total_cmp(&right.1))?;
        let mean =
            |values: &mut dyn Iterator<Item = f64>| six_digits(values.sum::<f64>() / found.len() as f64);
        let line = |(host, _): &(u32, f64)| self.hosts.get(host).map_or(0.0, Busy::line);
        Some(RunData {
            hosts: found.len(),
            mean: mean(&mut found.iter().map(|(_, goodput)| *goodput)),
            slowest: six_digits(slowest.1),
            slowest_host: about.node(NodeId(slowest.0)),
            fastest: six_digits(found.iter().map(|(_, goodput)| *goodput).fold(0.0, f64::max)),
            line: mean(&mut found.iter().map(line)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_times_count_once() {
        let mut busy = Busy::default();
        // From 0 to 10, from 20 to 30, and one that spans 25 to 40: 30 ps in all.
        for time in [(0, 6), (4, 10), (20, 30), (25, 40)] {
            busy.add(time, 3);
        }
        assert_eq!(busy.times, [(0, 10), (20, 40)]);
        assert!((busy.goodput() - 12.0 * 8e12 / 30.0).abs() < 1.0);
        busy.add((0, 50), 0);
        assert_eq!(busy.times, [(0, 50)]);
    }

    #[test]
    fn intervals_beyond_the_limit_are_summed() {
        let mut busy = Busy::default();
        for nth in 0..3 * KEPT as u64 {
            busy.add((10 * nth, 10 * nth + 5), 1);
        }
        assert_eq!(busy.times.len(), KEPT);
        assert!((busy.goodput() - 8e12 / 5.0).abs() < 1.0);
    }
}
