//! Sampled series over time: bytes sent, packets dropped, bytes waiting and paused time of each port.
//!
//! Models: samples of all ports at equal intervals; when there are too many, neighbouring intervals are merged and the
//! interval doubles.
//! Leaves out: what happened between two samples.
//!
//! Invariants: as many samples per port as the model requests, and fewer on fabrics with very many ports, so that
//! memory stays under 256 MB; values of an interval are never negative, and their sum is never above that of the whole
//! run.

use netloom_model::Sampling;
use netloom_records::SeriesRow;
use netloom_units::{Bytes, Duration, PortId, Time};

/// One port in one sample: 32 bytes, which [`Sampling::every`] relies on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PortSample {
    /// Bytes sent so far.
    pub sent: u64,
    /// Bytes waiting at that time.
    pub waiting: u64,
    /// Paused time so far, in ps.
    pub paused: u64,
    /// Packets dropped so far.
    pub dropped: u64,
}

impl PortSample {
    /// Whether the interval between two samples has a row.
    fn has_news_after(&self, before: &PortSample) -> bool {
        self.waiting > 0
            || (self.sent, self.paused, self.dropped) != (before.sent, before.paused, before.dropped)
    }
}

/// Intervals are not merged below this number only to save rows.
const FEWEST_SAMPLES: usize = 16;

/// See the module.
#[derive(Debug)]
pub struct Sampler {
    interval: Duration,
    next: Time,
    most: usize,
    n_ports: usize,
    /// Sample by sample, each with all ports.
    samples: Vec<Vec<PortSample>>,
    /// Samples whose memory is reused.
    spare: Vec<Vec<PortSample>>,
}

impl Sampler {
    /// A sampler of `n_ports` ports.
    pub fn new(sampling: &Sampling, n_ports: usize) -> Sampler {
        Sampler {
            interval: sampling.interval,
            next: Time::ZERO + sampling.interval,
            most: sampling.kept(n_ports),
            n_ports,
            samples: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// When the next sample is due.
    pub fn next(&self) -> Time {
        self.next
    }

    /// The current interval between samples.
    pub fn interval(&self) -> Duration {
        self.interval
    }

    /// No further sample is due.
    pub fn stop(&mut self) {
        self.next = Time::NEVER;
    }

    /// An empty list with capacity for a sample of every port.
    pub fn room(&mut self) -> Vec<PortSample> {
        let mut room = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(self.n_ports));
        room.clear();
        room
    }

    /// Records a sample of every port.
    pub fn take(&mut self, ports: Vec<PortSample>) {
        self.store(ports);
        self.next = Time(self.interval.0.saturating_mul(self.samples.len() as u64 + 1));
    }

    fn store(&mut self, ports: Vec<PortSample>) {
        debug_assert_eq!(ports.len(), self.n_ports);
        self.samples.push(ports);
        if self.samples.len() == self.most {
            self.join();
        }
    }

    /// Records the last sample, at the end of the run, which is within the last interval.
    pub fn finish(&mut self, ports: Vec<PortSample>) {
        if self.samples.last() != Some(&ports) {
            self.store(ports);
        }
    }

    /// Merges neighbouring intervals in pairs: samples are cumulative, so the later one is kept.
    #[cold]
    fn join(&mut self) {
        if self.samples.len() % 2 == 1 {
            // Nothing happens after the end.
            self.samples.extend(self.samples.last().cloned());
        }
        for (index, sample) in std::mem::take(&mut self.samples).into_iter().enumerate() {
            if index % 2 == 0 { self.spare.push(sample) } else { self.samples.push(sample) }
        }
        self.interval = Duration(self.interval.0 * 2);
    }

    /// Merges intervals until there are at most `most_rows` rows, or few intervals are left.
    pub fn coarsen(&mut self, most_rows: u64) {
        while self.samples.len() > FEWEST_SAMPLES && self.n_rows() > most_rows {
            self.join();
        }
    }

    /// Number of rows that there would be.
    fn n_rows(&self) -> u64 {
        let quiet = vec![PortSample::default(); self.n_ports];
        let befores = std::iter::once(&quiet).chain(&self.samples);
        let reported = |(now, before): (&Vec<PortSample>, &Vec<PortSample>)| {
            now.iter().zip(before).filter(|(now, before)| now.has_news_after(before)).count() as u64
        };
        self.samples.iter().zip(befores).map(reported).sum()
    }

    /// All rows, by (time, port), in pieces of bounded size; an interval in which nothing happened at a port has no
    /// row.
    ///
    /// # Errors
    /// Those of `take`.
    pub fn emit_rows<E>(mut self, mut take: impl FnMut(&[SeriesRow]) -> Result<(), E>) -> Result<(), E> {
        const PIECE: usize = 1 << 16;
        self.correct_starved_time();
        let mut before = vec![PortSample::default(); self.n_ports];
        let mut rows = Vec::new();
        for (number, sample) in self.samples.iter().enumerate() {
            let time = Time(self.interval.0 * (number as u64 + 1));
            for (port, (now, before)) in sample.iter().zip(&mut before).enumerate() {
                if now.has_news_after(before) {
                    rows.push(SeriesRow {
                        time,
                        interval: self.interval,
                        port: PortId(port as u32),
                        size: Bytes(now.sent - before.sent),
                        waiting: Bytes(now.waiting),
                        paused: Duration(now.paused - before.paused),
                        dropped: now.dropped - before.dropped,
                    });
                }
                *before = *now;
            }
            if rows.len() >= PIECE {
                take(&rows)?;
                rows.clear();
            }
        }
        take(&rows)
    }

    /// Corrects values that were recorded too early: a NIC that switches to another queue pair had less to send than
    /// assumed, so the time for which it starved may turn out to be shorter.
    fn correct_starved_time(&mut self) {
        for index in (1..self.samples.len()).rev() {
            let (earlier, later) = self.samples.split_at_mut(index);
            for (cell, next) in earlier[index - 1].iter_mut().zip(&later[0]) {
                cell.paused = cell.paused.min(next.paused);
                cell.sent = cell.sent.min(next.sent);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampler(interval: u64, n_ports: usize) -> Sampler {
        Sampler::new(&Sampling::every(Duration(interval)), n_ports)
    }

    fn rows(sampler: Sampler) -> Vec<SeriesRow> {
        let mut all = Vec::new();
        sampler
            .emit_rows(|rows| {
                all.extend_from_slice(rows);
                Ok::<(), ()>(())
            })
            .unwrap();
        all
    }

    fn cell(sent: u64, waiting: u64, paused: u64, dropped: u64) -> PortSample {
        PortSample { sent, waiting, paused, dropped }
    }

    #[test]
    fn an_interval_beyond_the_range_of_time_is_one_interval() {
        let mut sampler = sampler(u64::MAX / 2 + 1, 1);
        sampler.finish(vec![cell(7, 0, 0, 0)]);
        let rows = rows(sampler);
        assert_eq!((rows.len(), rows[0].size), (1, Bytes(7)));
    }

    #[test]
    fn the_interval_doubles_and_nothing_is_lost() {
        let mut sampler = sampler(10, 1);
        for sample in 1..=2500_u64 {
            assert_eq!(sampler.next().0 % 10, 0);
            let mut room = sampler.room();
            room.push(cell(sample * 7, 3, sample * 2, sample / 5));
            sampler.take(room);
        }
        let last = sampler.samples.last().unwrap()[0];
        let rows = rows(sampler);
        assert!(rows.len() < 1000);
        assert!(rows.iter().all(|row| row.interval == rows[0].interval && row.interval.0 > 10));
        let total = |of: fn(&SeriesRow) -> u64| rows.iter().map(of).sum::<u64>();
        let totals = [total(|row| row.size.0), total(|row| row.paused.0), total(|row| row.dropped)];
        assert_eq!(totals, [last.sent, last.paused, last.dropped]);
    }

    #[test]
    fn an_empty_interval_has_no_row() {
        let mut sampler = sampler(10, 3);
        sampler.take(vec![cell(0, 0, 0, 0), cell(5, 0, 0, 0), cell(0, 2, 0, 0)]);
        sampler.take(vec![cell(0, 0, 0, 1), cell(5, 0, 0, 0), cell(0, 0, 4, 0)]);
        let found: Vec<_> = rows(sampler).iter().map(|row| (row.time.0, row.port.0)).collect();
        assert_eq!(found, [(10, 1), (10, 2), (20, 0), (20, 2)]);
    }

    #[test]
    fn a_run_with_few_packets_has_few_rows() {
        let mut sampler = sampler(10, 2);
        for sample in 1..=77_u64 {
            sampler.take(vec![cell(sample * 7, 3, 0, 0), cell(0, 0, 0, 0)]);
        }
        sampler.finish(vec![cell(1000, 0, 0, 1), cell(0, 0, 0, 0)]);
        sampler.coarsen(78);
        assert_eq!((sampler.interval.0, sampler.samples.len()), (10, 78));
        sampler.coarsen(30);
        assert_eq!((sampler.interval.0, sampler.samples.len()), (40, 20));
        sampler.coarsen(0);
        assert_eq!((sampler.interval.0, sampler.samples.len()), (80, 10));
        let rows = rows(sampler);
        assert_eq!((rows.len(), rows.iter().map(|row| row.size.0).sum::<u64>()), (10, 1000));
        assert_eq!(rows.last().map(|row| (row.time.0, row.dropped)), Some((800, 1)));
    }

    #[test]
    fn a_count_that_turns_out_lower_is_corrected() {
        let mut sampler = sampler(10, 1);
        for paused in [4, 9, 6, 8] {
            sampler.take(vec![cell(0, 1, paused, 0)]);
        }
        let paused: Vec<u64> = rows(sampler).iter().map(|row| row.paused.0).collect();
        assert_eq!(paused, [4, 2, 0, 2]);
    }
}
