//! Counters of all ports while a command runs.
//!
//! Models: readings at equal intervals from the start of the command, joined in the same form as those of a simulated
//! run.
//! Leaves out: events between two readings; reading the kernel's counters (`netloom-testbed`).
//!
//! Invariants: counts begin at zero with the command; readings are late, so the counts at the time they were due are
//! interpolated between two of them, and no reported rate exceeds the rate between two readings; the longest delay of a
//! reading is recorded.

use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Instant;

use netloom_engine::sampler::{PortSample, Sampler};
use netloom_model::Sampling;
use netloom_testbed::{Plan, QueueCounters, QueueReader, Refusal};
use netloom_units::{Bytes, Duration, Time};

use crate::error::LabError;

/// A reading that takes longer was interrupted by other processes.
const LONGEST: Duration = Duration::from_millis(1);
/// How often an interrupted reading is repeated.
const RETRIES: usize = 3;

/// See the module.
#[derive(Debug)]
pub(super) struct Measurement {
    /// Time series of the ports.
    pub sampler: Sampler,
    /// Totals of the ports.
    pub ports: Vec<QueueCounters>,
    /// For each port that dropped packets, the first and the last reading that shows drops.
    pub drops: Vec<Option<(Time, Time)>>,
    /// Duration of the command.
    pub length: Duration,
    /// The longest delay of a reading.
    pub lateness: Duration,
}

/// Reads all counters at this interval for as long as the command runs.
pub(super) fn measure(
    plan: &Plan,
    interval: Duration,
    run: impl FnOnce() -> Result<ExitStatus, Refusal>,
) -> Result<(ExitStatus, Measurement), LabError> {
    let mut watch = Watch::open(plan, interval)?;
    let (done, ended) = channel::<()>();
    thread::scope(|scope| {
        let reader = scope.spawn(move || {
            QueueReader::hurry();
            watch.follow(&ended).map(|()| watch.measurement)
        });
        let status = run();
        drop(done);
        let measurement = reader.join().map_err(|_| LabError::Internal("a thread panicked".to_owned()))??;
        Ok((status?, measurement))
    })
}

/// State of the readings.
struct Watch {
    reader: QueueReader,
    begun: Instant,
    /// Counters when the command began.
    before: Vec<QueueCounters>,
    /// The reading before the last one.
    earlier: Reading,
    last: Reading,
    measurement: Measurement,
}

/// Counters of all ports since the command began.
#[derive(Clone, Default)]
struct Reading {
    at: Time,
    ports: Vec<QueueCounters>,
}

impl Watch {
    fn open(plan: &Plan, interval: Duration) -> Result<Watch, Refusal> {
        let mut reader = QueueReader::open(plan)?;
        let before = reader.read()?;
        let n_ports = before.len();
        let start = Reading { at: Time::ZERO, ports: vec![QueueCounters::default(); n_ports] };
        let measurement = Measurement {
            sampler: Sampler::new(&Sampling::every(interval), n_ports),
            ports: Vec::new(),
            drops: vec![None; n_ports],
            length: Duration::ZERO,
            lateness: Duration::ZERO,
        };
        Ok(Watch { reader, begun: Instant::now(), before, earlier: start.clone(), last: start, measurement })
    }

    /// Reads at each interval, and once more when the command has ended.
    fn follow(&mut self, ended: &Receiver<()>) -> Result<(), Refusal> {
        loop {
            let due = self.measurement.sampler.next();
            let wait = std::time::Duration::from_nanos(due.0.saturating_sub(self.now().0).div_ceil(1_000));
            let has_ended = ended.recv_timeout(wait) != Err(RecvTimeoutError::Timeout);
            self.read()?;
            while self.measurement.sampler.next() <= self.last.at {
                self.take();
            }
            if has_ended {
                break;
            }
        }
        self.measurement.length = Duration(self.last.at.0);
        self.measurement.ports.clone_from(&self.last.ports);
        self.measurement.sampler.finish(self.last.ports.iter().map(cell).collect());
        Ok(())
    }

    fn now(&self) -> Time {
        let picoseconds = self.begun.elapsed().as_nanos().saturating_mul(1_000);
        Time(u64::try_from(picoseconds).unwrap_or(u64::MAX))
    }

    fn read(&mut self) -> Result<(), Refusal> {
        std::mem::swap(&mut self.earlier, &mut self.last);
        let (mut begun, mut found) = (self.now(), self.reader.read()?);
        // A reading with a long interruption has no exact time.
        for _ in 0..RETRIES {
            if self.now().since(begun) <= LONGEST {
                break;
            }
            (begun, found) = (self.now(), self.reader.read()?);
        }
        let now = begun + Duration(self.now().since(begun).0 / 2);
        self.last.at = now;
        let found = found.into_iter().zip(&self.before);
        let own = self.last.ports.iter_mut().zip(&self.earlier.ports).zip(&mut self.measurement.drops);
        for ((found, before), ((counters, earlier), drops)) in found.zip(own) {
            *counters = QueueCounters {
                sent: Bytes(found.sent.0 - before.sent.0),
                packets: found.packets - before.packets,
                dropped: found.dropped - before.dropped,
                waiting: found.waiting,
            };
            if counters.dropped > earlier.dropped {
                *drops = Some((drops.map_or(now, |(first, _)| first), now));
            }
        }
        Ok(())
    }

    /// Records the counts at the time a reading was due.
    fn take(&mut self) {
        let due = self.measurement.sampler.next();
        self.measurement.lateness = self.measurement.lateness.max(self.last.at.since(due));
        let cells = cells_at(due, &self.earlier, &self.last);
        self.measurement.sampler.take(cells);
    }
}

fn cell(port: &QueueCounters) -> PortSample {
    // A testbed has no pauses.
    PortSample { sent: port.sent.0, waiting: port.waiting.0, paused: 0, dropped: port.dropped }
}

/// Counts between two readings, interpolated; queue lengths are those of the later one.
fn cells_at(at: Time, earlier: &Reading, later: &Reading) -> Vec<PortSample> {
    let whole = u128::from(later.at.since(earlier.at).0.max(1));
    let part = u128::from(at.since(earlier.at).0).min(whole);
    let between = |from: u64, to: u64| from + (u128::from(to - from) * part / whole) as u64;
    let cell = |(from, to): (&QueueCounters, &QueueCounters)| PortSample {
        sent: between(from.sent.0, to.sent.0),
        dropped: between(from.dropped, to.dropped),
        ..cell(to)
    };
    earlier.ports.iter().zip(&later.ports).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(at: u64, sent: u64, waiting: u64, dropped: u64) -> Reading {
        let counters = QueueCounters { sent: Bytes(sent), packets: 0, dropped, waiting: Bytes(waiting) };
        Reading { at: Time(at), ports: vec![counters] }
    }

    #[test]
    fn counts_are_interpolated_between_two_readings() {
        let (earlier, later) = (reading(100, 1_000, 7, 1), reading(300, 5_000, 9, 4));
        let counts = |at| {
            let PortSample { sent, waiting, paused, dropped } = cells_at(Time(at), &earlier, &later)[0];
            [sent, waiting, paused, dropped]
        };
        assert_eq!(counts(100), [1_000, 9, 0, 1]);
        assert_eq!(counts(150), [2_000, 9, 0, 1]);
        assert_eq!(counts(300), [5_000, 9, 0, 4]);
    }

    #[test]
    fn two_readings_at_one_instant_are_accepted() {
        let both = reading(100, 1_000, 7, 1);
        assert_eq!(cells_at(Time(100), &both, &both)[0].sent, 1_000);
    }
}
