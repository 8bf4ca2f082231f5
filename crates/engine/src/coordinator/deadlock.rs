//! Credit deadlock: buffers that wait for each other in a cycle, so that no packet in them ever moves again.
//!
//! Models: an egress port is stuck in a VL if it has no credits for the packet that it would send there next, no
//! credits are in flight back to it, no further packet can be staged there, and every packet that could leave the
//! buffer at the other end of the link waits for a stuck port in turn. Ports for which this does not hold are removed
//! repeatedly; the ports that remain are stuck for ever.
//! Leaves out: links that fail; packets do not wait behind those for long.

use std::collections::BTreeSet;

use netloom_model::Credits;
use netloom_units::{NodeId, PortId};

use super::Coordinator;
use crate::credit::Crossbar;
use crate::node::Node;

/// Time between two checks, in ps.
pub(super) const INTERVAL: u64 = 500_000_000;

/// A port and a VL.
type PortVl = (PortId, usize);

impl Coordinator<'_, '_> {
    /// The ports of a cycle at `now`, each waiting for the next and the last for the first; empty if there is none.
    pub(super) fn find_credit_cycle(&self, now: u64) -> Vec<PortId> {
        let Some(credits) = &self.model.queues.credits else { return Vec::new() };
        let mut stuck = self.without_credits(credits, now);
        loop {
            let n_before = stuck.len();
            let held: BTreeSet<PortVl> = stuck
                .iter()
                .filter(|channel| self.behind(**channel).iter().all(|next| stuck.contains(next)))
                .copied()
                .collect();
            stuck = held;
            if stuck.len() == n_before {
                break;
            }
        }
        self.cycle_in(&stuck)
    }

    /// Follows the wait-for relation from the first stuck port until a port repeats.
    fn cycle_in(&self, stuck: &BTreeSet<PortVl>) -> Vec<PortId> {
        let mut chain: Vec<PortVl> = stuck.first().copied().into_iter().collect();
        while let Some(&last) = chain.last() {
            let Some(&next) = self.behind(last).first() else { break };
            if let Some(start) = chain.iter().position(|&channel| channel == next) {
                return chain[start..].iter().map(|channel| channel.0).collect();
            }
            chain.push(next);
        }
        Vec::new()
    }

    /// Switch-to-switch ports that have packets of a VL, no credits for any of them, and no credits in flight back to
    /// them.
    fn without_credits(&self, credits: &Credits, now: u64) -> BTreeSet<PortVl> {
        let fabric = &self.model.fabric;
        let is_stuck = |&(id, vl, blocks): &(PortId, usize, u32)| {
            let to = fabric.neighbour(id);
            if fabric.is_host(to) {
                return false;
            }
            let far = fabric.local_index(fabric.port(id).peer);
            blocks + self.at_crossbar(to, |_, crossbar| crossbar.queues.used_credits(far, vl))
                == credits.initial()
        };
        let short = self.short_of_credits(credits.n_vls(), now);
        short.into_iter().filter(is_stuck).map(|(id, vl, _)| (id, vl)).collect()
    }

    /// Switch ports that have packets of a VL and no credits for any of them, with the credits that they have.
    fn short_of_credits(&self, n_vls: usize, now: u64) -> Vec<(PortId, usize, u32)> {
        let mut short = Vec::new();
        for number in 0..self.scheduler.partitions.len() {
            for node in &self.scheduler.partition(number).nodes {
                let Some(crossbar) = &node.crossbar else { continue };
                let waiting = crossbar.outputs.iter().zip(&node.ports).zip(0..);
                for ((_, egress), local) in waiting.filter(|((output, _), _)| output.n_waiting > 0) {
                    let (credits, ahead) = (egress.credits_at(now), egress.precomputed_bytes_at(now));
                    let lacks = |&vl: &usize| crossbar.lacks(local, vl, credits[vl], ahead);
                    let vls = (0..n_vls).filter(lacks);
                    short.extend(vls.map(|vl| (egress.id(), vl, credits[vl])));
                }
            }
        }
        short
    }

    /// The ports and VLs for which the head packets of the buffer downstream of a channel wait.
    fn behind(&self, (port, vl): PortVl) -> Vec<PortVl> {
        let fabric = &self.model.fabric;
        let peer = fabric.port(port).peer;
        let node = fabric.port(peer).node;
        let first = fabric.port_range(node).start;
        self.at_crossbar(node, |_, crossbar| {
            let heads = crossbar.queues.heads(fabric.local_index(peer), vl);
            heads.map(|entry| (PortId(first + entry.egress), crossbar.vl(&entry.packet))).collect()
        })
    }

    fn at_crossbar<R>(&self, node: NodeId, look: impl FnOnce(&Node, &Crossbar) -> R) -> R {
        let (partition, slot) = self.placement.of_node[node.index()];
        let partition = self.scheduler.partition(partition as usize);
        let node = &partition.nodes[slot as usize];
        look(node, node.crossbar.as_deref().expect("switches have crossbars where there are credits"))
    }
}
