//! Buffers that wait for each other in a ring, so that nothing in them ever moves again.
//!
//! Models: a port is stuck in a lane if it has no credits for the packet that it sends there next, none are on their way
//! back, nothing more can be staged there, and every packet that could leave the buffer at the other end waits for a stuck
//! port in turn. What is left of all ports when those are taken out of which this is not true is stuck for ever.
//! Leaves out: links that fail, behind which nobody waits for long.

use std::collections::BTreeSet;

use netloom_model::Credits;
use netloom_units::{NodeId, PortId};

use super::Coordinator;
use crate::credit::Crossbar;
use crate::node::Node;

/// From one look to the next, in ps.
pub(super) const INTERVAL: u64 = 500_000_000;

/// A port and a lane.
type PortLane = (PortId, usize);

impl Coordinator<'_, '_> {
    /// At `now`, the ports of a ring that wait for each other, each for the next and the last for the first; empty if there is none.
    pub(super) fn find_ring(&self, now: u64) -> Vec<PortId> {
        let Some(credits) = &self.model.queues.credits else { return Vec::new() };
        let mut stuck = self.without_credits(credits, now);
        loop {
            let n_before = stuck.len();
            let held: BTreeSet<PortLane> = stuck
                .iter()
                .filter(|channel| self.behind(**channel).iter().all(|next| stuck.contains(next)))
                .copied()
                .collect();
            stuck = held;
            if stuck.len() == n_before {
                break;
            }
        }
        self.ring_in(&stuck)
    }

    /// Follows who waits for whom until it comes round.
    fn ring_in(&self, stuck: &BTreeSet<PortLane>) -> Vec<PortId> {
        let mut way: Vec<PortLane> = stuck.first().copied().into_iter().collect();
        while let Some(&last) = way.last() {
            let Some(&next) = self.behind(last).first() else { break };
            if let Some(start) = way.iter().position(|&channel| channel == next) {
                return way[start..].iter().map(|channel| channel.0).collect();
            }
            way.push(next);
        }
        Vec::new()
    }

    /// Ports of switches towards switches that have packets of a lane and credits for none of them, none being on their way.
    fn without_credits(&self, credits: &Credits, now: u64) -> BTreeSet<PortLane> {
        let fabric = &self.model.fabric;
        let mut found = BTreeSet::new();
        for (number, port) in fabric.ports().iter().enumerate() {
            let id = PortId(number as u32);
            let (from, to) = (port.node, fabric.neighbour(id));
            if fabric.is_host(from) || fabric.is_host(to) {
                continue;
            }
            let (local, far) = (fabric.local_index(id), fabric.local_index(port.peer));
            let is_stuck = |&lane: &usize| {
                let (blocks, lacks) = self.at_crossbar(from, |node, crossbar| {
                    let credits = node.ports[local as usize].credits_at(now);
                    let blocks = credits.get(lane).copied().unwrap_or(0);
                    let ahead = node.ports[local as usize].bytes_ahead_at(now);
                    (blocks, crossbar.lacks(local, lane, blocks, ahead))
                });
                lacks
                    && blocks + self.at_crossbar(to, |_, crossbar| crossbar.queues.held(far, lane))
                        == credits.initial()
            };
            found.extend((0..credits.n_lanes()).filter(is_stuck).map(|lane| (id, lane)));
        }
        found
    }

    /// What the packets that could leave the buffer behind a channel wait for.
    fn behind(&self, (port, lane): PortLane) -> Vec<PortLane> {
        let fabric = &self.model.fabric;
        let peer = fabric.port(port).peer;
        let node = fabric.port(peer).node;
        let first = fabric.port_range(node).start;
        self.at_crossbar(node, |_, crossbar| {
            let heads = crossbar.queues.heads(fabric.local_index(peer), lane);
            heads.map(|entry| (PortId(first + entry.egress), crossbar.lane(&entry.packet))).collect()
        })
    }

    fn at_crossbar<R>(&self, node: NodeId, look: impl FnOnce(&Node, &Crossbar) -> R) -> R {
        let (partition, place) = self.seating.of_node[node.index()];
        let partition = self.hall.partition(partition as usize);
        let node = &partition.nodes[place as usize];
        look(node, node.crossbar.as_deref().expect("switches have crossbars where there are credits"))
    }
}
