//! The network as a whole: state, event loop, and the interface for applications.
//!
//! Models: the closed list of events, executed one after the other until none is left.
//! Leaves out: deadlines; a run ends when the queue of events is empty.
//! Invariant: an application sees the network only between events or inside the handling of a packet that completes a
//! flow.
//! Source: specification of the seed simulator, section 1.

use super::choice::Choice;
use super::clock::Clock;
use super::fabric::{Fabric, NodeIdx, PortIdx};
use super::node::Node;
use super::packet::{FlowIdx, FlowRecord, Message, Packet};
use super::port::Hop;

/// Number of an actor: one of the parties of an application. The application assigns the numbers.
pub type ActorIdx = usize;

/// The application that drives the network: actors that send messages when an alarm expires or a message has arrived.
pub trait Application {
    /// An alarm set by [`Network::wake_after`] expires.
    fn wake(&mut self, network: &mut Network<'_>, actor: ActorIdx);

    /// The last byte of a flow of this actor has just been handled.
    fn completed(&mut self, network: &mut Network<'_>, actor: ActorIdx, flow: FlowIdx);
}

/// All events.
pub(super) enum Event {
    /// An alarm of an actor expires.
    Wake(ActorIdx),
    /// A message is injected at its host.
    Inject(FlowIdx),
    /// A port checks whether it can send.
    Drain { node: NodeIdx, port: PortIdx },
    /// A packet's last bit reaches a node.
    Deliver { node: NodeIdx, packet: Packet },
    /// A node handles the packets of its inbox.
    Handle { node: NodeIdx },
}

/// Counts over the whole network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Packets created.
    pub created: u64,
    /// Packets handled at a host.
    pub delivered: u64,
    /// Packets dropped for lack of a route or of hops.
    pub dropped: u64,
    /// Links crossed, summed over delivered packets.
    pub hops: u64,
    /// Fewest and most links crossed by a delivered packet.
    pub hops_range: Option<(u32, u32)>,
}

impl Totals {
    pub(super) fn count_delivery(&mut self, hops: u32) {
        self.delivered += 1;
        self.hops += u64::from(hops);
        let (least, most) = self.hops_range.unwrap_or((hops, hops));
        self.hops_range = Some((least.min(hops), most.max(hops)));
    }
}

/// A running network.
pub struct Network<'a> {
    pub(super) fabric: &'a Fabric,
    pub(super) choice: &'a mut dyn Choice,
    pub(super) ttl: u32,
    pub(super) clock: Clock<Event>,
    pub(super) nodes: Vec<Node>,
    pub(super) flows: Vec<FlowRecord>,
    pub(super) injected: Vec<FlowIdx>,
    pub(super) link_bytes: Vec<u64>,
    pub(super) link_busy_s: Vec<f64>,
    pub(super) totals: Totals,
    pub(super) trace: Option<Vec<Hop>>,
}

impl<'a> Network<'a> {
    /// An idle network at time 0; packets may cross `ttl - 1` switches.
    pub fn new(fabric: &'a Fabric, choice: &'a mut dyn Choice, ttl: u32) -> Self {
        let n_links = fabric.links().len();
        Network {
            fabric,
            choice,
            ttl,
            clock: Clock::new(),
            nodes: (0..fabric.n_nodes()).map(|node| Node::new(fabric.n_ports(node))).collect(),
            flows: Vec::new(),
            injected: Vec::new(),
            link_bytes: vec![0; n_links],
            link_busy_s: vec![0.0; n_links],
            totals: Totals::default(),
            trace: None,
        }
    }

    /// Records, from now on, every packet that leaves a node.
    pub fn record_trace(&mut self) {
        self.trace.get_or_insert_default();
    }

    /// Executes events until none is left; returns the time of the last one.
    pub fn run(&mut self, application: &mut dyn Application) -> f64 {
        while let Some(event) = self.clock.advance() {
            match event {
                Event::Wake(actor) => application.wake(self, actor),
                Event::Inject(flow) => self.inject(flow),
                Event::Drain { node, port } => self.drain(node, port),
                Event::Deliver { node, packet } => self.deliver(node, packet),
                Event::Handle { node } => self.handle(node, application),
            }
        }
        self.clock.now()
    }

    /// The current time, in seconds.
    pub fn now(&self) -> f64 {
        self.clock.now()
    }

    /// Registers a message to be sent for `actor`; it is sent only when injected.
    pub fn announce(&mut self, actor: ActorIdx, message: Message) -> FlowIdx {
        assert!(message.bytes > 0 && message.mtu > 0, "nothing to send in {message:?}");
        let record = FlowRecord { message, actor, injected_at: None, completed_at: None, received_bytes: 0 };
        self.flows.push(record);
        self.flows.len() - 1
    }

    /// Injects an announced message after `delay` seconds.
    pub fn inject_after(&mut self, delay: f64, flow: FlowIdx) {
        self.clock.schedule(delay, Event::Inject(flow));
    }

    /// Rings an alarm for `actor` after `delay` seconds.
    pub fn wake_after(&mut self, delay: f64, actor: ActorIdx) {
        self.clock.schedule(delay, Event::Wake(actor));
    }

    /// All flows, in the order they were announced.
    pub fn flows(&self) -> &[FlowRecord] {
        &self.flows
    }

    /// The flows injected so far, in the order of injection.
    pub fn injected(&self) -> &[FlowIdx] {
        &self.injected
    }

    /// The longest queue seen at each port of each node, in packets.
    pub fn port_peaks(&self) -> Vec<Vec<usize>> {
        self.nodes.iter().map(|node| node.ports.iter().map(|port| port.peak).collect()).collect()
    }

    /// Packets handled at a host.
    pub fn consumed(&self, host: NodeIdx) -> u64 {
        self.nodes[host].consumed
    }

    /// Bytes sent over each link, both directions together.
    pub fn link_bytes(&self) -> &[u64] {
        &self.link_bytes
    }

    /// Seconds each link spent sending, both directions together.
    pub fn link_busy_s(&self) -> &[f64] {
        &self.link_busy_s
    }

    /// Counts over the whole network.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }
}
