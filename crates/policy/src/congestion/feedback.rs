//! The feedback that an ACK carries to its sender besides the acknowledged positions.
//!
//! Models: the round-trip time of the packet that caused it, the progress of the queue pair, and the in-band telemetry
//! (INT) of the ports on the packet's path.
//! Leaves out: how any of it travels; the engine models that.
//!
//! Invariants: made by the sender's host when the ACK arrives, only from information available to that host.

use netloom_units::{Bytes, Duration, PortId, Rate, Time};

/// The feedback that a controller needs. Each level includes all before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Senses {
    /// Notifications only.
    Notifications,
    /// Every acknowledgement, with its round-trip time.
    Acknowledgements,
    /// Also the telemetry of the ports on the path.
    Telemetry,
}

/// The telemetry record of a port, taken when the transmission of a packet starts there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hop {
    /// The port.
    pub port: PortId,
    /// The instant.
    pub at: Time,
    /// Bytes of all packets whose transmission started there before.
    pub sent: u64,
    /// Bytes waiting there behind the packet.
    pub waiting: u64,
    /// The rate of its link.
    pub rate: Rate,
}

/// See the module. Positions count packets, as transports do.
#[derive(Debug, Clone, Copy)]
pub struct Feedback<'a> {
    /// When it arrives.
    pub at: Time,
    /// Time since the transmission of the packet that caused it started; `None` if that was sent more than once.
    pub round_trip: Option<Duration>,
    /// Number of newly acknowledged packets.
    pub acknowledged: u64,
    /// The first position that is not acknowledged.
    pub una: u64,
    /// One beyond the highest position ever sent.
    pub highest: u64,
    /// Links that the acknowledgement crossed.
    pub links: u8,
    /// Ports of switches on the packet's path, in order.
    pub hops: &'a [Hop],
    /// The same for the packet that caused the previous acknowledgement.
    pub before: &'a [Hop],
}

/// A number of bytes in whole packets, at least one.
pub(super) fn packets(bytes: f64, packet: Bytes) -> u64 {
    let whole = (bytes / packet.0 as f64).ceil();
    if whole > 1.0 { whole as u64 } else { 1 }
}

/// A rate as an integer, from 1 bit/s to `line`.
pub(super) fn rate_of(bits: f64, line: Rate) -> Rate {
    if bits >= line.0 as f64 { line } else { Rate((bits as u64).max(1)) }
}

/// A duration in seconds.
pub(super) fn seconds(span: Duration) -> f64 {
    span.0 as f64 / 1e12
}
