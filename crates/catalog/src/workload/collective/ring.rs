//! The ring that all-gather, reduce-scatter and all-reduce share: every place sends to the next one, round after round.
//!
//! Models: in round k place p sends chunk p - k (mod n), so that over n - 1 rounds it sends every chunk but p + 1, and
//! over 2(n - 1) rounds every chunk twice but p + 1 and p + 2.
//! Independent form: all rounds at once; round s carries a chunk of the s-th size for every place, as in the simulator
//! behind `zeltser2026`.
//!
//! Invariants: in the dependent form round k + 1 of a place starts only after it has received round k.
//! Source: Patarasuk, Yuan, "Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations", JPDC 2009.

use super::{Frame, Posted, Step, at_once};

/// A ring of some rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ring {
    frame: Frame,
    /// Number of passes of n - 1 rounds: one, or two for a whole all-reduce.
    passes: u32,
}

impl Ring {
    pub(super) fn new(frame: Frame, passes: u32) -> Ring {
        Ring { frame, passes }
    }

    fn rounds_per_pass(&self) -> u32 {
        self.frame.n_ranks - 1
    }

    pub(super) fn n_rounds(&self) -> u64 {
        u64::from(self.rounds_per_pass()) * u64::from(self.passes)
    }

    pub(super) fn operation(&self, place: u32, index: u64) -> Option<Step> {
        let next = self.frame.after(place, 1);
        if !self.frame.dependent {
            let n_messages = self.frame.n_filled(self.rounds_per_pass()) * self.passes;
            return at_once(index, self.n_rounds(), n_messages, |round| {
                let chunk = round % u64::from(self.rounds_per_pass());
                (next, self.frame.chunk(chunk as u32))
            });
        }
        let round = index / 2;
        if round >= self.n_rounds() {
            return None;
        }
        let chunk_of = |place| {
            let back = (round % u64::from(self.frame.n_ranks)) as u32;
            self.frame.chunk(self.frame.before(place, back))
        };
        Some(if index.is_multiple_of(2) {
            Step::send(next, round, chunk_of(place))
        } else {
            let previous = self.frame.before(place, 1);
            Step::receive(round, u32::from(chunk_of(previous) > 0))
        })
    }

    /// The receive of a round is posted before its send, as a combined call does.
    pub(super) fn posted(&self, place: u32, index: u64, number: u32) -> Option<Posted> {
        let round = index / 2;
        if number > 0 || !index.is_multiple_of(2) || round >= self.n_rounds() {
            return None;
        }
        let from = self.frame.before(place, 1);
        let back = (round % u64::from(self.frame.n_ranks)) as u32;
        Some(Posted { from, tag: round, bytes: self.frame.chunk(self.frame.before(from, back)) })
    }

    /// Whether the data received in the round of an operation belongs to the first pass.
    pub(super) fn is_first_pass(&self, index: u64) -> bool {
        index / 2 < u64::from(self.rounds_per_pass())
    }

    /// Whether every round has its own receive.
    pub(super) fn lists_receives(&self) -> bool {
        self.frame.dependent
    }

    pub(super) fn total_bytes(&self) -> u128 {
        let Frame { n_ranks, size, dependent } = self.frame;
        let per_pass = if dependent {
            u128::from(n_ranks - 1) * u128::from(size)
        } else {
            u128::from(n_ranks) * u128::from(size - self.frame.chunk(n_ranks - 1))
        };
        per_pass * u128::from(self.passes)
    }

    /// Whether all sends come before the first wait.
    pub(super) fn sends_first(&self) -> bool {
        !self.frame.dependent
    }
}
