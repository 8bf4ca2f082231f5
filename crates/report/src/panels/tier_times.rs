//! The ports of a fabric tier by tier over time: for each pair of kinds of nodes the worst port of each interval.
//!
//! Models: intervals of the table `series`, or several of them together; marks at the ends of steps.
//! Leaves out: which port it was, and what happened between two samples.
//!
//! Invariants: an interval has the value of its worst port, never a mean; one without a row is zero. Memory is that of
//! the ports and of the intervals.

use std::collections::BTreeMap;

use netloom_records::{Batch, PortRow, SeriesRow};
use netloom_units::Rate;
use serde::Serialize;

use super::Collector;
use super::port_kinds::ports_by_kinds;
use crate::collect::About;
use crate::drawing::pack::pack;
use crate::round::six_digits;

/// Largest number of intervals of a run.
const MOST: u64 = 120;
/// Largest number of marks: more would hide the cells.
const MOST_MARKS: usize = 60;
/// Shares are packed as hundredths of a percent.
const PART: f64 = 1e4;

/// Data of a run.
#[derive(Debug, Default)]
pub struct TierTimes {
    /// Until samples come.
    ports: Vec<PortRow>,
    /// The kinds of each strip, once samples come.
    kinds: Vec<[String; 2]>,
    /// By port, its strip and its rate.
    by_port: BTreeMap<u32, (usize, Rate)>,
    /// For each end of an interval, the worst values of each strip.
    intervals: BTreeMap<u64, Vec<Worst>>,
    interval: u64,
    /// Ends of steps.
    steps: Vec<u64>,
}

/// The worst values of the ports of a strip in an interval.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Worst {
    usage: f64,
    /// Bytes waiting at its end.
    waiting: u64,
    /// Packets dropped, of all ports.
    dropped: u64,
    /// The share of it in which a port was blocked.
    blocked: f64,
}

impl Worst {
    fn with(self, other: Worst) -> Worst {
        Worst {
            usage: self.usage.max(other.usage),
            waiting: self.waiting.max(other.waiting),
            dropped: self.dropped + other.dropped,
            blocked: self.blocked.max(other.blocked),
        }
    }

    fn of(row: &SeriesRow, rate: Rate) -> Worst {
        let interval = row.interval.0.max(1) as f64;
        // Bytes whose transmission started; that of the last packet may end in the next interval.
        let sending = rate.serialization(row.size).0 as f64;
        Worst {
            usage: (sending / interval).min(1.0),
            waiting: row.waiting.0,
            dropped: row.dropped,
            blocked: (row.paused.0 as f64 / interval).min(1.0),
        }
    }

    const fn packed(self) -> [u64; 4] {
        [(self.usage * PART).round() as u64, self.waiting, self.dropped, (self.blocked * PART).round() as u64]
    }
}

impl Collector for TierTimes {
    fn take(&mut self, about: &About, batch: Batch<'_>) {
        match batch {
            Batch::Ports(rows) => self.ports.extend_from_slice(rows),
            Batch::Steps(rows) => self.steps.extend(rows.iter().map(|row| row.end.0)),
            Batch::Series(rows) => {
                if self.by_port.is_empty() {
                    self.group(about);
                }
                for row in rows {
                    self.sample(row);
                }
            }
            _ => {}
        }
    }
}

impl TierTimes {
    fn group(&mut self, about: &About) {
        // Only their strips and rates are needed from now on.
        let ports = std::mem::take(&mut self.ports);
        let found = ports_by_kinds(about.n_hosts, &|node| about.node(node), &ports);
        for (strip, (_, ports)) in found.iter().enumerate() {
            self.by_port.extend(ports.iter().map(|port| (port.port.0, (strip, port.rate))));
        }
        self.kinds = found.into_iter().map(|(kinds, _)| kinds).collect();
    }

    fn sample(&mut self, row: &SeriesRow) {
        let Some(&(strip, rate)) = self.by_port.get(&row.port.0) else { return };
        self.interval = self.interval.max(row.interval.0);
        let strips = self.intervals.entry(row.time.0).or_default();
        strips.resize(self.kinds.len(), Worst::default());
        strips[strip] = strips[strip].with(Worst::of(row, rate));
    }

    /// The data of the whole run; none if ports were not sampled.
    pub fn finish(self, about: &About) -> Option<RunData> {
        let last = *self.intervals.last_key_value()?.0;
        let simulated = about.manifest.simulated_ps.max(last).max(1);
        let sampled = self.interval.max(1);
        let interval = sampled * simulated.div_ceil(sampled).div_ceil(MOST);
        let n_intervals = simulated.div_ceil(interval) as usize;
        let mut cells = vec![Worst::default(); self.kinds.len() * n_intervals];
        for (end, strips) in self.intervals {
            let nth = ((end.saturating_sub(1) / interval) as usize).min(n_intervals - 1);
            for (strip, worst) in strips.into_iter().enumerate() {
                let cell = &mut cells[strip * n_intervals + nth];
                *cell = cell.with(worst);
            }
        }
        let mut steps = self.steps;
        steps.sort_unstable();
        steps.truncate(if steps.len() > MOST_MARKS { 0 } else { MOST_MARKS });
        Some(RunData {
            kinds: self.kinds,
            interval: six_digits(interval as f64 / 1e12),
            intervals: n_intervals,
            packed: pack((0..4).flat_map(|kind| cells.iter().map(move |cell| cell.packed()[kind]))),
            steps: steps.into_iter().map(|end| six_digits(end as f64 / 1e12)).collect(),
        })
    }
}

/// The tiers of one run over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunData {
    /// The kinds of nodes at both ends of the ports of each strip, in the order of the strips.
    pub kinds: Vec<[String; 2]>,
    /// Length of an interval, in seconds.
    pub interval: f64,
    /// Number of intervals.
    pub intervals: usize,
    /// Four numbers of each interval of each strip: utilization of the busiest port in hundredths of a percent, bytes in
    /// the longest queue at a sample, packets dropped, longest time blocked in hundredths of a percent; all values of the
    /// first kind come first, strip by strip.
    pub packed: String,
    /// Ends of steps in seconds, unless there are too many.
    pub steps: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use netloom_units::{Bytes, Duration, PortId, Time};

    use super::*;

    fn row(time: u64, size: u64, waiting: u64) -> SeriesRow {
        SeriesRow {
            time: Time(time),
            interval: Duration(1_000_000),
            port: PortId(0),
            size: Bytes(size),
            waiting: Bytes(waiting),
            paused: Duration(250_000),
            dropped: 2,
        }
    }

    #[test]
    fn an_interval_has_the_values_of_its_worst_port() {
        // 100 Gbit/s: 12,500 bytes in a microsecond.
        let rate = Rate(100_000_000_000);
        let one = Worst::of(&row(1_000_000, 6_250, 40), rate);
        assert_eq!(one, Worst { usage: 0.5, waiting: 40, dropped: 2, blocked: 0.25 });
        let both = one.with(Worst::of(&row(1_000_000, 12_600, 10), rate));
        assert_eq!(both, Worst { usage: 1.0, waiting: 40, dropped: 4, blocked: 0.25 });
        assert_eq!(both.packed(), [10_000, 40, 4, 2_500]);
    }
}
