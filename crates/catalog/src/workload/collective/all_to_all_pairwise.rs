//! # Idea
//! Every rank has a chunk for every other one; in step k it sends to the member k further on and receives from the member
//! k back, one after the other.
//!
//! # Source
//! Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", IJHPCA 2005.
//!
//! # Parameters
//! None.
//!
//! # Invariants
//! n - 1 steps; in each the members form a permutation, so that no receiver has two senders of the same step.
//!
//! # When it misleads
//! Steps are only loosely synchronised: a slow path lets a rank fall behind, and then two steps collide at one
//! receiver. With `dependent: false` it is the linear form.

use netloom_units::{Settings, Spec};

use super::exchange::{self, Exchange};
use super::{Algorithm, Demand, Factor, Frame, Posted, Step, at_once};

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

impl AllToAllPairwise {
    fn exchange(&self, position: u32, step: u32) -> Exchange {
        let (to, from) = (self.frame.after(position, step + 1), self.frame.before(position, step + 1));
        Exchange { sent: (to, self.frame.part(to)), received: (from, self.frame.part(position)) }
    }
}

impl Algorithm for AllToAllPairwise {
    fn new(frame: Frame, _: &Settings) -> Result<Self, String> {
        Ok(AllToAllPairwise { frame })
    }

    fn operation(&self, position: u32, index: u64) -> Option<Step> {
        let others = self.frame.n_ranks - 1;
        if self.frame.dependent {
            let exchange = |step| self.exchange(position, step);
            return exchange::operation(&self.frame, index, others.into(), exchange);
        }
        let n_messages = if self.frame.part(position) > 0 { others } else { 0 };
        at_once(index, others.into(), n_messages, |step| self.exchange(position, step as u32).sent)
    }

    fn n_tags(&self) -> u64 {
        u64::from(self.frame.n_ranks)
    }

    fn bus_factor(&self) -> Factor {
        Factor::of_others(self.frame.n_ranks)
    }

    fn demand(&self) -> Demand {
        Demand::Pairs
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

    fn posted(&self, position: u32, index: u64, number: u32) -> Option<Posted> {
        let n_steps = u64::from(self.frame.n_ranks - 1);
        exchange::posted(index, number, n_steps, |step| self.exchange(position, step))
    }
}
