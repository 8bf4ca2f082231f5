//! # Idea
//! As `ugal_l`, but a packet on its minimal path decides again at every switch of its source's group: the switch with
//! the global link sees the queue that the source could only estimate.
//!
//! # Source
//! Jiang, Kim, Dally, "Indirect adaptive routing on large scale interconnection networks", ISCA 2009, section 3.3
//! (PAR), and the description of it in the dragonfly model of CODES.
//!
//! # Parameters
//! Those of `ugal_l`.
//!
//! # Invariants
//! Once a packet goes through another group it does not decide again, nor after a global link. It needs one more
//! virtual lane (VL) than `ugal_l`: two local links may follow each other in the first group. In groups of two tiers
//! the upper switches send packets only through groups that their own global links lead to, so that no packet goes down
//! before it has left its group (modelling assumption).
//!
//! # When it misleads
//! As `ugal_l`, but the queue of the global link is seen. The hop to the switch with that link is not undone.

use netloom_units::{Settings, Spec};

use super::detour::{Chooses, GroupRouting};
use super::ugal_l::{LONGER_WEIGHT, MINIMAL_WEIGHT, THRESHOLD, Weights, by_own_queues};
use super::{Balance, Context, PacketView, Pick, Ports, Position};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "par",
    summary: "progressive adaptive routing (PAR): as `ugal_l`, but a packet on a minimal path decides again \
              at every switch of its source's group; needs a fabric of groups",
    source: "Jiang et al. 2009 (PAR); weights and threshold of BookSim",
    parameters: &[MINIMAL_WEIGHT, LONGER_WEIGHT, THRESHOLD],
};

/// The instance at a node.
#[derive(Debug, Clone)]
pub struct Par {
    guide: GroupRouting,
    weights: Weights,
}

impl Par {
    pub(super) fn new(settings: &Settings, position: Position) -> Par {
        Par { guide: GroupRouting::new(position, Chooses::InGroup), weights: Weights::new(settings) }
    }
}

impl Balance for Par {
    fn pick<P: Ports>(&mut self, context: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        by_own_queues(&mut self.guide, self.weights, context, packet, ports)
    }

    fn may_open(&self, packet: &PacketView) -> Vec<u32> {
        self.guide.may_open(packet)
    }
}
