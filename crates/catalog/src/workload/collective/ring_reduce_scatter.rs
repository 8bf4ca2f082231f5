//! # Idea
//! Every rank has S bytes and needs the sum of one part; partial sums travel round a ring, one step per round.
//!
//! # Source
//! Patarasuk, Yuan, "Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations", JPDC 2009.
//!
//! # Parameters
//! `chunk`: a chunk of this size is sent on as soon as it has been received; without it a rank waits for the whole part
//! of a round.
//!
//! # Invariants
//! n - 1 rounds; together the members send (n - 1) S bytes. Round k + 1 of a member waits for its round k.
//!
//! # When it misleads
//! Without `chunk` a rank sends nothing on before it has received the whole part of a round; real reductions overlap
//! with sending chunk by chunk. The time to add counts only with `reduction` of `hosts`.
//! With `dependent: false` a member sends all rounds at once: one burst instead of n - 1 steps.

use netloom_units::{Settings, Spec};

use super::channels::{CHANNEL_SERVER, CHANNELS};
use super::chunks::CHUNK;
use super::ring::Ring;
use super::{Algorithm, Demand, Factor, Frame, Posted, Step};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "ring_reduce_scatter",
    summary: "reduce-scatter around a ring in n - 1 steps",
    source: "Patarasuk, Yuan, JPDC 2009",
    parameters: &[CHUNK, CHANNELS, CHANNEL_SERVER],
};

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RingReduceScatter {
    frame: Frame,
    ring: Ring,
}

impl Algorithm for RingReduceScatter {
    fn new(frame: Frame, settings: &Settings) -> Result<Self, String> {
        Ok(RingReduceScatter { frame, ring: Ring::new(frame, 1, settings)? })
    }

    fn operation(&self, position: u32, index: u64) -> Option<Step> {
        self.ring.operation(position, index)
    }

    fn n_tags(&self) -> u64 {
        self.ring.n_tags()
    }

    fn bus_factor(&self) -> Factor {
        Factor::of_others(self.frame.n_ranks)
    }

    fn demand(&self) -> Demand {
        Demand::Blocks(1)
    }

    fn total_bytes(&self) -> u128 {
        self.ring.total_bytes()
    }

    fn sends_first(&self) -> bool {
        self.ring.sends_first()
    }

    fn lists_receives(&self) -> bool {
        self.ring.lists_receives()
    }

    fn posted(&self, position: u32, index: u64, number: u32) -> Option<Posted> {
        self.ring.posted(position, index, number)
    }

    fn adds(&self, _: u64) -> bool {
        true
    }
}
