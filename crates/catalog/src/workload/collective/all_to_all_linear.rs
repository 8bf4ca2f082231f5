//! # Idea
//! Every rank has a chunk for every other one and sends all of them at once.
//!
//! # Source
//! The `linear` algorithm of MPI libraries; the pattern of the experiments behind `congestion-fabrics`.
//!
//! # Parameters
//! `posting`: with `rotated` a rank posts to the next member first and continues round from there, so that receivers
//! differ at any moment; with `same` every rank posts to members 0, 1, 2 and so on, as a simple loop does, so that it
//! starts as an incast that moves from member to member.
//!
//! # Invariants
//! One step. The receive from a member is posted just before the send that is posted with it. There are no dependencies,
//! so `dependent` changes nothing.
//!
//! # When it misleads
//! n - 1 messages per rank leave in one burst: the fabric sees n(n - 1) flows at once, which hides path collisions that
//! few large flows would show. Where a NIC serves its queue pairs in turns, `same` differs little from `rotated` unless
//! posting takes time (`hosts.send_overhead`).

use netloom_units::{Kind, Parameter, Settings, Spec, Value};

use super::{Algorithm, Demand, Factor, Frame, Posted, Step, at_once};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "all_to_all_linear",
    summary: "all-to-all with every message sent at once",
    source: "linear all-to-all of MPI libraries",
    parameters: &[Parameter {
        name: "posting",
        kind: Kind::Choice(&["rotated", "same"]),
        default: Some(Value::Choice("rotated")),
        meaning: "order in which a rank posts its messages: from the next rank on (`rotated`), or from rank \
                  0 on (`same`)",
    }],
};

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllToAllLinear {
    frame: Frame,
    is_rotated: bool,
}

impl AllToAllLinear {
    /// Number of operations before the wait: with `same` a rank skips itself.
    fn n_posts(&self) -> u64 {
        u64::from(self.frame.n_ranks) - u64::from(self.is_rotated)
    }
}

impl Algorithm for AllToAllLinear {
    fn new(frame: Frame, settings: &Settings) -> Result<Self, String> {
        Ok(AllToAllLinear { frame, is_rotated: settings.choice("posting") == "rotated" })
    }

    fn operation(&self, position: u32, index: u64) -> Option<Step> {
        let others = self.frame.n_ranks - 1;
        let n_messages = if self.frame.part(position) > 0 { others } else { 0 };
        at_once(index, self.n_posts(), n_messages, |number| {
            let number = number as u32;
            let to = if self.is_rotated { self.frame.after(position, number + 1) } else { number };
            (to, if to == position { 0 } else { self.frame.part(to) })
        })
    }

    fn n_tags(&self) -> u64 {
        1
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
        true
    }

    fn lists_receives(&self) -> bool {
        true
    }

    fn posted(&self, position: u32, index: u64, number: u32) -> Option<Posted> {
        if number > 0 || index >= self.n_posts() {
            return None;
        }
        let index = index as u32;
        let from = if self.is_rotated { self.frame.before(position, index + 1) } else { index };
        (from != position).then_some(Posted { from, tag: 0, bytes: self.frame.part(position) })
    }
}
