//! What a chain of messages waited for, summed by cause under the names that people read.
//!
//! Models: a name for each cause; queues by the kinds of the nodes at both ends of their links. The sites of the waits,
//! too: the NIC of the sender, or the port of a queue.
//! Leaves out: the chain.

use std::collections::BTreeMap;

use netloom_model::Port;
use netloom_records::{Cause as Kind, CauseRow, node_kind};
use netloom_report::{OTHER_QUEUES, cause_name};
use netloom_units::{HostId, PortId};

use super::Cause;
use super::chain::Chain;
use crate::prepare::Prepared;

/// Time in which ranks computed, or were busy with overheads.
const COMPUTING: &str = "computing and overheads";
/// Messages of earlier steps that started before the step did.
const EARLIER_STEPS: &str = "messages of earlier steps";

/// Sums by name, in ps.
pub(super) struct Sums<'a> {
    prepared: &'a Prepared,
    by_name: BTreeMap<String, u64>,
}

/// Where messages waited, in ps.
#[derive(Debug, Default)]
pub(super) struct Sites(BTreeMap<Site, u64>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Site {
    Nic(HostId),
    Queue(PortId),
}

impl Sites {
    /// Adds a message: all that its causes say of a site.
    pub fn add_message(&mut self, causes: &CauseRow) {
        let at_sender = [Kind::Earlier, Kind::Turn, Kind::Window, Kind::Pacing, Kind::Timeout, Kind::Pause];
        *self.0.entry(Site::Nic(causes.source)).or_default() +=
            at_sender.map(|cause| causes.time(cause).0).iter().sum::<u64>();
        for (port, wait) in causes.waits() {
            *self.0.entry(Site::Queue(port)).or_default() += wait.0;
        }
    }

    /// The sites with the largest sums.
    pub fn largest(&self, most: usize, prepared: &Prepared) -> Vec<Cause> {
        let mut sites: Vec<(Site, u64)> = self.0.iter().map(|(site, time)| (*site, *time)).collect();
        sites.retain(|(_, time)| *time > 0);
        sites.sort_by_key(|(site, time)| (std::cmp::Reverse(*time), *site));
        sites.truncate(most);
        let named =
            |(site, time): (Site, u64)| Cause { name: site.name(prepared), time_s: time as f64 / 1e12 };
        sites.into_iter().map(named).collect()
    }
}

/// The names of the nodes at both ends of a port's link.
pub(super) fn ends(prepared: &Prepared, port: PortId) -> [&str; 2] {
    let compiled = &prepared.compiled;
    let fabric = &compiled.model.fabric;
    [fabric.port(port).node, fabric.neighbour(port)].map(|node| compiled.node_names[node.index()].as_str())
}

/// A port by the nodes at both ends of its link, and by the link if it is one of several between them.
pub(super) fn port_name(prepared: &Prepared, port: PortId) -> String {
    let compiled = &prepared.compiled;
    let fabric = &compiled.model.fabric;
    let of_port = fabric.port(port);
    let peer = fabric.neighbour(port);
    let is_parallel = |other: &Port| other.link != of_port.link && fabric.port(other.peer).node == peer;
    let link = fabric.ports_of(of_port.node).iter().any(is_parallel).then_some(of_port.link);
    let link = link.and_then(|link| compiled.link_names.get(link.index()));
    ends(prepared, port).join(" -> ") + &link.map(|link| format!(" ({link})")).unwrap_or_default()
}

impl Site {
    fn name(self, prepared: &Prepared) -> String {
        match self {
            Site::Nic(host) => format!("NIC of {}", prepared.compiled.node_names[host.index()]),
            Site::Queue(port) => format!("queue {}", port_name(prepared, port)),
        }
    }
}

impl<'a> Sums<'a> {
    /// None yet.
    pub fn new(prepared: &'a Prepared) -> Sums<'a> {
        Sums { prepared, by_name: BTreeMap::new() }
    }

    /// Adds what a chain has besides its messages.
    pub fn add_chain(&mut self, chain: &Chain) {
        self.add(EARLIER_STEPS, chain.earlier.0);
        let before = chain.members.iter().map(|member| member.before.0).sum::<u64>();
        self.add(COMPUTING, before + chain.rest.0);
    }

    /// Adds a message, with waits at ports in ps: all of them, or the longest ones.
    pub fn add_message(&mut self, causes: &CauseRow, waits: impl Iterator<Item = (PortId, u64)>) {
        let mut rest = causes.queues.0;
        for (port, wait) in waits {
            let tiers = self.tiers(port);
            self.add(&format!("queues {tiers}"), wait);
            rest = rest.saturating_sub(wait);
        }
        for cause in Kind::ALL {
            let time = if cause == Kind::Queues { rest } else { causes.time(cause).0 };
            self.add(if cause == Kind::Queues { OTHER_QUEUES } else { cause_name(cause) }, time);
        }
    }

    fn add(&mut self, name: &str, time: u64) {
        match self.by_name.get_mut(name) {
            Some(sum) => *sum += time,
            None => _ = self.by_name.insert(name.to_owned(), time),
        }
    }

    /// The kinds of the nodes at both ends of a port's link.
    fn tiers(&self, port: PortId) -> String {
        ends(self.prepared, port).map(node_kind).join(" -> ")
    }

    /// The causes with any time, the largest first.
    pub fn finish(self) -> Vec<Cause> {
        let present = self.by_name.into_iter().filter(|(_, time)| *time > 0);
        let mut causes: Vec<(u64, String)> = present.map(|(name, time)| (time, name)).collect();
        causes.sort_by(|one, other| other.cmp(one));
        causes.into_iter().map(|(time, name)| Cause { name, time_s: time as f64 / 1e12 }).collect()
    }
}
