//! What the completion times of messages consist of, over the messages of a run.
//!
//! Models: sums by cause, over all messages whose causes were recorded; over a random sample where these are a selection.
//! Leaves out: ports, and which messages; table `causes` has both.

use netloom_records::statistics::{CausedMessages, Covered, RandomCauses};
use netloom_records::{Cause, CauseRow, FlowRow};
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// Causes over messages that arrived; absent if they were not recorded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CauseSummary {
    /// Over which messages.
    pub over: CausesOver,
    /// Completion times, summed over messages.
    pub time_s: f64,
    /// Shares of it by cause, in the order of [`Cause::ALL`].
    pub shares: [f64; Cause::ALL.len()],
}

/// The messages over which causes were taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CausesOver {
    /// All that arrived.
    All,
    /// All messages of jobs.
    Jobs,
    /// This number of the messages of jobs, chosen at random.
    Random(u64),
}

impl CausesOver {
    /// As in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            CausesOver::All => "all",
            CausesOver::Jobs => "jobs",
            CausesOver::Random(_) => "random messages of jobs",
        }
    }
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
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("over", self.over.word())?;
        if let CausesOver::Random(messages) = self.over {
            map.serialize_entry("messages", &messages)?;
        }
        map.serialize_entry("time_s", &self.time_s)?;
        for (cause, share) in Cause::ALL.into_iter().zip(self.shares) {
            map.serialize_entry(cause.word(), &share)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for CauseSummary {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let map = serde_json::Map::deserialize(from)?;
        let number = |key: &str| {
            map.get(key)
                .and_then(serde_json::Value::as_f64)
                .ok_or_else(|| D::Error::custom(format!("no number `{key}`")))
        };
        let over = match map.get("over").and_then(serde_json::Value::as_str) {
            Some(word) if word == CausesOver::All.word() => CausesOver::All,
            Some(word) if word == CausesOver::Jobs.word() => CausesOver::Jobs,
            _ => CausesOver::Random(number("messages")? as u64),
        };
        let mut shares = [0.0; Cause::ALL.len()];
        for (share, cause) in shares.iter_mut().zip(Cause::ALL) {
            *share = number(cause.word())?;
        }
        Ok(CauseSummary { over, time_s: number("time_s")?, shares })
    }
}

/// The sums of all rows, in ps, and what the rows are of.
#[derive(Debug, Default)]
pub(super) struct Tally {
    sums: Sums,
    messages: CausedMessages,
}

#[derive(Debug, Default, Clone, Copy)]
struct Sums([u128; Cause::ALL.len()]);

impl Sums {
    fn add(&mut self, row: &CauseRow) {
        for (sum, time) in self.0.iter_mut().zip(row.times()) {
            *sum += u128::from(time.0);
        }
    }

    fn of(random: &RandomCauses) -> Sums {
        let mut sums = Sums::default();
        random.rows().for_each(|row| sums.add(row));
        sums
    }
}

impl Tally {
    /// Adds messages.
    pub fn take_flows(&mut self, rows: &[FlowRow]) {
        self.messages.take_flows(rows);
    }

    /// Adds their causes.
    pub fn take(&mut self, rows: &[CauseRow]) {
        self.messages.take_causes(rows);
        for row in rows {
            self.sums.add(row);
        }
    }

    pub fn finish(self) -> Option<CauseSummary> {
        let (over, Sums(sums)) = match self.messages.covered() {
            Covered::All => (CausesOver::All, self.sums),
            Covered::AllOfJobs => (CausesOver::Jobs, self.sums),
            Covered::Random(random) => (CausesOver::Random(random.rows().count() as u64), Sums::of(&random)),
        };
        let total: u128 = sums.iter().sum();
        let shares = sums.map(|time| time as f64 / total as f64);
        (total > 0).then(|| CauseSummary { over, time_s: total as f64 / 1e12, shares })
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::Duration;

    use super::*;

    #[test]
    fn shares_are_of_all_completion_times() {
        assert_eq!(Tally::default().finish(), None);
        let mut tally = Tally::default();
        let row = CauseRow { transmission: Duration(30), queues: Duration(40), ..CauseRow::default() };
        tally.take(&[row]);
        tally.take(&[CauseRow { queues: Duration(10), turn: Duration(20), ..CauseRow::default() }]);
        let found: Vec<_> = tally.finish().unwrap().largest_first();
        assert_eq!(found, [("queues", 0.5), ("transmission", 0.3), ("turn", 0.2)]);
    }
}
