//! Packets and frames on links.
//!
//! Models: data packets, control packets (ACK, NACK, CNP) and the frames of PFC.
//! Leaves out: the content of a packet, addresses, headers other than by their size.
//! Invariants: a data packet names its position and its PSN, a control packet those that the receiver expects.

use super::fabric::NodeIdx;
use super::scene::MessageIdx;

/// Number of a queue pair: that of the message for which it was made.
pub type QpIdx = usize;

/// The number of PSNs.
const N_PSNS: u64 = 1 << 24;

/// Bytes of a PFC frame.
pub(super) const FRAME_BYTES: u64 = 64;

/// What kind of packet it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A part of a message.
    Data,
    /// Everything below a position has arrived.
    Ack,
    /// The same, and the packet at that position is missing.
    Nack,
    /// A packet met congestion.
    Cnp,
    /// XOFF: stop sending data.
    Xoff,
    /// XON: resume sending data.
    Xon,
}

impl Kind {
    /// Whether it travels in the class above data.
    pub fn is_control(self) -> bool {
        matches!(self, Kind::Ack | Kind::Nack | Kind::Cnp)
    }
}

/// One packet or frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// What it is.
    pub kind: Kind,
    /// The host it comes from; of a frame, the node.
    pub source: NodeIdx,
    /// The host it goes to; of a frame, the node.
    pub destination: NodeIdx,
    /// Its queue pair; of an answer, that of the data; none for frames.
    pub qp: Option<QpIdx>,
    /// The message it is a part of; data only.
    pub message: Option<MessageIdx>,
    /// Data: its own position. Control packets: the position expected. Frames: 0.
    pub position: u64,
    /// The PSN of that position; 0 for frames.
    pub psn: u32,
    /// A single packet that has arrived, by its position: ACKs of `ideal`, NACKs of `irn`.
    pub names: Option<u64>,
    /// Bytes on the wire.
    pub bytes: u64,
    /// Data: met congestion. ACK and NACK: the data did.
    pub marked: bool,
    /// Data that is retransmitted.
    pub again: bool,
    /// Data that ends its message.
    pub last: bool,
}

impl Packet {
    /// A PFC frame between neighbours.
    pub(super) fn frame(kind: Kind, source: NodeIdx, destination: NodeIdx) -> Packet {
        Packet {
            kind,
            source,
            destination,
            qp: None,
            message: None,
            position: 0,
            psn: 0,
            names: None,
            bytes: FRAME_BYTES,
            marked: false,
            again: false,
            last: false,
        }
    }
}

/// The PSN of a position.
pub(super) fn psn(first: u32, position: u64) -> u32 {
    ((u64::from(first) + position) % N_PSNS) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_wrap() {
        assert_eq!([0, 1, 2].map(|position| psn(0x00ff_fffe, position)), [0x00ff_fffe, 0x00ff_ffff, 0]);
    }
}
