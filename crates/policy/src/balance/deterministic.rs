//! # Idea
//! Forwarding tables: each switch sends everything to one destination, or of one pair of hosts, by one fixed port.
//!
//! # Source
//! InfiniBand's linear forwarding tables. How they are filled is ours, after the modulo rule for fat trees (Zahavi et al.,
//! Concurrency and Computation, 2010).
//!
//! # Parameters
//! `key`: `destination` deals the hosts over the next hops in turn, by their numbers; in a fat tree aggregation switches
//! and cores go by higher digits (see `deal.rs`). `pair` hashes the numbers of both ends with the switch's own.
//! `together`: how many turns in a row, so hosts that follow each other, get one next hop.
//!
//! # Invariants
//! Stateless; same key, same candidates, same answer, whatever the seed with `destination`. Entries listed by hand come
//! first: the switch looks them up before anybody is asked.
//!
//! # When it misleads
//! When a next hop dies, almost all keys are dealt anew; a subnet manager would move those of the dead one. In a fabric
//! that is listed all switches go by the same digit, so those of a third tier would use a part of their next hops.

use netloom_units::{Kind, Parameter, Settings, Spec, Value, mix};

use super::deal::Deal;
use super::{Balance, Chosen, Context, PacketView, Pick, Ports, Position};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "deterministic",
    summary: "forwarding tables: everything to one destination, or of one pair of hosts, by one next hop",
    source: "InfiniBand; how tables are filled is ours",
    parameters: &[
        Parameter {
            name: KEY,
            kind: Kind::Choice(&["destination", BY_PAIR]),
            default: Some(Value::Choice("destination")),
            meaning: "what shares one entry of a table: all that goes to one host, or that of one source to it",
        },
        Parameter {
            name: TOGETHER,
            kind: Kind::Count { minimum: 1, maximum: 65_536 },
            default: Some(Value::Count(1)),
            meaning: "with `key: destination`, hosts that follow each other and are dealt as one",
        },
    ],
};

const KEY: &str = "key";
const BY_PAIR: &str = "pair";
/// The setting that says how many turns in a row one next hop has.
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
        /// Whose turn it is.
        deal: Deal,
        /// How many turns one next hop has in a row.
        together: usize,
    },
    /// By source and destination.
    Pair {
        /// Makes it differ from node to node.
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
