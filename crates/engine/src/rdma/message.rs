//! Messages on queue pairs, at sender and receiver.

/// A message being sent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Outgoing {
    /// Packets put on the wire.
    pub packets: u64,
    /// Of these, retransmissions.
    pub retransmitted: u64,
    /// ACKs, NACKs and CNPs received.
    pub responses: u64,
    /// Of these, congestion notifications.
    pub notified: u32,
    /// Timeouts of its queue pair while it was the first message there that was not wholly acknowledged.
    pub timeouts: u32,
}

impl Outgoing {
    /// Packets put on the wire, less responses received.
    pub fn balance(&self) -> i64 {
        self.packets.cast_signed() - self.responses.cast_signed()
    }
}

/// A message being received.
#[derive(Debug, Clone, Copy, Default)]
pub struct Incoming {
    /// Responses sent, less packets received.
    pub balance: i64,
    /// Bytes still missing.
    pub missing: u64,
    /// Packets accepted.
    pub packets: u32,
    /// Sum of the links they crossed.
    pub hops: u64,
    /// Counters of its packets beside these.
    pub tally: ReceiveCounts,
}

/// What a receiver counts of a message beside its bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReceiveCounts {
    /// Retransmitted packets received.
    pub again: u32,
    /// Duplicates of packets already accepted: spurious retransmissions.
    pub duplicates: u32,
    /// NACKs sent.
    pub nacks: u32,
    /// ECN-marked packets.
    pub marked: u32,
    /// CNPs sent.
    pub cnps: u32,
    /// Reordering extent: the most packets by which one arrived early.
    pub distance: u32,
}
