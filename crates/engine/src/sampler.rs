//! Sampled series: bytes sent and bytes waiting per port over time.
//!
//! Models: samples at equal intervals of all ports; when there are too many, neighbours are joined and the interval
//! doubles.
//! Leaves out: what happened between two samples.
//!
//! Invariants: at most [`MOST_SAMPLES`] samples per port, and fewer on fabrics with very many ports, so that memory stays
//! under 256 MB.

use netloom_records::SeriesRow;
use netloom_units::{Bytes, Duration, PortId, Time};

/// Samples kept per port.
const MOST_SAMPLES: usize = 1_000;
/// Samples kept over all ports: 16 bytes each.
const MOST_CELLS: usize = 16 << 20;

/// See the module.
#[derive(Debug)]
pub struct Sampler {
    interval: Duration,
    next: Time,
    most: usize,
    n_ports: usize,
    /// Sample after sample, each with all ports: (bytes sent, bytes waiting).
    samples: Vec<Vec<(u64, u64)>>,
}

impl Sampler {
    /// A sampler with a first interval.
    pub fn new(interval: Duration, n_ports: usize) -> Sampler {
        // Even, so that halving keeps whole pairs.
        let most = (MOST_CELLS / n_ports.max(1)).clamp(2, MOST_SAMPLES) & !1;
        Sampler { interval, next: Time::ZERO + interval, most, n_ports, samples: Vec::new() }
    }

    /// When the next sample is due.
    pub fn next(&self) -> Time {
        self.next
    }

    /// Takes a sample of (bytes sent, bytes waiting) of every port.
    pub fn take(&mut self, ports: Vec<(u64, u64)>) {
        debug_assert_eq!(ports.len(), self.n_ports);
        self.samples.push(ports);
        if self.samples.len() == self.most {
            // Sent bytes are running totals, so joining two intervals keeps the later sample.
            let mut place = 0;
            self.samples.retain(|_| {
                place += 1;
                place % 2 == 0
            });
            self.interval = Duration(self.interval.0 * 2);
        }
        self.next = Time(self.interval.0 * (self.samples.len() as u64 + 1));
    }

    /// All rows, by (time, port); ports that never sent have none.
    pub fn rows(&self) -> Vec<SeriesRow> {
        let mut rows = Vec::new();
        let quiet = vec![(0, 0); self.n_ports];
        let last = self.samples.last().unwrap_or(&quiet);
        for (number, sample) in self.samples.iter().enumerate() {
            let before = if number == 0 { &quiet } else { &self.samples[number - 1] };
            for port in (0..self.n_ports).filter(|&port| last[port].0 > 0) {
                rows.push(SeriesRow {
                    time: Time(self.interval.0 * (number as u64 + 1)),
                    interval: self.interval,
                    port: PortId(port as u32),
                    size: Bytes(sample[port].0 - before[port].0),
                    waiting: Bytes(sample[port].1),
                });
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_doubles_and_bytes_are_kept() {
        let mut sampler = Sampler::new(Duration(10), 1);
        for sample in 1..=2500_u64 {
            assert_eq!(sampler.next().0 % 10, 0);
            sampler.take(vec![(sample * 7, 3)]);
        }
        let rows = sampler.rows();
        assert!(rows.len() < MOST_SAMPLES);
        assert!(rows.iter().all(|row| row.interval == rows[0].interval && row.interval.0 > 10));
        let total: u64 = rows.iter().map(|row| row.size.0).sum();
        assert_eq!(total, sampler.samples.last().unwrap()[0].0);
    }
}
