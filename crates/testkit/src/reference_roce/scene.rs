//! A scene: the input of a run.
//!
//! Models: fabric, messages and the settings of transport, congestion control, switches and credits, one for all.
//! Leaves out: paths and random numbers, which are requested from [`PathChoice`] when they are needed.
//! Invariants: a message's number is its position in the list; a queue pair has the number of the message that creates
//! it.

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
    /// PSN of the first packet of its queue pair, if it creates one.
    pub first_psn: u32,
}

/// A data packet that its link loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The node that sends it.
    pub node: NodeIdx,
    /// The port it leaves by.
    pub port: PortIdx,
    /// Number of data packets that started there before.
    pub nth: u64,
}

/// Sizes in bytes.
#[derive(Clone, Debug)]
pub struct PacketSizes {
    /// Largest payload.
    pub mtu: u64,
    /// Bytes of a data packet beside its payload.
    pub header: u64,
    /// An ACK, NACK or CNP.
    pub control: u64,
}

impl PacketSizes {
    /// The size of the largest packet.
    pub fn largest(&self) -> u64 {
        self.control.max(self.mtu + self.header)
    }
}

/// How messages share queue pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueuePairs {
    /// Each message has its own.
    PerMessage,
    /// Messages with the same two hosts share one.
    PerPair,
}

/// How losses are detected and repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// The receiver accepts packets in order only; the sender goes back.
    GoBackN,
    /// The receiver accepts every packet; the sender retransmits the packet that a NACK names, one at a time.
    NicSr,
    /// Like `NicSr`, with a list of the packets that have arrived and a bound on those in flight.
    Irn {
        /// Packets that may have been sent and be neither acknowledged nor named.
        window: u64,
        /// The timeout while at most three packets are in flight.
        timeout_low: u64,
    },
    /// The sender is informed of every single packet.
    Ideal,
}

/// How a receiver reports marks.
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
    /// How losses are repaired.
    pub recovery: Recovery,
    /// Which messages share a queue pair.
    pub queue_pairs: QueuePairs,
    /// Packets received until an ACK is due; 1 acknowledges each.
    pub coalesce: u32,
    /// The timeout of the sender.
    pub timeout: u64,
    /// How marks are reported.
    pub notify: Notify,
}

/// The effect of a NACK on congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NackMeans {
    /// None.
    Nothing,
    /// The same as of a CNP.
    Cnp,
    /// The rate falls to the minimum.
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
    /// The minimum rate, in bits per second.
    pub smallest: u64,
    /// Whether every cut lowers the target, not only those after an increase.
    pub clamp_target: bool,
    /// The effect of a NACK.
    pub nack: NackMeans,
}

/// Congestion control of all hosts.
#[derive(Clone, Debug)]
pub enum Congestion {
    /// Always the line rate.
    None,
    /// DCQCN.
    Dcqcn(Dcqcn),
}

/// Bytes reserved for data that arrives after XOFF has been decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headroom {
    /// As many as can arrive.
    Full,
    /// This number at each port.
    Bytes(u64),
}

/// What a switch does with packets that find its buffer full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferRule {
    /// Its buffer is unlimited.
    Unlimited,
    /// Drops them.
    Lossy,
    /// Stops the neighbour they come from.
    Lossless {
        /// Bytes reserved per port.
        headroom: Headroom,
        /// How far below the threshold a port is resumed.
        xon_gap: u64,
    },
}

/// When a packet is compared with the queue.
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
    /// When a packet is compared with the queue.
    pub at: MarkAt,
    /// Up to this number of bytes no packet is marked.
    pub minimum: u64,
    /// Above this number every packet is marked.
    pub maximum: u64,
    /// The probability of a mark at `maximum`.
    pub probability: f64,
}

/// The settings of all switches.
#[derive(Clone, Debug)]
pub struct Switches {
    /// Bytes of the shared buffer.
    pub buffer: u64,
    /// The share of the free buffer that a queue or port may take, in 1/1024.
    pub alpha: u64,
    /// What happens beyond it.
    pub rule: BufferRule,
    /// Marking, if there is any.
    pub marking: Option<Marking>,
}

/// Which packets of an input buffer may leave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The first of each VL.
    Fifo,
    /// The first of each VL and egress.
    Voq,
}

/// When a packet in an input buffer is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forwarding {
    /// When all of it has arrived.
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
    /// Bytes that the receiving end of a link holds for each VL.
    pub buffer: u64,
    /// The VL of data.
    pub data_lane: Lane,
    /// The VL of control packets.
    pub control_lane: Lane,
    /// Which packets may leave an input buffer.
    pub order: Order,
    /// How many times faster than the wire of an egress the crossbar is.
    pub speedup: u64,
    /// Bytes that may be staged at an egress for each VL.
    pub output_buffer: u64,
    /// When a packet in an input buffer is ready.
    pub forwarding: Forwarding,
    /// The latency added to that, in picoseconds.
    pub latency: u64,
    /// Whether ingresses are never busy: an upper bound that no real switch reaches.
    pub is_ideal: bool,
}

/// The input of a run.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Nodes and links.
    pub fabric: Fabric,
    /// The messages.
    pub messages: Vec<Message>,
    /// The packets lost.
    pub losses: Vec<Loss>,
    /// Sizes of packets.
    pub packets: PacketSizes,
    /// The transport.
    pub transport: Transport,
    /// Congestion control.
    pub congestion: Congestion,
    /// The switches, where there are no credits.
    pub switches: Switches,
    /// Credits, and the switches that use them.
    pub credits: Option<Credits>,
    /// The run ends at this instant.
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

/// A packet at a switch that needs a port, and the information for the choice.
#[derive(Clone, Debug)]
pub struct Decision<'a> {
    /// The switch.
    pub node: NodeIdx,
    /// The port it arrived on.
    pub ingress: PortIdx,
    /// The packet.
    pub packet: &'a Packet,
    /// By port: bytes that have chosen it and have not been sent, including the rest of the packet on the wire.
    pub waiting: &'a [u64],
}

/// Paths and random numbers of the network, supplied by the caller.
///
/// A closure from node and packet to the port suffices if the choice depends neither on load nor on random numbers.
pub trait PathChoice {
    /// The port by which a data or control packet leaves a switch.
    fn port(&mut self, decision: &Decision<'_>) -> PortIdx;

    /// The next number in [0, 1) of an egress port: a packet is marked if it is below the marking probability.
    fn draw(&mut self, node: NodeIdx, port: PortIdx) -> f64 {
        panic!("port {port} of node {node} was to need no random number")
    }
}

impl<F: FnMut(NodeIdx, &Packet) -> PortIdx> PathChoice for F {
    fn port(&mut self, decision: &Decision<'_>) -> PortIdx {
        self(decision.node, decision.packet)
    }
}
