//! # Idea
//! Several ranks send to one at the same time.
//!
//! # Source
//! The k-to-1 pattern of storage and of parameter servers; an aggressor in the experiments behind `congestion-fabrics`.
//!
//! # Parameters
//! `senders`: the number of members after the first one that send; all of them if it is not given.
//!
//! # Invariants
//! Position 0 receives, members 1 to k send S bytes each, the others do nothing. There are no dependencies, so `dependent`
//! changes nothing.
//!
//! # When it misleads
//! S is the size of one sender's message, so `algbw` is that of one sender; the receiver's link carries k times as
//! much.

use netloom_units::{Kind, Parameter, Settings, Spec, Value};

use super::{Algorithm, Demand, Factor, Frame, Posted, Step, at_once};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "incast",
    summary: "several ranks send to the first one at once",
    source: "k-to-1 pattern",
    parameters: &[Parameter {
        name: "senders",
        kind: Kind::Optional(&Kind::Count { minimum: 1, maximum: u32::MAX as u64 }),
        default: Some(Value::Absent),
        meaning: "number of ranks that send; `none`: all but the first",
    }],
};

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incast {
    size: u64,
    n_senders: u32,
}

impl Algorithm for Incast {
    fn new(frame: Frame, settings: &Settings) -> Result<Self, String> {
        let others = frame.n_ranks - 1;
        let n_senders = match settings.optional("senders") {
            Some(Value::Count(n)) if n > u64::from(others) => {
                return Err(format!("`senders` is {n}, but beside the receiver there are {others} ranks"));
            }
            Some(Value::Count(n)) => n as u32,
            _ => others,
        };
        Ok(Incast { size: frame.size, n_senders })
    }

    fn operation(&self, position: u32, index: u64) -> Option<Step> {
        let n_sends = u64::from((1..=self.n_senders).contains(&position));
        let n_messages = if position == 0 && self.size > 0 { self.n_senders } else { 0 };
        at_once(index, n_sends, n_messages, |_| (0, self.size))
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
        u128::from(self.n_senders) * u128::from(self.size)
    }

    fn sends_first(&self) -> bool {
        true
    }

    fn lists_receives(&self) -> bool {
        true
    }

    fn posted(&self, position: u32, index: u64, number: u32) -> Option<Posted> {
        let is_root = position == 0 && index == 0 && number < self.n_senders;
        is_root.then_some(Posted { from: number + 1, tag: 0, bytes: self.size })
    }
}
