//! What an acknowledgement tells its sender beside what has arrived.
//!
//! Models: the time there and back of the packet that caused it, how far the queue pair has come, and what the ports on the
//! packet's way wrote down (in-band telemetry).
//! Leaves out: how any of it travels; the engine knows.
//!
//! Invariants: made by the sender's host when the acknowledgement is there, from nothing but what that host knows.

use netloom_units::{Bytes, Duration, PortId, Rate, Time};

/// What a controller wants to be told of. Each asks for all before it as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Senses {
    /// Notifications alone.
    Notifications,
    /// Every acknowledgement, with its round-trip time.
    Acknowledgements,
    /// And what the ports on the way wrote down.
    Telemetry,
}

/// What a port wrote down when the transmission of a packet started there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hop {
    /// Which port.
    pub port: PortId,
    /// When.
    pub at: Time,
    /// Bytes of all packets whose transmission started there before.
    pub sent: u64,
    /// Bytes that waited there behind the packet.
    pub waiting: u64,
    /// The rate of its link.
    pub rate: Rate,
}

/// See the module. Positions count packets, as transports do.
#[derive(Debug, Clone, Copy)]
pub struct Feedback<'a> {
    /// When it arrives.
    pub at: Time,
    /// Since the transmission of the packet that caused it started; absent where that was sent more than once.
    pub round_trip: Option<Duration>,
    /// Packets acknowledged that were not before.
    pub acknowledged: u64,
    /// The first position that is not acknowledged.
    pub una: u64,
    /// One beyond the highest position ever sent.
    pub highest: u64,
    /// Links that the acknowledgement crossed.
    pub links: u8,
    /// Ports of switches on the packet's way, in order.
    pub hops: &'a [Hop],
    /// The same of the packet that caused the acknowledgement before this one.
    pub before: &'a [Hop],
}

/// So many bytes in whole packets, at least one.
pub(super) fn packets(bytes: f64, packet: Bytes) -> u64 {
    let whole = (bytes / packet.0 as f64).ceil();
    if whole > 1.0 { whole as u64 } else { 1 }
}

/// A rate as an integer, from 1 bit/s to `line`.
pub(super) fn rate_of(bits: f64, line: Rate) -> Rate {
    if bits >= line.0 as f64 { line } else { Rate((bits as u64).max(1)) }
}

/// A span in seconds.
pub(super) fn seconds(span: Duration) -> f64 {
    span.0 as f64 / 1e12
}
