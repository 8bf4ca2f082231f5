//! Waiting times of packets at the heads of their queues, at switches with credits.
//!
//! Models: the ports of table `arbitration` with the longest waits, and those that exceed the bound of the arbiter.
//!
//! Invariants: among equal ports the first is reported; memory grows with the number of ports beyond their bounds.

use netloom_records::{ArbitrationRow, Names};
use serde::{Deserialize, Serialize};

/// Waiting at the heads of queues in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArbitrationSummary {
    /// Transfers that all egress ports granted.
    pub transfers: u64,
    /// The port with the most transfers to other ingresses while a packet was the head of its queue.
    pub most_passes: HeadWait,
    /// The port with the longest time from when a packet became the head of its queue until its transfer began.
    pub longest: HeadWait,
    /// Ports with more such transfers than the arbiter's bound, in port order.
    pub beyond: Vec<HeadWait>,
}

/// Waiting at the heads of queues for one egress port.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadWait {
    /// Global port number.
    pub port: u32,
    /// The node it belongs to.
    pub node: String,
    /// The node at the other end of its link.
    pub towards: String,
    /// Most transfers to other ingresses that it granted in a VL while a packet was the head of its queue.
    pub passes: u64,
    /// The arbiter's bound on these.
    pub bound: u64,
    /// Longest time from when a packet became the head of its queue until its transfer began.
    pub longest_s: f64,
}

/// Collects the rows.
#[derive(Debug, Default)]
pub(super) struct Tally {
    transfers: u64,
    most_passes: Option<ArbitrationRow>,
    longest: Option<ArbitrationRow>,
    beyond: Vec<ArbitrationRow>,
}

impl Tally {
    pub fn port(&mut self, row: &ArbitrationRow) {
        self.transfers += row.transfers;
        if self.most_passes.is_none_or(|most| row.most_passes > most.most_passes) {
            self.most_passes = Some(*row);
        }
        if self.longest.is_none_or(|most| row.longest_wait > most.longest_wait) {
            self.longest = Some(*row);
        }
        if row.most_passes > row.bound {
            self.beyond.push(*row);
        }
    }

    /// The summary; `None` for a run without credits.
    pub fn finish(&self, names: &Names) -> Option<ArbitrationSummary> {
        let wait = |row: &ArbitrationRow| HeadWait {
            port: row.port.0,
            node: names.node(row.node),
            towards: names.node(row.peer),
            passes: row.most_passes,
            bound: row.bound,
            longest_s: row.longest_wait.as_seconds(),
        };
        Some(ArbitrationSummary {
            transfers: self.transfers,
            most_passes: wait(self.most_passes.as_ref()?),
            longest: wait(self.longest.as_ref()?),
            beyond: self.beyond.iter().map(wait).collect(),
        })
    }
}
