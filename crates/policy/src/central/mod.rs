//! Central assignment: a controller that sees the matrix of all flows assigns a path to each of them.
//!
//! Models: how a controller turns the reported flows into a plan, in which switches look flows up.
//! Leaves out: when flows are reported, and how long plans take to reach the switches (the engine's part); unknown
//! flows, which each switch forwards by its own rule (`balance/nslb.rs`).
//!
//! Source: Piarulli et al. 2026, section II.A, name the flow matrix and assignments without collisions, but no algorithm; edge
//! colouring is the exact form of it (modelling assumption), `colouring.rs`.
//!
//! Invariants: the same flows reported in the same sequence give the same plans, for any order within a report.

pub mod colouring;

use std::collections::BTreeMap;
use std::sync::Arc;

use netloom_units::{Duration, HostId, NodeId, StateWriter, Time};

use colouring::Edge;

/// What gets a path of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Every flow.
    Flow,
    /// All flows of a pair of hosts together.
    Hosts,
    /// All flows from one leaf to another together.
    Edges,
}

/// The key of a flow in plans: sender and receiver (hosts, or leaves), and its hash input, 0 if that is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u32, u32, u32);

/// A flow that is reported to the controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    /// The sending host.
    pub source: HostId,
    /// The receiving host.
    pub destination: HostId,
    /// The flow's hash input.
    pub entropy: u32,
    /// The leaves that the two hosts are attached to.
    pub leaves: (NodeId, NodeId),
}

impl Demand {
    /// Its key for this unit of assignment.
    pub fn key(&self, unit: Unit) -> Key {
        let Demand { source, destination, entropy, leaves } = *self;
        match unit {
            Unit::Flow => Key(source.0, destination.0, entropy),
            Unit::Hosts => Key(source.0, destination.0, 0),
            Unit::Edges => Key(leaves.0.0, leaves.1.0, 0),
        }
    }
}

/// The path of each known flow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// In rising order of keys.
    paths: Vec<(Key, u32)>,
}

impl Plan {
    /// The path of a flow, if it is known: the number of an uplink, which also determines the downlink.
    pub fn path(&self, key: Key) -> Option<u32> {
        let index = self.paths.binary_search_by_key(&key, |entry| entry.0).ok()?;
        Some(self.paths[index].1)
    }

    /// Writes the state that later answers depend on.
    pub fn write_state(&self, out: &mut StateWriter) {
        for &(Key(source, destination, entropy), path) in &self.paths {
            out.word(u64::from(source) | (u64::from(destination) << 32));
            out.word(u64::from(entropy) | (u64::from(path) << 32));
        }
    }

    /// The number of flows in it.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Whether it has no flow.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }
}

/// The fabric that a controller plans for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site {
    /// The first leaf of the fabric; the others follow.
    pub first_leaf: NodeId,
    /// The number of leaves.
    pub n_leaves: u32,
    /// Number of paths from each leaf to each other one.
    pub n_paths: u32,
}

/// A flow that the controller tracks.
#[derive(Debug, Clone, Copy)]
struct TrackedFlow {
    leaves: (NodeId, NodeId),
    path: Option<u32>,
    seen: Time,
}

/// The controller.
#[derive(Debug)]
pub struct Controller {
    unit: Unit,
    site: Site,
    /// A flow is forgotten if it has not been seen for longer than this.
    memory: Duration,
    tracked: BTreeMap<Key, TrackedFlow>,
}

impl Controller {
    /// A controller without flows.
    pub fn new(unit: Unit, site: Site, memory: Duration) -> Controller {
        Controller { unit, site, memory, tracked: BTreeMap::new() }
    }

    /// Reads the current flows; returns the plan if it has changed.
    pub fn look(&mut self, now: Time, demands: impl Iterator<Item = Demand>) -> Option<Arc<Plan>> {
        let mut has_changed = false;
        for demand in demands.filter(|demand| demand.leaves.0 != demand.leaves.1) {
            let fresh = TrackedFlow { leaves: demand.leaves, path: None, seen: now };
            self.tracked.entry(demand.key(self.unit)).and_modify(|known| known.seen = now).or_insert_with(
                || {
                    has_changed = true;
                    fresh
                },
            );
        }
        let n_before = self.tracked.len();
        let memory = self.memory;
        self.tracked.retain(|_, known| now - known.seen <= memory);
        (has_changed || self.tracked.len() < n_before).then(|| self.plan())
    }

    fn plan(&mut self) -> Arc<Plan> {
        let number = |leaf: NodeId| leaf.0 - self.site.first_leaf.0;
        let edge = |known: &TrackedFlow| {
            let (from, to) = known.leaves;
            Edge { from: number(from), to: number(to), kept: known.path }
        };
        let edges: Vec<Edge> = self.tracked.values().map(edge).collect();
        let paths = colouring::colour(&edges, self.site.n_leaves, self.site.n_paths);
        for (known, &path) in self.tracked.values_mut().zip(&paths) {
            known.path = Some(path);
        }
        Arc::new(Plan { paths: self.tracked.keys().copied().zip(paths).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(source: u32, destination: u32, entropy: u32) -> Demand {
        let leaves = (NodeId(8 + source / 4), NodeId(8 + destination / 4));
        Demand { source: HostId(source), destination: HostId(destination), entropy, leaves }
    }

    fn controller(unit: Unit) -> Controller {
        Controller::new(unit, Site { first_leaf: NodeId(8), n_leaves: 2, n_paths: 4 }, Duration(100))
    }

    #[test]
    fn unchanged_flows_need_no_new_plan() {
        let mut controller = controller(Unit::Flow);
        let all = || [demand(0, 4, 1), demand(1, 5, 1)].into_iter();
        let plan = controller.look(Time(0), all()).expect("two flows are new");
        assert_eq!(plan.len(), 2);
        assert!(controller.look(Time(50), all().rev()).is_none());
        // No flow is reported for a while: the flows are kept, and then forgotten.
        assert!(controller.look(Time(150), std::iter::empty()).is_none());
        assert!(controller.look(Time(151), std::iter::empty()).expect("it has changed").is_empty());
    }

    #[test]
    fn flows_of_a_unit_share_a_path() {
        let all = || [demand(0, 4, 1), demand(0, 4, 2), demand(1, 4, 1), demand(0, 1, 7)].into_iter();
        for (unit, n_known) in [(Unit::Flow, 3), (Unit::Hosts, 2), (Unit::Edges, 1)] {
            let plan = controller(unit).look(Time(0), all()).expect("flows are new");
            assert_eq!(plan.len(), n_known, "{unit:?}");
            let paths: Vec<_> = all().map(|demand| plan.path(demand.key(unit))).collect();
            assert_eq!(paths[3], None, "a flow below one leaf needs no path");
            assert_eq!(paths[0] == paths[1], unit != Unit::Flow, "{unit:?}");
            assert_eq!(paths[0] == paths[2], unit == Unit::Edges, "{unit:?}");
        }
    }
}
