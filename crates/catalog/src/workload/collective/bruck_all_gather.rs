//! # Idea
//! Every rank has a part and needs all of them; in round k it sends the 2^k parts that it has to the rank 2^k back, so
//! that their number doubles.
//!
//! # Source
//! Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient Algorithms for All-to-All Communications in Multiport
//! Message-Passing Systems", IEEE TPDS 1997.
//!
//! # Parameters
//! None.
//!
//! # Invariants
//! ceil(log2 n) rounds for every n, each a shift; the last one sends only the parts that are missing. Together the members
//! send (n - 1) S bytes, as round a ring. Round k + 1 of a member waits for its round k.
//!
//! # When it misleads
//! Half of the bytes go half of the ranks away in the last round, all at once. Copies that order the parts inside a rank
//! are not counted. With `dependent: false` a member sends parts that it does not have.

use netloom_units::{Settings, Spec};

use super::exchange::{self, Exchange};
use super::{Algorithm, Demand, Factor, Frame, Posted, Step};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "bruck_all_gather",
    summary: "all-gather in log2 n steps that double the parts of a rank",
    source: "Bruck et al., IEEE TPDS 1997",
    parameters: &[],
};

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BruckAllGather {
    frame: Frame,
}

impl BruckAllGather {
    fn n_rounds(&self) -> u32 {
        self.frame.n_ranks.next_power_of_two().ilog2()
    }

    /// Size of what a member sends in a round: parts from its own on.
    fn bytes(&self, position: u32, round: u32) -> u64 {
        self.frame.parts(position, (1 << round).min(self.frame.n_ranks - (1 << round)))
    }

    fn exchange(&self, position: u32, round: u32) -> Exchange {
        let (to, from) = (self.frame.before(position, 1 << round), self.frame.after(position, 1 << round));
        Exchange { sent: (to, self.bytes(position, round)), received: (from, self.bytes(from, round)) }
    }
}

impl Algorithm for BruckAllGather {
    fn new(frame: Frame, _: &Settings) -> Result<Self, String> {
        Ok(BruckAllGather { frame })
    }

    fn operation(&self, position: u32, index: u64) -> Option<Step> {
        exchange::operation(&self.frame, index, self.n_tags(), |round| self.exchange(position, round))
    }

    fn n_tags(&self) -> u64 {
        self.n_rounds().into()
    }

    fn bus_factor(&self) -> Factor {
        Factor::of_others(self.frame.n_ranks)
    }

    fn demand(&self) -> Demand {
        Demand::Blocks(1)
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
        exchange::posted(index, number, self.n_tags(), |round| self.exchange(position, round))
    }
}
