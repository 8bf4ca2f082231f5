//! # Idea
//! Forwarding tables: each switch sends all packets of one destination, or of one pair of hosts, by one fixed port.
//!
//! # Source
//! InfiniBand's linear forwarding tables. How they are filled is a modelling assumption, after the modulo rule for fat
//! trees (Zahavi et al., Concurrency and Computation, 2010).
//!
//! # Parameters
//! `key`: `destination` distributes the hosts over the next hops by their numbers; in a fat tree aggregation switches
//! and cores use higher digits (see `deal.rs`). `pair` hashes the numbers of both ends with that of the switch.
//! `together`: the number of consecutive turns, and so of consecutive hosts, that get one next hop.
//!
//! # Invariants
//! Stateless; same key, same candidates, same port, and with `destination` independent of the seed. Static routes take
//! precedence: the switch looks them up before it calls the policy.
//!
//! # When it misleads
//! When a next hop fails, almost all keys change their port; a subnet manager would move only those of the failed one.
//! In a fabric given as a list all switches use the same digit, so those of a third tier use only a part of their next
//! hops.

use netloom_units::{Kind, Parameter, Settings, Spec, Value, mix};

use super::destination_modulo::DestinationModulo;
use super::{Balance, Chosen, Context, PacketView, Pick, Ports, Position};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "deterministic",
    summary: "forwarding tables: all packets to one destination, or of one pair of hosts, take one next hop",
    source: "InfiniBand's linear forwarding tables; how they are filled: modelling assumption",
    parameters: &[
        Parameter {
            name: KEY,
            kind: Kind::Choice(&["destination", BY_PAIR]),
            default: Some(Value::Choice("destination")),
            meaning: "key of a table entry: the destination, or the pair of source and destination",
        },
        Parameter {
            name: TOGETHER,
            kind: Kind::Count { minimum: 1, maximum: 65_536 },
            default: Some(Value::Count(1)),
            meaning: "number of consecutive hosts that share a next hop (with `key: destination`)",
        },
    ],
};

const KEY: &str = "key";
const BY_PAIR: &str = "pair";
/// The setting for the number of consecutive turns of one next hop.
pub const TOGETHER: &str = "together";

/// Whether entries are by source and destination.
pub fn is_by_pair(settings: &Settings) -> bool {
    settings.choice(KEY) == BY_PAIR
}

/// Whether a policy has tables by source and destination.
pub fn goes_by_pair(chosen: &Chosen) -> bool {
    matches!(chosen, Chosen::Registered { settings, .. } if chosen.is(SPEC.name) && is_by_pair(settings))
}

/// The instance at a node.
#[derive(Debug, Clone)]
pub enum Deterministic {
    /// By destination.
    Destination {
        /// The turn of each destination.
        deal: DestinationModulo,
        /// Number of consecutive turns of one next hop.
        together: usize,
    },
    /// By source and destination.
    Pair {
        /// Makes the hash differ from node to node.
        salt: u64,
    },
}

impl Deterministic {
    pub(super) fn new(settings: &Settings, position: Position) -> Deterministic {
        if is_by_pair(settings) {
            let salt = mix(position.seed ^ mix(u64::from(position.node) + 1));
            return Deterministic::Pair { salt };
        }
        Deterministic::Destination { deal: position.deal, together: settings.count(TOGETHER) as usize }
    }

    #[inline]
    fn choose(&self, packet: &PacketView, n_candidates: usize) -> usize {
        match self {
            Deterministic::Destination { deal, together } => {
                deal.turn(packet.destination) / together % n_candidates
            }
            Deterministic::Pair { salt } => {
                let pair = u64::from(packet.destination.0) << 32 | u64::from(packet.sender().0);
                (mix(pair ^ salt) % n_candidates as u64) as usize
            }
        }
    }
}

impl Balance for Deterministic {
    #[inline]
    fn pick<P: Ports>(&mut self, _: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        Pick::unchanged(self.choose(packet, ports.n_minimal()), packet)
    }

    fn may_take<P: Ports>(&mut self, packet: &PacketView, ports: &P) -> Vec<usize> {
        vec![self.choose(packet, ports.n_minimal())]
    }
}
