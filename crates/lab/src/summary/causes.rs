//! What the completion times of messages consist of, over all messages of a run.
//!
//! Models: sums over messages by cause.
//! Leaves out: ports, and which messages; table `causes` has both.

use netloom_records::{Cause, CauseRow};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// Causes over all messages that arrived; absent if they were not recorded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CauseSummary {
    /// Completion times, summed over messages.
    pub time_s: f64,
    /// Shares of it by cause, in the order of [`Cause::ALL`].
    pub shares: [f64; Cause::ALL.len()],
}

impl CauseSummary {
    /// The names of causes with their shares, the largest first; those without any are left out.
    pub fn largest_first(&self) -> Vec<(&'static str, f64)> {
        let names = Cause::ALL.map(Cause::word);
        let mut all: Vec<_> = names.into_iter().zip(self.shares).filter(|(_, share)| *share > 0.0).collect();
        all.sort_by(|one, other| other.1.total_cmp(&one.1));
        all
    }
}

impl Serialize for CauseSummary {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(1 + self.shares.len()))?;
        map.serialize_entry("time_s", &self.time_s)?;
        for (cause, share) in Cause::ALL.into_iter().zip(self.shares) {
            map.serialize_entry(cause.word(), &share)?;
        }
        map.end()
    }
}

/// Sums in ps.
#[derive(Debug, Default)]
pub(super) struct Tally([u128; Cause::ALL.len()]);

impl Tally {
    pub fn take(&mut self, rows: &[CauseRow]) {
        for row in rows {
            for (sum, time) in self.0.iter_mut().zip(row.times()) {
                *sum += u128::from(time.0);
            }
        }
    }

    pub fn finish(&self) -> Option<CauseSummary> {
        let total: u128 = self.0.iter().sum();
        let shares = self.0.map(|time| time as f64 / total as f64);
        (total > 0).then(|| CauseSummary { time_s: total as f64 / 1e12, shares })
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::Duration;

    use super::*;

    #[test]
    fn shares_are_of_all_completion_times() {
        let mut tally = Tally::default();
        assert_eq!(tally.finish(), None);
        let row = CauseRow { transmission: Duration(30), queues: Duration(40), ..CauseRow::default() };
        tally.take(&[row]);
        tally.take(&[CauseRow { queues: Duration(10), turn: Duration(20), ..CauseRow::default() }]);
        let found: Vec<_> = tally.finish().unwrap().largest_first();
        assert_eq!(found, [("queues", 0.5), ("transmission", 0.3), ("turn", 0.2)]);
    }
}
