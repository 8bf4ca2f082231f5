//! The network as a whole: its state and the loop of events.
//!
//! Models: the closed list of events, one after the other.
//! Leaves out: nothing of its own; each part states what it leaves out.
//! Invariant: a run ends at the deadline, or when only ticks of congestion control are pending.

use super::account;
use super::buffer::Buffer;
use super::clock::{Clock, Event};
use super::crossbar::Crossbar;
use super::fabric::{NodeIdx, PortIdx};
use super::nic::Nic;
use super::outcome::{Cause, Fate, Outcome};
use super::packet::{Kind, Packet};
use super::scene::{PathChoice, Scene};
use super::wire::Port;

/// A running network.
pub(super) struct World<'a> {
    pub(super) scene: &'a Scene,
    pub(super) paths: &'a mut dyn PathChoice,
    pub(super) clock: Clock,
    /// By node and port.
    pub(super) ports: Vec<Vec<Port>>,
    /// By node; those of switches are not used.
    pub(super) nics: Vec<Nic>,
    /// By node; those of hosts are not used.
    pub(super) buffers: Vec<Buffer>,
    /// By node; those of hosts are not used, nor any without credits.
    pub(super) crossbars: Vec<Crossbar>,
    pub(super) outcome: Outcome,
}

/// Runs a scene to its end.
pub fn play(scene: &Scene, paths: &mut dyn PathChoice) -> Outcome {
    let mut world = World::new(scene, paths);
    for (number, message) in scene.messages.iter().enumerate() {
        assert!(message.bytes > 0 && message.from != message.to, "nothing to send in {message:?}");
        world.clock.schedule(message.at, Event::Post { node: message.from, message: number });
    }
    while let Some(event) = world.clock.advance(scene.deadline) {
        world.handle(event);
    }
    world.outcome.end = world.clock.now();
    world.check_books();
    world.outcome
}

impl<'a> World<'a> {
    fn new(scene: &'a Scene, paths: &'a mut dyn PathChoice) -> World<'a> {
        let nodes = || 0..scene.fabric.n_nodes();
        let hosts_have_a_port =
            nodes().all(|node| !scene.fabric.is_host(node) || scene.fabric.n_ports(node) == 1);
        assert!(hosts_have_a_port, "every host has one link");
        let port = |_| Port::with_credits(account::at_first(scene));
        let ports = |node| (0..scene.fabric.n_ports(node)).map(port).collect();
        World {
            scene,
            paths,
            clock: Clock::default(),
            ports: nodes().map(ports).collect(),
            nics: nodes().map(|_| Nic::default()).collect(),
            buffers: nodes().map(|node| Buffer::new(scene, node)).collect(),
            crossbars: nodes().map(|node| Crossbar::new(scene, node)).collect(),
            outcome: Outcome { messages: vec![Fate::default(); scene.messages.len()], ..Outcome::default() },
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Arrival { node, port, packet } => self.arrive(node, port, packet),
            Event::Credit { node, port, lane, blocks } => self.take_back(node, port, lane, blocks),
            Event::Departure { node, ingress } => self.depart(node, ingress),
            Event::Post { node, message } => self.post(node, message),
            Event::Alpha { node, slot } => self.tick_alpha(node, slot),
            Event::Decrease { node, slot } => self.tick_decrease(node, slot),
            Event::Increase { node, slot } => self.tick_increase(node, slot),
            Event::Timeout { node, slot } => self.time_out(node, slot),
            Event::Start { node, port } => self.start(node, port),
            Event::Arbitration { node } => self.arbitrate(node),
        }
    }

    /// Whether a node is a switch with input buffers and a crossbar.
    pub(super) fn has_crossbar(&self, node: NodeIdx) -> bool {
        self.scene.credits.is_some() && !self.scene.fabric.is_host(node)
    }

    fn arrive(&mut self, node: NodeIdx, port: PortIdx, packet: Packet) {
        if self.has_crossbar(node) {
            return self.buffer(node, port, packet);
        }
        self.note(node, Cause::Arrival(port));
        match packet.kind {
            Kind::Xoff => self.ports[node][port].is_stopped = true,
            Kind::Xon => {
                self.ports[node][port].is_stopped = false;
                self.look_at(node, port);
            }
            _ if self.scene.fabric.is_host(node) => {
                if let Some(credits) = &self.scene.credits {
                    self.give_back(node, port, credits.lane(packet.kind), packet.bytes);
                }
                self.consume(node, &packet);
            }
            _ => self.forward(node, port, packet),
        }
    }

    /// Records the cause of an event at this node and instant.
    pub(super) fn note(&mut self, node: NodeIdx, cause: Cause) {
        self.outcome.causes.push((self.clock.now(), node, cause));
    }

    /// If every packet has been sent, all buffers are empty.
    fn check_books(&self) {
        let is_idle = self.ports.iter().flatten().all(|port| port.data.is_empty());
        let frames_are_out =
            self.ports.iter().flatten().all(|port| port.control.is_empty() && port.frame.is_none());
        if is_idle && frames_are_out {
            assert!(self.buffers.iter().all(Buffer::is_empty), "an empty network holds bytes");
        }
        if self.outcome.end < self.scene.deadline && self.crossbars.iter().all(Crossbar::is_empty) {
            assert!(self.has_all_credits(), "an empty network owes credits");
        }
    }
}
