//! The packets that left some ports within some intervals, kept until it is known which of them were ahead of whom.
//!
//! Models: for a message whose causes are known from the first run, the ports at which it waited longest and those of its
//! sender, and the interval in which its last packet can have waited there; so one second run is enough.
//!
//! Invariants: memory is bounded; once there are too many packets none is kept.

use std::collections::BTreeMap;

use netloom_model::Fabric;
use netloom_records::{Batch, CauseRow, PacketRow, Sink, SinkError};
use netloom_units::{PortId, Time};

use super::ahead::{Departure, MessageWait, Shares};
use super::chain::Member;

/// Most packets that are kept: some 200 MB.
const MOST_KEPT: usize = 1 << 22;

/// An interval, its end excluded.
type Interval = (Time, Time);

/// The packets that left.
#[derive(Debug)]
pub(super) struct Departures {
    /// Intervals of each port, in order and without overlaps.
    intervals: BTreeMap<PortId, Vec<Interval>>,
    kept: BTreeMap<PortId, Vec<Departure>>,
    n_kept: usize,
}

impl Departures {
    /// At the ports at which these messages can have waited, by their causes.
    pub fn of(messages: &[(&Member, CauseRow)], fabric: &Fabric) -> Departures {
        let mut intervals: BTreeMap<PortId, Vec<Interval>> = BTreeMap::new();
        for (member, causes) in messages {
            let arrival = Time(causes.end.0.saturating_sub(causes.recovery.0));
            let sent = arrival.0.saturating_sub(causes.queues.0 + causes.transmission.0);
            for (port, _) in causes.waits() {
                intervals.entry(port).or_default().push((Time(sent), arrival));
            }
            for port in fabric.port_range(fabric.host_node(member.row.source)) {
                intervals.entry(PortId(port)).or_default().push((member.row.start, arrival));
            }
        }
        for of_port in intervals.values_mut() {
            merge(of_port);
        }
        Departures { intervals, kept: BTreeMap::new(), n_kept: 0 }
    }

    /// These ports.
    pub fn ports(&self) -> impl Iterator<Item = PortId> {
        self.intervals.keys().copied()
    }

    /// The bytes that left during each wait; `None` if packets are missing.
    pub fn during(&self, waits: &[MessageWait]) -> Option<Vec<Shares>> {
        if self.n_kept > MOST_KEPT {
            return None;
        }
        let shares = |waiting: &MessageWait| {
            let mut shares = Shares::new();
            let wait = &waiting.wait;
            let intervals = self.intervals.get(&wait.port)?;
            intervals.iter().find(|(from, until)| *from <= wait.from && wait.until <= *until)?;
            for departure in self.kept.get(&wait.port).into_iter().flatten() {
                departure.add_to(&mut shares, waiting);
            }
            Some(shares)
        };
        waits.iter().map(shares).collect()
    }

    fn left(&mut self, row: &PacketRow) {
        let Some(departure) = Departure::of(row) else { return };
        let Some(intervals) = self.intervals.get(&departure.port) else { return };
        let next = intervals.partition_point(|(_, until)| *until <= departure.start);
        if self.n_kept > MOST_KEPT || intervals.get(next).is_none_or(|(from, _)| *from > departure.start) {
            return;
        }
        self.n_kept += 1;
        if self.n_kept > MOST_KEPT {
            self.kept.clear();
        } else {
            self.kept.entry(departure.port).or_default().push(departure);
        }
    }
}

/// Sorts intervals, and joins those that overlap or touch.
fn merge(intervals: &mut Vec<Interval>) {
    intervals.sort_unstable();
    let mut merged: Vec<Interval> = Vec::new();
    for &(from, until) in intervals.iter() {
        match merged.last_mut() {
            Some((_, last)) if *last >= from => *last = (*last).max(until),
            _ => merged.push((from, until)),
        }
    }
    *intervals = merged;
}

impl Sink for Departures {
    fn accept(&mut self, batch: Batch<'_>) -> Result<(), SinkError> {
        if let Batch::Packets(rows) = batch {
            for row in rows {
                self.left(row);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_that_overlap_are_joined() {
        let at = |from, until| (Time(from), Time(until));
        let mut intervals = vec![at(5, 9), at(1, 3), at(8, 12), at(3, 4), at(20, 21)];
        merge(&mut intervals);
        assert_eq!(intervals, [at(1, 4), at(5, 12), at(20, 21)]);
    }
}
