//! A scene: everything that is given.
//!
//! Models: fabric, messages and the settings of transport, congestion control, switches and credits, one for all.
//! Leaves out: ways and chances, which are asked of [`Ways`] as they are needed.
//! Invariants: a message's number is its position in the list; a queue pair is numbered by the message that makes it.

use super::fabric::{Fabric, NodeIdx, PortIdx};
use super::packet::Packet;

/// Number of a message.
pub type MessageIdx = usize;
/// Number of a virtual lane.
pub type Lane = usize;

/// A message to be sent.
#[derive(Clone, Debug)]
pub struct Message {
    /// When it is posted, in picoseconds.
    pub at: u64,
    /// The sending host.
    pub from: NodeIdx,
    /// The receiving host, another one.
    pub to: NodeIdx,
    /// Payload; at least one byte.
    pub bytes: u64,
    /// PSN of the first packet of its queue pair, if it is the one that makes it.
    pub first_psn: u32,
}

/// A data packet that its link loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The node that sends it.
    pub node: NodeIdx,
    /// The port it leaves by.
    pub port: PortIdx,
    /// How many data packets have started there before.
    pub nth: u64,
}

/// Sizes in bytes.
#[derive(Clone, Debug)]
pub struct PacketSizes {
    /// Largest payload.
    pub mtu: u64,
    /// What a data packet takes beside its payload.
    pub header: u64,
    /// An ACK, NACK or CNP.
    pub control: u64,
}

impl PacketSizes {
    /// The largest packet there can be.
    pub fn largest(&self) -> u64 {
        self.control.max(self.mtu + self.header)
    }
}

/// Which messages share a queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueuePairs {
    /// Each has its own.
    PerMessage,
    /// Those with the same two hosts do.
    PerPair,
}

/// How losses are found and mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// The receiver takes packets in order only; the sender goes back.
    GoBackN,
    /// The receiver takes every packet; the sender repeats what a NACK names, one at a time.
    NicSr,
    /// Like `NicSr`, with a list of what has arrived and a bound on what is under way.
    Irn {
        /// Packets that may have been sent and be neither acknowledged nor named.
        window: u64,
        /// The timeout while at most three packets are under way.
        timeout_low: u64,
    },
    /// The sender learns of every single packet.
    Ideal,
}

/// How a receiver tells of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notify {
    /// Not at all.
    Never,
    /// Every ACK and NACK echoes the mark of its packet.
    Acknowledgement,
    /// By CNPs, of which one queue pair sends none before `interval` picoseconds have passed.
    Packet {
        /// The least time between two.
        interval: u64,
    },
}

/// The transport of all hosts.
#[derive(Clone, Debug)]
pub struct Transport {
    /// How losses are mended.
    pub recovery: Recovery,
    /// Which messages share a queue pair.
    pub queue_pairs: QueuePairs,
    /// Packets taken until an ACK is due; 1 acknowledges each.
    pub coalesce: u32,
    /// How long the sender waits for progress.
    pub timeout: u64,
    /// How marks are told.
    pub notify: Notify,
}

/// What a NACK is to congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NackMeans {
    /// Nothing.
    Nothing,
    /// What a CNP is.
    Cnp,
    /// The rate falls to the smallest.
    SlowStart,
}

/// DCQCN in its vendors' form.
#[derive(Clone, Debug)]
pub struct Dcqcn {
    /// Time between two updates of alpha.
    pub alpha_period: u64,
    /// Time between two checks for a decrease.
    pub decrease_period: u64,
    /// Time between two increases.
    pub increase_period: u64,
    /// One over the gain of alpha.
    pub gain_divisor: u64,
    /// Increases of fast recovery, before the additive one.
    pub fast_steps: u32,
    /// Additive increase, in bits per second.
    pub additive: u64,
    /// Hyper increase, in bits per second.
    pub hyper: u64,
    /// The smallest rate, in bits per second.
    pub smallest: u64,
    /// Whether every cut lowers the target, not only those after an increase.
    pub clamp_target: bool,
    /// What a NACK is.
    pub nack: NackMeans,
}

/// Congestion control of all hosts.
#[derive(Clone, Debug)]
pub enum Congestion {
    /// Line rate.
    None,
    /// DCQCN.
    Dcqcn(Dcqcn),
}

/// Bytes set aside for what arrives after XOFF has been decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headroom {
    /// As many as can arrive.
    Full,
    /// So many at each port.
    Bytes(u64),
}

/// What a switch does with packets that find it full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferRule {
    /// Takes everything.
    Unlimited,
    /// Drops them.
    Lossy,
    /// Stops the neighbour they come from.
    Lossless {
        /// Bytes set aside per port.
        headroom: Headroom,
        /// How far below the threshold a port is let go again.
        xon_gap: u64,
    },
}

/// When a packet looks at the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkAt {
    /// On joining it.
    Enqueue,
    /// On leaving it.
    Dequeue,
}

/// ECN.
#[derive(Clone, Debug)]
pub struct Marking {
    /// When a packet looks at the queue.
    pub at: MarkAt,
    /// Up to so many bytes none is marked.
    pub minimum: u64,
    /// Above so many all are.
    pub maximum: u64,
    /// The chance of a mark at `maximum`.
    pub probability: f64,
}

/// The settings of all switches.
#[derive(Clone, Debug)]
pub struct Switches {
    /// Bytes of the shared buffer.
    pub buffer: u64,
    /// What a queue or port may take of the free buffer, in 1/1024.
    pub alpha: u64,
    /// What happens beyond.
    pub rule: BufferRule,
    /// Marking, if there is any.
    pub marking: Option<Marking>,
}

/// Which packets of an input buffer may leave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The first of each lane.
    Fifo,
    /// The first of each lane and egress.
    Voq,
}

/// When a packet stands in an input buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forwarding {
    /// When all of it has come.
    StoreAndForward,
    /// When its first `header` bytes have, on a link as fast as any of the switch.
    CutThrough {
        /// In bytes, at least one.
        header: u64,
    },
}

/// Credits on every link, and switches with input buffers and a crossbar.
#[derive(Clone, Debug)]
pub struct Credits {
    /// What the receiving end of a link holds of each lane, in bytes.
    pub buffer: u64,
    /// The lane of data.
    pub data_lane: Lane,
    /// The lane of control packets.
    pub control_lane: Lane,
    /// Which packets may leave an input buffer.
    pub order: Order,
    /// How many times faster than the wire of an egress the crossbar is.
    pub speedup: u64,
    /// What may be staged at an egress, of each lane, in bytes.
    pub output_buffer: u64,
    /// When a packet stands in an input buffer.
    pub forwarding: Forwarding,
    /// By how much later, in picoseconds.
    pub latency: u64,
    /// Whether ingresses are never busy: a yardstick, which no switch can be.
    pub is_ideal: bool,
}

/// All that is given.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Nodes and links.
    pub fabric: Fabric,
    /// What is sent.
    pub messages: Vec<Message>,
    /// What is lost.
    pub losses: Vec<Loss>,
    /// Sizes of packets.
    pub packets: PacketSizes,
    /// The transport.
    pub transport: Transport,
    /// Congestion control.
    pub congestion: Congestion,
    /// The switches, where there are no credits.
    pub switches: Switches,
    /// Credits, and the switches that go with them.
    pub credits: Option<Credits>,
    /// Nothing happens after this instant.
    pub deadline: u64,
}

impl Scene {
    /// A scene over this fabric in which nothing is sent, lost, marked or throttled.
    pub fn new(fabric: Fabric) -> Scene {
        Scene {
            fabric,
            messages: Vec::new(),
            losses: Vec::new(),
            packets: PacketSizes { mtu: 1000, header: 48, control: 64 },
            transport: Transport {
                recovery: Recovery::GoBackN,
                queue_pairs: QueuePairs::PerMessage,
                coalesce: 1,
                timeout: 1_000_000_000,
                notify: Notify::Never,
            },
            congestion: Congestion::None,
            switches: Switches { buffer: 0, alpha: 1024, rule: BufferRule::Unlimited, marking: None },
            credits: None,
            deadline: u64::MAX,
        }
    }
}

/// A packet at a switch, for which a port is wanted, and what is known there.
#[derive(Clone, Debug)]
pub struct Decision<'a> {
    /// The switch.
    pub node: NodeIdx,
    /// The port it came by.
    pub ingress: PortIdx,
    /// The packet.
    pub packet: &'a Packet,
    /// By port: bytes that have chosen it and have not been sent, the rest of the packet on the wire included.
    pub waiting: &'a [u64],
}

/// What the network asks for: ways and chances.
///
/// A closure of node and packet that knows the port is enough where neither load nor chance decides.
pub trait PathChoice {
    /// The port by which a data or control packet leaves a switch.
    fn port(&mut self, decision: &Decision<'_>) -> PortIdx;

    /// The next number in [0, 1) of an egress port: a packet is marked if it is below the chance.
    fn draw(&mut self, node: NodeIdx, port: PortIdx) -> f64 {
        panic!("port {port} of node {node} was to leave nothing to chance")
    }
}

impl<F: FnMut(NodeIdx, &Packet) -> PortIdx> PathChoice for F {
    fn port(&mut self, decision: &Decision<'_>) -> PortIdx {
        self(decision.node, decision.packet)
    }
}
