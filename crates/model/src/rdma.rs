//! RDMA transports: the behaviour of hosts beyond what is common to all transports.

use netloom_policy::transport::Reliability;
use netloom_units::{Bytes, Duration};

/// How queue pairs carry messages. See `docs/concepts/roce.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rdma {
    /// What receivers answer and senders retransmit.
    pub rule: Reliability,
    /// Bytes of each data packet that carry no payload.
    pub header: Bytes,
    /// Size of an ACK, NACK or CNP on the wire.
    pub control: Bytes,
    /// Which messages share a queue pair.
    pub queue_pairs: QueuePairs,
    /// The PSN of a queue pair's first packet.
    pub first_psn: u32,
    /// Number of packets received in order that one ACK acknowledges.
    pub coalesce: u32,
    /// Bytes that a queue pair sends before the turn of the next one; zero is one packet.
    pub turn: Bytes,
    /// Time without an acknowledgement after which packets are retransmitted.
    pub timeout: Duration,
    /// The same with at most [`Rdma::FEW`] packets in flight.
    pub timeout_low: Duration,
    /// Timeouts in a row after which a queue pair gives up.
    pub retries: u32,
    /// Largest number of packets in flight; only `irn` uses it.
    pub window: u64,
    /// How congestion control reacts to a NACK.
    pub nack: NackReaction,
}

impl Rdma {
    /// Number of packets in flight up to which `timeout_low` applies (Mittal et al., SIGCOMM 2018).
    pub const FEW: u64 = 3;
    /// Size of a pause frame on the wire (IEEE 802.1Qbb).
    pub const FRAME: Bytes = Bytes(64);
    /// Number of control packets assumed to be queued at a host before an answer, its own included.
    const RESPONSES: u64 = 8;

    /// Upper bound assumed for the time of a host's answer to a packet, from the packet's last bit at the switch to the
    /// answer's: the link in both directions, and at the host two data packets and some control packets before the
    /// answer.
    pub fn response_time(&self, port: &crate::Port, packet: Bytes) -> Duration {
        let ahead = 2 * packet.0 + Rdma::RESPONSES * self.control.0;
        let wire = port.rate.serialization(Bytes(ahead));
        Duration(port.delay.0.saturating_mul(2).saturating_add(wire.0))
    }
}

/// Which messages share a queue pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueuePairs {
    /// None: each message has its own.
    Message,
    /// All messages of a pair of hosts.
    Pair,
}

/// How congestion control reacts to a NACK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NackReaction {
    /// Not at all.
    Ignore,
    /// As to a CNP.
    AsCnp,
    /// The rate drops to its minimum.
    SlowStart,
}

/// The buffer shared by all ports of a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffer {
    /// Its size.
    pub size: Bytes,
    /// The share of the free space that one queue, or one ingress port, may take, in 1/1024.
    pub alpha: u32,
    /// Pause frames, for lossless operation.
    pub pause: Option<Pause>,
}

/// Priority flow control (IEEE 802.1Qbb).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause {
    /// Headroom per port for what may still arrive after a pause frame was sent; `None` computes it from the link.
    pub headroom: Option<Bytes>,
    /// How far below the threshold an ingress must be before it resumes.
    pub xon_gap: Bytes,
}

impl Pause {
    /// Headroom of a port for each of `n_classes` classes that pause: see `docs/concepts/queues.md`.
    pub fn headroom_of(&self, port: &crate::Port, sizes: &Sizes, n_classes: u64) -> u64 {
        self.headroom.map_or_else(|| in_flight(port, sizes, n_classes), |given| given.0)
    }
}

/// The largest sizes of packets on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Data packets.
    pub packet: Bytes,
    /// Control packets.
    pub control: Bytes,
}

/// Bytes that still arrive over a link after the decision to pause a class: the packet that was decided on, what the
/// other end sends until it has the frame, and the packet that it has on the wire then.
fn in_flight(port: &crate::Port, sizes: &Sizes, n_classes: u64) -> u64 {
    let on_wire = sizes.packet.max(sizes.control).max(Rdma::FRAME);
    // Even for the slowest link the product fits into 128 bits.
    let time_of = |size: Bytes| {
        let bits = u128::from(size.0) * 8;
        (bits * 1_000_000_000_000).div_ceil(u128::from(port.rate.0.max(1)))
    };
    let until =
        time_of(on_wire) + time_of(Rdma::FRAME) * u128::from(n_classes) + 2 * u128::from(port.delay.0);
    let bits = u128::from(port.rate.0).saturating_mul(until);
    let meanwhile = u64::try_from(bits.div_ceil(8_000_000_000_000)).unwrap_or(u64::MAX);
    meanwhile.saturating_add(2 * sizes.packet.0)
}

/// Marking of data packets at switches (RED/ECN).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marking {
    /// No packet is marked while at most this number of bytes waits.
    pub minimum: Bytes,
    /// Every packet is marked above this number.
    pub maximum: Bytes,
    /// The chance just below `maximum`, in 2^-32.
    pub probability: u64,
    /// Whether the decision is made when a packet joins the queue, not when its transmission starts.
    pub at_enqueue: bool,
}

/// Marking thresholds that a switch adapts by itself, for each port (AI-ECN). See `docs/congestion/ai_ecn.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adapting {
    /// How often they are adapted.
    pub interval: Duration,
    /// A link is idle below this utilization, in 2^-32.
    pub busy: u64,
    /// The lowest threshold; each step up doubles it.
    pub step: Bytes,
    /// Number of steps.
    pub steps: u32,
}

/// Marking of data packets at the root of congestion (FECN), at switches with credits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootMarking {
    /// An egress is congested while more bytes of data wait there.
    pub threshold: Bytes,
    /// The marking probability of each packet that starts there meanwhile, in 2^-32.
    pub chance: u64,
    /// Smaller packets are never marked.
    pub smallest: Bytes,
    /// Whether ports that have waited for credits mark as well.
    pub victims: bool,
}
