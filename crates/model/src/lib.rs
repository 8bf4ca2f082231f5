//! The compiled model: the scenario as flat arrays of numbers and ids.
//!
//! Models: the fabric (nodes, ports, links), routing over it, the choices of balancing, transport and queueing, the
//! jobs and background traffic, the faults, and the seed.
//! Leaves out: text, files, how it was written, how it is simulated.
//!
//! Invariants: immutable once built; no lookup by string; two equal models give equal runs.

pub mod classes;
pub mod credits;
pub mod detection;
pub mod fabric;
pub mod fault;
pub mod hosts;
pub mod ideal;
mod levels;
pub mod partition;
pub mod rdma;
pub mod reroute;
pub mod routing;
pub mod settings;
pub mod static_routes;
pub mod steps;
pub mod work;
pub mod workload;

pub use classes::{DataClass, DataClasses, Schedule};
pub use credits::{Credits, Forwarding, InputOrder};
pub use detection::{LinkDetection, Outage, Outages};
pub use fabric::{Fabric, FabricBuilder, Link, Port};
pub use fault::{
    Errors, EventAction, FailureAwareness, Fault, FaultAction, FaultEvent, Reaction, ReroutePaths, Storm,
    Subject, SwitchFault,
};
pub use hosts::Hosts;
pub use partition::Partitions;
pub use rdma::{Adapting, Buffer, Marking, NackReaction, Pause, QueuePairs, Rdma, RootMarking, Sizes};
pub use routing::{
    Arrangement, Dragonfly, DragonflyPlus, DragonflyPlusShape, DragonflyShape, FatTree, FatTreeNode,
    GlobalLinkMap, LeafSpine, Overlay, PortKind, PortSet, Rail, RailNode, Routing, Tables,
};
pub use settings::{
    Balances, CongestionTree, FlowHashInput, NamedFlow, PriorityMap, Queues, RecordedCauses, Recording,
    Sampling, Transport, TransportKind,
};
pub use static_routes::StaticTable;
pub use work::{Item, Mark, Message, Operation, Work};
pub use workload::{
    Background, Bucket, Bursts, Collective, FabricService, FiniteFlow, FiniteFlows, Job, KnownAt, Order,
    Phase, Pipeline, PipelineOrder, PointToPoint, Posting, Precision, RankGroups, Repetition, ScheduledPhase,
    Sender, SizePoint, Stage, StagedFlow, StagedFlows, TrafficKind, WarmUp, Workload,
};

use netloom_policy::balance::Position;
use netloom_policy::balance::detour::{Behind, Groups};
use netloom_units::{Duration, NodeId, PortId, Time};

/// The complete input of the engine.
#[derive(Debug, Clone)]
pub struct Model {
    /// Nodes, ports and links.
    pub fabric: Fabric,
    /// How next hops are found.
    pub routing: Routing,
    /// The balancing policies at hosts and switches.
    pub balances: Balances,
    /// How hosts send messages.
    pub transport: Transport,
    /// How senders react to congestion.
    pub congestion: netloom_policy::congestion::Chosen,
    /// Queues at egress ports.
    pub queues: Queues,
    /// Traffic class of data and of control packets.
    pub classes: PriorityMap,
    /// Jobs, background traffic, and flows that start and stop.
    pub workload: Workload,
    /// The kind of traffic of each part of the workload, where kinds are named: for the records, sorted by job and
    /// step.
    pub kinds: Vec<TrafficKind>,
    /// Changes of links, whatever their cause, in order of time; links that are down from the start come first.
    pub faults: Vec<Fault>,
    /// Switches that go down and come up, in order of time.
    pub switch_faults: Vec<SwitchFault>,
    /// The events that cause these changes, in order of time.
    pub events: Vec<FaultEvent>,
    /// How soon changes of links are detected and announced.
    pub reaction: Reaction,
    /// NICs that keep pausing their switch (pause storms).
    pub storms: Vec<Storm>,
    /// The chance that a link loses a data packet, in 2^-32.
    pub loss: u64,
    /// Which nodes avoid a failed link.
    pub awareness: FailureAwareness,
    /// The delay from the last arrival at a modelled barrier to its release; at least the lookahead.
    pub coordination_delay: Duration,
    /// The latest end of the run.
    pub deadline: Option<Time>,
    /// What to record beyond the defaults.
    pub recording: Recording,
    /// The seed of every random stream.
    pub seed: u64,
}

impl Model {
    /// The traffic class of a message's packets.
    #[inline]
    pub fn class_of(&self, message: &Message) -> u8 {
        message.class.unwrap_or(self.classes.data)
    }

    /// Headroom of a switch port for each class that pauses; 0 if none does.
    pub fn headroom_of(&self, port: &Port) -> u64 {
        let pause = self.queues.buffer.and_then(|buffer| buffer.pause);
        let (Some(pause), Some(rdma)) = (pause, self.transport.rdma()) else { return 0 };
        let sizes = Sizes { packet: self.transport.packet, control: rdma.control };
        pause.headroom_of(port, &sizes, u64::from(self.pausing_classes().count_ones()))
    }

    /// The classes that data packets travel in, one bit each.
    pub fn data_classes(&self) -> u8 {
        match self.queues.classes.bits(|_| true) {
            0 => 1 << self.classes.data,
            bits => bits,
        }
    }

    /// Of these, those that switches may pause, one bit each.
    pub fn pausing_classes(&self) -> u8 {
        if self.queues.classes.separates_data() {
            return self.queues.classes.bits(|class| class.pause);
        }
        let pauses = self.queues.buffer.is_some_and(|buffer| buffer.pause.is_some());
        u8::from(pauses) << self.classes.data
    }

    /// The position of a node's balancing policy, with the node's [`Fabric::neighbours`].
    pub fn position<'a>(&self, node: NodeId, neighbours: &'a [NodeId], behind: &'a [Behind]) -> Position<'a> {
        let own = || Groups { n_groups: self.routing.n_groups(), own: self.routing.group_of(node), behind };
        Position {
            seed: self.seed,
            node: node.0,
            neighbours,
            bits_below: self.routing.bits_below(node),
            deal: self.routing.deal(node),
            groups: (!behind.is_empty()).then(own),
        }
    }

    /// What each port of a switch leads to, in a fabric of groups; empty elsewhere, and at a host.
    pub fn behind(&self, node: NodeId) -> Vec<Behind> {
        if self.routing.n_groups() == 0 || self.fabric.is_host(node) {
            return Vec::new();
        }
        let ports = self.fabric.port_range(node).map(PortId);
        let kind = |(number, port): (u32, PortId)| match self.routing.port_kind(node, number) {
            PortKind::Host => Behind::Host,
            PortKind::Local => Behind::Local,
            PortKind::Global => Behind::Global(self.routing.group_of(self.fabric.neighbour(port))),
        };
        (0..).zip(ports).map(kind).collect()
    }
}
