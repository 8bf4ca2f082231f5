//! Selected flows over time: packets sent, retransmissions among them, and the allowed rate.
//!
//! Models: running totals of messages, read at equal intervals and grouped by flow: all messages of a pair of hosts, or
//! a single message. When there are too many intervals or rows, neighbouring intervals are merged and the interval
//! doubles.
//! Leaves out: where the totals are kept (the coordinator reads them); what happened within an interval.
//!
//! Invariants: totals are counted whether they are read or not, so reading changes nothing; a packet is counted in one
//! interval; memory grows with the pairs of hosts selected and not with their messages.

use std::collections::BTreeMap;
use std::ops::{Add, Sub};

use netloom_model::{Model, NamedFlow};
use netloom_records::RateRow;
use netloom_units::{Bytes, Duration, HostId, Rate, Time};

use crate::trace::Identity;

/// Number of intervals kept. Even, so that merging keeps whole pairs.
const MOST_INTERVALS: u64 = 1_000;
/// Approximate number of rows kept over all flows: about 100 bytes each.
const MOST_ROWS: usize = 1 << 20;

/// Running totals of a message, or of several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Packets put on the wire.
    pub packets: u64,
    /// Retransmissions among them.
    pub retransmitted: u64,
    /// Packets received that had been received before.
    pub duplicates: u64,
    /// NACKs sent by the receiver.
    pub nacks: u64,
    /// Marked packets received.
    pub marked: u64,
    /// Notifications processed by congestion control.
    pub notifications: u64,
    /// Bytes received for the first time.
    pub bytes: u64,
}

impl Totals {
    fn with(self, other: Totals, join: fn(u64, u64) -> u64) -> Totals {
        Totals {
            packets: join(self.packets, other.packets),
            retransmitted: join(self.retransmitted, other.retransmitted),
            duplicates: join(self.duplicates, other.duplicates),
            nacks: join(self.nacks, other.nacks),
            marked: join(self.marked, other.marked),
            notifications: join(self.notifications, other.notifications),
            bytes: join(self.bytes, other.bytes),
        }
    }
}

impl Add for Totals {
    type Output = Totals;

    fn add(self, other: Totals) -> Totals {
        self.with(other, u64::add)
    }
}

impl Sub for Totals {
    type Output = Totals;

    fn sub(self, other: Totals) -> Totals {
        self.with(other, u64::sub)
    }
}

/// A message as read at an instant.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// Its totals.
    pub totals: Totals,
    /// Its queue pair, by its index at the sender, and the rate of that; `None` once the whole message is acknowledged.
    pub rate: Option<(u32, Rate)>,
}

/// A flow: sender, receiver, and the message number if it is a single message.
type Key = (HostId, HostId, Option<u32>);

/// A selected flow.
#[derive(Debug, Default)]
struct Line {
    /// Its messages still in the flow table, by index.
    messages: Vec<u32>,
    /// Totals of its messages no longer there.
    forgotten: Totals,
    /// Totals at the end of the last interval.
    before: Totals,
}

/// See the module.
#[derive(Debug)]
pub struct Rates {
    interval: Duration,
    /// Number of intervals that have ended.
    n_intervals: u64,
    /// For each host, whether all its messages are selected.
    from: Vec<bool>,
    named: Vec<NamedFlow>,
    lines: BTreeMap<Key, Line>,
    /// The flows of each message still in the flow table.
    open: BTreeMap<u32, Vec<Key>>,
    rows: Vec<RateRow>,
}

impl Rates {
    /// Before anything is sent; `None` if no rates are recorded.
    pub fn new(model: &Model) -> Option<Rates> {
        let recording = &model.recording;
        let interval = recording.rates?;
        let mut from = vec![false; model.fabric.n_hosts()];
        recording.rates_from.iter().for_each(|host| from[host.index()] = true);
        let named = recording.rates_of.clone();
        let (lines, open) = (BTreeMap::new(), BTreeMap::new());
        Some(Rates { interval, n_intervals: 0, from, named, lines, open, rows: Vec::new() })
    }

    /// The end of the current interval.
    pub fn next(&self) -> Time {
        Time(self.interval.0 * (self.n_intervals + 1))
    }

    /// A message has started.
    pub fn started(&mut self, slot: u32, message: Identity) {
        let Identity { source, destination, number } = message;
        let is_of_pair = |flow: &&NamedFlow| (flow.source, flow.destination) == (source, destination);
        let named = self.named.iter().filter(is_of_pair).map(|flow| flow.number);
        let all = self.from[source.index()].then_some(None);
        let mut chosen: Vec<Option<u32>> =
            named.chain(all).filter(|wanted| wanted.is_none_or(|wanted| wanted == number)).collect();
        chosen.sort_unstable();
        chosen.dedup();
        if chosen.is_empty() {
            return;
        }
        let keys: Vec<Key> = chosen.into_iter().map(|number| (source, destination, number)).collect();
        for &key in &keys {
            self.lines.entry(key).or_default().messages.push(slot);
        }
        self.open.insert(slot, keys);
    }

    /// Whether a message belongs to a selected flow.
    pub fn is_open(&self, slot: u32) -> bool {
        self.open.contains_key(&slot)
    }

    /// A message with these totals leaves the flow table; its index is reused.
    pub fn forget(&mut self, slot: u32, totals: Totals) {
        for key in self.open.remove(&slot).unwrap_or_default() {
            let line = self.lines.get_mut(&key).expect("it was entered when the message started");
            line.messages.retain(|&message| message != slot);
            line.forgotten = line.forgotten + totals;
        }
    }

    /// Ends the interval.
    pub fn take(&mut self, read: impl Fn(u32) -> Reading) {
        let time = self.next();
        for (&(source, destination, number), line) in &mut self.lines {
            let (totals, rates) = line.read(&read);
            let of = totals - line.before;
            line.before = totals;
            if of != Totals::default() || !rates.is_empty() {
                self.rows.push(RateRow {
                    time,
                    interval: self.interval,
                    source,
                    destination,
                    number,
                    packets: of.packets,
                    retransmitted: of.retransmitted,
                    duplicates: of.duplicates,
                    nacks: of.nacks,
                    marked: of.marked,
                    notifications: of.notifications,
                    size: Bytes(of.bytes),
                    queue_pairs: rates.len() as u32,
                    rate: (!rates.is_empty()).then(|| Rate(rates.values().map(|rate| rate.0).sum())),
                });
            }
        }
        self.n_intervals += 1;
        let is_full = self.n_intervals >= MOST_INTERVALS || self.rows.len() >= MOST_ROWS;
        if is_full && self.n_intervals.is_multiple_of(2) {
            self.double();
        }
    }

    /// Merges neighbouring intervals.
    fn double(&mut self) {
        self.n_intervals /= 2;
        self.interval = Duration(self.interval.0 * 2);
        let mut joined: BTreeMap<_, RateRow> = BTreeMap::new();
        for row in self.rows.drain(..) {
            let time = Time(row.time.0.next_multiple_of(self.interval.0));
            let mut row = row;
            if row.time != time {
                // The rate allowed in the middle of an interval is not the rate at its end.
                (row.queue_pairs, row.rate) = (0, None);
            }
            let row = RateRow { time, interval: self.interval, ..row };
            joined.entry(row.order()).and_modify(|first| *first = together(first, &row)).or_insert(row);
        }
        self.rows = joined.into_values().collect();
    }

    /// All rows.
    pub fn rows(self) -> Vec<RateRow> {
        self.rows
    }
}

impl Line {
    /// Totals over its messages, and the rates of their queue pairs by index.
    fn read(&self, read: impl Fn(u32) -> Reading) -> (Totals, BTreeMap<u32, Rate>) {
        let mut totals = self.forgotten;
        let mut rates: BTreeMap<u32, Rate> = BTreeMap::new();
        for &slot in &self.messages {
            let reading = read(slot);
            totals = totals + reading.totals;
            rates.extend(reading.rate);
        }
        (totals, rates)
    }
}

/// Two intervals merged into one.
fn together(first: &RateRow, second: &RateRow) -> RateRow {
    RateRow {
        packets: first.packets + second.packets,
        retransmitted: first.retransmitted + second.retransmitted,
        duplicates: first.duplicates + second.duplicates,
        nacks: first.nacks + second.nacks,
        marked: first.marked + second.marked,
        notifications: first.notifications + second.notifications,
        size: Bytes(first.size.0 + second.size.0),
        ..*second
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates() -> Rates {
        let named = |number| NamedFlow { source: HostId(0), destination: HostId(1), number };
        Rates {
            interval: Duration(10),
            n_intervals: 0,
            from: vec![false, true],
            named: vec![named(None), named(Some(7))],
            lines: BTreeMap::new(),
            open: BTreeMap::new(),
            rows: Vec::new(),
        }
    }

    fn message(source: u32, destination: u32, number: u32) -> Identity {
        Identity { source: HostId(source), destination: HostId(destination), number }
    }

    fn reading(packets: u64, rate: Option<(u32, u64)>) -> Reading {
        let totals = Totals { packets, bytes: packets * 100, ..Totals::default() };
        Reading { totals, rate: rate.map(|(pair, rate)| (pair, Rate(rate))) }
    }

    #[test]
    fn a_message_counts_for_every_flow_that_it_is_part_of() {
        let mut rates = rates();
        rates.started(3, message(0, 1, 6));
        rates.started(4, message(0, 1, 7));
        rates.started(5, message(1, 0, 0));
        rates.started(6, message(0, 2, 1));
        assert!(!rates.is_open(6));
        rates.take(|slot| reading(u64::from(slot), Some((slot % 2, 50))));
        let rows: Vec<_> =
            rates.rows().iter().map(|row| (row.source.0, row.number, row.packets, row.rate)).collect();
        // Messages 3 and 4 are on different queue pairs, so both rates count.
        assert_eq!(
            rows,
            [(0, None, 7, Some(Rate(100))), (0, Some(7), 4, Some(Rate(50))), (1, None, 5, Some(Rate(50))),]
        );
    }

    #[test]
    fn totals_of_ended_messages_stay_and_idle_intervals_have_no_row() {
        let mut rates = rates();
        rates.started(3, message(0, 1, 6));
        rates.take(|_| reading(4, Some((0, 50))));
        rates.forget(3, reading(9, None).totals);
        rates.take(|_| unreachable!("nothing is open"));
        rates.take(|_| unreachable!("nothing is open"));
        let rows: Vec<_> = rates.rows().iter().map(|row| (row.time.0, row.packets, row.rate)).collect();
        assert_eq!(rows, [(10, 4, Some(Rate(50))), (20, 5, None)]);
    }

    #[test]
    fn queue_pairs_that_messages_share_count_once() {
        let mut rates = rates();
        rates.started(3, message(0, 1, 1));
        rates.started(4, message(0, 1, 2));
        rates.take(|_| reading(1, Some((0, 50))));
        let row = rates.rows()[0];
        assert_eq!((row.queue_pairs, row.rate), (1, Some(Rate(50))));
    }

    #[test]
    fn the_interval_doubles_and_totals_stay() {
        let mut rates = rates();
        rates.started(3, message(0, 1, 6));
        for taken in 1..=2_500_u64 {
            let end = rates.next().0;
            assert_eq!(end % 10, 0);
            rates.take(|_| reading(taken * 7, Some((0, end))));
        }
        let rows = rates.rows();
        assert_eq!(rows.len(), MOST_INTERVALS as usize / 2);
        assert!(rows.iter().all(|row| row.interval == Duration(160) && row.time.0 % 160 == 0));
        // The rate is that of the last of the merged intervals.
        assert!(rows.iter().all(|row| row.rate == Some(Rate(row.time.0))));
        assert_eq!(rows.iter().map(|row| row.packets).sum::<u64>(), 2_500 * 7);
        assert_eq!(rows.iter().map(|row| row.size.0).sum::<u64>(), 2_500 * 700);
    }
}
