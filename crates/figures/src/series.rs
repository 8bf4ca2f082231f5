//! What ports did over time: the table `series`, added up over hosts and compared over switches.
//!
//! Models: bytes that all hosts sent in each interval; the most bytes that waited at a port of a switch at its end.
//! Leaves out: single ports.
//!
//! Invariants: a port without a row in an interval did nothing in it; intervals are joined until there are few enough to be
//! told apart on paper, and their bytes and their largest backlog are kept.

use netloom_records::{PortRow, RunFolder, SeriesRow};
use netloom_report::About;

use crate::FigureError;

/// Intervals that are drawn.
const MOST: usize = 250;
/// Intervals that are read; a run has no more than some thousand.
const MOST_READ: u64 = 1 << 20;

/// What the ports of a run did over time.
#[derive(Debug, Clone, PartialEq)]
pub struct OverTime {
    /// Length of an interval, in ps.
    pub interval: u64,
    /// Bytes that hosts sent, interval by interval.
    pub sent: Vec<u64>,
    /// The largest backlog of a port of a switch at the end of each interval, in bytes.
    pub waiting: Vec<u64>,
}

/// Reads a run; nothing where no port has a row.
pub fn over_time(about: &About, folder: &RunFolder) -> Result<Option<OverTime>, FigureError> {
    let has = |table: &str| folder.manifest().tables.contains_key(table);
    if !has("series") || !has("ports") {
        return Ok(None);
    }
    let mut of_hosts = Vec::new();
    for block in folder.rows::<PortRow>()? {
        for port in block? {
            let place = port.port.0 as usize;
            of_hosts.resize(of_hosts.len().max(place + 1), false);
            of_hosts[place] = about.is_host(port.node);
        }
    }
    let mut found: Option<OverTime> = None;
    for block in folder.rows::<SeriesRow>()? {
        for row in block? {
            let found = found.get_or_insert_with(|| OverTime::of(row.interval.0));
            let is_host = of_hosts.get(row.port.0 as usize).copied().unwrap_or(false);
            found.take(&row, is_host);
        }
    }
    Ok(found.map(|found| found.finish(folder.manifest().simulated_ps)))
}

impl OverTime {
    fn of(interval: u64) -> OverTime {
        OverTime { interval, sent: Vec::new(), waiting: Vec::new() }
    }

    fn take(&mut self, row: &SeriesRow, is_host: bool) {
        let number = (row.time.0 / self.interval.max(1)).clamp(1, MOST_READ) as usize - 1;
        self.reach(number + 1);
        if is_host {
            self.sent[number] += row.size.0;
        } else {
            self.waiting[number] = self.waiting[number].max(row.waiting.0);
        }
    }

    /// So many intervals at least; in those that are new nothing has happened.
    fn reach(&mut self, n_intervals: usize) {
        let n_intervals = n_intervals.max(self.sent.len());
        self.sent.resize(n_intervals, 0);
        self.waiting.resize(n_intervals, 0);
    }

    fn finish(mut self, simulated: u64) -> OverTime {
        // What is after the last whole interval was not sampled.
        self.reach((simulated / self.interval.max(1)).min(MOST_READ) as usize);
        let joined = self.sent.len().div_ceil(MOST);
        if joined > 1 {
            self.interval *= joined as u64;
            self.sent = self.sent.chunks_exact(joined).map(|chunk| chunk.iter().sum()).collect();
            let largest = |chunk: &[u64]| chunk.iter().copied().max().unwrap_or(0);
            self.waiting = self.waiting.chunks_exact(joined).map(largest).collect();
        }
        self
    }

    /// The end of an interval, in seconds.
    pub fn end(&self, number: usize) -> f64 {
        (number as f64 + 1.0) * self.interval as f64 / 1e12
    }

    /// What hosts sent in an interval, in bits per second.
    pub fn throughput(&self, number: usize) -> f64 {
        self.sent[number] as f64 * 8e12 / self.interval as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use netloom_units::{Bytes, Duration, PortId, Time};

    fn row(number: u64, size: u64, waiting: u64) -> SeriesRow {
        SeriesRow {
            time: Time(number * 1_000_000),
            interval: Duration(1_000_000),
            port: PortId(0),
            size: Bytes(size),
            waiting: Bytes(waiting),
            paused: Duration(0),
            dropped: 0,
        }
    }

    #[test]
    fn absent_rows_are_intervals_in_which_nothing_happened() {
        let mut found = OverTime::of(1_000_000);
        found.take(&row(2, 1_000, 0), true);
        found.take(&row(2, 500, 0), true);
        found.take(&row(3, 7, 300), false);
        let found = found.finish(5_900_000);
        assert_eq!(
            (found.sent.as_slice(), found.waiting.as_slice()),
            ([0, 1_500, 0, 0, 0].as_slice(), [0, 0, 300, 0, 0].as_slice())
        );
        // 1,500 B in 1 us.
        assert!((found.throughput(1) - 12e9).abs() < 1.0 && (found.end(1) - 2e-6).abs() < 1e-18);
    }

    #[test]
    fn many_intervals_are_joined() {
        let mut found = OverTime::of(1_000_000);
        (1..=999).for_each(|number| found.take(&row(number, 10, 0), true));
        (1..=999).for_each(|number| found.take(&row(number, 0, number), false));
        let found = found.finish(999_000_000);
        assert_eq!((found.interval, found.sent.len()), (4_000_000, 249));
        assert!(found.sent.iter().all(|sent| *sent == 40) && found.waiting[..2] == [4, 8]);
    }
}
