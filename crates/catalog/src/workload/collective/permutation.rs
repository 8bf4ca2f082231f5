//! # Idea
//! Every rank sends to one other and receives from one other: the pattern that shows path collisions best, because an
//! ideal fabric would carry it at full rate.
//!
//! # Source
//! The permutation traffic of data-center papers; Raiciu et al., "Improving Datacenter Performance and Robustness with
//! Multipath TCP", SIGCOMM 2011.
//!
//! # Parameters
//! `pattern`: `random` is drawn uniformly from all permutations without a fixed point; `shift` sends to the member
//! `shift` further on. `seed`: seeds the draw.
//!
//! # Invariants
//! No rank sends to itself; every rank sends and receives S bytes once. There are no dependencies, so `dependent`
//! changes nothing.
//!
//! # When it misleads
//! One draw is one sample: collisions differ much from one permutation to the next. A shift by a multiple of the hosts
//! per leaf keeps all traffic of a leaf together, which is the worst case for hashing.

use netloom_units::{Kind, Parameter, Random, Settings, Spec, Value};

use super::{Algorithm, Demand, Factor, Frame, Step, at_once};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "permutation",
    summary: "every rank sends to one other and receives from one other",
    source: "Raiciu et al., SIGCOMM 2011",
    parameters: &[
        Parameter {
            name: "pattern",
            kind: Kind::Choice(&["random", "shift"]),
            default: Some(Value::Choice("random")),
            meaning: "a random permutation without fixed points, or a shift",
        },
        Parameter {
            name: "shift",
            kind: Kind::Count { minimum: 1, maximum: u32::MAX as u64 },
            default: Some(Value::Count(1)),
            meaning: "number of positions from sender to receiver in the order of ranks (with `pattern: \
                      shift`)",
        },
        Parameter {
            name: "seed",
            kind: Kind::Count { minimum: 0, maximum: u64::MAX },
            default: Some(Value::Count(1)),
            meaning: "seed of `pattern: random`",
        },
    ],
};

/// Purpose of the random stream.
const PURPOSE: u64 = 0x7065_726d;

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permutation {
    frame: Frame,
    receivers: Receivers,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Receivers {
    Shift(u32),
    /// The receiver of each member.
    Listed(Vec<u32>),
}

impl Algorithm for Permutation {
    fn new(frame: Frame, settings: &Settings) -> Result<Self, String> {
        let n = u64::from(frame.n_ranks);
        let shift = settings.count("shift");
        let receivers = match settings.choice("pattern") {
            "shift" if n > 1 && shift.is_multiple_of(n) => {
                return Err(format!("with a `shift` of {shift} each of {n} ranks sends to itself"));
            }
            "shift" => Receivers::Shift((shift % n) as u32),
            _ => Receivers::Listed(derangement(frame.n_ranks, settings.count("seed"))),
        };
        Ok(Permutation { frame, receivers })
    }

    fn operation(&self, position: u32, index: u64) -> Option<Step> {
        let alone = self.frame.n_ranks == 1;
        let n_messages = u32::from(!alone && self.frame.size > 0);
        at_once(index, u64::from(!alone), n_messages, |_| {
            let to = match &self.receivers {
                Receivers::Shift(shift) => self.frame.after(position, *shift),
                Receivers::Listed(list) => list[position as usize],
            };
            (to, self.frame.size)
        })
    }

    fn n_tags(&self) -> u64 {
        1
    }

    fn bus_factor(&self) -> Factor {
        Factor::ONE
    }

    fn demand(&self) -> Demand {
        Demand::Unknown
    }

    fn total_bytes(&self) -> u128 {
        let n = if self.frame.n_ranks == 1 { 0 } else { self.frame.n_ranks };
        u128::from(n) * u128::from(self.frame.size)
    }

    fn sends_first(&self) -> bool {
        true
    }
}

/// A permutation without fixed point, all equally likely: shuffles until there is none (e times on average).
fn derangement(n: u32, seed: u64) -> Vec<u32> {
    let mut random = Random::stream(seed, PURPOSE, u64::from(n));
    let mut list: Vec<u32> = (0..n).collect();
    while n > 1 && (0..n).any(|position| list[position as usize] == position) {
        random.shuffle(&mut list);
    }
    list
}
