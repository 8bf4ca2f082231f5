//! The causes of the completion times of some messages, and when their last packets waited where, from a second run.
//!
//! Models: what `docs/concepts/causes.md` says of each message, as the second run records it; and the hops of the last
//! packet of each, so the instants of its waits.
//! Leaves out: waits of other packets.
//!
//! Invariants: the causes of a message add up to its completion time, to the picosecond. Memory is a few words for each
//! message and each transmission of its last packet.

use std::collections::BTreeMap;

use netloom_records::{Batch, CauseRow, Fate, FlowRow, PacketKind, PacketRow, Sink, SinkError};
use netloom_units::{HostId, PortId, Time};

/// A message by sender, receiver and number.
pub(super) type Key = (HostId, HostId, u32);

/// The key of a message.
pub(super) fn key(row: &FlowRow) -> Key {
    (row.source, row.destination, row.number)
}

/// What the completion time of a message consists of.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Parts {
    /// By cause.
    pub causes: CauseRow,
    /// The hand-over of its last packet to a NIC, until it was on the wire.
    pub nic: Option<Wait>,
    /// Waits of the last packet behind its sender, port by port.
    pub queues: Vec<Wait>,
}

/// A wait at a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wait {
    /// The egress port.
    pub port: PortId,
    /// When the packet arrived there.
    pub from: Time,
    /// When it was on the wire.
    pub until: Time,
}

impl Wait {
    /// Its length in ps.
    pub fn length(&self) -> u64 {
        self.until.since(self.from).0
    }
}

impl Parts {
    /// Their sum, in ps.
    pub fn total(&self) -> u64 {
        self.causes.total()
    }
}

/// Collects the parts of some messages during a run.
#[derive(Debug)]
pub(super) struct Collector {
    messages: BTreeMap<Key, Collected>,
}

#[derive(Debug, Default)]
struct Collected {
    /// The last one of its packets so far; rows of packets that overtook others come first.
    last: Option<u32>,
    /// Waits of the latest transmission of its last packet so far, the one at its sender first.
    in_flight: Vec<Wait>,
    /// Waits of the transmissions that arrived, with their arrivals.
    arrived: Vec<(Time, Vec<Wait>)>,
    causes: Option<CauseRow>,
}

/// Packet numbers repeat after 2^24; so those of one message are compared as long as it has at most half as many.
const NUMBERS: u32 = 1 << 24;

/// Whether a packet comes before another one of the same message.
fn is_before(packet: u32, other: u32) -> bool {
    let distance = other.wrapping_sub(packet) % NUMBERS;
    distance != 0 && distance < NUMBERS / 2
}

impl Collector {
    /// Of these messages.
    pub fn new(messages: impl Iterator<Item = Key>) -> Collector {
        Collector { messages: messages.map(|key| (key, Collected::default())).collect() }
    }

    /// The parts of each; an error names a message that did not arrive.
    pub fn finish(self) -> Result<BTreeMap<Key, Parts>, String> {
        let found = |(key, collected): (Key, Collected)| match collected.causes {
            Some(causes) => {
                let mut waits = collected.waits_of(&causes).into_iter();
                Ok((key, Parts { causes, nic: waits.next(), queues: waits.collect() }))
            }
            None => Err(format!("a second run of the same model differs from the first, in message {key:?}")),
        };
        self.messages.into_iter().map(found).collect()
    }

    fn crossed(&mut self, row: &PacketRow) {
        let Some(message) = self.messages.get_mut(&(row.source, row.destination, row.number)) else { return };
        let (PacketKind::Data, Some(port), Some(start)) = (row.kind, row.port, row.start) else { return };
        match message.last {
            Some(last) if is_before(row.packet, last) => return,
            Some(last) if last == row.packet => {}
            _ => {
                message.last = Some(row.packet);
                message.in_flight.clear();
                message.arrived.clear();
            }
        }
        if row.hop == 0 {
            message.in_flight.clear();
        }
        message.in_flight.push(Wait { port, from: row.arrival, until: start });
        if let (Fate::Delivered, Some(end)) = (row.fate, row.end) {
            message.arrived.push((end, message.in_flight.clone()));
        }
    }
}

impl Collected {
    /// The waits of the transmission that the causes are those of.
    fn waits_of(self, causes: &CauseRow) -> Vec<Wait> {
        let arrival = Time(causes.end.0 - causes.recovery.0);
        self.arrived.into_iter().find(|(end, _)| *end == arrival).map(|(_, waits)| waits).unwrap_or_default()
    }
}

impl Sink for Collector {
    fn accept(&mut self, batch: Batch<'_>) -> Result<(), SinkError> {
        match batch {
            Batch::Packets(rows) => rows.iter().for_each(|row| self.crossed(row)),
            Batch::Causes(rows) => {
                for row in rows {
                    if let Some(message) = self.messages.get_mut(&(row.source, row.destination, row.number)) {
                        message.causes = Some(*row);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_compared_across_the_wrap_of_their_numbers() {
        assert!(is_before(3, 7) && !is_before(7, 3) && !is_before(7, 7));
        assert!(is_before(NUMBERS - 1, 2) && !is_before(2, NUMBERS - 1));
    }
}
