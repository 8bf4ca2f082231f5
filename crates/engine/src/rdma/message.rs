//! Messages on queue pairs, at their two ends.

/// A message being sent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Outgoing {
    /// Packets put on the wire.
    pub packets: u64,
    /// Of these, packets that had been sent before.
    pub again: u64,
    /// Answers that came back.
    pub answers: u64,
    /// Of these, those that congestion control took as notifications.
    pub notified: u32,
    /// Timeouts of its queue pair while it was the first message there that was not wholly acknowledged.
    pub timeouts: u32,
}

impl Outgoing {
    /// Packets put on the wire, less answers that came back.
    pub fn balance(&self) -> i64 {
        self.packets.cast_signed() - self.answers.cast_signed()
    }
}

/// A message being received.
#[derive(Debug, Clone, Copy, Default)]
pub struct Incoming {
    /// Answers sent, less packets that came.
    pub balance: i64,
    /// Bytes still missing.
    pub missing: u64,
    /// Packets taken.
    pub packets: u32,
    /// Links they crossed.
    pub hops: u64,
    /// What the way of its packets was like.
    pub tally: Tally,
}

/// What a receiver saw of a message beside its bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Packets that had been sent before.
    pub again: u32,
    /// Packets that had been taken before: sent again for nothing.
    pub duplicates: u32,
    /// NACKs sent.
    pub nacks: u32,
    /// Marked packets.
    pub marked: u32,
    /// CNPs sent.
    pub cnps: u32,
    /// Most packets by which one came early.
    pub distance: u32,
}
