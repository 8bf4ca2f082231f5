//! The ring that all-gather, reduce-scatter and all-reduce share: every member sends to the next one, round after round.
//!
//! Models: in round k member p sends part p - k (mod n), so that over n - 1 rounds it sends every part but p + 1, and
//! over 2(n - 1) rounds every part twice but p + 1 and p + 2. A part may be cut into chunks: a member receives chunk c of
//! round k and then sends chunk c of round k + 1.
//! Independent form: all rounds at once; round s carries a part of the s-th size for every member, as in the simulator
//! behind `zeltser2026`.
//!
//! Invariants: in the dependent form a member sends a chunk of round k + 1 only after it has received that of round k.
//! Source: Patarasuk, Yuan, "Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations", JPDC 2009; chunks:
//! NCCL.

use netloom_units::Settings;

use super::chunks::Chunks;
use super::{Frame, Posted, Step, at_once};

/// A ring of some rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ring {
    frame: Frame,
    /// Number of passes of n - 1 rounds: one, or two for a whole all-reduce.
    passes: u32,
    chunks: Chunks,
    /// Number of chunks of the largest part, at least one. Smaller parts may have an empty one at their end.
    n_chunks: u64,
}

impl Ring {
    pub(super) fn new(frame: Frame, passes: u32, settings: &Settings) -> Result<Ring, String> {
        let chunks = Chunks::new(settings, frame.part(0))?;
        let ring = Ring { frame, passes, chunks, n_chunks: chunks.count(frame.part(0)).max(1) };
        if !frame.dependent && u32::try_from(ring.n_transfers()).is_err() {
            return Err(String::from("`chunk` makes too many messages that arrive at once"));
        }
        Ok(ring)
    }

    fn rounds_per_pass(&self) -> u32 {
        self.frame.n_ranks - 1
    }

    fn n_rounds(&self) -> u64 {
        u64::from(self.rounds_per_pass()) * u64::from(self.passes)
    }

    /// Number of chunks that a member sends.
    fn n_transfers(&self) -> u64 {
        self.n_rounds() * self.n_chunks
    }

    pub(super) fn n_tags(&self) -> u64 {
        self.n_transfers()
    }

    pub(super) fn operation(&self, position: u32, index: u64) -> Option<Step> {
        let next = self.frame.after(position, 1);
        if !self.frame.dependent {
            return at_once(index, self.n_transfers(), self.n_messages_at_once(), |transfer| {
                let part = transfer / self.n_chunks % u64::from(self.rounds_per_pass());
                (next, self.chunks.size(self.frame.part(part as u32), transfer % self.n_chunks))
            });
        }
        if let Some(transfer) = self.sent(index) {
            return Some(Step::send(next, transfer, self.bytes(position, transfer)));
        }
        let transfer = self.received(index);
        if transfer >= self.n_transfers() {
            return None;
        }
        if !(index - self.n_chunks).is_multiple_of(2) {
            return Some(Step::Nothing);
        }
        let previous = self.frame.before(position, 1);
        Some(Step::receive(transfer, u32::from(self.bytes(previous, transfer) > 0)))
    }

    /// The transfer that an operation sends: first those of round 0, then one after each receive.
    fn sent(&self, index: u64) -> Option<u64> {
        let transfer = match index.checked_sub(self.n_chunks) {
            None => index,
            Some(later) if later.is_multiple_of(2) => return None,
            Some(later) => self.n_chunks + later / 2,
        };
        (transfer < self.n_transfers()).then_some(transfer)
    }

    /// The transfer that an operation waits for, or whose data its predecessor has waited for.
    fn received(&self, index: u64) -> u64 {
        index.saturating_sub(self.n_chunks) / 2
    }

    /// Size of what a member sends in a transfer.
    fn bytes(&self, position: u32, transfer: u64) -> u64 {
        let round = transfer / self.n_chunks;
        let back = (round % u64::from(self.frame.n_ranks)) as u32;
        self.chunks.size(self.frame.part(self.frame.before(position, back)), transfer % self.n_chunks)
    }

    /// Number of messages in the independent form, in which parts 0 to n - 2 are sent in every pass.
    fn n_messages_at_once(&self) -> u32 {
        let Frame { n_ranks, size, .. } = self.frame;
        let n_parts = u64::from(self.rounds_per_pass());
        let n_larger = n_parts.min(size % u64::from(n_ranks));
        let [larger, smaller] =
            [self.frame.part(0), size / u64::from(n_ranks)].map(|part| self.chunks.count(part));
        (u64::from(self.passes) * (n_larger * larger + (n_parts - n_larger) * smaller)) as u32
    }

    /// The receive of a transfer is posted before its send, as a combined call does.
    pub(super) fn posted(&self, position: u32, index: u64, number: u32) -> Option<Posted> {
        let transfer = self.sent(index).filter(|_| number == 0)?;
        let from = self.frame.before(position, 1);
        Some(Posted { from, tag: transfer, bytes: self.bytes(from, transfer) })
    }

    /// Whether the data that is added after an operation belongs to the first pass. Hosts add data by the order in which
    /// it was posted, which is one round ahead.
    pub(super) fn adds(&self, index: u64) -> bool {
        let last_posted = self.received(index) + self.n_chunks - 1;
        last_posted < u64::from(self.rounds_per_pass()) * self.n_chunks
    }

    /// Whether every transfer has its own receive.
    pub(super) fn lists_receives(&self) -> bool {
        self.frame.dependent
    }

    pub(super) fn total_bytes(&self) -> u128 {
        let Frame { n_ranks, size, dependent } = self.frame;
        let per_pass = if dependent {
            u128::from(n_ranks - 1) * u128::from(size)
        } else {
            u128::from(n_ranks) * u128::from(size - self.frame.part(n_ranks - 1))
        };
        per_pass * u128::from(self.passes)
    }

    /// Whether all sends come before the first wait.
    pub(super) fn sends_first(&self) -> bool {
        !self.frame.dependent
    }
}
