//! Global failure awareness: next hops over the links that are up, and how Themis reacts.
//!
//! Models: snapshots of the whole fabric, taken between windows, of the link changes noticed long enough ago.
//! Leaves out: what the nodes at the ends of a link notice by themselves.

use std::num::NonZeroU32;

use netloom_model::{FailureAwareness, reroute};
use netloom_policy::edge::themis::Failure;
use netloom_units::{Duration, HostId, NodeId, Time};

use super::Coordinator;
use crate::node::Node;

impl Coordinator<'_, '_> {
    /// Global routing converges: next hops over the links known to be up at `at`.
    pub(super) fn reroute(&mut self, at: u64) {
        self.apply_notifications(at);
        let FailureAwareness::Global(paths) = self.model.awareness else { return };
        // With all links up the original routing applies again.
        let overlay = self
            .dead
            .contains(&true)
            .then(|| reroute::overlay(&self.model.fabric, &self.model.routing, &self.dead, paths));
        self.scheduler.round_state.write().expect("no thread panicked").overlay = overlay;
        let is_broken = self.is_fabric_broken();
        for number in 0..self.scheduler.partitions.len() {
            for node in &mut self.scheduler.partition(number).nodes {
                node.note_overlay();
                self.notify(node, is_broken);
            }
        }
    }

    /// Applies the link state changes that are globally known by `at`.
    fn apply_notifications(&mut self, at: u64) {
        self.dead.resize(self.model.fabric.links().len(), false);
        let late = self.model.reaction.reconvergence;
        while let Some((notice, link)) =
            self.pending_notices.pop_front_if(|(notice, _)| is_known(notice.at, late, at))
        {
            self.dead[link.index()] = !notice.up;
        }
    }

    /// Whether a link between switches is known to be down.
    fn is_fabric_broken(&self) -> bool {
        let fabric = &self.model.fabric;
        let is_inner = |link: usize| {
            fabric.links()[link].ends.iter().all(|&port| !fabric.is_host(fabric.port(port).node))
        };
        (0..self.dead.len()).any(|link| self.dead[link] && is_inner(link))
    }

    fn notify(&self, node: &mut Node, is_broken: bool) {
        match self.failure {
            None => {}
            Some(Failure::Ecmp) => node.set_failure_known(is_broken),
            Some(Failure::Subset) => {
                if let Some(edge) = &mut node.edge {
                    edge.renew_paths(|source, to| self.paths_left(source, to));
                }
            }
        }
    }

    /// Number of paths from the switch above a host to another host, as far as is known, if packets are sprayed over
    /// the remaining ones.
    pub(super) fn paths_left(&self, source: HostId, to: HostId) -> Option<NonZeroU32> {
        if self.failure != Some(Failure::Subset) || !self.dead.contains(&true) {
            return None;
        }
        let fabric = &self.model.fabric;
        let first = self.switch_above(source)?;
        let round_state = self.scheduler.round_state.read().expect("no thread panicked");
        let overlaid = round_state.overlay.as_ref().and_then(|overlay| overlay.next_hops(first, to));
        let set = overlaid.unwrap_or_else(|| self.model.routing.next_hops(first, to));
        let ports = fabric.ports_of(first);
        let is_live = |&port: &u32| !self.dead[ports[port as usize].link.index()];
        NonZeroU32::new(set.iter().filter(is_live).count() as u32)
    }

    /// The switch above a host, by its first port.
    pub(super) fn switch_above(&self, host: HostId) -> Option<NodeId> {
        let fabric = &self.model.fabric;
        let port = fabric.ports_of(fabric.host_node(host)).first()?;
        Some(fabric.port(port.peer).node)
    }
}

/// Whether a link change noticed at `noticed` is known globally; failures at time zero always are.
fn is_known(noticed: Time, late: Duration, now: u64) -> bool {
    noticed == Time::ZERO || (noticed + late).0 <= now
}
