//! # Idea
//! Packets of one ingress port take the candidates in turn.
//!
//! # Source
//! Packet spraying by round robin; a pointer per ingress port, since one shared pointer phase-locks with deterministic
//! senders and arbiters.
//!
//! # Parameters
//! None.
//!
//! # Invariants
//! For the packets of one ingress port towards one candidate set, the counts per candidate differ by at most one.
//!
//! # When it misleads
//! Pointers start at random ports; with several destinations behind one ingress port the turns interleave, so the
//! counts of a single flow may differ by more than one. It ignores load.

use netloom_units::{Random, Settings, Spec, StateWriter};

use super::{Balance, Context, PacketView, Pick, Ports, Position};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "round_robin",
    summary: "packets of one ingress port take the next hops in round robin",
    source: "modelling assumption, after common practice",
    parameters: &[],
};

/// Purpose number of the random stream of the initial pointers.
const POINTER_PURPOSE: u64 = 0x7272;

/// The instance at a node: one pointer per ingress port and one for a host's own packets.
#[derive(Debug, Clone)]
pub struct RoundRobin {
    pointers: Box<[u32]>,
}

impl RoundRobin {
    pub(super) fn new(_: &Settings, position: Position) -> RoundRobin {
        let mut random = Random::stream(position.seed, POINTER_PURPOSE, u64::from(position.node));
        RoundRobin { pointers: (0..=position.n_ports()).map(|_| random.next_u32() >> 8).collect() }
    }
}

impl Balance for RoundRobin {
    #[inline]
    fn pick<P: Ports>(&mut self, _: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        let pointer = &mut self.pointers[packet.ingress as usize];
        let candidate = *pointer as usize % ports.n_minimal();
        *pointer = pointer.wrapping_add(1);
        Pick::unchanged(candidate, packet)
    }

    fn write_state(&self, out: &mut StateWriter) {
        self.pointers.iter().for_each(|&pointer| out.word(u64::from(pointer)));
    }
}
