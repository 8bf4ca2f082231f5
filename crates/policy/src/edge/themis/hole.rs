//! The number that a host waits for: it has sent a NACK for it, and nothing newer.
//!
//! Models: whether the packet has passed since, and until when the host must have responded to it.
//! Leaves out: the decisions (`themis`).
//!
//! A host sends one NACK for each number, so it is silent if the packet, or its retransmission, is lost on the last
//! hop. Its silence shows the loss, once every response that it could have sent would have arrived.

use netloom_units::StateWriter;

use super::is_after;

/// See the module.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ExpectedPsn {
    /// The host waits for no number that is known to be missing.
    #[default]
    None,
    /// Its NACK was suppressed, and the packet has not passed since (`BePSN` while `Valid`).
    Awaited(u32),
    /// The packet has passed, and the host has not responded.
    Passed {
        /// The number.
        psn: u32,
        /// Packets that must still pass until the host must respond.
        missing: u32,
        /// The host must have responded when this much has been sent, once `missing` is zero.
        until: u32,
    },
    /// The sender was notified; the packet has not passed since.
    Reported(u32),
}

impl ExpectedPsn {
    /// The number.
    pub fn psn(self) -> Option<u32> {
        match self {
            ExpectedPsn::None => None,
            ExpectedPsn::Awaited(psn) | ExpectedPsn::Passed { psn, .. } | ExpectedPsn::Reported(psn) => {
                Some(psn)
            }
        }
    }

    /// The host has everything below `expected`.
    pub fn be_responded_to(&mut self, expected: u32) {
        if self.psn().is_some_and(|psn| is_after(expected, psn)) {
            *self = ExpectedPsn::None;
        }
    }

    /// A packet counted as passed was dropped.
    pub fn undo(&mut self, dropped: u32) {
        if let ExpectedPsn::Passed { psn, .. } = *self
            && psn == dropped
        {
            *self = ExpectedPsn::Awaited(psn);
        }
    }

    /// Writes the state, when `enqueued` is enqueued for the last hop.
    pub fn write_state(self, out: &mut StateWriter, enqueued: u32) {
        let (kind, rest) = match self {
            ExpectedPsn::None => (0, 0),
            ExpectedPsn::Awaited(_) => (1, 0),
            ExpectedPsn::Reported(_) => (2, 0),
            ExpectedPsn::Passed { missing: 0, until, .. } => (3, u64::from(enqueued.wrapping_sub(until))),
            ExpectedPsn::Passed { missing, .. } => (4, u64::from(missing)),
        };
        out.word(u64::from(self.psn().unwrap_or(0)) | kind << 32);
        out.word(rest);
    }
}
