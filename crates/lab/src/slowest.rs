//! The paths of the slowest messages.
//!
//! The slowest messages are known only when all have arrived. To have their paths by then, the paths of all messages
//! would have to be recorded, even if only sixteen are needed. Instead the same model is run a second time, with these
//! few recorded packet by packet: equal models give equal runs, so the records of the second run hold for the first,
//! which has no extra cost.
//!
//! Models: finding the slowest messages in the stream of rows; the second run; its packets summed by link.
//! Leaves out: messages that did not arrive, which have no completion time; ACKs, which do not delay the receiver.
//!
//! Invariants: the second run must find each of these messages as the first did, to the picosecond; it ends when the
//! last of them has arrived.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use netloom_engine::Options;
use netloom_model::{Fabric, NamedFlow, Recording};
use netloom_records::{Batch, FlowRow, PacketKind, PacketRow, PathRow, Sink, SinkError};
use netloom_units::{Bytes, Duration, HostId, PortId, Time};

use crate::error::LabError;
use crate::prepare::Prepared;
use crate::second_run::second_run;
use crate::watch::Watch;

/// A message that arrived; ordered by falling time, then by start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Slow {
    time: Reverse<Duration>,
    start: Time,
    source: HostId,
    destination: HostId,
    number: u32,
}

impl Slow {
    fn of(row: &FlowRow) -> Option<Slow> {
        let time = Reverse(row.end?.since(row.start));
        let FlowRow { start, source, destination, number, .. } = *row;
        Some(Slow { time, start, source, destination, number })
    }

    fn end(&self) -> Time {
        self.start + self.time.0
    }
}

/// The slowest messages seen so far.
#[derive(Debug)]
pub(crate) struct Slowest {
    most: usize,
    kept: BTreeSet<Slow>,
}

impl Slowest {
    /// Finds at most `most` messages.
    pub fn new(most: u32) -> Slowest {
        Slowest { most: most as usize, kept: BTreeSet::new() }
    }

    /// Adds rows of any table.
    pub fn take(&mut self, batch: Batch<'_>) {
        if let (Batch::Flows(rows), true) = (batch, self.most > 0) {
            rows.iter().filter_map(Slow::of).for_each(|slow| self.offer(slow));
        }
    }

    fn offer(&mut self, slow: Slow) {
        let is_full = self.kept.len() == self.most;
        if is_full && self.kept.last().is_some_and(|fastest| *fastest < slow) {
            return;
        }
        self.kept.insert(slow);
        if is_full {
            self.kept.pop_last();
        }
    }
}

/// Runs the scenario again for the paths of the slowest messages; `None` if it was stopped.
///
/// # Errors
/// If one of the messages differs between the two runs, which is a bug.
pub(crate) fn paths(
    prepared: &Prepared,
    slowest: &Slowest,
    options: Options,
    watch: Watch<'_>,
) -> Result<Option<Vec<PathRow>>, LabError> {
    let Some(last) = slowest.kept.iter().map(Slow::end).max() else { return Ok(Some(Vec::new())) };
    let mut sums = Sums::new(&prepared.compiled.model.fabric, slowest);
    let was_stopped = !second_run(prepared, following(slowest), last, &mut sums, options, watch)?;
    match sums.finish() {
        Ok(rows) => Ok(Some(rows)),
        Err(_) if was_stopped => Ok(None),
        Err(difference) => Err(LabError::Internal(difference)),
    }
}

fn following(slowest: &Slowest) -> Recording {
    let named = |slow: &Slow| NamedFlow {
        source: slow.source,
        destination: slow.destination,
        number: Some(slow.number),
    };
    Recording { packets_of: slowest.kept.iter().map(named).collect(), ..Recording::default() }
}

/// Sums packets by message and link.
struct Sums<'a> {
    fabric: &'a Fabric,
    /// Rank and row in the first run, by (source, destination, number), and whether the second run agrees.
    expected: BTreeMap<(HostId, HostId, u32), Expected>,
    links: BTreeMap<(u32, PortId), PathRow>,
}

struct Expected {
    rank: u32,
    slow: Slow,
    is_found: bool,
}

impl<'a> Sums<'a> {
    fn new(fabric: &'a Fabric, slowest: &Slowest) -> Sums<'a> {
        let expected = (0..).zip(&slowest.kept).map(|(rank, &slow)| {
            let flow = (slow.source, slow.destination, slow.number);
            (flow, Expected { rank, slow, is_found: false })
        });
        Sums { fabric, expected: expected.collect(), links: BTreeMap::new() }
    }

    fn arrived(&mut self, row: &FlowRow) {
        if let Some(expected) = self.expected.get_mut(&(row.source, row.destination, row.number)) {
            expected.is_found = Slow::of(row) == Some(expected.slow);
        }
    }

    fn crossed(&mut self, row: &PacketRow) {
        let (PacketKind::Data, Some(port), Some(crossing)) = (row.kind, row.port, Crossing::of(row)) else {
            return;
        };
        let Some(expected) = self.expected.get(&(row.source, row.destination, row.number)) else { return };
        let (rank, fabric) = (expected.rank, self.fabric);
        let sum = self.links.entry((rank, port)).or_insert_with(|| unused(fabric, rank, port, row));
        sum.hop = sum.hop.min(row.hop);
        sum.packets += 1;
        sum.size.0 += row.size.0;
        sum.waited.0 += crossing.waited.0;
        sum.longest_wait = sum.longest_wait.max(crossing.waited);
        sum.serialization.0 += crossing.serialization.0;
        sum.propagation.0 += crossing.propagation.0;
    }

    /// The rows, if the second run agrees with the first.
    fn finish(self) -> Result<Vec<PathRow>, String> {
        if let Some(missed) = self.expected.values().find(|expected| !expected.is_found) {
            return Err(format!(
                "a second run of the same model differs from the first, in {:?}",
                missed.slow
            ));
        }
        let mut rows: Vec<PathRow> = self.links.into_values().collect();
        rows.sort_unstable_by_key(|row| (row.rank, row.hop, row.port));
        Ok(rows)
    }
}

impl Sink for Sums<'_> {
    fn accept(&mut self, batch: Batch<'_>) -> Result<(), SinkError> {
        match batch {
            Batch::Flows(rows) => rows.iter().for_each(|row| self.arrived(row)),
            Batch::Packets(rows) => rows.iter().for_each(|row| self.crossed(row)),
            _ => {}
        }
        Ok(())
    }
}

/// An empty sum at a port.
fn unused(fabric: &Fabric, rank: u32, port: PortId, row: &PacketRow) -> PathRow {
    PathRow {
        rank,
        source: row.source,
        destination: row.destination,
        number: row.number,
        hop: row.hop,
        port,
        node: row.node,
        link: fabric.port(port).link,
        peer: fabric.neighbour(port),
        packets: 0,
        size: Bytes(0),
        waited: Duration::ZERO,
        longest_wait: Duration::ZERO,
        serialization: Duration::ZERO,
        propagation: Duration::ZERO,
    }
}

/// The three parts of a hop's time, which add up to that from arrival to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Crossing {
    /// From its arrival at the node to its first bit on the wire.
    pub waited: Duration,
    /// From its first bit on the wire to its last.
    pub serialization: Duration,
    /// From there to its last bit at the other end.
    pub propagation: Duration,
}

impl Crossing {
    /// The parts for a packet that crossed the link; `None` for others.
    pub fn of(row: &PacketRow) -> Option<Crossing> {
        let (start, sent, end) = (row.start?, row.sent?, row.end?);
        Some(Crossing {
            waited: start.since(row.arrival),
            serialization: sent.since(start),
            propagation: end.since(sent),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(source: u32, start: u64, end: Option<u64>) -> FlowRow {
        FlowRow {
            start: Time(start),
            end: end.map(Time),
            source: HostId(source),
            destination: HostId(9),
            number: 0,
            job: 0,
            step: 0,
            phase: 0,
            bucket: 0,
            size: Bytes(1),
            packets: 1,
            hops: 1,
            ideal: None,
        }
    }

    #[test]
    fn the_slowest_messages_are_kept_and_among_equal_ones_the_earlier() {
        let mut slowest = Slowest::new(2);
        let rows = [row(0, 5, Some(10)), row(1, 0, Some(7)), row(2, 3, Some(8)), row(3, 0, None)];
        slowest.take(Batch::Flows(&rows));
        let kept: Vec<u32> = slowest.kept.iter().map(|slow| slow.source.0).collect();
        assert_eq!(kept, [1, 2]);
        let mut none = Slowest::new(0);
        none.take(Batch::Flows(&rows));
        assert!(none.kept.is_empty());
    }
}
