//! # Idea
//! The sequence number of a data packet selects its path: consecutive packets of a flow rotate over all next hops, and
//! two sequence numbers show whether their packets shared a path. Control packets are hashed.
//!
//! # Source
//! Themis, section 3.2, equation 1: path = (PSN mod N + base mod N) mod N, where the base is the flow's hash. In three
//! tiers the first switch flips bits of the UDP source port, and the hashes of the switches above do the rest.
//!
//! # Parameters
//! `salt` and `hash`: as for `ecmp`, of the base.
//!
//! # Invariants
//! Stateless. With n next hops, n consecutive packets of a flow take n different ones. In three tiers, with N paths, N
//! consecutive packets take N different ones, and the path of number p is the path of the flow XOR (p mod N).
//!
//! # When it misleads
//! Without path naming, the switches of several tiers would all rotate in step, and use only a part of the paths.
//! Sequence numbers count packets of the queue pair or, without queue pairs, of the message. Packets that stay within a
//! pod have fewer paths than there are names, so several names mean one path.

use std::sync::Arc;

use netloom_units::{Settings, Spec};

use super::destination_modulo::DestinationModulo;
use super::ecmp::{HASH, Hash, SALT, linear};
use super::{Balance, Context, PacketView, PathPart, Pick, Ports, Position};
use crate::edge::path_map::{PathMap, Tier, Unreachable};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "psn_spray",
    summary: "the packet's sequence number selects the next hop, in rotation over all of them",
    source: "Themis, section 3.2",
    parameters: &[SALT, HASH],
};

/// The instance at a node.
#[derive(Debug, Clone)]
pub struct PsnSpray {
    hash: Hash,
    part: Part,
    is_off: bool,
}

/// Its role in path selection.
#[derive(Debug, Clone)]
enum Part {
    /// It chooses the whole path: there is one tier with a choice.
    Whole,
    /// It names the path.
    First(Arc<PathMap>),
    /// It follows the path name.
    Later,
}

/// The table by which the first switches name paths, given the number of hash bits that each tier uses.
///
/// # Errors
/// If some path cannot be named.
pub fn path_map(settings: &Settings, bits: &[u32]) -> Result<PathMap, Unreachable> {
    let mut bits_below = 0;
    let tiers = bits.iter().map(|&bits| {
        // The initial hash value moves all flows of a switch alike: any switch represents its tier.
        let position = Position {
            seed: 0,
            node: 0,
            neighbours: &[],
            bits_below,
            deal: DestinationModulo::PLAIN,
            groups: None,
        };
        bits_below += bits;
        Tier { hash: linear(settings, position), bits }
    });
    PathMap::new(&tiers.collect::<Vec<_>>())
}

impl PsnSpray {
    /// The next hop of a data packet with this number, flow and tag, where paths are named; and its tag from here on.
    #[inline(never)]
    fn pick_by_name(&self, sequence: u32, entropy: u32, tag: u32, n_candidates: usize) -> (usize, u32) {
        let tag = match &self.part {
            Part::First(paths) if !self.is_off => paths.pattern(sequence),
            Part::First(_) | Part::Whole => 0,
            Part::Later => tag,
        };
        // The bits flipped in the source port are carried in the tag: ACKs use the original port of the flow.
        (self.hash.choose(entropy ^ tag, 0, n_candidates), tag)
    }

    pub(super) fn new(settings: &Settings, position: Position) -> PsnSpray {
        PsnSpray { hash: Hash::new(settings, position), part: Part::Whole, is_off: false }
    }
}

impl Balance for PsnSpray {
    #[inline(always)]
    fn pick<P: Ports>(&mut self, _: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        let n = ports.n_minimal();
        if packet.is_data && !matches!(self.part, Part::Whole) {
            // Passes single fields, so that the rest of the packet view is not built.
            let (candidate, tag) = self.pick_by_name(packet.sequence, packet.entropy, packet.tag, n);
            return Pick { candidate, class: packet.class, tag };
        }
        let base = self.hash.choose(packet.entropy, 0, n);
        let turn = if packet.is_data && !self.is_off { packet.sequence as usize % n } else { 0 };
        let beyond = (turn + base).checked_sub(n);
        Pick::unchanged(beyond.unwrap_or(turn + base), packet)
    }

    fn take_part(&mut self, part: PathPart<'_>) {
        self.part = match part {
            PathPart::First(paths) => Part::First(Arc::clone(paths)),
            PathPart::Later => Part::Later,
        };
    }

    fn fall_back(&mut self, is_off: bool) {
        self.is_off = is_off;
    }
}
