//! # Idea
//! Every packet takes a next hop chosen uniformly at random.
//!
//! # Source
//! Random packet spraying: Dixit et al., "On the Impact of Packet Spraying in Data Center Networks", INFOCOM 2013.
//!
//! # Parameters
//! None.
//!
//! # Invariants
//! One random draw per packet that has a choice.
//!
//! # When it misleads
//! It ignores load and unequal paths: after failures it overloads the remaining links of a damaged spine. It reorders.

use netloom_units::{Settings, Spec};

use super::{Balance, Context, PacketView, Pick, Ports, Position};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "spray",
    summary: "each packet takes a random next hop",
    source: "Dixit et al., INFOCOM 2013",
    parameters: &[],
};

/// The instance at a node: all its state is the node's random stream.
#[derive(Debug, Clone)]
pub struct Spray;

impl Spray {
    pub(super) fn new(_: &Settings, _: Position) -> Spray {
        Spray
    }
}

impl Balance for Spray {
    #[inline]
    fn pick<P: Ports>(&mut self, context: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        Pick::unchanged(context.random.below(ports.n_minimal() as u32) as usize, packet)
    }
}
