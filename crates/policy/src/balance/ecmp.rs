//! # Idea
//! Hash the flow onto one of the equal-cost next hops; every packet of a flow takes the same path.
//!
//! # Source
//! RFC 2992 for the idea; the modulo over the live next hops as in common switches. The mixing function is ours.
//!
//! # Parameters
//! `salt`: `switch` mixes the node's number into the hash; `none` gives every node the same hash.
//!
//! # Invariants
//! Stateless; same flow, same candidates, same answer. The hash is non-linear, so salted choices at two tiers are
//! independent.
//!
//! # When it misleads
//! `mod` remaps almost all flows when one next hop dies; resilient hashing would remap only those of the dead one.
//! With `salt: none` a second tier sees a function of the first tier's choice and leaves ports unused.

use netloom_units::{Kind, Parameter, Settings, Spec, Value, mix};

use super::{Balance, Context, PacketView, Pick, Ports, Seat};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "ecmp",
    summary: "hash each flow onto one of the equal-cost next hops",
    source: "RFC 2992; non-linear mix (ours)",
    parameters: &[SALT],
};

/// The `salt` parameter, shared by all policies that hash.
pub(super) const SALT: Parameter = Parameter {
    name: "salt",
    kind: Kind::Choice(&["switch", "none"]),
    default: Some(Value::Choice("switch")),
    meaning: "what makes the hash differ from node to node; `none` shows polarization",
};

/// The instance at a node.
#[derive(Debug, Clone)]
pub struct Ecmp {
    hash: Hash,
}

impl Ecmp {
    pub(super) fn new(settings: &Settings, seat: Seat) -> Ecmp {
        Ecmp { hash: Hash::new(settings, seat) }
    }
}

impl Balance for Ecmp {
    #[inline]
    fn pick<P: Ports>(&mut self, _: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        Pick::plain(self.hash.choose(packet.entropy, 0, ports.n_minimal()), packet)
    }
}

/// The salted hash of one node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hash {
    salt: u64,
}

impl Hash {
    /// The hash of this seat; the salt depends on seed and node, or on nothing.
    pub(super) fn new(settings: &Settings, seat: Seat) -> Hash {
        let salted = settings.choice("salt") == "switch";
        Hash { salt: if salted { mix(seat.seed ^ mix(u64::from(seat.node) + 1)) } else { 0 } }
    }

    /// The candidate for a flow and its label (the number of its flowlet).
    #[inline]
    pub(super) fn choose(self, entropy: u32, label: u32, n_candidates: usize) -> usize {
        let key = u64::from(entropy) | (u64::from(label) << 32);
        // Modulo, as switches do: with candidate counts that divide each other an unsalted hash polarizes.
        (mix(key ^ self.salt) % n_candidates as u64) as usize
    }
}
