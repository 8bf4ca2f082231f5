//! The slowest messages, with their paths if these were recorded.
//!
//! Models: messages with the largest slowdown (FCT over ideal FCT), and the slowest messages with recorded paths, with
//! the ports that their packets passed.
//!
//! Invariants: memory does not grow with the number of messages; for a list that is cut the total number is given.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use netloom_records::{Batch, FlowRow, PathRow, RepairRow};
use netloom_units::{HostId, NodeId};
use serde::Serialize;

use super::{BACKGROUND, Collector, FINITE, STAGED};
use crate::collect::About;
use crate::round::{seconds, six_digits};

/// Largest number of messages in a list.
const LISTED: usize = 12;
/// Largest number of ports of a hop.
const PORTS: usize = 16;

/// A message by its sender, its receiver, and its number among those of the sender.
type Key = (HostId, HostId, u32);

/// Data of a run.
#[derive(Debug, Default)]
pub struct Worst {
    paths: BTreeMap<Key, Vec<PathRow>>,
    /// Messages with recorded paths.
    followed: Vec<FlowRow>,
    /// Those with the largest slowdowns, in no order.
    slowed: Vec<FlowRow>,
    /// The smallest slowdown among them, once there are enough.
    least: f64,
    /// Number of messages with a slowdown.
    total_slowed: usize,
    /// Repairs of the listed messages that used queue pairs; none before the first row.
    repairs: Option<BTreeMap<Key, Option<RepairData>>>,
}

/// The slowdown of a message: FCT over ideal FCT.
fn slowdown(row: &FlowRow) -> Option<f64> {
    let ideal = row.ideal.filter(|ideal| ideal.0 > 0)?;
    Some(row.end?.since(row.start).0 as f64 / ideal.0 as f64)
}

const fn key(row: &FlowRow) -> Key {
    (row.source, row.destination, row.number)
}

/// The largest slowdown first; equal ones in the order of the table.
fn worst_first(left: &FlowRow, right: &FlowRow) -> Ordering {
    let [left_slowdown, right_slowdown] = [left, right].map(|row| slowdown(row).unwrap_or(0.0));
    right_slowdown.total_cmp(&left_slowdown).then_with(|| (left.end, key(left)).cmp(&(right.end, key(right))))
}

impl Collector for Worst {
    fn take(&mut self, _: &About, batch: Batch<'_>) {
        match batch {
            Batch::Paths(rows) => {
                for row in rows {
                    self.paths.entry((row.source, row.destination, row.number)).or_default().push(*row);
                }
            }
            Batch::Flows(rows) => rows.iter().for_each(|row| self.flow(row)),
            Batch::Repairs(rows) => rows.iter().for_each(|row| self.repair(row)),
            _ => {}
        }
    }
}

impl Worst {
    fn flow(&mut self, row: &FlowRow) {
        if !self.paths.is_empty() && self.paths.contains_key(&key(row)) {
            self.followed.push(*row);
        }
        let Some(found) = slowdown(row) else { return };
        self.total_slowed += 1;
        if self.slowed.len() >= LISTED && found <= self.least {
            return;
        }
        self.slowed.push(*row);
        // Sorted only occasionally, so that the cost of each message is small.
        if self.slowed.len() >= 4 * LISTED {
            self.cut();
        }
    }

    /// All flows have been seen.
    fn repair(&mut self, row: &RepairRow) {
        if self.repairs.is_none() {
            self.cut();
            let shown = self.slowed.iter().chain(&self.followed);
            self.repairs = Some(shown.map(|row| (key(row), None)).collect());
        }
        let entry =
            self.repairs.as_mut().and_then(|all| all.get_mut(&(row.source, row.destination, row.number)));
        if let Some(entry) = entry {
            *entry = Some(RepairData { timeouts: row.timeouts, retransmitted: row.retransmitted });
        }
    }

    fn cut(&mut self) {
        self.slowed.sort_by(worst_first);
        self.slowed.truncate(LISTED);
        self.least =
            self.slowed.last().and_then(slowdown).filter(|_| self.slowed.len() == LISTED).unwrap_or(0.0);
    }

    /// Of the whole run.
    pub fn finish(mut self, about: &About) -> RunData {
        self.cut();
        self.followed
            .sort_by_key(|row| (std::cmp::Reverse(row.end.map(|end| end.since(row.start))), key(row)));
        let total_followed = self.followed.len();
        let slowed: BTreeSet<Key> = self.slowed.iter().map(key).collect();
        let followed = self.followed.iter().filter(|row| !slowed.contains(&key(row))).take(LISTED);
        let message_data = |row: &FlowRow| self.message(about, row);
        RunData {
            slowed: self.slowed.iter().map(message_data).collect(),
            total_slowed: self.total_slowed,
            followed: followed.map(message_data).collect(),
            total_followed,
        }
    }

    fn message(&self, about: &About, row: &FlowRow) -> MessageData {
        let host = |host: HostId| about.node(NodeId(host.0));
        MessageData {
            flow: format!("{} → {}", host(row.source), host(row.destination)),
            number: row.number,
            of: match row.job {
                BACKGROUND => "background".to_owned(),
                STAGED => about.flow(row.step as u16),
                FINITE => format!("flow {}", row.step),
                job => format!("{}, step {}", about.job(job), row.step),
            },
            size: row.size.0,
            start: seconds(row.start.0 as f64),
            time: row.end.map(|end| seconds(end.since(row.start).0 as f64)),
            ideal: row.ideal.map(|ideal| seconds(ideal.0 as f64)),
            slowdown: slowdown(row).map(six_digits),
            repair: self.repairs.as_ref().and_then(|all| *all.get(&key(row))?),
            hops: self.paths.get(&key(row)).map_or_else(Vec::new, |rows| hops(about, rows)),
        }
    }
}

/// The ports of each hop, in descending order of packets.
fn hops(about: &About, rows: &[PathRow]) -> Vec<HopData> {
    let hop = |rows: &[PathRow]| {
        let mut ports: Vec<&PathRow> = rows.iter().collect();
        ports.sort_by_key(|row| (std::cmp::Reverse(row.packets), row.port));
        let port = |row: &&PathRow| PortData {
            from: about.node(row.node),
            to: about.node(row.peer),
            port: row.port.0,
            packets: row.packets,
            waited: seconds(row.waited.0 as f64 / f64::from(row.packets.max(1))),
            longest: seconds(row.longest_wait.0 as f64),
        };
        HopData { total: ports.len(), ports: ports.iter().take(PORTS).map(port).collect() }
    };
    rows.chunk_by(|left, right| left.hop == right.hop).map(hop).collect()
}

/// The slowest messages of one run.
#[derive(Debug, Serialize)]
pub struct RunData {
    /// Those with the largest slowdown, the largest first.
    pub slowed: Vec<MessageData>,
    /// Number of messages with an ideal FCT.
    pub total_slowed: usize,
    /// Messages with recorded paths that are not in `slowed`, the slowest first.
    pub followed: Vec<MessageData>,
    /// Number of messages with recorded paths.
    pub total_followed: usize,
}

/// A message; times in seconds.
#[derive(Debug, Serialize)]
pub struct MessageData {
    /// Sender and receiver.
    pub flow: String,
    /// Its number among those of its sender.
    pub number: u32,
    /// Job and step, or kind of traffic.
    pub of: String,
    /// Bytes.
    pub size: u64,
    /// When it began.
    pub start: f64,
    /// Its FCT; absent if it never arrived.
    pub time: Option<f64>,
    /// Its ideal FCT, if known.
    pub ideal: Option<f64>,
    /// FCT over ideal FCT.
    pub slowdown: Option<f64>,
    /// Retransmissions; absent without a queue pair.
    pub repair: Option<RepairData>,
    /// Its path, if that was recorded.
    pub hops: Vec<HopData>,
}

/// Retransmissions of a message.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct RepairData {
    /// Retransmission timeouts.
    pub timeouts: u32,
    /// Retransmitted packets that arrived.
    pub retransmitted: u32,
}

/// Ports of the path of a message at the same distance from its sender.
#[derive(Debug, Serialize)]
pub struct HopData {
    /// Number of ports.
    pub total: usize,
    /// Those passed by most packets.
    pub ports: Vec<PortData>,
}

/// A port that packets of a message passed.
#[derive(Debug, Serialize)]
pub struct PortData {
    /// Its node.
    pub from: String,
    /// The node at the other end.
    pub to: String,
    /// Its id.
    pub port: u32,
    /// Number of packets.
    pub packets: u32,
    /// Mean waiting time of these packets, in seconds.
    pub waited: f64,
    /// Longest waiting time of a packet.
    pub longest: f64,
}
