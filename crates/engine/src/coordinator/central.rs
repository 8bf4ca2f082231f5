//! A central load-balancing controller: it reads all flows at intervals, and its plans reach all switches a latency
//! later.
//!
//! Models: readings at multiples of the interval; the flows that have a message in flight then; plans that reach every
//! switch at the same instant (all modelling assumptions, see `docs/policies/nslb.md`).
//! Leaves out: the planning itself (`policy/src/central`).
//!
//! Invariants: when the controller reads the flows at an instant, no event of that instant has been processed yet.

use std::collections::VecDeque;
use std::sync::Arc;

use netloom_model::{Model, Routing};
use netloom_policy::balance::{Chosen, nslb};
use netloom_policy::central::{Controller, Demand, Plan, Site};
use netloom_units::{HostId, NodeId, Time};

use super::Coordinator;
use super::messages::nic;

/// The controller, its next reading, and the plans that have not reached the switches.
pub(super) struct Central {
    controller: Controller,
    interval: u64,
    latency: u64,
    next_look: u64,
    plans: VecDeque<(u64, Arc<Plan>)>,
}

impl Central {
    /// The controller of a model whose switches use one.
    pub(super) fn new(model: &Model) -> Option<Central> {
        let Chosen::Registered { settings, .. } = &model.balances.switch else { return None };
        let Routing::LeafSpine(shape) = &model.routing else { return None };
        if !model.balances.switch.is(nslb::SPEC.name) {
            return None;
        }
        let site = Site {
            first_leaf: NodeId(shape.n_hosts()),
            n_leaves: shape.leaves,
            n_paths: shape.spines * shape.fabric_links,
        };
        let (controller, interval, latency) = nslb::controller(settings, site);
        let (interval, latency) = (interval.0, latency.0);
        Some(Central { controller, interval, latency, next_look: interval, plans: VecDeque::new() })
    }

    /// The instant of the next reading or of the next plan's arrival, in ps.
    pub(super) fn next(&self) -> u64 {
        self.plans.front().map_or(u64::MAX, |plan| plan.0).min(self.next_look)
    }
}

impl Coordinator<'_, '_> {
    /// A plan reaches the switches, or the controller reads the flows.
    pub(super) fn act_centrally(&mut self, at: u64) {
        let Some(mut central) = self.central.take() else { return };
        if central.plans.front().is_some_and(|plan| plan.0 == at) {
            let plan = central.plans.pop_front().expect("just seen").1;
            self.spread(&plan);
        } else {
            if let Some(plan) = central.controller.look(Time(at), self.demands().into_iter()) {
                central.plans.push_back((at + central.latency, plan));
            }
            central.next_look = at + central.interval;
        }
        self.central = Some(central);
    }

    /// The flows that have a message in flight.
    fn demands(&self) -> Vec<Demand> {
        let round_state = self.scheduler.round_state.read().expect("no thread panicked");
        let leaf = |host: HostId| self.switch_above(host).expect("hosts hang below leaves");
        let demand = |index: u32| {
            let flow = round_state.flows[index as usize];
            let (source, destination) = (flow.source, flow.message.to);
            let entropy = self.at_host(source, |host| {
                if host.nic.is_some() {
                    return nic(host).sends.get_mut(flow.send_pair).entropy;
                }
                host.sends.get_mut(flow.send_slot).entropy()
            });
            Demand { source, destination, entropy, leaves: (leaf(source), leaf(destination)) }
        };
        self.table.unfinished().map(demand).collect()
    }

    fn spread(&self, plan: &Arc<Plan>) {
        for number in 0..self.scheduler.partitions.len() {
            let mut partition = self.scheduler.partition(number);
            for node in partition.nodes.iter_mut().filter(|node| node.host.is_none()) {
                node.balancer.adopt(plan);
            }
        }
    }
}
