//! In-band network telemetry: the entries of the ports on a packet's path travel with it, and back with its
//! acknowledgement.
//!
//! Models: a record for each packet that is no frame. On a link the record is in a ring of its own beside the packet's,
//! in the same order; within a partition it is in a table, and the packet's word `slot`, which no node on the path
//! uses, holds its index. The record keeps that word meanwhile.
//! Leaves out: what a sender does with the record; the congestion policy decides. Its bytes on the wire (modelling
//! assumption: a scenario that needs them enlarges its `header`).
//!
//! Invariants: a record belongs to one packet and is held by the node or link that holds the packet, so nothing is
//! shared. Only runs with telemetry have records. A lost packet loses its record.

use netloom_policy::congestion::Hop;
use netloom_units::{PortId, Rate, StateWriter, Time};

use crate::packet::Packet;
use crate::ring::{Receiver, Sender};
use crate::slab::Slab;

/// Largest number of switch ports in a record; ports beyond it are not recorded.
const MOST_HOPS: usize = 8;

/// The number of hops of an unused record.
const FREE: u32 = u32::MAX;

const NOTHING: Hop = Hop { port: PortId(0), at: Time::ZERO, sent: 0, waiting: 0, rate: Rate(0) };

/// The telemetry record of a packet.
#[derive(Debug, Clone, Copy)]
pub struct Record {
    /// The packet's own `slot`.
    slot: u32,
    n_hops: u32,
    hops: [Hop; MOST_HOPS],
}

impl Record {
    /// The record of a packet that has passed no switch.
    fn new(slot: u32) -> Record {
        Record { slot, n_hops: 0, hops: [NOTHING; MOST_HOPS] }
    }

    /// The entries of the ports, in the order of the path.
    pub fn hops(&self) -> &[Hop] {
        &self.hops[..self.n_hops as usize]
    }

    fn push(&mut self, hop: Hop) {
        if let Some(index) = self.hops.get_mut(self.n_hops as usize) {
            *index = hop;
            self.n_hops += 1;
        }
    }

    fn words(&self) -> Vec<u64> {
        let words = |hop: &Hop| [u64::from(hop.port.0), hop.at.0, hop.waiting];
        self.hops().iter().flat_map(words).collect()
    }
}

/// The records of the packets of a partition.
#[derive(Debug)]
pub struct Telemetry {
    records: Slab<Record>,
    /// The record of the packet that has just arrived at a host.
    here: Record,
}

impl Default for Telemetry {
    fn default() -> Telemetry {
        Telemetry { records: Slab::default(), here: Record::new(0) }
    }
}

impl Telemetry {
    fn store(&mut self, record: &Record) -> u32 {
        self.records.insert(*record)
    }

    fn take(&mut self, index: u32) -> Record {
        let kept = self.records.get_mut(index);
        let record = *kept;
        kept.n_hops = FREE;
        self.records.remove(index);
        record
    }

    /// A packet has arrived over a link, with its record: at a host, or at a switch that forwards it.
    pub fn packet_arrived(&mut self, packet: &mut Packet, records: &mut Receiver<Record>, is_at_host: bool) {
        if packet.is_link_local() {
            return;
        }
        let record = *records.first();
        records.drop_first();
        packet.slot = if is_at_host { record.slot } else { self.store(&record) };
        if is_at_host {
            self.here = record;
        }
    }

    /// The packet that has just arrived is answered: its record goes back with the answer.
    pub fn responded(&mut self, response: &mut Packet) {
        let record = Record { slot: response.slot, ..self.here };
        response.slot = self.store(&record);
    }

    /// The record of the packet that has just arrived.
    pub fn here(&self) -> Record {
        self.here
    }

    /// Removes the record of a packet lost in a switch, or of an answer lost in a host.
    pub fn forget(&mut self, packet: &Packet) {
        if !packet.is_link_local() {
            self.take(packet.slot);
        }
    }

    /// Writes the records in the table, independently of their slots.
    pub fn write_state(&self, out: &mut StateWriter) {
        let mut kept: Vec<_> =
            self.records.iter().filter(|record| record.n_hops != FREE).map(Record::words).collect();
        kept.sort_unstable();
        kept.into_iter().flatten().for_each(|word| out.word(word));
    }
}

/// Writes the records on a link.
pub fn write_state(records: &Receiver<Record>, out: &mut StateWriter) {
    records.for_each(|record| record.words().into_iter().for_each(|word| out.word(word)));
}

/// The telemetry of a port.
pub struct PortTelemetry {
    /// The ring to the other end of the link.
    sender: Sender<Record>,
    /// Bytes of packets whose transmission started here.
    sent: u64,
    /// Whether it is a host's port, which records nothing: its sender knows the values.
    is_at_host: bool,
}

impl PortTelemetry {
    /// A port that has sent nothing yet.
    pub fn new(sender: Sender<Record>, is_at_host: bool) -> PortTelemetry {
        PortTelemetry { sender, sent: 0, is_at_host }
    }

    /// The transmission of a packet starts: returns its record, with the entry of this port, and restores the packet's
    /// own word. `None` for frames.
    pub fn note(
        &mut self,
        packet: &mut Packet,
        hop: impl FnOnce() -> Hop,
        telemetry: &mut Telemetry,
    ) -> Option<Record> {
        let sent = self.sent;
        self.sent += u64::from(packet.bytes);
        if packet.is_link_local() {
            return None;
        }
        let is_fresh = self.is_at_host && packet.is_data();
        let mut record = if is_fresh { Record::new(packet.slot) } else { telemetry.take(packet.slot) };
        packet.slot = record.slot;
        if !self.is_at_host && packet.is_data() {
            record.push(Hop { sent, ..hop() });
        }
        Some(record)
    }

    /// The packet will reach the other end: sends its record.
    pub fn send(&mut self, record: &Record) {
        self.sender.push(*record);
    }
}

impl std::fmt::Debug for PortTelemetry {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.debug_struct("Probe").field("sent", &self.sent).finish_non_exhaustive()
    }
}
