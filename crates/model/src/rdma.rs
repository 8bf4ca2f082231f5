//! RDMA transports: what hosts do beside what is common to all transports.

use netloom_policy::transport::Reliability;
use netloom_units::{Bytes, Duration};

/// How queue pairs carry messages. See `docs/concepts/roce.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rdma {
    /// What receivers answer and senders send again.
    pub rule: Reliability,
    /// Bytes of each data packet that carry no payload.
    pub header: Bytes,
    /// An ACK, NACK or CNP on the wire.
    pub control: Bytes,
    /// Which messages share a queue pair.
    pub queue_pairs: QueuePairs,
    /// The PSN of a queue pair's first packet.
    pub first_psn: u32,
    /// Packets taken in order that one ACK answers.
    pub coalesce: u32,
    /// Bytes that a queue pair sends before the next one has its turn; zero is a packet.
    pub turn: Bytes,
    /// How long nothing is acknowledged before something is sent again.
    pub timeout: Duration,
    /// The same with at most [`Rdma::FEW`] packets under way.
    pub timeout_low: Duration,
    /// Timeouts in a row after which a queue pair gives up.
    pub retries: u32,
    /// Most packets under way; only `irn` heeds it.
    pub window: u64,
    /// What a NACK means to congestion control.
    pub nack: NackReaction,
}

impl Rdma {
    /// So many packets under way are few (Mittal et al., SIGCOMM 2018).
    pub const FEW: u64 = 3;
    /// A pause frame on the wire (IEEE 802.1Qbb).
    pub const FRAME: Bytes = Bytes(64);
    /// Control packets that are taken to be queued at a host before an answer, its own included.
    const ANSWERS: u64 = 8;

    /// The time that a host's answer to a packet is taken to need at most, from the packet's last bit at the switch to the
    /// answer's: the link both ways, and at the host two data packets and some control packets before it.
    pub fn answer_time(&self, port: &crate::Port, packet: Bytes) -> Duration {
        let ahead = 2 * packet.0 + Rdma::ANSWERS * self.control.0;
        let wire = port.rate.serialization(Bytes(ahead));
        Duration(port.delay.0.saturating_mul(2).saturating_add(wire.0))
    }
}

/// Which messages share a queue pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueuePairs {
    /// None: each has its own.
    Message,
    /// All of a pair of hosts.
    Pair,
}

/// What a NACK means to congestion control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NackReaction {
    /// Nothing.
    Ignore,
    /// As much as a CNP.
    AsCnp,
    /// The smallest rate.
    SlowStart,
}

/// The buffer that all ports of a switch share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffer {
    /// All of it.
    pub size: Bytes,
    /// The part of what is free that one queue, or one ingress, may take, in 1/1024.
    pub alpha: u32,
    /// Pause frames, if nothing is to be lost.
    pub pause: Option<Pause>,
}

/// Priority flow control (IEEE 802.1Qbb).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause {
    /// What may still come after a frame was sent, per port; `None` takes what the link needs.
    pub headroom: Option<Bytes>,
    /// How far below the threshold an ingress must be to go on.
    pub xon_gap: Bytes,
}

impl Pause {
    /// Headroom of a port for each of so many classes that pause: see `docs/concepts/queues.md`.
    pub fn headroom_of(&self, port: &crate::Port, sizes: &Sizes, n_classes: u64) -> u64 {
        self.headroom.map_or_else(|| in_flight(port, sizes, n_classes), |given| given.0)
    }
}

/// The largest packets on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Of data.
    pub packet: Bytes,
    /// Of control packets.
    pub control: Bytes,
}

/// What a link still brings after the decision to pause a class: the packet that was decided on, what the other end sends
/// until it has the frame, and the packet that it has on the wire then.
fn in_flight(port: &crate::Port, sizes: &Sizes, n_classes: u64) -> u64 {
    let on_wire = sizes.packet.max(sizes.control).max(Rdma::FRAME);
    // No link is so slow that this is too long to be told.
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
    /// No packet is marked up to so many bytes waiting.
    pub minimum: Bytes,
    /// Every packet is marked above so many.
    pub maximum: Bytes,
    /// The chance just below `maximum`, in 2^-32.
    pub probability: u64,
    /// Whether a packet is judged when it joins the queue, not when its transmission starts.
    pub at_enqueue: bool,
}

/// Thresholds of marking that a switch moves by itself, for each port (AI-ECN). See `docs/congestion/ai_ecn.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adapting {
    /// How often.
    pub interval: Duration,
    /// A link is idle below so much of its rate, in 2^-32.
    pub busy: u64,
    /// The lowest threshold; each step up doubles it.
    pub step: Bytes,
    /// Steps.
    pub steps: u32,
}

/// Marking of data packets where congestion has its root (FECN), at switches with credits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootMarking {
    /// An egress is congested while more bytes of data wait there.
    pub threshold: Bytes,
    /// The chance of each packet that starts there meanwhile, in 2^-32.
    pub chance: u64,
    /// Smaller packets are never marked.
    pub smallest: Bytes,
    /// Whether ports that had to wait for credits mark, too.
    pub victims: bool,
}
