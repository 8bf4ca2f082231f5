//! Flows of which packets were recorded, and the life of one packet.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use netloom_records::{Fate, FlowRow, PacketKind, PacketRow};
use netloom_units::{Duration, Time};
use serde::Serialize;

use super::flow::{FlowKey, Wanted};
use super::life::Journey;
use super::{Recorded, ShowError};
use crate::error::LabError;

/// A flow of which packets were recorded. Times are in ps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordedFlow {
    /// Its name.
    pub flow: String,
    /// Number of data packets recorded at any hop.
    pub packets: u64,
    /// Number of ACKs recorded at any hop.
    pub acknowledgements: u64,
    /// Number of hops recorded.
    pub hops: u64,
    /// Number of hops at which a packet was dropped.
    pub dropped: u64,
    /// Longest time that a packet waited at a hop.
    pub longest_wait_ps: u64,
}

#[derive(Default)]
struct Tally {
    packets: BTreeSet<(PacketKind, u32)>,
    hops: u64,
    dropped: u64,
    longest_wait: Duration,
}

impl Tally {
    fn take(&mut self, row: &PacketRow) {
        self.packets.insert((row.kind, row.packet));
        self.hops += 1;
        self.dropped += u64::from(row.fate == Fate::Dropped);
        let waited = row.start.map_or(Duration::ZERO, |start| start.since(row.arrival));
        self.longest_wait = self.longest_wait.max(waited);
    }

    fn described(&self, flow: String) -> RecordedFlow {
        let of = |kind| self.packets.iter().filter(|packet| packet.0 == kind).count() as u64;
        RecordedFlow {
            flow,
            packets: of(PacketKind::Data),
            acknowledgements: of(PacketKind::Acknowledgement),
            hops: self.hops,
            dropped: self.dropped,
            longest_wait_ps: self.longest_wait.0,
        }
    }
}

/// The flows of which packets were recorded, by sender, receiver and number.
///
/// # Errors
/// If the folder is not a run folder, or no packets were recorded.
pub fn flows(folder: &Path) -> Result<Vec<RecordedFlow>, LabError> {
    let run = Recorded::open(folder)?;
    let mut tallies: BTreeMap<FlowKey, Tally> = BTreeMap::new();
    for block in run.folder.rows::<PacketRow>()? {
        block?.iter().for_each(|row| tallies.entry(FlowKey::of(row)).or_default().take(row));
    }
    if tallies.is_empty() {
        return Err(nothing(&run, folder).into());
    }
    let hosts = run.hosts()?;
    Ok(tallies.iter().map(|(flow, tally)| tally.described(flow.name(hosts))).collect())
}

/// Lists under `record`, and the message where a list is not empty and no packet was recorded.
const LISTS: [(&str, &str); 3] = [
    ("packets_of", "none of the flows under `packets_of` sent a packet"),
    ("packets_from", "none of the hosts under `packets_from` sent a packet"),
    ("packets_on", "no packet was sent over the links under `packets_on`"),
];

/// Why no packets were recorded.
fn nothing(run: &Recorded, folder: &Path) -> ShowError {
    let record = &run.folder.manifest().scenario["record"];
    let names_some = |key: &str| record[key].as_array().is_some_and(|names| !names.is_empty());
    let unused: Vec<&str> =
        LISTS.into_iter().filter(|(key, _)| names_some(key)).map(|(_, words)| words).collect();
    let path = folder.to_owned();
    if unused.is_empty() { ShowError::NoPackets(path) } else { ShowError::NoneSent { path, unused } }
}

/// The life of a packet. Times are in ps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PacketLife {
    /// Name of the flow.
    pub flow: String,
    /// When the flow started; absent if it did not start.
    pub flow_start_ps: Option<u64>,
    /// When its last byte arrived; absent if it did not.
    pub flow_end_ps: Option<u64>,
    /// Number of the packet.
    pub packet: u32,
    /// Whether no packet was requested, so this is the one that ended last.
    pub is_last: bool,
    /// Its own hops; absent if none of them was recorded.
    pub data: Option<Journey>,
    /// The hops of its ACK; absent if there was none, or none was recorded.
    pub acknowledgement: Option<Journey>,
}

/// The life of one packet of a flow: the one of this number, or the one that ended last.
///
/// # Errors
/// If the folder is not a run folder, if the packet or flow was not recorded, or if the records are inconsistent.
pub fn packet(folder: &Path, flow: &str, number: Option<u32>) -> Result<PacketLife, LabError> {
    let run = Recorded::open(folder)?;
    let (key, rows) = rows_of_flow(&run, flow)?;
    let name = key.name(run.hosts()?);
    let packet = match number {
        Some(packet) => packet,
        None => last_packet(&rows),
    };
    let (ports, row) = (run.folder.ports()?, flow_row(&run, key)?);
    let journey = |kind| {
        let rows = rows.iter().filter(|row| (row.kind, row.packet) == (kind, packet));
        Journey::of(rows.copied().collect(), &ports, &run.names)
    };
    let (data, acknowledgement) = (journey(PacketKind::Data)?, journey(PacketKind::Acknowledgement)?);
    if data.is_none() && acknowledgement.is_none() {
        let known = ranges(rows.iter().map(|row| row.packet).collect());
        return Err(ShowError::NoPacket { flow: name, packet, known }.into());
    }
    Ok(PacketLife {
        flow: name,
        flow_start_ps: row.map(|row| row.start.0),
        flow_end_ps: row.and_then(|row| row.end).map(|end| end.0),
        packet,
        is_last: number.is_none(),
        data,
        acknowledgement,
    })
}

fn rows_of_flow(run: &Recorded, text: &str) -> Result<(FlowKey, Vec<PacketRow>), LabError> {
    let wanted = Wanted::parse(text, run)?;
    let (mut recorded, mut rows) = (BTreeSet::new(), Vec::new());
    for block in run.folder.rows::<PacketRow>()? {
        for row in block? {
            recorded.insert(FlowKey::of(&row));
            rows.extend(wanted.includes(FlowKey::of(&row)).then_some(row));
        }
    }
    Ok((wanted.among(&recorded, text, run)?, rows))
}

/// The data packet (ACK, if there are only ACKs) that ended last; one that did not end counts as the last.
fn last_packet(rows: &[PacketRow]) -> u32 {
    let when = |row: &&PacketRow| (row.kind == PacketKind::Data, row.end.unwrap_or(Time::NEVER), row.packet);
    rows.iter().max_by_key(when).map_or(0, |row| row.packet)
}

/// The row of the message itself.
fn flow_row(run: &Recorded, key: FlowKey) -> Result<Option<FlowRow>, LabError> {
    for block in run.folder.rows::<FlowRow>()? {
        let found = block?.into_iter().find(|row| {
            (row.source, row.destination, row.number) == (key.source, key.destination, key.number)
        });
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Numbers as ranges: `0 to 3, 7`.
fn ranges(numbers: BTreeSet<u32>) -> String {
    const MOST: usize = 8;
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let text = |(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first} to {last}") }
    };
    let more = if ranges.len() > MOST { " and others" } else { "" };
    ranges.iter().take(MOST).map(text).collect::<Vec<_>>().join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_reported_as_ranges() {
        assert_eq!(ranges([0, 1, 2, 3, 7].into()), "0 to 3, 7");
        assert_eq!(ranges((0..40).step_by(2).collect()), "0, 2, 4, 6, 8, 10, 12, 14 and others");
    }
}
