//! Packets and bytes are conserved at every port and node: whatever enters leaves, or is dropped and counted.
//!
//! Every switch has a hook that only counts; the same run without hooks must record the same.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use netloom_engine::hook::{Actions, Hook, PlacedHook, Verdict};
use netloom_engine::packet::Packet;
use netloom_engine::{Extensions, Options};
use netloom_model::{Model, Queues, TransportKind};
use netloom_records::DropReason;
use netloom_testkit::fixture::{Clos, ListedWork, Run, Sending, model, simulate, simulate_with};
use netloom_units::{Bytes, NodeId, Time};

use crate::cases::{DAMAGES, Damage, damage, policies, traffic, transports};

const PACKET: u64 = 1000;

/// Packets and bytes by (node, port).
type Counts = BTreeMap<(NodeId, u32), (u64, u64)>;

#[derive(Debug, Default)]
struct Tally {
    arrived: Counts,
    started: Counts,
}

struct Counting {
    node: NodeId,
    tally: Arc<Mutex<Tally>>,
}

fn add(counts: &mut Counts, node: NodeId, port: u32, packet: &Packet) {
    let (packets, bytes) = counts.entry((node, port)).or_default();
    *packets += 1;
    *bytes += u64::from(packet.bytes);
}

impl Hook for Counting {
    fn on_arrival(&mut self, _: Time, ingress: u32, packet: &mut Packet, _: &mut Actions) -> Verdict {
        add(&mut self.tally.lock().expect("unbroken").arrived, self.node, ingress, packet);
        Verdict::Pass
    }

    fn on_start(&mut self, _: Time, egress: u32, packet: &mut Packet, _: &mut Actions) -> Verdict {
        add(&mut self.tally.lock().expect("unbroken").started, self.node, egress, packet);
        Verdict::Pass
    }
}

fn counted(model: &Model, sendings: &[Sending]) -> (Run, Tally) {
    let tally = Arc::new(Mutex::new(Tally::default()));
    let switches = model.fabric.n_hosts() as u32..model.fabric.n_nodes() as u32;
    let position = |node| PlacedHook { node, hook: Box::new(Counting { node, tally: Arc::clone(&tally) }) };
    let hooks = switches.map(NodeId).map(position).collect();
    let extensions = Extensions { hooks, ..Extensions::default() };
    let run = simulate_with(model, ListedWork::new(sendings), Options::default(), extensions);
    let tally = std::mem::take(&mut *tally.lock().expect("unbroken"));
    (run, tally)
}

/// Packets and bytes of one node over the whole run.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Sums {
    /// Arrived and forwarded, as counted by hooks; at a host, created.
    entered: u64,
    /// Consumed by a host.
    consumed: u64,
    sent: u64,
    dropped: u64,
}

struct Books<'a> {
    model: &'a Model,
    run: &'a Run,
    tally: &'a Tally,
    nodes: Vec<Sums>,
}

impl Books<'_> {
    fn open<'a>(model: &'a Model, run: &'a Run, tally: &'a Tally) -> Books<'a> {
        let mut nodes = vec![Sums::default(); model.fabric.n_nodes()];
        for flow in &run.records.flows {
            nodes[flow.source.index()].entered += flow.size.0.div_ceil(PACKET);
            nodes[flow.destination.index()].consumed += u64::from(flow.packets);
            if matches!(model.transport.kind, TransportKind::Window { .. }) {
                nodes[flow.destination.index()].entered += u64::from(flow.packets);
                nodes[flow.source.index()].consumed += u64::from(flow.packets);
            }
        }
        for (&(node, _), counts) in &tally.arrived {
            nodes[node.index()].entered += counts.0;
        }
        run.records.ports.iter().for_each(|port| nodes[port.node.index()].sent += port.packets);
        run.records.drops.iter().for_each(|drop| nodes[drop.node.index()].dropped += drop.packets);
        Books { model, run, tally, nodes }
    }

    /// What a port sent arrives at the other end; transmissions beyond that were cut off and counted.
    fn ports_agree(&self) {
        let fabric = &self.model.fabric;
        let count = |counts: &Counts, slot| counts.get(&slot).copied().unwrap_or_default();
        for port in &self.run.records.ports {
            let drops = || self.run.records.drops.iter().filter(|drop| drop.port == Some(port.port));
            assert_eq!(port.dropped, drops().map(|drop| drop.packets).sum::<u64>(), "{port:?}");
            assert_eq!(port.busy, port.rate.serialization(port.size), "whole ps per byte: {port:?}");
            if !fabric.is_host(port.node) {
                let started = count(&self.tally.started, (port.node, port.index));
                let down = drops().filter(|drop| drop.reason == DropReason::LinkDown);
                let lost: u64 = down.map(|drop| drop.packets).sum();
                assert!(started.0 >= port.packets && started.0 - port.packets <= lost, "{port:?}");
                assert!(lost > 0 || started.1 == port.size.0, "{port:?}");
            }
            if !fabric.is_host(port.peer) {
                let slot = (port.peer, fabric.local_index(fabric.port(port.port).peer));
                assert_eq!((port.packets, port.size.0), count(&self.tally.arrived, slot), "{port:?}");
            }
        }
    }

    fn nodes_agree(&self) {
        for (number, node) in self.nodes.iter().enumerate() {
            assert_eq!(node.entered, node.sent + node.dropped, "node {number}: {node:?}");
            if number < self.model.fabric.n_hosts() {
                let towards = self.run.records.ports.iter().filter(|port| port.peer.index() == number);
                assert_eq!(node.consumed, towards.map(|port| port.packets).sum::<u64>(), "host {number}");
            }
        }
        let sent: u64 = self.nodes.iter().map(|node| node.sent).sum();
        assert_eq!(self.run.outcome.hops, sent);
    }

    fn flows_agree(&self) {
        let records = &self.run.records;
        let delivered: u64 = records.flows.iter().map(|flow| u64::from(flow.packets)).sum();
        let open_loop = matches!(self.model.transport.kind, TransportKind::OpenLoop { .. });
        let dropped: u64 = records.drops.iter().map(|drop| drop.packets).sum();
        if open_loop {
            assert_eq!(self.run.outcome.packets, delivered + dropped);
        }
        if open_loop && dropped == 0 {
            let hops: u64 = records.flows.iter().map(|flow| flow.hops).sum();
            assert_eq!(hops, records.ports.iter().map(|port| port.packets).sum::<u64>());
        }
        for flow in &records.flows {
            let whole = flow.size.0.div_ceil(PACKET) == u64::from(flow.packets);
            assert_eq!(flow.end.is_some(), whole, "{flow:?}");
        }
    }
}

fn check(model: &Model, sendings: &[Sending]) -> Run {
    let (run, tally) = counted(model, sendings);
    assert_eq!(run.records.flows.len(), sendings.len());
    let books = Books::open(model, &run, &tally);
    books.ports_agree();
    books.nodes_agree();
    books.flows_agree();
    let plain = simulate(model, ListedWork::new(sendings));
    assert_eq!(plain.results(), run.clone().results(), "hooks that only count do not change results");
    run
}

fn clos() -> Model {
    let mut clos = Clos::new(3, 3, 3);
    clos.shape.fabric_links = 2;
    let mut model = model(clos.wiring());
    model.transport.packet = Bytes(PACKET);
    model
}

#[test]
fn no_packet_is_lost_on_healthy_links() {
    for (name, policy) in policies() {
        for (transport, kind, control) in transports() {
            let mut model = clos();
            model.balances.switch = policy.clone();
            model.transport.kind = kind;
            model.classes.control = control;
            let run = check(&model, &traffic(3, 9, 60, 617));
            assert!(run.records.drops.is_empty(), "{name}, {transport}");
        }
    }
}

#[test]
fn packets_lost_on_failed_links_are_counted() {
    let mut n_cut_off = 0;
    for (_, policy) in policies() {
        for (wrong, knowledge) in DAMAGES.into_iter().filter(|case| case.0 != Damage::None) {
            for paced in 0..2 {
                let mut model = clos();
                model.seed = 5 + paced;
                model.balances.switch = policy.clone();
                model.transport.kind = transports()[paced as usize].1;
                model.awareness = knowledge;
                damage(&mut model, wrong, 9);
                let run = check(&model, &traffic(4, 9, 80, 617));
                n_cut_off += run.records.drops.iter().filter(|d| d.reason == DropReason::LinkDown).count();
            }
        }
    }
    assert!(n_cut_off > 0, "the faults cut off no packet");
}

#[test]
fn packets_dropped_by_full_queues_are_counted() {
    for (_, policy) in policies() {
        for limits in [(Some(4_000), None), (Some(4_000), Some(9_500)), (None, Some(1_000))] {
            let mut model = clos();
            model.balances.switch = policy.clone();
            model.queues = Queues {
                switch_limit: limits.0.map(Bytes),
                host_limit: limits.1.map(Bytes),
                ..Queues::default()
            };
            let run = check(&model, &traffic(5, 9, 80, 617));
            assert!(run.records.drops.iter().any(|drop| drop.reason == DropReason::QueueFull));
            for port in &run.records.ports {
                let is_host = model.fabric.is_host(port.node);
                let limit = if is_host { limits.1 } else { limits.0 };
                assert!(port.peak_size.simulated().0 <= limit.unwrap_or(u64::MAX), "{port:?}");
            }
        }
    }
}
