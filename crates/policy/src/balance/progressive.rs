//! # Idea
//! Paths come in classes, the minimal ones first. At each switch of the source's group a packet takes the least loaded
//! port of the first class whose queue is short enough.
//!
//! # Source
//! Fully progressive adaptive routing of Dragonfly+ (Shpiner et al., `HiPINEB` 2017), as public models implement it: a
//! port is accepted while its queue is below a threshold, half of the queue by default.
//!
//! # Parameters
//! `threshold`: bytes waiting below which a port is accepted; 32 KiB are half of the default `buffer` of links with
//! credits. `candidate_groups`: number of groups drawn at random for the second class (modelling assumption: the source takes all).
//!
//! # Invariants
//! A packet goes through at most one intermediate group; after a global link, or once it goes through a group, it keeps
//! to its path and takes the least loaded port of it. If no class is accepted, the least loaded port of all is taken,
//! the minimal one on ties (modelling assumption). In groups of two tiers the upper switches send packets only through
//! groups that their own global links lead to.
//!
//! # When it misleads
//! The source lets packets choose again in the intermediate group, even a third group; here they do not. Below the
//! threshold it ignores load: minimal paths are used up to it whatever the load of the others.

use netloom_units::{Bytes, Kind, Parameter, Settings, Spec, Value};

use super::detour::{Chooses, GroupRouting, Opened};
use super::{Balance, Context, PacketView, Pick, Ports, Position};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "progressive",
    summary: "a packet takes a minimal path while its queue is short, else one through another group, and \
              decides at every switch of its source's group; needs a fabric of groups",
    source: "Shpiner et al. 2017 (Dragonfly+); number of groups compared: modelling assumption",
    parameters: &[
        Parameter {
            name: "threshold",
            kind: Kind::Size,
            default: Some(Value::Size(Bytes(32_768))),
            meaning: "a port is accepted if fewer bytes than this wait there",
        },
        Parameter {
            name: "candidate_groups",
            kind: Kind::Count { minimum: 1, maximum: 64 },
            default: Some(Value::Count(4)),
            meaning: "number of intermediate groups that are drawn at random and compared",
        },
    ],
};

/// The instance at a node.
#[derive(Debug, Clone)]
pub struct Progressive {
    guide: GroupRouting,
    threshold: u64,
    candidate_groups: u64,
}

impl Progressive {
    pub(super) fn new(settings: &Settings, position: Position) -> Progressive {
        Progressive {
            guide: GroupRouting::new(position, Chooses::InGroup),
            threshold: settings.size("threshold").0,
            candidate_groups: settings.count("candidate_groups"),
        }
    }
}

impl Balance for Progressive {
    fn pick<P: Ports>(&mut self, context: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        if !self.guide.may_choose(packet, ports) {
            return self.guide.forward(context, packet, ports);
        }
        let minimal = self.guide.minimal(context, ports);
        if let Some((candidate, waiting)) = minimal
            && waiting < self.threshold
        {
            return self.guide.take_minimal(candidate, packet, ports);
        }
        let mut best: Option<Opened> = None;
        for _ in 0..self.candidate_groups {
            let opened = self.guide.open(context, packet, ports);
            best = best.into_iter().chain(opened).min_by_key(|opened| opened.waiting);
        }
        match (minimal, best) {
            (minimal, Some(opened))
                if minimal.is_none_or(|(_, waiting)| {
                    opened.waiting < self.threshold || opened.waiting < waiting
                }) =>
            {
                GroupRouting::take_non_minimal(opened, packet)
            }
            (Some((candidate, _)), _) => self.guide.take_minimal(candidate, packet, ports),
            (None, _) => Pick::unchanged(Pick::NOWHERE, packet),
        }
    }

    fn may_open(&self, packet: &PacketView) -> Vec<u32> {
        self.guide.may_open(packet)
    }
}
