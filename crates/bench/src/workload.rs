//! All-to-all in groups: the workload of the engine's budgets.
//!
//! Models: each host of a group keeps one message in flight to every other host of its group, round after round.
//! Leaves out: compute, dependencies between ranks.

use std::collections::VecDeque;

use netloom_model::{
    Balances, Buffer, Credits, FabricBuilder, FailureAwareness, FlowHashInput, Forwarding, InputOrder, Item,
    LeafSpine, Marking, Message, Model, NackReaction, Operation, PriorityMap, QueuePairs, Queues, Rdma,
    Reaction, Recording, Routing, Sampling, Transport, TransportKind, Work, Workload,
};
use netloom_policy::balance::Chosen;
use netloom_policy::transport::Reliability;
use netloom_policy::{congestion, edge};
use netloom_units::{ActorId, Bytes, Duration, HostId, NodeId, Rate};

/// A leaf-spine fabric and the traffic on it.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// Number of leaves.
    pub leaves: u32,
    /// Number of spines.
    pub spines: u32,
    /// Hosts below each leaf.
    pub hosts_per_leaf: u32,
    /// Propagation delay of host links.
    pub host_delay: Duration,
    /// Propagation delay of fabric links.
    pub fabric_delay: Duration,
    /// Hosts of a group: one per leaf, strided, so that all traffic crosses spines.
    pub group: u32,
    /// Number of active groups.
    pub groups: u32,
    /// Number of rounds of messages.
    pub rounds: u32,
    /// Bytes of a message.
    pub message: Bytes,
    /// Class of ACKs; data is class 0.
    pub control: u8,
    /// Balancing policy at switches.
    pub balance: &'static str,
    /// How messages travel.
    pub style: Style,
    /// Whether ports are sampled, with the default of scenarios.
    pub sampled: bool,
}

/// How messages travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Without queue pairs, with a window per message.
    Window,
    /// On queue pairs over lossy Ethernet, with all features of switches for them.
    Roce,
    /// On queue pairs over links with credits, through input buffers and a crossbar.
    InfiniBand,
}

/// 256 hosts on 16 leaves and 16 spines, all-to-all in 16 groups of 16: the reference case.
pub const REFERENCE: Case = Case {
    leaves: 16,
    spines: 16,
    hosts_per_leaf: 16,
    host_delay: Duration::from_micros(1),
    fabric_delay: Duration::from_micros(1),
    group: 16,
    groups: 16,
    rounds: 1,
    message: Bytes(64 * 4096),
    control: 0,
    balance: "spray",
    style: Style::Window,
    sampled: false,
};

/// Messages small enough that the instructions of a round of 8,192 hosts can be counted.
const SMALL: Bytes = Bytes(8 * 4096);

const SMALL_MESSAGES: Case = Case { message: SMALL, rounds: 4, ..REFERENCE };

/// 8,192 hosts on 128 leaves and 64 spines.
const LARGE: Case =
    Case { leaves: 128, spines: 64, hosts_per_leaf: 64, groups: 512, rounds: 1, ..SMALL_MESSAGES };

/// One group of 16 without other hosts: one host below each of 16 leaves.
const ALONE: Case = Case { hosts_per_leaf: 1, groups: 1, rounds: 8, ..REFERENCE };

/// All cases by name.
pub const CASES: &[(&str, Case)] = &[
    ("reference", REFERENCE),
    ("priority", Case { control: 1, ..REFERENCE }),
    // Enough rounds that memory kept from message to message is allocated.
    ("roce", Case { control: 1, balance: "psn_spray", style: Style::Roce, rounds: 4, ..REFERENCE }),
    ("infiniband", Case { control: 1, balance: "round_robin", style: Style::InfiniBand, ..REFERENCE }),
    ("recorded", Case { sampled: true, ..REFERENCE }),
    ("adaptive", Case { balance: "adaptive", ..REFERENCE }),
    ("short_links", Case { host_delay: Duration::from_nanos(10), ..REFERENCE }),
    ("small_messages", SMALL_MESSAGES),
    ("large", LARGE),
    ("sparse", Case { groups: 1, rounds: 8, message: REFERENCE.message, ..LARGE }),
    ("alone", ALONE),
    ("middle", Case { leaves: 32, spines: 32, hosts_per_leaf: 32, groups: 64, ..REFERENCE }),
];

/// Queue pairs, one for each message, an ACK for each packet.
fn rdma(rule: Reliability) -> TransportKind {
    let timeout = Duration::from_micros(4_000);
    TransportKind::Rdma(Rdma {
        rule,
        header: Bytes(62),
        control: Bytes(64),
        queue_pairs: QueuePairs::Message,
        first_psn: 0,
        coalesce: 1,
        turn: Bytes(0),
        timeout,
        timeout_low: timeout,
        retries: 7,
        window: u64::MAX,
        nack: NackReaction::AsCnp,
    })
}

/// The model with queue pairs, input buffers and a cut-through crossbar with a speedup of 2.
fn over_credits(mut model: Model) -> Model {
    model.transport.kind = rdma(Reliability::Ideal);
    model.queues.credits = Some(Credits {
        n_steps: 1,
        buffer: Bytes(128 * 1024),
        vls: [0; 8],
        order: InputOrder::Voq,
        speedup: 2,
        output_buffer: Bytes(16 * 1024),
        forwarding: Forwarding::CutThrough { header: Bytes(64) },
        latency: Duration::ZERO,
        is_ideal: false,
    });
    model
}

/// The model with queue pairs, DCQCN, marking, a shared buffer, and Themis at the leaves.
fn on_queue_pairs(mut model: Model) -> Model {
    model.transport.kind = rdma(Reliability::NicSr);
    model.congestion = congestion::Chosen::named("dcqcn");
    model.balances.edge = Some(edge::Chosen::named("themis"));
    model.queues.buffer = Some(Buffer { size: Bytes(64_000_000), alpha: 1024, pause: None });
    let (minimum, maximum) = (Bytes(1_600_000), Bytes(6_400_000));
    model.queues.marking = Some(Marking { minimum, maximum, probability: 1 << 29, at_enqueue: false });
    model
}

/// A packet on the wire.
const PACKET: Bytes = Bytes(4096);

impl Case {
    /// The model of this case.
    pub fn model(&self) -> Model {
        let shape = LeafSpine {
            leaves: self.leaves,
            spines: self.spines,
            hosts_per_leaf: self.hosts_per_leaf,
            host_links: 1,
            fabric_links: 1,
        };
        let rate = Rate(400_000_000_000);
        let mut builder = FabricBuilder::new(shape.n_hosts(), self.leaves + self.spines);
        for host in (0..shape.n_hosts()).map(HostId) {
            builder.link(NodeId(host.0), shape.leaf_of(host), rate, self.host_delay);
        }
        for leaf in 0..self.leaves {
            for spine in 0..self.spines {
                let from = NodeId(shape.n_hosts() + leaf);
                builder.link(from, shape.spine(spine), rate, self.fabric_delay);
            }
        }
        let fabric = builder.build();
        let series = self.sampled.then(|| Sampling::automatic(fabric.ports().len())).flatten();
        let model = Model {
            fabric,
            routing: Routing::LeafSpine(shape),
            balances: Balances {
                host: Chosen::named("ecmp"),
                switch: Chosen::named(self.balance),
                control: None,
                edge: None,
                path_map: None,
                static_routes: Vec::new(),
            },
            transport: Transport {
                packet: PACKET,
                flow_hash_input: FlowHashInput::Message,
                kind: TransportKind::Window { packets: 16, acknowledgement: Bytes(64) },
            },
            congestion: congestion::Chosen::named("none"),
            queues: Queues::default(),
            classes: PriorityMap { data: 0, control: self.control },
            workload: Workload::default(),
            kinds: Vec::new(),
            faults: Vec::new(),
            switch_faults: Vec::new(),
            events: Vec::new(),
            reaction: Reaction::default(),
            storms: Vec::new(),
            loss: 0,
            awareness: FailureAwareness::Local,
            coordination_delay: Duration::from_micros(1),
            deadline: None,
            recording: Recording { series, ..Recording::default() },
            seed: 1,
        };
        match self.style {
            Style::Window => model,
            Style::Roce => on_queue_pairs(model),
            Style::InfiniBand => over_credits(model),
        }
    }

    /// The traffic of this case.
    pub fn work(&self) -> GroupAllToAll {
        let n_hosts = self.leaves * self.hosts_per_leaf;
        let stride = n_hosts / self.group;
        let host = |group: u32, member: u32| HostId(group + member * stride);
        let hosts = (0..self.groups).flat_map(|group| (0..self.group).map(move |member| host(group, member)));
        let hosts: Vec<HostId> = hosts.collect();
        let rounds = vec![self.rounds; hosts.len()];
        GroupAllToAll { hosts, group: self.group, rounds, message: self.message }
    }
}

/// See the module.
#[derive(Debug, Clone)]
pub struct GroupAllToAll {
    hosts: Vec<HostId>,
    group: u32,
    /// Rounds left per actor.
    rounds: Vec<u32>,
    message: Bytes,
}

impl Work for GroupAllToAll {
    fn actors(&self) -> &[HostId] {
        &self.hosts
    }

    fn barrier_size(&self, _: u32) -> u32 {
        0
    }

    fn refill(&mut self, actor: ActorId, queue: &mut VecDeque<Item>) {
        let left = &mut self.rounds[actor.index()];
        if *left == 0 {
            return;
        }
        let tag = u64::from(*left);
        *left -= 1;
        let first = actor.0 / self.group * self.group;
        let mut push = |operation| queue.push_back(Item { stream: 0, operation });
        for step in 1..self.group {
            let peer = first + (actor.0 - first + step) % self.group;
            push(Operation::Send(Message {
                to: self.hosts[peer as usize],
                notify: Some(ActorId(peer)),
                completion: None,
                tag,
                size: self.message,
                rate: None,
                class: None,
                may_reorder: true,
                job: Message::BACKGROUND,
                step: 0,
                phase: 0,
                bucket: 0,
            }));
        }
        push(Operation::Receive { tag, messages: self.group - 1 });
    }
}
