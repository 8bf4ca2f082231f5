//! Which messages the rows of causes are of, and a random sample of them.
//!
//! Models: rows of all messages, of those of jobs, or of a selection; a run stores one that includes the messages with
//! the least hashes, a random sample.
//!
//! Invariants: memory does not grow with the number of rows; the same messages have the same sample in any order.

use std::collections::BinaryHeap;

use netloom_units::mix;

use crate::rows::{CauseRow, FIRST_OF_OTHER_TRAFFIC, FlowRow};

/// A random sample of messages seen: those with the least hashes.
#[derive(Debug, Default, Clone)]
pub struct RandomMessages {
    /// Their hashes.
    hashes: BinaryHeap<u64>,
}

impl RandomMessages {
    /// Largest number of messages.
    pub const SIZE: usize = 1_000;

    /// Takes a message; returns whether it belongs to the sample of those seen so far.
    pub fn take(&mut self, row: &CauseRow) -> bool {
        let hash = RandomMessages::hash(row);
        let is_full = self.hashes.len() == RandomMessages::SIZE;
        if is_full && self.largest() < hash {
            return false;
        }
        if is_full {
            self.hashes.pop();
        }
        self.hashes.push(hash);
        true
    }

    /// Whether a message that has been taken belongs to the sample.
    pub fn contains(&self, row: &CauseRow) -> bool {
        RandomMessages::hash(row) <= self.largest()
    }

    fn largest(&self) -> u64 {
        self.hashes.peek().copied().unwrap_or_default()
    }

    fn hash(row: &CauseRow) -> u64 {
        let pair = u64::from(row.source.0) << 32 | u64::from(row.destination.0);
        mix(mix(pair) ^ u64::from(row.number))
    }
}

/// The rows of such a sample.
#[derive(Debug, Default, Clone)]
pub struct RandomCauses {
    messages: RandomMessages,
    /// Those that belonged to the sample when they were taken: of n rows about SIZE (1 + ln(n / SIZE)).
    rows: Vec<CauseRow>,
}

impl RandomCauses {
    /// Takes a row.
    pub fn take(&mut self, row: &CauseRow) {
        if self.messages.take(row) {
            self.rows.push(*row);
        }
    }

    /// The rows of the sample.
    pub fn rows(&self) -> impl Iterator<Item = &CauseRow> {
        self.rows.iter().filter(|row| self.messages.contains(row))
    }
}

/// Numbers of messages: those of jobs, and others.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Counts([u64; 2]);

impl Counts {
    fn add(&mut self, job: u16) {
        self.0[usize::from(job >= FIRST_OF_OTHER_TRAFFIC)] += 1;
    }
}

/// Which of the messages that arrived have rows of causes.
#[derive(Debug, Default, Clone)]
pub struct CausedMessages {
    arrived: Counts,
    caused: Counts,
    random: RandomCauses,
}

/// The messages that statistics of causes are taken over.
#[derive(Debug, Clone)]
pub enum Covered {
    /// All that arrived.
    All,
    /// All messages of jobs.
    AllOfJobs,
    /// A random sample of the messages of jobs.
    Random(RandomCauses),
}

impl CausedMessages {
    /// Adds messages.
    pub fn take_flows(&mut self, rows: &[FlowRow]) {
        rows.iter().filter(|row| row.end.is_some()).for_each(|row| self.arrived.add(row.job));
    }

    /// Adds their causes.
    pub fn take_causes(&mut self, rows: &[CauseRow]) {
        for row in rows {
            self.caused.add(row.job);
            self.random.take(row);
        }
    }

    /// Number of messages of jobs that arrived.
    pub fn of_jobs(&self) -> u64 {
        self.arrived.0[0]
    }

    /// Which messages statistics are taken over.
    pub fn covered(self) -> Covered {
        let ([jobs, others], [caused, other_caused]) = (self.arrived.0, self.caused.0);
        // Summed messages have no rows in either table.
        match (caused >= jobs, other_caused >= others) {
            (true, true) => Covered::All,
            (true, false) => Covered::AllOfJobs,
            (false, _) => Covered::Random(self.random),
        }
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::{Bytes, HostId, Time};

    use super::*;

    fn row(number: u32, job: u16) -> CauseRow {
        CauseRow { number, job, ..CauseRow::default() }
    }

    fn flow(job: u16) -> FlowRow {
        FlowRow {
            start: Time(0),
            end: Some(Time(1)),
            source: HostId(0),
            destination: HostId(0),
            number: 0,
            job,
            step: 0,
            phase: 0,
            bucket: 0,
            size: Bytes(1),
            packets: 1,
            hops: 1,
            ideal: None,
        }
    }

    #[test]
    fn a_sample_is_that_of_all_rows_whatever_rows_besides_it_are_there() {
        let size = RandomMessages::SIZE;
        let mut all = RandomCauses::default();
        (0..20_000).for_each(|number| all.take(&row(number, 0)));
        // 1,000 * (1 + ln 20) are among the least so far.
        assert!((3_500..4_500).contains(&all.rows.len()), "{}", all.rows.len());
        let mut again = RandomCauses::default();
        all.rows.iter().rev().for_each(|row| again.take(row));
        let mut rows: Vec<u32> = again.rows().map(|row| row.number).collect();
        rows.sort_unstable();
        assert!(all.rows().map(|row| row.number).eq(rows.iter().copied()) && rows.len() == size);
        let mean = rows.iter().map(|number| f64::from(*number)).sum::<f64>() / size as f64;
        // The standard error of the mean is 183.
        assert!((mean - 10_000.0).abs() < 4.0 * 183.0, "{mean}");
    }

    #[test]
    fn statistics_are_over_all_messages_of_jobs_or_of_all_traffic_that_have_causes() {
        let covered = |flows: &[u16], causes: &[u16]| {
            let mut messages = CausedMessages::default();
            messages.take_flows(&flows.iter().map(|job| flow(*job)).collect::<Vec<_>>());
            messages.take_causes(&causes.iter().map(|job| row(0, *job)).collect::<Vec<_>>());
            match messages.covered() {
                Covered::All => "all",
                Covered::AllOfJobs => "jobs",
                Covered::Random(_) => "random",
            }
        };
        let background = u16::MAX;
        assert_eq!(covered(&[0, background], &[0, background]), "all");
        assert_eq!(covered(&[0, 1], &[0, 1]), "all");
        assert_eq!(covered(&[0, 1, background], &[0, 1]), "jobs");
        assert_eq!(covered(&[0, 1], &[1]), "random");
    }
}
