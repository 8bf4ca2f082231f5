//! # Idea
//! The switch above the source compares its own queues: a packet goes through another group only if its minimal path
//! seems more than twice as congested.
//!
//! # Source
//! Kim et al., "Technology-driven, highly-scalable dragonfly topology", ISCA 2008, section 4.2 (UGAL-L); Singh's thesis
//! for the idea. Weights 1 and 2 with a threshold of 30 flits are those of `BookSim`, weights 3 and 5 without one those
//! of SST/macro.
//!
//! # Parameters
//! `minimal_weight`, `non_minimal_weight`: factors of the queues, which represent the number of links. `threshold`: bytes by
//! which the minimal path may be worse; 1920 B are 30 flits of 64 B (that size is a modelling assumption).
//!
//! # Invariants
//! Decided once, at the first switch, with one other group drawn. Minimal if its queue times its weight is no more than
//! the other queue times its weight, plus the threshold. Queues are those of the least loaded port towards either
//! (modelling assumption).
//!
//! # When it misleads
//! The congested global link is mostly at another switch: it is not seen until its queue has filled the buffers up to
//! the source, so latency is high near saturation. Queues of different virtual lanes of a port are not distinguished.

use netloom_units::{Bytes, Kind, Parameter, Settings, Spec, Value};

use super::detour::{Chooses, GroupRouting, Opened};
use super::{Balance, Context, PacketView, Pick, Ports, Position};

const WEIGHT: Kind = Kind::Count { minimum: 1, maximum: 1_000 };

/// Weight of the queue of a minimal path.
pub(super) const MINIMAL_WEIGHT: Parameter = Parameter {
    name: "minimal_weight",
    kind: WEIGHT,
    default: Some(Value::Count(1)),
    meaning: "factor by which the queue of the minimal path is multiplied (BookSim 1, SST/macro 3)",
};

/// Weight of the queue of a non-minimal path.
pub(super) const LONGER_WEIGHT: Parameter = Parameter {
    name: "non_minimal_weight",
    kind: WEIGHT,
    default: Some(Value::Count(2)),
    meaning: "factor by which the queue of the path through another group is multiplied (BookSim 2, \
              SST/macro 5)",
};

/// By how much minimal paths are preferred.
pub(super) const THRESHOLD: Parameter = Parameter {
    name: "threshold",
    kind: Kind::Size,
    default: Some(Value::Size(Bytes(1_920))),
    meaning: "bytes by which the weighted queue of the minimal path may exceed the other (BookSim: 30 \
              flits, here of 64B; SST/macro: 0)",
};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "ugal_l",
    summary: "UGAL-L: takes a non-minimal path through another group if the local queues make the minimal \
              path look worse; needs a fabric of groups",
    source: "Kim et al. 2008 (UGAL-L); weights and threshold of BookSim",
    parameters: &[MINIMAL_WEIGHT, LONGER_WEIGHT, THRESHOLD],
};

/// How queues are compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weights {
    minimal: u64,
    longer: u64,
    threshold: u64,
}

impl Weights {
    pub(super) fn new(settings: &Settings) -> Weights {
        Weights {
            minimal: settings.count(MINIMAL_WEIGHT.name),
            longer: settings.count(LONGER_WEIGHT.name),
            threshold: settings.size(THRESHOLD.name).0,
        }
    }

    /// Whether a packet takes the minimal path, given the queues of both.
    pub(super) fn prefer_minimal(self, minimal: u64, longer: u64) -> bool {
        let minimal = minimal.saturating_mul(self.minimal);
        minimal <= longer.saturating_mul(self.longer).saturating_add(self.threshold)
    }
}

/// The least loaded minimal path and one through a drawn group, by the queues of this switch; a packet that has only
/// one of them takes it.
pub(super) fn minimal_and_non_minimal<P: Ports>(
    guide: &mut GroupRouting,
    context: &mut Context,
    packet: &PacketView,
    ports: &mut P,
) -> Result<((usize, u64), Opened), Pick> {
    let minimal = guide.minimal(context, ports);
    let longer = guide.open(context, packet, ports);
    match (minimal, longer) {
        (Some(minimal), Some(longer)) => Ok((minimal, longer)),
        (None, Some(longer)) => Err(GroupRouting::take_non_minimal(longer, packet)),
        (Some((candidate, _)), None) => Err(guide.take_minimal(candidate, packet, ports)),
        (None, None) => Err(Pick::unchanged(Pick::NOWHERE, packet)),
    }
}

/// The instance at a node.
#[derive(Debug, Clone)]
pub struct UgalL {
    guide: GroupRouting,
    weights: Weights,
}

impl UgalL {
    pub(super) fn new(settings: &Settings, position: Position) -> UgalL {
        UgalL { guide: GroupRouting::new(position, Chooses::AtSource), weights: Weights::new(settings) }
    }
}

/// Chooses by the queues of this switch.
pub(super) fn by_own_queues<P: Ports>(
    guide: &mut GroupRouting,
    weights: Weights,
    context: &mut Context,
    packet: &PacketView,
    ports: &mut P,
) -> Pick {
    if !guide.may_choose(packet, ports) {
        return guide.forward(context, packet, ports);
    }
    match minimal_and_non_minimal(guide, context, packet, ports) {
        Err(only) => only,
        Ok(((candidate, minimal), longer)) => {
            if weights.prefer_minimal(minimal, longer.waiting) {
                guide.take_minimal(candidate, packet, ports)
            } else {
                GroupRouting::take_non_minimal(longer, packet)
            }
        }
    }
}

impl Balance for UgalL {
    fn pick<P: Ports>(&mut self, context: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        by_own_queues(&mut self.guide, self.weights, context, packet, ports)
    }

    fn may_open(&self, packet: &PacketView) -> Vec<u32> {
        self.guide.may_open(packet)
    }
}
