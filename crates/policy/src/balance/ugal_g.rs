//! # Idea
//! As `ugal_l`, but it compares the queues of the global links themselves, wherever in the group they are: as with
//! ideal knowledge of the group.
//!
//! # Source
//! Kim et al., "Technology-driven, highly-scalable dragonfly topology", ISCA 2008, section 4.2 (UGAL-G).
//!
//! # Parameters
//! Those of `ugal_l`.
//!
//! # Invariants
//! Decided once, at the first switch, with one other group drawn. Queues of other switches are as they were at the last
//! multiple of `coordination_delay` (modelling assumption: the source has them without any delay); a switch sees its
//! own queues at every instant. Of the ports towards either group the one with the shortest such queue is taken, then
//! the least loaded one, random among ties.
//!
//! # When it misleads
//! No real switch has this information. All switches of a group see the same state until the next snapshot, and may
//! react to it together.

use netloom_units::{Settings, Spec};

use super::detour::{Chooses, GroupRouting, Opened};
use super::ugal_l::{LONGER_WEIGHT, MINIMAL_WEIGHT, THRESHOLD, Weights};
use super::{Balance, Context, PacketView, Pick, Ports, Position};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "ugal_g",
    summary: "UGAL-G: takes a non-minimal path through another group if the queues of the global links make \
              the minimal path look worse; needs a fabric of groups",
    source: "Kim et al. 2008 (UGAL-G); weights and threshold of BookSim; snapshots: modelling assumption",
    parameters: &[MINIMAL_WEIGHT, LONGER_WEIGHT, THRESHOLD],
};

/// The instance at a node.
#[derive(Debug, Clone)]
pub struct UgalG {
    guide: GroupRouting,
    weights: Weights,
}

impl UgalG {
    pub(super) fn new(settings: &Settings, position: Position) -> UgalG {
        UgalG { guide: GroupRouting::new(position, Chooses::AtSource), weights: Weights::new(settings) }
    }

    /// The candidate of a range with the shortest queue to a group behind it, and that queue.
    fn least_beyond<P: Ports>(
        &mut self,
        context: &mut Context,
        ports: &mut P,
        range: std::ops::Range<usize>,
        group: u32,
    ) -> Option<(usize, u64)> {
        let beyond = |ports: &mut P, candidate| match ports.beyond(candidate, group) {
            Some(beyond) => beyond.least,
            None => ports.waiting_bytes(candidate),
        };
        let shortest = range.clone().map(|candidate| beyond(ports, candidate)).min()?;
        // Among equal remote queues the local one decides.
        let index = self.guide.least_where(context, ports, range.clone(), |ports, candidate| {
            beyond(ports, candidate) == shortest
        })?;
        Some((index, shortest))
    }
}

impl Balance for UgalG {
    fn pick<P: Ports>(&mut self, context: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        if !self.guide.may_choose(packet, ports) {
            return self.guide.forward(context, packet, ports);
        }
        let n_minimal = ports.n_minimal();
        let minimal = self.least_beyond(context, ports, 0..n_minimal, packet.group());
        let longer = self.guide.draw(context, packet).and_then(|group| {
            let range = ports.open(group);
            let (candidate, waiting) = self.least_beyond(context, ports, range, group)?;
            Some(Opened { group, candidate, waiting })
        });
        match (minimal, longer) {
            (Some((_, waiting)), Some(longer)) if !self.weights.prefer_minimal(waiting, longer.waiting) => {
                GroupRouting::take_non_minimal(longer, packet)
            }
            (Some((candidate, _)), _) => self.guide.take_minimal(candidate, packet, ports),
            (None, Some(longer)) => GroupRouting::take_non_minimal(longer, packet),
            (None, None) => Pick::unchanged(Pick::NOWHERE, packet),
        }
    }

    fn may_open(&self, packet: &PacketView) -> Vec<u32> {
        self.guide.may_open(packet)
    }
}
