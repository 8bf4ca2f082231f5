//! The number that a host waits for: it has sent a NACK for it, and nothing newer.
//!
//! Models: whether the packet has passed since, and until when the host must have answered it.
//! Leaves out: who judges (`themis`).
//!
//! A host sends one NACK for each number, so it is silent if the packet, or its retransmission, is lost on the last hop. Its
//! silence is what shows the loss, once every answer that it could have sent would have come.

use netloom_units::StateWriter;

use super::is_after;

/// See the module.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Hole {
    /// The host waits for no number that is known to be missing.
    #[default]
    None,
    /// Its NACK was suppressed, and it has not passed since (`BePSN` while `Valid`).
    Awaited(u32),
    /// It has passed, and the host has not answered.
    Passed {
        /// The number.
        psn: u32,
        /// Packets that must pass until the host cannot but answer.
        missing: u32,
        /// It must have answered when so much has left, once none is missing.
        until: u32,
    },
    /// The sender was notified; it has not passed since.
    Reported(u32),
}

impl Hole {
    /// The number.
    pub fn psn(self) -> Option<u32> {
        match self {
            Hole::None => None,
            Hole::Awaited(psn) | Hole::Passed { psn, .. } | Hole::Reported(psn) => Some(psn),
        }
    }

    /// The host has everything below `expected`.
    pub fn be_answered(&mut self, expected: u32) {
        if self.psn().is_some_and(|psn| is_after(expected, psn)) {
            *self = Hole::None;
        }
    }

    /// A packet that seemed to pass was dropped.
    pub fn take_back(&mut self, dropped: u32) {
        if let Hole::Passed { psn, .. } = *self
            && psn == dropped
        {
            *self = Hole::Awaited(psn);
        }
    }

    /// Writes the state, when so much has been `enqueued`.
    pub fn write_state(self, out: &mut StateWriter, enqueued: u32) {
        let (kind, rest) = match self {
            Hole::None => (0, 0),
            Hole::Awaited(_) => (1, 0),
            Hole::Reported(_) => (2, 0),
            Hole::Passed { missing: 0, until, .. } => (3, u64::from(enqueued.wrapping_sub(until))),
            Hole::Passed { missing, .. } => (4, u64::from(missing)),
        };
        out.word(u64::from(self.psn().unwrap_or(0)) | kind << 32);
        out.word(rest);
    }
}
