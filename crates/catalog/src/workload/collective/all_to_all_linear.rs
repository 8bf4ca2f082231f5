//! # Idea
//! Every rank has a chunk for every other one and sends all of them at once.
//!
//! # Source
//! The `linear` algorithm of MPI libraries; the pattern of the experiments behind `congestion-fabrics`.
//!
//! # Parameters
//! None.
//!
//! # Invariants
//! One step; a rank sends to the next place first and goes round from there, so that receivers differ at any moment.
//! Nothing depends on anything, so `dependent` changes nothing.
//!
//! # When it misleads
//! n - 1 messages per rank leave in one burst: the fabric sees n(n - 1) flows at once, which hides path collisions that
//! few fat flows would show.

use netloom_units::{Settings, Spec};

use super::{Algorithm, Factor, Frame, Step, at_once};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "all_to_all_linear",
    summary: "all-to-all with every message sent at once",
    source: "linear all-to-all of MPI libraries",
    parameters: &[],
};

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllToAllLinear {
    frame: Frame,
}

impl Algorithm for AllToAllLinear {
    fn new(frame: Frame, _: &Settings) -> Result<Self, String> {
        Ok(AllToAllLinear { frame })
    }

    fn operation(&self, place: u32, index: u64) -> Option<Step> {
        let others = self.frame.n_ranks - 1;
        let n_messages = if self.frame.chunk(place) > 0 { others } else { 0 };
        at_once(index, u64::from(others), n_messages, |number| {
            let to = self.frame.after(place, number as u32 + 1);
            (to, self.frame.chunk(to))
        })
    }

    fn n_tags(&self) -> u64 {
        1
    }

    fn bus_factor(&self) -> Factor {
        let n = u64::from(self.frame.n_ranks);
        Factor { numerator: n - 1, denominator: n }
    }

    fn total_bytes(&self) -> u128 {
        u128::from(self.frame.n_ranks - 1) * u128::from(self.frame.size)
    }

    fn sends_first(&self) -> bool {
        true
    }
}
