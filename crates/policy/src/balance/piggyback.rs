//! # Idea
//! Every switch marks each of its global links as congested or not; the switches of its group learn it from bits on
//! packets, so the source sees congestion before its own queues show it.
//!
//! # Source
//! Jiang, Kim, Dally, "Indirect adaptive routing on large scale interconnection networks", ISCA 2009, section 3.2
//! (piggyback).
//!
//! # Parameters
//! `factor`: a global link is congested while its queue is longer than this times the mean of its switch's global
//! links, and longer than `marked_above` bytes. The others are those of `ugal_l`, which decides where no bit is set.
//!
//! # Invariants
//! Decided once, at the first switch. A packet goes through another group if all global links on its minimal path that
//! it would take are marked, or `ugal_l` says so. Bits are as of the last multiple of `coordination_delay` (modelling
//! assumption: in the source packets carry them); they use no bandwidth.
//!
//! # When it misleads
//! Real bits are as old as the last packet from that switch. The factor is a parameter of the source; its value here,
//! 1.5, is a modelling assumption: with two global links per switch no queue can be above twice the mean.

use netloom_units::{Bytes, Kind, Parameter, Settings, Spec, Value};

use super::detour::{Chooses, GroupRouting, RemoteQueues};
use super::ugal_l::{LONGER_WEIGHT, MINIMAL_WEIGHT, THRESHOLD, Weights, minimal_and_non_minimal};
use super::{Balance, Context, PacketView, Pick, Ports, Position};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "piggyback",
    summary: "as `ugal_l`, but also avoids minimal paths over global links that switches of the group have \
              marked as congested; needs a fabric of groups",
    source: "Jiang et al. 2009 (piggyback); factor, threshold and snapshots: modelling assumptions",
    parameters: &[
        Parameter {
            name: "factor",
            kind: Kind::Fraction { minimum: 0.0, maximum: 1_000.0 },
            default: Some(Value::Fraction(1.5)),
            meaning: "a global link is marked if its queue is longer than this times the mean queue of its \
                      switch's global links",
        },
        Parameter {
            name: "marked_above",
            kind: Kind::Size,
            default: Some(Value::Size(Bytes(16_384))),
            meaning: "a global link is marked only if its queue is also longer than this",
        },
        MINIMAL_WEIGHT,
        LONGER_WEIGHT,
        THRESHOLD,
    ],
};

/// The instance at a node.
#[derive(Debug, Clone)]
pub struct Piggyback {
    guide: GroupRouting,
    weights: Weights,
    factor: f64,
    above: u64,
}

impl Piggyback {
    pub(super) fn new(settings: &Settings, position: Position) -> Piggyback {
        Piggyback {
            guide: GroupRouting::new(position, Chooses::AtSource),
            weights: Weights::new(settings),
            factor: settings.fraction("factor"),
            above: settings.size("marked_above").0,
        }
    }

    fn is_marked(&self, beyond: Option<RemoteQueues>) -> bool {
        beyond.is_some_and(|RemoteQueues { least, sum, count }| {
            least > self.above && least as f64 * count as f64 > self.factor * sum as f64
        })
    }
}

impl Balance for Piggyback {
    fn pick<P: Ports>(&mut self, context: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        if !self.guide.may_choose(packet, ports) {
            return self.guide.forward(context, packet, ports);
        }
        match minimal_and_non_minimal(&mut self.guide, context, packet, ports) {
            Err(only) => only,
            Ok(((candidate, minimal), longer)) => {
                let is_marked = self.is_marked(ports.beyond(candidate, packet.group()));
                if !is_marked && self.weights.prefer_minimal(minimal, longer.waiting) {
                    self.guide.take_minimal(candidate, packet, ports)
                } else {
                    GroupRouting::take_non_minimal(longer, packet)
                }
            }
        }
    }

    fn may_open(&self, packet: &PacketView) -> Vec<u32> {
        self.guide.may_open(packet)
    }
}
