//! Spurious timeouts: queue pairs that retransmitted after a timeout although the network lost nothing.
//!
//! Invariants: the rows of table `spurious_timeouts`, those with most timeouts first.

use netloom_records::{Names, SpuriousTimeoutRow};
use netloom_units::NodeId;
use serde::{Deserialize, Serialize};

/// Timeouts in a network without losses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeoutSummary {
    /// Timeouts of all queue pairs.
    pub timeouts: u64,
    /// Unacknowledged packets at the timeout, summed over timeouts.
    pub unacknowledged: u64,
    /// The queue pairs, those with most timeouts first.
    pub queue_pairs: Vec<TimedOut>,
}

/// A queue pair that timed out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimedOut {
    /// The host that sends.
    pub source: String,
    /// The host that receives.
    pub destination: String,
    /// Number among the sender's queue pairs.
    pub number: u32,
    /// Its timeouts.
    pub timeouts: u64,
}

/// The summary; `None` without rows.
pub(super) fn finish(mut rows: Vec<SpuriousTimeoutRow>, names: &Names) -> Option<TimeoutSummary> {
    rows.sort_by_key(|row| std::cmp::Reverse(row.timeouts));
    let queue_pair = |row: &SpuriousTimeoutRow| {
        let [source, destination] = [row.source, row.destination].map(|host| names.node(NodeId(host.0)));
        TimedOut { source, destination, number: row.number, timeouts: row.timeouts }
    };
    (!rows.is_empty()).then(|| TimeoutSummary {
        timeouts: rows.iter().map(|row| row.timeouts).sum(),
        unacknowledged: rows.iter().map(|row| row.unacknowledged).sum(),
        queue_pairs: rows.iter().map(queue_pair).collect(),
    })
}
