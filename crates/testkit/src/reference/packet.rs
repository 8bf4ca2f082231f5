//! Messages, the packets they become, and the record of each flow.
//!
//! Models: a message of B bytes is `ceil(B / mtu)` packets, all of `mtu` bytes but the last, which has the remainder.
//! Leaves out: headers (the payload is the size on the wire).
//! Invariant: flows are numbered in the order they are announced, packets of a flow from 0.
//! Source: specification of the seed simulator, section 4.

use super::fabric::NodeIdx;
use super::network::ActorIdx;

/// Number of a flow, in the order flows are announced; in a scene, the position of its message in the list.
pub type FlowIdx = usize;

/// Data that one host sends to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The sending host.
    pub src: NodeIdx,
    /// The receiving host.
    pub dst: NodeIdx,
    /// Size, in bytes; at least one.
    pub bytes: u64,
    /// Largest packet, in bytes.
    pub mtu: u64,
}

impl Message {
    /// The number of packets of the message.
    pub fn n_packets(&self) -> usize {
        self.bytes.div_ceil(self.mtu) as usize
    }

    /// Size in bytes of the packet with this index.
    pub(super) fn packet_bytes(&self, index: usize) -> u64 {
        self.mtu.min(self.bytes - index as u64 * self.mtu)
    }
}

/// One packet in flight.
#[derive(Clone, Debug)]
pub(super) struct Packet {
    pub(super) flow: FlowIdx,
    pub(super) index: usize,
    pub(super) bytes: u64,
    /// Number of nodes it may still reach (time to live).
    pub(super) ttl: u32,
    /// Links crossed so far.
    pub(super) hops: u32,
    /// When it joined the queue it is in.
    pub(super) enqueued_at: f64,
}

/// A flow: a message and its progress.
#[derive(Clone, Debug)]
pub struct FlowRecord {
    /// The message.
    pub message: Message,
    /// The actor that sent it and is notified of its completion.
    pub actor: ActorIdx,
    /// When its packets were created, in seconds.
    pub injected_at: Option<f64>,
    /// When its last byte was handled at the destination, in seconds.
    pub completed_at: Option<f64>,
    /// Bytes handled at the destination so far.
    pub received_bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_packet_has_the_remainder() {
        let sizes = |bytes, mtu| {
            let message = Message { src: 0, dst: 1, bytes, mtu };
            (0..message.n_packets()).map(|index| message.packet_bytes(index)).collect::<Vec<_>>()
        };
        assert_eq!(sizes(10, 4), [4, 4, 2]);
        assert_eq!(sizes(8, 4), [4, 4]);
        assert_eq!(sizes(3, 4), [3]);
    }
}
