//! Selected flows over time: retransmission ratio, the rate that congestion control allowed, and goodput.
//!
//! Invariants: absent if no flow was selected; of many flows those that sent most are drawn, and the total number is
//! given; many intervals are combined with their neighbours, so that the page stays small.

use std::collections::BTreeMap;

use netloom_records::{Batch, RateRow};
use netloom_units::{HostId, NodeId};
use serde::Serialize;

use super::Collector;
use crate::collect::About;
use crate::round::{seconds, six_digits};

/// Largest number of flows of a run.
const DRAWN: usize = 8;
/// Largest number of intervals over all flows of all runs.
const MOST_POINTS: usize = 60_000;
/// Largest number of intervals of a flow; more could not be distinguished on a screen.
const MOST_OF_FLOW: usize = 250;
/// Smallest number of intervals of a flow.
const FEWEST_POINTS: usize = 50;

/// Sender, receiver, and the message if it is a single one.
type Key = (HostId, HostId, Option<u32>);

/// Data of a run: the table, whose size is bounded when it is recorded.
#[derive(Debug, Default)]
pub struct Rates {
    flows: BTreeMap<Key, Vec<RateRow>>,
}

impl Collector for Rates {
    fn take(&mut self, _: &About, batch: Batch<'_>) {
        if let Batch::Rates(rows) = batch {
            for row in rows {
                self.flows.entry((row.source, row.destination, row.number)).or_default().push(*row);
            }
        }
    }
}

/// The selected flows of one run.
#[derive(Debug, Serialize)]
pub struct RunData {
    /// Number of flows.
    pub total: usize,
    /// Length of recorded intervals, in seconds.
    pub recorded: f64,
    /// Length of an interval as drawn, in seconds.
    pub interval: f64,
    /// Those that sent most.
    pub flows: Vec<FlowData>,
}

/// One flow, by interval.
#[derive(Debug, Serialize)]
pub struct FlowData {
    /// Sender and receiver, and the number of a single message.
    pub flow: String,
    /// Data packets put on the wire.
    pub packets: u64,
    /// Of these, retransmissions.
    pub retransmitted: u64,
    /// Spurious retransmissions: packets that arrived and had been accepted before.
    pub spurious: u64,
    /// NACKs the receiver sent.
    pub nacks: u64,
    /// ECN-marked packets that arrived.
    pub marked: u64,
    /// Notifications that reached congestion control.
    pub notifications: u64,
    /// Mean of the rate of a queue pair at the ends of recorded intervals, in bit/s.
    pub mean_rate: Option<f64>,
    /// Payload over the time from the first to the last interval, in bit/s.
    pub mean_goodput: f64,
    /// When the first interval began, in seconds.
    pub begin: f64,
    /// Share of retransmissions among packets sent; absent if none was sent.
    pub shares: Vec<Option<f64>>,
    /// Rate of a queue pair at the end, mean over those with data in flight, in bit/s; absent without any.
    pub rates: Vec<Option<f64>>,
    /// Payload that arrived for the first time, in bit/s.
    pub goodputs: Vec<f64>,
}

impl Rates {
    /// The data of the whole run; `n_runs` runs share the room of the page.
    pub fn finish(self, about: &About, n_runs: usize) -> Option<RunData> {
        let total = self.flows.len();
        let interval = self.flows.values().next()?.first()?.interval.0;
        let mut flows: Vec<(Key, Vec<RateRow>)> = self.flows.into_iter().collect();
        let sent = |rows: &[RateRow]| rows.iter().map(|row| row.packets).sum::<u64>();
        flows.sort_by_key(|(key, rows)| (std::cmp::Reverse(sent(rows)), *key));
        flows.truncate(DRAWN);
        let most = (MOST_POINTS / (flows.len() * n_runs.max(1))).clamp(FEWEST_POINTS, MOST_OF_FLOW) as u64;
        let longest = flows.iter().map(|(_, rows)| span(rows, interval)).max().unwrap_or(1);
        let joined = longest.div_ceil(most);
        let flow = |(key, rows): &(Key, Vec<RateRow>)| FlowData::of(*key, rows, (interval, joined), about);
        Some(RunData {
            total,
            recorded: seconds(interval as f64),
            interval: seconds((interval * joined) as f64),
            flows: flows.iter().map(flow).collect(),
        })
    }
}

/// Intervals from the first row to the last.
fn span(rows: &[RateRow], interval: u64) -> u64 {
    let [first, last] = [rows.first(), rows.last()].map(|row| row.map_or(0, |row| row.time.0));
    (last - first) / interval + 1
}

/// An interval as drawn, during summation.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    packets: u64,
    retransmitted: u64,
    bytes: u64,
    /// At the end of the last recorded interval that has one.
    rate: Option<f64>,
}

/// Sums of rows for drawing.
fn slots(rows: &[RateRow], interval: u64, joined: u64) -> Vec<Slot> {
    let first = rows[0].time.0;
    // A flow ends within an interval: that interval is combined with the one before, or goodput would seem to drop.
    let last = ((span(rows, interval) - 1) / joined).max(1) as usize - 1;
    let mut slots = vec![Slot::default(); last + 1];
    for row in rows {
        let slot = &mut slots[last.min(((row.time.0 - first) / (interval * joined)) as usize)];
        slot.packets += row.packets;
        slot.retransmitted += row.retransmitted;
        slot.bytes += row.size.0;
        slot.rate = pair_rate(row).or(slot.rate);
    }
    slots
}

impl FlowData {
    fn of(key: Key, rows: &[RateRow], (interval, joined): (u64, u64), about: &About) -> FlowData {
        let begin = rows[0].time.0 - interval;
        let drawn = interval * joined;
        let slots = slots(rows, interval, joined);
        let sum = |of: fn(&RateRow) -> u64| rows.iter().map(of).sum::<u64>();
        let rates: Vec<f64> = rows.iter().filter_map(pair_rate).collect();
        let mean_rate =
            (!rates.is_empty()).then(|| six_digits(rates.iter().sum::<f64>() / rates.len() as f64));
        let ended = ended(rows, begin, about);
        let share = |slot: &Slot| {
            (slot.packets > 0).then(|| six_digits(slot.retransmitted as f64 / slot.packets as f64))
        };
        FlowData {
            flow: name(key, about),
            packets: sum(|row| row.packets),
            retransmitted: sum(|row| row.retransmitted),
            spurious: sum(|row| row.duplicates),
            nacks: sum(|row| row.nacks),
            marked: sum(|row| row.marked),
            notifications: sum(|row| row.notifications),
            mean_rate,
            mean_goodput: goodput(sum(|row| row.size.0), begin, ended),
            begin: seconds(begin as f64),
            shares: slots.iter().map(share).collect(),
            rates: slots.iter().map(|slot| slot.rate.map(six_digits)).collect(),
            goodputs: goodputs(&slots, begin, drawn, ended),
        }
    }
}

/// Goodput of a flow over time.
#[derive(Debug, Serialize)]
pub struct OverTime {
    /// When the first interval began, in seconds.
    pub begin: f64,
    /// Length of an interval as drawn, in seconds.
    pub interval: f64,
    /// Payload that arrived for the first time, in bit/s.
    pub goodputs: Vec<f64>,
}

/// Goodput of a flow, in a limited number of intervals.
pub fn over_time(rows: &[RateRow], most: u64, about: &About) -> OverTime {
    let interval = rows[0].interval.0;
    let joined = span(rows, interval).div_ceil(most);
    let (begin, drawn) = (rows[0].time.0 - interval, interval * joined);
    let slots = slots(rows, interval, joined);
    OverTime {
        begin: seconds(begin as f64),
        interval: seconds(drawn as f64),
        goodputs: goodputs(&slots, begin, drawn, ended(rows, begin, about)),
    }
}

/// End of the last interval, or of the run within it.
fn ended(rows: &[RateRow], begin: u64, about: &About) -> u64 {
    rows[rows.len() - 1].time.0.min((about.simulated() as u64).max(begin + 1))
}

fn goodput(bytes: u64, from: u64, to: u64) -> f64 {
    six_digits(bytes as f64 * 8e12 / to.saturating_sub(from).max(1) as f64)
}

/// Values of each slot; the last slot reaches to the end of the flow.
fn goodputs(slots: &[Slot], begin: u64, drawn: u64, ended: u64) -> Vec<f64> {
    let of_slot = |(nth, slot): (usize, &Slot)| {
        let from = begin + nth as u64 * drawn;
        goodput(slot.bytes, from, if nth + 1 == slots.len() { ended } else { from + drawn })
    };
    slots.iter().enumerate().map(of_slot).collect()
}

/// The mean rate of the queue pairs with data in flight.
fn pair_rate(row: &RateRow) -> Option<f64> {
    Some(row.rate?.0 as f64 / f64::from(row.queue_pairs.max(1)))
}

fn name((source, destination, number): Key, about: &About) -> String {
    let [from, to] = [source, destination].map(|host| about.node(NodeId(host.0)));
    let number = number.map(|number| format!(" #{number}")).unwrap_or_default();
    format!("{from} → {to}{number}")
}
