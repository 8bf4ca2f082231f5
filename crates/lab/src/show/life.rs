//! The life of a packet: its hops in order, with the delays of each.
//!
//! Invariants: waiting, serialization and propagation of a hop add up to the time from its arrival to its end; a hop
//! begins where the one before ended. Rows for which this does not hold are refused.

use netloom_records::{DropReason, Fate, Names, PacketRow, PortRow};
use netloom_units::{Duration, Time};
use serde::Serialize;

use super::ShowError;
use crate::slowest::Crossing;

/// One hop. Times are in ps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hop {
    /// Number of links it had crossed before.
    pub hop: u16,
    /// The node.
    pub node: String,
    /// The egress link; absent where none had been chosen.
    pub link: Option<String>,
    /// The node at the other end.
    pub to: Option<String>,
    /// When its last bit had arrived at the node.
    pub arrival_ps: u64,
    /// Time from then until its first bit was sent; absent if it was not sent.
    pub waited_ps: Option<u64>,
    /// Time from its first to its last bit; absent if its last bit was not sent.
    pub serialization_ps: Option<u64>,
    /// Propagation time of its last bit; absent if it did not reach the other end.
    pub propagation_ps: Option<u64>,
    /// When its last bit reached the other end, or when it was dropped; absent where the run ended before.
    pub end_ps: Option<u64>,
    /// Packets in the queue at its arrival, the one on the wire excluded.
    pub queue_packets: Option<u32>,
    /// Backlog of the port at its arrival, in bytes accepted and not yet sent.
    pub queue_bytes: Option<u64>,
    /// Traffic class.
    pub class: u16,
    /// Its fate at this hop.
    pub fate: &'static str,
    /// Why it was dropped.
    pub reason: Option<&'static str>,
}

/// The hops of a packet. Times are in ps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Journey {
    /// Size on the wire, in bytes.
    pub bytes: u64,
    /// The hops, in order.
    pub hops: Vec<Hop>,
    /// Whether every hop from its sender on is recorded.
    pub is_whole: bool,
    /// Its fate at the last hop.
    pub fate: &'static str,
    /// From the first arrival to the last end; absent where the run ended before.
    pub total_ps: Option<u64>,
    /// Time waited, summed over the hops it completed.
    pub waited_ps: u64,
    /// Serialization time, summed over hops.
    pub serialization_ps: u64,
    /// Propagation time, summed over hops.
    pub propagation_ps: u64,
}

impl Journey {
    /// The journey of a packet from its rows, in any order; `None` without rows.
    ///
    /// # Errors
    /// If the rows are inconsistent.
    pub(super) fn of(
        mut rows: Vec<PacketRow>,
        ports: &[PortRow],
        names: &Names,
    ) -> Result<Option<Journey>, ShowError> {
        rows.sort_unstable_by_key(|row| (row.arrival, row.hop));
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(None) };
        let follows = |pair: &[PacketRow]| pair[1].hop == pair[0].hop.wrapping_add(1) & 0xff;
        let is_whole = first.hop == 0 && rows.windows(2).all(follows);
        for pair in rows.windows(2).filter(|pair| follows(pair)) {
            check_joint(&pair[0], &pair[1])?;
        }
        let hops = rows.iter().map(|row| hop(row, ports, names)).collect::<Result<Vec<_>, _>>()?;
        let sum = |part: fn(&Crossing) -> Duration| {
            rows.iter().filter_map(Crossing::of).map(|crossing| part(&crossing).0).sum::<u64>()
        };
        let journey = Journey {
            bytes: first.size.0,
            is_whole,
            fate: last.fate.word(),
            total_ps: last.end.map(|end| end.since(first.arrival).0),
            waited_ps: sum(|crossing| crossing.waited),
            serialization_ps: sum(|crossing| crossing.serialization),
            propagation_ps: sum(|crossing| crossing.propagation),
            hops,
        };
        journey.check_sums(last.fate)?;
        Ok(Some(journey))
    }

    /// Time not covered by these parts: that at the hop where it was dropped.
    pub fn unexplained_ps(&self) -> Option<u64> {
        let parts = self.waited_ps + self.serialization_ps + self.propagation_ps;
        self.total_ps.map(|total| total.saturating_sub(parts))
    }

    /// Checks that the parts of a packet that arrived add up to its whole time.
    fn check_sums(&self, fate: Fate) -> Result<(), ShowError> {
        let arrived = matches!(fate, Fate::Delivered | Fate::Forwarded);
        let parts = self.waited_ps + self.serialization_ps + self.propagation_ps;
        if self.is_whole && arrived && self.total_ps != Some(parts) {
            let total = self.total_ps.unwrap_or_default();
            return Err(ShowError::Contradiction(format!("parts of {parts} ps in a whole of {total} ps")));
        }
        Ok(())
    }
}

fn check_joint(before: &PacketRow, after: &PacketRow) -> Result<(), ShowError> {
    let goes_on = before.fate == Fate::Forwarded && before.end == Some(after.arrival);
    let message = || format!("hop {} does not begin where hop {} ended", after.hop, before.hop);
    if goes_on { Ok(()) } else { Err(ShowError::Contradiction(message())) }
}

fn hop(row: &PacketRow, ports: &[PortRow], names: &Names) -> Result<Hop, ShowError> {
    let port = row.port.map(|port| {
        let wrong = || ShowError::Contradiction(format!("there is no port {}", port.0));
        ports.get(port.index()).filter(|found| found.port == port).ok_or_else(wrong)
    });
    let port = port.transpose()?;
    check_hop(row, port)?;
    let span = |from: Option<Time>, to: Option<Time>| Some(to?.since(from?).0);
    let crossed = row.sent.and(row.end);
    Ok(Hop {
        hop: row.hop,
        node: names.nodes.get(row.node.index()).cloned().unwrap_or_default(),
        link: port.and_then(|port| names.links.get(port.link.index()).cloned()),
        to: port.and_then(|port| names.nodes.get(port.peer.index()).cloned()),
        arrival_ps: row.arrival.0,
        waited_ps: span(Some(row.arrival), row.start),
        serialization_ps: span(row.start, row.sent),
        propagation_ps: span(row.sent, crossed),
        end_ps: row.end.map(|end| end.0),
        queue_packets: row.queue_packets,
        queue_bytes: row.queue_size.map(|size| size.0),
        class: row.class,
        fate: row.fate.word(),
        reason: row.reason.map(DropReason::word),
    })
}

/// Checks that the instants of a hop are in order, and that the serialization time agrees with the link rate.
fn check_hop(row: &PacketRow, port: Option<&PortRow>) -> Result<(), ShowError> {
    let instants = [Some(row.arrival), row.start, row.sent, row.end];
    let known: Vec<Time> = instants.into_iter().flatten().collect();
    if !known.is_sorted() {
        return Err(ShowError::Contradiction(format!("the instants of hop {} are not in order", row.hop)));
    }
    if let (Some(port), Some(start), Some(sent)) = (port, row.start, row.sent) {
        let expected = port.rate.serialization(row.size);
        if sent.since(start) != expected {
            let message =
                format!("hop {} took {} ps on the wire, not {}", row.hop, sent.since(start).0, expected.0);
            return Err(ShowError::Contradiction(message));
        }
    }
    Ok(())
}
