//! # Idea
//! Every rank has a chunk for every other one; in step k it sends to the place k further on and receives from the place
//! k back, one after the other.
//!
//! # Source
//! Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", IJHPCA 2005.
//!
//! # Parameters
//! None.
//!
//! # Invariants
//! n - 1 steps; in each the places form a permutation, so that no receiver has two senders of the same step.
//!
//! # When it misleads
//! Steps are only loosely synchronised: a slow path lets a rank fall behind, and then two steps collide at one
//! receiver. With `dependent: false` it is the linear form.

use netloom_units::{Settings, Spec};

use super::{Algorithm, Factor, Frame, Posted, Step, at_once};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "all_to_all_pairwise",
    summary: "all-to-all in n - 1 steps, each a shift",
    source: "Thakur, Rabenseifner, Gropp, IJHPCA 2005",
    parameters: &[],
};

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllToAllPairwise {
    frame: Frame,
}

impl Algorithm for AllToAllPairwise {
    fn new(frame: Frame, _: &Settings) -> Result<Self, String> {
        Ok(AllToAllPairwise { frame })
    }

    fn operation(&self, place: u32, index: u64) -> Option<Step> {
        let others = self.frame.n_ranks - 1;
        let receives = self.frame.part(place) > 0;
        let message = |step: u64| {
            let to = self.frame.after(place, step as u32 + 1);
            (to, self.frame.part(to))
        };
        if !self.frame.dependent {
            let n_messages = if receives { others } else { 0 };
            return at_once(index, u64::from(others), n_messages, message);
        }
        let step = index / 2;
        if step >= u64::from(others) {
            return None;
        }
        Some(if index.is_multiple_of(2) {
            let (to, bytes) = message(step);
            Step::send(to, step, bytes)
        } else {
            Step::receive(step, u32::from(receives))
        })
    }

    fn n_tags(&self) -> u64 {
        u64::from(self.frame.n_ranks)
    }

    fn bus_factor(&self) -> Factor {
        let n = u64::from(self.frame.n_ranks);
        Factor { numerator: n - 1, denominator: n }
    }

    fn total_bytes(&self) -> u128 {
        u128::from(self.frame.n_ranks - 1) * u128::from(self.frame.size)
    }

    fn sends_first(&self) -> bool {
        !self.frame.dependent
    }

    fn lists_receives(&self) -> bool {
        self.frame.dependent
    }

    fn posted(&self, place: u32, index: u64, number: u32) -> Option<Posted> {
        let step = index / 2;
        if number > 0 || !index.is_multiple_of(2) || step >= u64::from(self.frame.n_ranks - 1) {
            return None;
        }
        let from = self.frame.before(place, step as u32 + 1);
        Some(Posted { from, tag: step, bytes: self.frame.part(place) })
    }
}
