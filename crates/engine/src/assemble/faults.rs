//! Link and switch changes: the initial state of ports, and the timers of later changes.
//!
//! Invariants: if a change is noticed at once, one timer serves both the change and the notice.

use std::collections::BTreeMap;

use netloom_model::detection::{Outage, notices};
use netloom_model::{FaultAction, LinkDetection, Model, Outages};
use netloom_units::{Bytes, LinkId, NodeId, PortId, Time};

use super::Builder;
use crate::context::{Change, TimerKind};
use crate::partition::Partition;
use crate::port::Egress;

/// Purpose number of the random streams for bit errors, one per port.
const ERROR_PURPOSE: u64 = 0x65_7272_6f72;

/// How a link changes during the run.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Changes {
    /// Whether its rate changes.
    rate: bool,
}

/// The links that change during the run; links whose only fault is to be down from the start count as absent.
pub(super) fn changing(model: &Model) -> BTreeMap<LinkId, Changes> {
    let mut changing: BTreeMap<LinkId, Changes> = BTreeMap::new();
    for fault in &model.faults {
        if fault.at > Time::ZERO || fault.turns().is_none() {
            let changes = changing.entry(fault.link).or_default();
            changes.rate |= matches!(fault.action, FaultAction::Rate(_));
        }
    }
    changing
}

impl Builder<'_> {
    /// Whether a link changes during the run.
    pub(super) fn changes(&self, link: LinkId) -> bool {
        self.changing.contains_key(&link)
    }

    /// Whether a link keeps its initial rate.
    pub(super) fn is_steady(&self, link: LinkId) -> bool {
        self.changing.get(&link).is_none_or(|changes| !changes.rate)
    }

    /// Prepares a port for the changes of its link; `limit` is its queue limit in bytes.
    pub(super) fn let_change(&self, egress: &mut Egress, link: LinkId, limit: Option<Bytes>) {
        let Some(changes) = self.changing.get(&link) else { return };
        egress.will_change(self.stream(ERROR_PURPOSE, egress.id()));
        if changes.rate {
            egress.will_slow_down(limit);
        }
    }

    pub(super) fn set_faults(&self, partitions: &mut [Partition]) {
        let dead = Outages::of_switches(&self.model.switch_faults);
        for fault in &self.model.switch_faults {
            self.set_switch(partitions, fault.node, fault.at, fault.up);
        }
        for (&link, outages) in Outages::of_links(&self.model.faults).iter() {
            for port in self.model.fabric.links()[link.index()].ends {
                let own = dead.get(&self.model.fabric.port(port).node);
                let noticed = notices(outages, own, &self.model.reaction);
                self.set_outages(partitions, port, outages, &noticed);
            }
        }
        for (number, fault) in (0_u32..).zip(&self.model.faults) {
            if fault.turns().is_some() {
                continue;
            }
            for port in self.model.fabric.links()[fault.link.index()].ends {
                if fault.at == Time::ZERO {
                    self.at(partitions, port, |node, local| node.set(0, local, fault.action));
                } else {
                    self.expect(partitions, port, fault.at, Change::RateOrErrors(number));
                }
            }
        }
    }

    fn set_switch(&self, partitions: &mut [Partition], node: NodeId, at: Time, up: bool) {
        let (partition, slot) = self.placement.of_node[node.index()];
        let partition = &mut partitions[partition as usize];
        if at == Time::ZERO {
            partition.nodes[slot as usize].is_dead = !up;
        } else {
            partition.context.set_timer(at.0, slot, TimerKind::Switch { up });
        }
    }

    /// Sets the outages of a port's link, and the timers of when the port notices them.
    fn set_outages(
        &self,
        partitions: &mut [Partition],
        port: PortId,
        outages: &[Outage],
        noticed: &[LinkDetection],
    ) {
        let is_noticed = |at: Time, up: bool| noticed.binary_search(&LinkDetection { at, up }).is_ok();
        for outage in outages.iter().filter(|outage| outage.from > Time::ZERO) {
            let until = outage.until.map_or(u64::MAX, |until| until.0);
            self.at(partitions, port, |node, local| {
                node.ports[local as usize].will_go_down(outage.from.0, until);
            });
            if !is_noticed(outage.from, false) {
                self.expect(partitions, port, outage.from, Change::LinkLost);
            }
            if let Some(until) = outage.until.filter(|&until| !is_noticed(until, true)) {
                self.expect(partitions, port, until, Change::LinkRestored);
            }
        }
        for notice in noticed {
            if notice.at == Time::ZERO {
                self.at(partitions, port, |node, local| {
                    node.ports[local as usize].go_down(0);
                    node.update_live_ports();
                });
            } else {
                let change = if notice.up { Change::Up } else { Change::Down };
                self.expect(partitions, port, notice.at, change);
            }
        }
    }

    /// Applies a function to the node of a port and the port's local number.
    fn at(&self, partitions: &mut [Partition], port: PortId, act: impl FnOnce(&mut crate::node::Node, u32)) {
        let (partition, slot) = self.placement.of_node[self.model.fabric.port(port).node.index()];
        let node = &mut partitions[partition as usize].nodes[slot as usize];
        act(node, self.model.fabric.local_index(port));
    }

    /// Sets the timer of a change of the link at a port.
    fn expect(&self, partitions: &mut [Partition], port: PortId, at: Time, change: Change) {
        let (partition, slot) = self.placement.of_node[self.model.fabric.port(port).node.index()];
        let port = self.model.fabric.local_index(port);
        partitions[partition as usize].context.set_timer(at.0, slot, TimerKind::Fault { port, change });
    }
}
