//! # Idea
//! Three phases: inside each server a reduce-scatter, so that every rank has the sum of a shard; on each rail an
//! all-reduce of that shard over all servers; inside each server an all-gather. All of them go round rings.
//!
//! # Source
//! The two-level all-reduce of NCCL and of training frameworks; Jia et al., "Highly Scalable Deep Learning Training
//! System with Mixed-Precision", 2018. The rings: Patarasuk, Yuan, JPDC 2009.
//!
//! # Parameters
//! `server`: number of consecutive ranks that form a server; it divides the number of ranks. Without it every rank is a
//! server of its own, and all ranks are on one rail.
//!
//! # Invariants
//! With s ranks in each of t servers: 2(s - 1) rounds inside and 2(t - 1) on the rail. A rank sends 2(s - 1)/s S bytes
//! inside its server and 2(t - 1)/t S/s on its rail, in all 2(n - 1)/n S, as round a flat ring; with `server: 1`, or one
//! server, it is that ring. A round of a member waits for the round before.
//!
//! # When it misleads
//! The phases of a rank follow each other and parts are not cut into chunks, while NCCL keeps the links inside and
//! between servers busy at the same time. Ranks must be placed server by server; nothing checks that.

use netloom_units::{Settings, Spec, Value};

use super::chunks::CHUNK;
use super::ring::Ring;
use super::servers::{SERVER, Servers};
use super::{Algorithm, Demand, Factor, Frame, Posted, Step, in_form};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "hierarchical_all_reduce",
    summary: "all-reduce in two levels: rings inside servers, and on rails between them",
    source: "two-level all-reduce of NCCL; Jia et al., 2018",
    parameters: &[SERVER],
};

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HierarchicalAllReduce {
    frame: Frame,
    servers: Servers,
    /// The ring of a server: its first pass comes before the rail, its second one after it.
    inside: Ring,
    /// The ring of a rail, for the larger and for the smaller shard.
    rails: [Ring; 2],
    n_larger: u64,
}

/// A ring, the operation of it, and the first of its tags.
struct Part<'a> {
    ring: &'a Ring,
    is_rail: bool,
    index: u64,
    first_tag: u64,
}

impl HierarchicalAllReduce {
    /// Number of operations of a pass inside a server.
    fn n_inside(&self) -> u64 {
        2 * u64::from(self.servers.size - 1)
    }

    /// Number of operations on a rail.
    fn n_rail(&self) -> u64 {
        4 * u64::from(self.servers.count - 1)
    }

    fn n_operations(&self) -> u64 {
        2 * self.n_inside() + self.n_rail()
    }

    /// What an operation belongs to. After the first pass a member has the sum of the part after its index.
    fn part(&self, position: u32, index: u64) -> Part<'_> {
        let (n_inside, n_rail) = (self.n_inside(), self.n_rail());
        let shard = u64::from((self.servers.of(position).1 + 1) % self.servers.size);
        let rail = &self.rails[usize::from(shard >= self.n_larger)];
        if index < n_inside {
            Part { ring: &self.inside, is_rail: false, index, first_tag: 0 }
        } else if index < n_inside + n_rail {
            Part { ring: rail, is_rail: true, index: index - n_inside, first_tag: self.inside.n_tags() }
        } else {
            Part { ring: &self.inside, is_rail: false, index: index - n_rail, first_tag: 0 }
        }
    }

    /// The position of a member in a ring, and the member at a position.
    fn ring_position(&self, position: u32, is_rail: bool) -> u32 {
        let (server, index) = self.servers.of(position);
        if is_rail { server } else { index }
    }

    fn position_at(&self, ring_position: u32, position: u32, is_rail: bool) -> u32 {
        let (server, index) = self.servers.of(position);
        if is_rail {
            self.servers.position(ring_position, index)
        } else {
            self.servers.position(server, ring_position)
        }
    }

    fn step(&self, position: u32, index: u64) -> Step {
        let Part { ring, is_rail, index, first_tag } = self.part(position, index);
        match ring.operation(self.ring_position(position, is_rail), index) {
            Some(Step::Send { to, tag, bytes }) => {
                Step::Send { to: self.position_at(to, position, is_rail), tag: first_tag + tag, bytes }
            }
            Some(Step::Receive { tag, messages }) => Step::Receive { tag: first_tag + tag, messages },
            Some(Step::Nothing) | None => Step::Nothing,
        }
    }
}

impl Algorithm for HierarchicalAllReduce {
    fn new(frame: Frame, settings: &Settings) -> Result<Self, String> {
        let servers = Servers::new(frame, settings)?;
        let ring = |n_ranks, size| {
            let whole = Settings::new(vec![(CHUNK.name, Value::Absent)]);
            Ring::new(Frame { n_ranks, size, dependent: true }, 2, &whole)
        };
        let inside = ring(servers.size, frame.size)?;
        let (larger, smaller) =
            (frame.size.div_ceil(servers.size.into()), frame.size / u64::from(servers.size));
        let rails = [ring(servers.count, larger)?, ring(servers.count, smaller)?];
        let n_larger = frame.size % u64::from(servers.size);
        Ok(HierarchicalAllReduce { frame, servers, inside, rails, n_larger })
    }

    fn operation(&self, position: u32, index: u64) -> Option<Step> {
        in_form(self.frame.dependent, index, self.n_operations(), |index| self.step(position, index))
    }

    fn n_tags(&self) -> u64 {
        self.inside.n_tags() + self.rails[0].n_tags()
    }

    fn bus_factor(&self) -> Factor {
        Factor::all_reduce(self.frame.n_ranks)
    }

    fn demand(&self) -> Demand {
        Demand::Blocks(2)
    }

    fn total_bytes(&self) -> u128 {
        2 * u128::from(self.frame.n_ranks - 1) * u128::from(self.frame.size)
    }

    fn sends_first(&self) -> bool {
        !self.frame.dependent
    }

    fn lists_receives(&self) -> bool {
        self.frame.dependent
    }

    fn posted(&self, position: u32, index: u64, number: u32) -> Option<Posted> {
        if index >= self.n_operations() {
            return None;
        }
        let Part { ring, is_rail, index, first_tag } = self.part(position, index);
        let posted = ring.posted(self.ring_position(position, is_rail), index, number)?;
        Some(Posted {
            from: self.position_at(posted.from, position, is_rail),
            tag: first_tag + posted.tag,
            ..posted
        })
    }

    fn adds(&self, index: u64) -> bool {
        index < self.n_inside() + self.n_rail() / 2
    }
}
