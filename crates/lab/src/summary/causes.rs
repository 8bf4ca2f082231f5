//! What the completion times of messages consist of, over all messages of a run.
//!
//! Models: sums over messages by cause.
//! Leaves out: ports, and which messages; table `causes` has both.

use netloom_records::{Cause, CauseRow};
use serde::Serialize;

/// Causes over all messages that arrived; absent if they were not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CauseSummary {
    /// Completion times, summed over messages.
    pub time_s: f64,
    /// Share of it until the last packet was on the wire at its sender.
    pub sender: f64,
    /// Share in queues behind the sender.
    pub queues: f64,
    /// Share of serialization and propagation of last packets.
    pub transmission: f64,
    /// Share after the arrival of the last packet.
    pub recovery: f64,
}

/// Sums in ps.
#[derive(Debug, Default)]
pub(super) struct Tally([u128; Cause::ALL.len()]);

impl Tally {
    pub fn take(&mut self, rows: &[CauseRow]) {
        for row in rows {
            self.0[row.cause as usize] += u128::from(row.time.0);
        }
    }

    pub fn finish(&self) -> Option<CauseSummary> {
        let total: u128 = self.0.iter().sum();
        let share = |cause: Cause| self.0[cause as usize] as f64 / total as f64;
        (total > 0).then(|| CauseSummary {
            time_s: total as f64 / 1e12,
            sender: share(Cause::Sender),
            queues: share(Cause::Queue),
            transmission: share(Cause::Transmission),
            recovery: share(Cause::Recovery),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use netloom_units::{Duration, HostId, Time};

    #[test]
    fn shares_are_of_all_completion_times() {
        let row = |cause, time| CauseRow {
            end: Time(0),
            source: HostId(0),
            destination: HostId(1),
            number: 0,
            job: 0,
            part: 0,
            cause,
            port: None,
            time: Duration(time),
        };
        let mut tally = Tally::default();
        assert_eq!(tally.finish(), None);
        tally.take(&[row(Cause::Sender, 30), row(Cause::Queue, 40), row(Cause::Queue, 10)]);
        tally.take(&[row(Cause::Transmission, 20)]);
        let found = tally.finish().unwrap();
        let shares = [found.sender, found.queues, found.transmission, found.recovery];
        assert_eq!(shares.map(|share| (share * 10.0).round() as u32), [3, 5, 2, 0]);
    }
}
