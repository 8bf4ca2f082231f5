//! # Idea
//! The sequence number of a data packet names its path: consecutive packets of a flow go round over all next hops, and
//! whoever knows two numbers knows whether they shared a path. Control packets are hashed.
//!
//! # Source
//! Themis, section 3.2, equation 1: path = (PSN mod N + base mod N) mod N, where the base is the flow's hash.
//!
//! # Parameters
//! `salt`: as for `ecmp`, of the base.
//!
//! # Invariants
//! Stateless. With n next hops, n consecutive packets of a flow take n different ones.
//!
//! # When it misleads
//! Switches of several tiers would all go round in step, and use a part of the paths only: it is meant for two tiers.
//! Numbers count packets of the queue pair or, without queue pairs, of the message.

use netloom_units::{Settings, Spec};

use super::ecmp::{Hash, SALT};
use super::{Balance, Context, PacketView, Pick, Ports, Seat};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "psn_spray",
    summary: "the packet's sequence number chooses the next hop, round over all of them",
    source: "Themis, section 3.2",
    parameters: &[SALT],
};

/// The instance at a node.
#[derive(Debug, Clone)]
pub struct PsnSpray {
    hash: Hash,
}

impl PsnSpray {
    pub(super) fn new(settings: &Settings, seat: Seat) -> PsnSpray {
        PsnSpray { hash: Hash::new(settings, seat) }
    }
}

impl Balance for PsnSpray {
    #[inline]
    fn pick<P: Ports>(&mut self, _: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        let n = ports.n_minimal();
        let base = self.hash.choose(packet.entropy, 0, n);
        let turn = if packet.is_data { packet.sequence as usize % n } else { 0 };
        Pick::plain((turn + base) % n, packet)
    }
}
