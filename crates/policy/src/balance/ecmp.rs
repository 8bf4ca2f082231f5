//! # Idea
//! Hash the flow onto one of the equal-cost next hops; every packet of a flow takes the same path.
//!
//! # Source
//! RFC 2992 for the idea; modulo the number of live next hops as in common switches. The mixing function is a modelling
//! assumption.
//!
//! # Parameters
//! `salt`: `switch` mixes the node's number into the hash; `none` gives every node the same hash.
//! `hash`: `mix` is not linear; `linear` is a CRC as in real switches. With it the salt is per tier: each tier of a
//! Clos takes bits of its own. In other fabrics all switches count as one tier.
//! `rehash`: `modulo` rehashes all flows over the remaining next hops; `resilient` (`resilient.rs`) moves only those of
//! the failed one. `buckets`: size of the table of `resilient`.
//!
//! # Invariants
//! Stateless; same flow, same candidates, same next hop. Salted choices at two tiers are independent.
//!
//! # When it misleads
//! `modulo` remaps almost all flows when one of n next hops fails: all but one in n. `resilient` remaps one in n.
//! With `salt: none` the hash polarizes: a second tier chooses by the same hash as the first, and leaves ports unused.

use netloom_units::{Kind, Parameter, Settings, Spec, Value, mix};

use super::linear::LinearHash;
use super::resilient::Resilient;
use super::{Balance, Context, PacketView, Pick, Ports, Position};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "ecmp",
    summary: "hash each flow onto one of the equal-cost next hops",
    source: "RFC 2992; non-linear hash: modelling assumption",
    parameters: &[SALT, HASH, REHASH, BUCKETS],
};

/// The `salt` parameter, shared by all policies that hash.
pub(super) const SALT: Parameter = Parameter {
    name: "salt",
    kind: Kind::Choice(&["switch", "none"]),
    default: Some(Value::Choice("switch")),
    meaning: "`switch`: nodes hash differently (with a linear hash, only tiers do); `none`: all nodes hash \
              alike, so traffic polarizes",
};

/// The `hash` parameter.
pub(super) const HASH: Parameter = Parameter {
    name: "hash",
    kind: Kind::Choice(&["mix", "linear"]),
    default: Some(Value::Choice("mix")),
    meaning: "how a flow is hashed: by a nonlinear mixing function (`mix`), or by a CRC, which is linear over \
              XOR (`linear`)",
};

/// The `rehash` parameter.
pub(super) const REHASH: Parameter = Parameter {
    name: "rehash",
    kind: Kind::Choice(&["modulo", "resilient"]),
    default: Some(Value::Choice("modulo")),
    meaning: "which flows are rehashed when a next hop fails: all (`modulo`), or only those of that next \
              hop (`resilient`)",
};

/// The `buckets` parameter.
pub(super) const BUCKETS: Parameter = Parameter {
    name: "buckets",
    kind: Kind::Count { minimum: 1, maximum: 1 << 20 },
    default: Some(Value::Count(64)),
    meaning: "buckets of the table of `rehash: resilient`; with fewer buckets than next hops, some next hops \
              get no flows",
};

/// The instance at a node.
#[derive(Debug, Clone)]
pub enum Ecmp {
    /// Modulo the number of live next hops.
    Modulo(Hash),
    /// By a table of buckets.
    Resilient(Resilient),
}

impl Ecmp {
    pub(super) fn new(settings: &Settings, position: Position) -> Ecmp {
        let hash = Hash::new(settings, position);
        match settings.choice("rehash") {
            "resilient" => Ecmp::Resilient(Resilient { hash, buckets: settings.count("buckets") as usize }),
            _ => Ecmp::Modulo(hash),
        }
    }
}

impl Balance for Ecmp {
    #[inline]
    fn pick<P: Ports>(&mut self, _: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        let candidate = match self {
            Ecmp::Modulo(hash) => hash.choose(packet.entropy, 0, ports.n_minimal()),
            Ecmp::Resilient(table) => table.choose(packet.entropy, ports),
        };
        Pick::unchanged(candidate, packet)
    }
}

/// The salted hash of one node.
#[derive(Debug, Clone, Copy)]
pub enum Hash {
    /// Not linear.
    Mix {
        /// Makes the hash differ from node to node.
        salt: u64,
    },
    /// Linear over XOR.
    Linear(LinearHash),
}

impl Hash {
    /// The non-linear hash of this position; the salt depends on seed and node, or is zero.
    pub(super) fn mixing(settings: &Settings, position: Position) -> Hash {
        Hash::Mix { salt: salt(settings, position.seed, position.node) }
    }

    /// The hash of this position, as the setting `hash` says.
    pub(super) fn new(settings: &Settings, position: Position) -> Hash {
        match settings.choice("hash") {
            "linear" => Hash::Linear(linear(settings, position)),
            _ => Hash::mixing(settings, position),
        }
    }

    /// The candidate for a flow and a label (the number of its flowlet; only the non-linear mix uses it).
    #[inline(always)]
    pub(super) fn choose(self, entropy: u32, label: u32, n_candidates: usize) -> usize {
        match self {
            Hash::Mix { salt } => {
                let key = u64::from(entropy) | (u64::from(label) << 32);
                // Modulo, as switches do: with candidate counts that divide each other an unsalted hash polarizes.
                (mix(key ^ salt) % n_candidates as u64) as usize
            }
            Hash::Linear(hash) => hash.choose(entropy, n_candidates),
        }
    }
}

fn is_salted(settings: &Settings) -> bool {
    settings.choice("salt") == "switch"
}

fn salt(settings: &Settings, seed: u64, entity: u32) -> u64 {
    if is_salted(settings) { mix(seed ^ mix(u64::from(entity) + 1)) } else { 0 }
}

/// The linear hash of a position: the same for all positions of a tier, and without salt for all positions.
pub(super) fn linear(settings: &Settings, position: Position) -> LinearHash {
    let shift = if is_salted(settings) { position.bits_below } else { 0 };
    LinearHash { initial: salt(settings, position.seed, shift) as u16, shift }
}
