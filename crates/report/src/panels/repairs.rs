//! Retransmissions of messages on queue pairs: needed and spurious retransmissions, NACKs from receiver to sender,
//! marks, packets out of order; totals and the worst messages.
//!
//! Models: the table `repairs`, the sums of `tallies`, and the handling of NACKs by switches at the edge, from
//! `signals`.
//! Leaves out: retransmissions that were lost, since the counts are taken at receivers.
//!
//! Invariants: absent in a run without queue pairs; for a list that is cut the total number is given.

use netloom_records::{Batch, RepairRow, Retransmissions};
use netloom_units::NodeId;
use serde::Serialize;

use super::Collector;
use crate::collect::About;
use crate::round::six_digits;

/// Largest number of messages of a run.
const LISTED: usize = 12;

/// Data of a run.
#[derive(Debug, Default)]
pub struct Repairs {
    totals: Totals,
    edge: EdgeData,
    n_affected: u64,
    /// The worst messages, worst first.
    worst: Vec<RepairRow>,
}

#[derive(Debug, Default)]
struct Totals {
    sums: Retransmissions,
    /// Messages with a row of their own.
    single: u64,
    reordered: u64,
    distance: u64,
}

/// Handling of NACKs by switches at the edge.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct EdgeData {
    /// Forwarded.
    pub forwarded: u64,
    /// Suppressed.
    pub blocked: u64,
    /// Generated on behalf of a receiver.
    pub made: u64,
}

impl Collector for Repairs {
    fn take(&mut self, _: &About, batch: Batch<'_>) {
        match batch {
            Batch::Repairs(rows) => rows.iter().for_each(|row| self.message(row)),
            Batch::Tallies(rows) => {
                for row in rows {
                    self.totals.sums += Retransmissions::from(row);
                }
            }
            Batch::Signals(rows) => {
                for row in rows {
                    self.edge.forwarded += row.nacks_forwarded;
                    self.edge.blocked += row.nacks_suppressed;
                    self.edge.made += row.nacks_generated;
                }
            }
            _ => {}
        }
    }
}

impl Repairs {
    fn message(&mut self, row: &RepairRow) {
        let totals = &mut self.totals;
        totals.sums += Retransmissions::from(row);
        totals.single += 1;
        totals.reordered += u64::from(row.distance > 0);
        totals.distance += u64::from(row.distance);
        if row.retransmitted + row.nacks + row.distance + row.timeouts == 0 {
            return;
        }
        self.n_affected += 1;
        let badness = |row: &RepairRow| (row.timeouts, row.retransmitted, row.nacks, row.distance);
        let index = self.worst.partition_point(|other| badness(other) >= badness(row));
        if index < LISTED {
            self.worst.insert(index, *row);
            self.worst.truncate(LISTED);
        }
    }

    /// Whether any message travelled on a queue pair.
    pub fn has_queue_pairs(&self) -> bool {
        self.totals.sums.messages > 0
    }

    /// Of the whole run.
    pub fn finish(self, about: &About) -> Option<RunData> {
        let has_queue_pairs = self.has_queue_pairs();
        let Repairs { totals, edge, n_affected, worst } = self;
        let Totals { sums, single, reordered, distance } = totals;
        has_queue_pairs.then(|| RunData {
            messages: sums.messages,
            packets: sums.packets,
            needed: sums.retransmitted.saturating_sub(sums.duplicates),
            spurious: sums.duplicates,
            nacks: sums.nacks,
            edge: (edge != EdgeData::default()).then_some(edge),
            marked: sums.marked,
            cnps: sums.cnps,
            notifications: sums.notifications,
            timeouts: sums.timeouts,
            single,
            reordered,
            distance: six_digits(distance as f64 / single.max(1) as f64),
            farthest: sums.distance,
            affected: n_affected,
            worst: worst.iter().map(|row| MessageData::of(row, about)).collect(),
        })
    }
}

/// The messages of one run.
#[derive(Debug, Serialize)]
pub struct RunData {
    /// Number of messages.
    pub messages: u64,
    /// Packets of them that arrived, each counted once.
    pub packets: u64,
    /// Retransmitted packets that arrived and were needed.
    pub needed: u64,
    /// Spurious retransmissions: packets that arrived and had been accepted before.
    pub spurious: u64,
    /// NACKs their receivers sent.
    pub nacks: u64,
    /// Handling of NACKs at the edge; absent if no switch handled them.
    pub edge: Option<EdgeData>,
    /// ECN-marked packets that arrived.
    pub marked: u64,
    /// CNPs their receivers sent.
    pub cnps: u64,
    /// CNPs, NACKs and marks that reduced the rate of their senders.
    pub notifications: u64,
    /// Retransmission timeouts of their senders.
    pub timeouts: u64,
    /// Number of messages with a row of their own, not only in sums; what follows is about these, except `farthest`.
    pub single: u64,
    /// Messages with a packet that arrived early.
    pub reordered: u64,
    /// Largest distance by which a packet arrived early, in packets; mean over messages.
    pub distance: f64,
    /// The same, maximum over all messages.
    pub farthest: u32,
    /// Messages with a retransmission, a timeout, a NACK or a packet out of order.
    pub affected: u64,
    /// The worst of these.
    pub worst: Vec<MessageData>,
}

/// One message.
#[derive(Debug, Serialize)]
pub struct MessageData {
    /// Sender, receiver and number.
    pub flow: String,
    /// Its packets that arrived, each counted once.
    pub packets: u32,
    /// Retransmitted packets that arrived and were needed.
    pub needed: u32,
    /// Spurious retransmissions that arrived.
    pub spurious: u32,
    /// NACKs its receiver sent.
    pub nacks: u32,
    /// Of these, those suppressed at the edge.
    pub blocked: u32,
    /// NACKs generated at the edge.
    pub made: u32,
    /// ECN-marked packets that arrived.
    pub marked: u32,
    /// CNPs its receiver sent.
    pub cnps: u32,
    /// CNPs, NACKs and marks that reduced the rate of its sender.
    pub notifications: u32,
    /// Retransmission timeouts of its sender.
    pub timeouts: u32,
    /// Largest distance by which a packet arrived early, in packets.
    pub distance: u32,
}

impl MessageData {
    fn of(row: &RepairRow, about: &About) -> MessageData {
        let [from, to] = [row.source, row.destination].map(|host| about.node(NodeId(host.0)));
        MessageData {
            flow: format!("{from} → {to} #{}", row.number),
            packets: row.packets,
            needed: row.retransmitted.saturating_sub(row.duplicates),
            spurious: row.duplicates,
            nacks: row.nacks,
            blocked: row.nacks_suppressed,
            made: row.nacks_generated,
            marked: row.marked,
            cnps: row.cnps,
            notifications: row.notifications,
            timeouts: row.timeouts,
            distance: row.distance,
        }
    }
}
