//! Node state as words relative to an instant, for the comparison in exact reuse of repeated phases.

use netloom_units::{StateWriter, Time};

use crate::packet::{InFlight, Packet};

/// Writes a packet, without the table indices, which differ from repetition to repetition.
pub fn write_packet(packet: &Packet, out: &mut StateWriter) {
    let flags = [Packet::MARKED, Packet::ECHO, Packet::RETRANSMISSION, Packet::LAST, Packet::MAY_REORDER];
    let flags = flags.iter().fold(0, |all, &flag| all * 2 + u64::from(packet.has(flag)));
    let kind = packet.kind() as u64 | (flags << 8) | u64::from(packet.vl_offset()) << 16;
    out.word(u64::from(packet.sequence) | (u64::from(packet.destination) << 32));
    out.word(u64::from(packet.entropy) | (u64::from(packet.bytes) << 32));
    out.word(u64::from(packet.tag) | (u64::from(packet.class()) << 32) | (kind << 40));
}

/// Writes a packet in flight.
pub fn write_in_flight(entry: &InFlight, out: &mut StateWriter) {
    out.instant(Time(entry.arrival));
    write_packet(&entry.packet, out);
}
