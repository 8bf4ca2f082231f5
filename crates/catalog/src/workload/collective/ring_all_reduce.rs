//! # Idea
//! A reduce-scatter and then an all-gather round the same ring: every rank ends with the sum of all S bytes.
//!
//! # Source
//! Patarasuk, Yuan, "Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations", JPDC 2009.
//!
//! # Parameters
//! `volume`: `full` goes round twice, 2(n - 1) rounds, as an all-reduce does. `half` goes round once, n - 1 rounds: it
//! is not an all-reduce, but what the simulator behind `zeltser2026` calls one.
//! `chunk`: a chunk of this size is sent on as soon as it has been received; without it a rank waits for the whole part
//! of a round.
//!
//! # Invariants
//! Together the members send 2(n - 1) S bytes (`full`) or (n - 1) S (`half`); `busbw` counts the bytes really sent.
//!
//! # When it misleads
//! Without `chunk` a step waits for a whole part: real libraries cut parts into chunks. The time to add counts only
//! with `reduction` of `hosts`. `half` makes every comparison with a real all-reduce better by a factor of two.

use netloom_units::{Kind, Parameter, Settings, Spec, Value};

use super::channels::{CHANNEL_SERVER, CHANNELS};
use super::chunks::CHUNK;
use super::ring::Ring;
use super::{Algorithm, Demand, Factor, Frame, Posted, Step};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "ring_all_reduce",
    summary: "all-reduce around a ring in 2(n - 1) steps",
    source: "Patarasuk, Yuan, JPDC 2009; `half`: Zeltser 2026",
    parameters: &[
        Parameter {
            name: "volume",
            kind: Kind::Choice(&["full", "half"]),
            default: Some(Value::Choice("full")),
            meaning: "`full`: the whole all-reduce; `half`: only its reduce-scatter",
        },
        CHUNK,
        CHANNELS,
        CHANNEL_SERVER,
    ],
};

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RingAllReduce {
    frame: Frame,
    ring: Ring,
    passes: u32,
}

impl Algorithm for RingAllReduce {
    fn new(frame: Frame, settings: &Settings) -> Result<Self, String> {
        let passes = if settings.choice("volume") == "full" { 2 } else { 1 };
        Ok(RingAllReduce { frame, ring: Ring::new(frame, passes, settings)?, passes })
    }

    fn operation(&self, position: u32, index: u64) -> Option<Step> {
        self.ring.operation(position, index)
    }

    fn n_tags(&self) -> u64 {
        self.ring.n_tags()
    }

    fn bus_factor(&self) -> Factor {
        let n = u64::from(self.frame.n_ranks);
        Factor { numerator: u64::from(self.passes) * (n - 1), denominator: n }
    }

    fn demand(&self) -> Demand {
        Demand::Blocks(self.passes.into())
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

    fn adds(&self, index: u64) -> bool {
        self.ring.adds(index)
    }
}
