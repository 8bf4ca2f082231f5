//! What messages waited for, by how slow they were; the ports at which they waited longest; the slowest messages.
//!
//! Models: messages by completion time in logarithmic buckets, with sums of causes; groups of messages by rank, from the
//! fastest half to the slowest thousandth, cut at bounds of buckets; a random sample of the messages, where the causes of
//! only some are recorded.
//! Leaves out: messages that never arrived, which have no causes.
//!
//! Invariants: memory does not grow with the number of messages.

use std::collections::{BTreeMap, BTreeSet};

use netloom_records::statistics::{CausedMessages, Covered};
use netloom_records::{Batch, Cause, CauseRow, PortRow};
use netloom_units::{LinkId, NodeId, PortId};
use serde::Serialize;

use super::Collector;
use crate::cause_names::cause_name;
use crate::collect::About;
use crate::round::seconds;

/// Number of causes.
const CAUSES: usize = Cause::ALL.len();
/// Buckets for each doubling of the completion time: a message is at most 3 % slower than the fastest of its bucket.
const PER_DOUBLING: u32 = 32;
/// Ranks at which groups end, with their names.
const GROUPS: [(f64, &str); 5] = [
    (0.5, "fastest half"),
    (0.9, "p50 to p90"),
    (0.99, "p90 to p99"),
    (0.999, "p99 to p99.9"),
    (1.0, "slowest 0.1 %"),
];
/// Parallel links are looked for among this number of ports before and behind one.
const NEAR: u32 = 64;
/// Largest number of listed messages and ports.
const LISTED: usize = 12;

/// Causes of the messages of a run.
#[derive(Debug, Default)]
pub struct Causes {
    messages: CausedMessages,
    tallies: Tallies,
    /// Nodes at both ends, and the link.
    ends: BTreeMap<PortId, ([NodeId; 2], LinkId)>,
    slowest: BTreeSet<Slow>,
}

/// Sums over messages.
#[derive(Debug, Default)]
struct Tallies {
    /// By bucket of the completion time.
    buckets: BTreeMap<u32, Sums>,
    /// Waits by port in ps, with their number.
    ports: BTreeMap<PortId, (u128, u64)>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Sums {
    n_messages: u64,
    times: [u128; CAUSES],
}

/// A message, by its completion time.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Slow {
    time: u64,
    /// The first one of equal times counts as the slower one.
    order: std::cmp::Reverse<(u64, u32, u32, u32)>,
    job: u16,
    times: [u64; CAUSES],
    port: Option<(PortId, u64)>,
}

impl Slow {
    fn of(row: &CauseRow, time: u64) -> Slow {
        let CauseRow { end, source, destination, number, job, .. } = *row;
        Slow {
            time,
            order: std::cmp::Reverse((end.0, destination.0, source.0, number)),
            job,
            times: row.times().map(|time| time.0),
            port: row.waits().next().map(|(port, wait)| (port, wait.0)),
        }
    }
}

/// The bucket of a time in ps, which must not be zero.
fn bucket(time: u64) -> u32 {
    let doubling = time.ilog2();
    // The five bits behind the first one.
    let within =
        if doubling >= 5 { (time >> (doubling - 5)) as u32 } else { (time << (5 - doubling)) as u32 };
    doubling * PER_DOUBLING + within % PER_DOUBLING
}

impl Collector for Causes {
    fn take(&mut self, _: &About, batch: Batch<'_>) {
        match batch {
            Batch::Ports(rows) => self.ends.extend(rows.iter().map(ends)),
            Batch::Flows(rows) => self.messages.take_flows(rows),
            Batch::Causes(rows) => {
                self.messages.take_causes(rows);
                for row in rows {
                    self.message(row);
                }
            }
            _ => {}
        }
    }
}

fn ends(row: &PortRow) -> (PortId, ([NodeId; 2], LinkId)) {
    (row.port, ([row.node, row.peer], row.link))
}

impl Tallies {
    fn message(&mut self, row: &CauseRow, total: u64) {
        let sums = self.buckets.entry(bucket(total.max(1))).or_default();
        sums.n_messages += 1;
        for (sum, time) in sums.times.iter_mut().zip(row.times()) {
            *sum += u128::from(time.0);
        }
        for (port, wait) in row.waits() {
            let (sum, number) = self.ports.entry(port).or_default();
            *sum += u128::from(wait.0);
            *number += 1;
        }
    }

    fn n_messages(&self) -> u64 {
        self.buckets.values().map(|sums| sums.n_messages).sum()
    }

    /// The groups that have messages; a bucket belongs to the group in which its first message is.
    fn groups(&self, n_messages: u64) -> Vec<GroupData> {
        let mut found = [Sums::default(); GROUPS.len()];
        let mut before = 0;
        for sums in self.buckets.values() {
            let rank = before as f64 / n_messages as f64;
            let group = GROUPS.iter().position(|(end, _)| rank < *end).unwrap_or(GROUPS.len() - 1);
            before += sums.n_messages;
            found[group].n_messages += sums.n_messages;
            for (sum, time) in found[group].times.iter_mut().zip(sums.times) {
                *sum += time;
            }
        }
        let present = GROUPS.iter().zip(found).filter(|(_, sums)| sums.n_messages > 0);
        let group = |((_, name), sums): (&(f64, &'static str), Sums)| GroupData {
            name,
            messages: sums.n_messages,
            times: sums.times.map(|sum| seconds(sum as f64 / sums.n_messages as f64)),
        };
        present.map(group).collect()
    }
}

impl Causes {
    fn message(&mut self, row: &CauseRow) {
        let total = row.total();
        self.tallies.message(row, total);
        if self.slowest.len() < LISTED || self.slowest.first().is_some_and(|least| least.time < total) {
            self.slowest.insert(Slow::of(row, total));
            if self.slowest.len() > LISTED {
                self.slowest.pop_first();
            }
        }
    }

    /// Of the whole run; `None` if causes were not recorded, or no message arrived.
    pub fn finish(mut self, about: &About) -> Option<RunData> {
        let mut of_jobs = self.messages.of_jobs();
        let over = match std::mem::take(&mut self.messages).covered() {
            Covered::All => Over::All,
            Covered::AllOfJobs => Over::Jobs,
            Covered::Random(random) => {
                self.tallies = Tallies::default();
                for row in random.rows() {
                    self.tallies.message(row, row.total());
                }
                Over::Random
            }
        };
        let n_messages = self.tallies.n_messages();
        if n_messages == 0 {
            return None;
        }
        if over == Over::All {
            of_jobs = n_messages;
        }
        let mut ports: Vec<(PortId, (u128, u64))> =
            self.tallies.ports.iter().map(|(port, sums)| (*port, *sums)).collect();
        ports.sort_by_key(|(port, (sum, _))| (std::cmp::Reverse(*sum), *port));
        let port = |(port, (sum, number)): &(PortId, (u128, u64))| PortData {
            port: self.port(about, *port),
            waited: seconds(*sum as f64),
            messages: *number,
        };
        Some(RunData {
            over,
            n_messages,
            of_messages: of_jobs,
            causes: Cause::ALL.map(cause_name),
            groups: self.tallies.groups(n_messages),
            total_ports: ports.len(),
            ports: ports.iter().take(LISTED).map(port).collect(),
            slowest: self.slowest.iter().rev().map(|slow| self.slow(about, slow)).collect(),
        })
    }

    /// A port by the nodes at both ends of its link, and by the link if there are others beside it.
    fn port(&self, about: &About, port: PortId) -> String {
        let Some((ends, link)) = self.ends.get(&port) else { return format!("port {}", port.0) };
        let name = ends.map(|node| about.node(node)).join(" → ");
        let is_parallel = |other: &([NodeId; 2], LinkId)| other.0 == *ends && other.1 != *link;
        // The ports of a node have consecutive numbers.
        let near = self.ends.range(PortId(port.0.saturating_sub(NEAR))..=PortId(port.0.saturating_add(NEAR)));
        let is_one_of_several = near.map(|(_, other)| other).any(is_parallel);
        if is_one_of_several { format!("{name} ({})", about.link(*link)) } else { name }
    }

    fn slow(&self, about: &About, slow: &Slow) -> SlowData {
        let (_, destination, source, number) = slow.order.0;
        SlowData {
            message: format!(
                "{} → {} #{number}",
                about.node(NodeId(source)),
                about.node(NodeId(destination))
            ),
            of: super::traffic_name(about, slow.job),
            times: slow.times.map(|time| seconds(time as f64)),
            port: slow.port.map(|(port, wait)| (self.port(about, port), seconds(wait as f64))),
        }
    }
}

/// The causes of one run; times in seconds, in the order of `causes`.
#[derive(Debug, Serialize)]
pub struct RunData {
    /// Over which messages sums and means are taken.
    pub over: Over,
    /// Their number.
    pub n_messages: u64,
    /// The number of those among which they were chosen.
    pub of_messages: u64,
    /// Names of the causes.
    pub causes: [&'static str; CAUSES],
    /// From the fastest messages to the slowest ones.
    pub groups: Vec<GroupData>,
    /// Number of ports at which some message waited.
    pub total_ports: usize,
    /// Those with the largest sums of waits.
    pub ports: Vec<PortData>,
    /// The slowest messages.
    pub slowest: Vec<SlowData>,
}

/// The messages that sums and means are taken over; the slowest messages are those of all, or of all of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// All that arrived.
    All,
    /// All messages of jobs.
    Jobs,
    /// Messages of jobs, chosen at random.
    Random,
}

/// Messages that are about equally slow.
#[derive(Debug, Serialize)]
pub struct GroupData {
    /// Which.
    pub name: &'static str,
    /// Their number.
    pub messages: u64,
    /// Mean times of the causes.
    pub times: [f64; CAUSES],
}

/// A port at which messages waited.
#[derive(Debug, Serialize)]
pub struct PortData {
    /// The nodes at both ends.
    pub port: String,
    /// Sum of the waits of last packets.
    pub waited: f64,
    /// Number of messages.
    pub messages: u64,
}

/// A slow message.
#[derive(Debug, Serialize)]
pub struct SlowData {
    /// Sender, receiver, and number.
    pub message: String,
    /// Its traffic.
    pub of: String,
    /// Times of the causes.
    pub times: [f64; CAUSES],
    /// The port at which it waited longest, and how long.
    pub port: Option<(String, f64)>,
}

#[cfg(test)]
mod tests {
    use netloom_units::{Duration, HostId, Time};

    use super::*;

    #[test]
    fn buckets_are_in_order_and_narrow() {
        let (mut last, mut first_of_it) = (0, 1);
        for time in 1..100_000_u64 {
            let here = bucket(time);
            assert!(here >= last, "{time}");
            if here > last {
                (last, first_of_it) = (here, time);
            }
            assert!(time <= first_of_it + first_of_it / 32, "{time}");
        }
    }

    #[test]
    fn groups_are_from_the_fastest_messages_to_the_slowest() {
        let mut causes = Causes::default();
        for number in 0..1_000_u32 {
            let time = Duration(if number < 990 { 1_000 } else { 50_000 });
            causes.message(&CauseRow {
                end: Time(1),
                source: HostId(number),
                queues: time,
                ..CauseRow::default()
            });
        }
        let found = causes.tallies.groups(1_000);
        let groups: Vec<_> = found.iter().map(|group| (group.name, group.messages)).collect();
        assert_eq!(groups, [("fastest half", 990), ("p99 to p99.9", 10)]);
        assert_eq!(causes.slowest.len(), LISTED);
        assert!(causes.slowest.iter().rev().take(10).all(|slow| slow.time == 50_000));
    }
}
