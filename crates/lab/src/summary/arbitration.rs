//! How long packets waited at the heads of their queues, at switches with credits.
//!
//! Models: the ports of table `arbitration` with the longest waits, and those beyond what the rule allows.
//!
//! Invariants: of equal ports the first counts; what is kept grows with ports beyond their bounds.

use netloom_records::{ArbitrationRow, Names};
use serde::Serialize;

/// Waiting at the heads of queues in a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArbitrationSummary {
    /// Transfers that all egress ports granted.
    pub transfers: u64,
    /// The port with the most transfers to other ingresses while a packet was the head of its queue.
    pub most_passes: HeadWait,
    /// The port with the longest time from when a packet became the head of its queue until its transfer began.
    pub longest: HeadWait,
    /// Ports with more such transfers than the rule allows, in their order.
    pub beyond: Vec<HeadWait>,
}

/// Waiting at the heads of queues for one egress port.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeadWait {
    /// Port, counted over the fabric.
    pub port: u32,
    /// The node it belongs to.
    pub node: String,
    /// The node at the other end of its link.
    pub towards: String,
    /// Most transfers to other ingresses that it granted in a lane while a packet was the head of its queue.
    pub passes: u64,
    /// What the rule allows of these.
    pub bound: u64,
    /// Longest time from when a packet became the head of its queue until its transfer began.
    pub longest_s: f64,
}

/// What is collected of it.
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

    /// None of a run without credits.
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
