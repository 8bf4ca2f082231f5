//! # Idea
//! Every packet to another group goes through a third one, drawn at random: any traffic pattern is spread evenly over
//! the global links, at twice the path length.
//!
//! # Source
//! Valiant, "A scheme for fast parallel communication", SIAM Journal on Computing 1982; for groups: Kim et al.,
//! "Technology-driven, highly-scalable dragonfly topology", ISCA 2008, section 4.1.
//!
//! # Parameters
//! None.
//!
//! # Invariants
//! The group is neither that of the source nor that of the destination, each other one with equal probability. If a
//! switch has several ports towards a group, the least loaded one is taken, random among ties (modelling assumption).
//! Within a group paths are minimal.
//!
//! # When it misleads
//! Uniform traffic loses half of the global bandwidth. Some simulators draw a node and not a group, which may be in the
//! group of the source; then the packet takes a minimal path.

use netloom_units::{Settings, Spec};

use super::detour::{Chooses, GroupRouting};
use super::{Balance, Context, PacketView, Pick, Ports, Position};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "valiant",
    summary: "Valiant routing: every packet to another group goes through a random intermediate group; \
              needs a fabric of groups",
    source: "Valiant 1982; Kim et al. 2008",
    parameters: &[],
};

/// The instance at a node.
#[derive(Debug, Clone)]
pub struct Valiant {
    guide: GroupRouting,
}

impl Valiant {
    pub(super) fn new(_: &Settings, position: Position) -> Valiant {
        Valiant { guide: GroupRouting::new(position, Chooses::AtSource) }
    }
}

impl Balance for Valiant {
    fn pick<P: Ports>(&mut self, context: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        if self.guide.may_choose(packet, ports)
            && let Some(opened) = self.guide.open(context, packet, ports)
        {
            return GroupRouting::take_non_minimal(opened, packet);
        }
        self.guide.forward(context, packet, ports)
    }

    fn may_open(&self, packet: &PacketView) -> Vec<u32> {
        self.guide.may_open(packet)
    }
}
