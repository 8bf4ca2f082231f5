//! The kernel's counters of the queues of all ports.
//!
//! Models: bytes and packets that each port has sent and dropped, and its backlog.
//! Leaves out: when to read; the requests to the kernel (`netlink`).

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod netlink;

use netloom_units::Bytes;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::QueueReader;
#[cfg(target_os = "linux")]
pub use netlink::QueueReader;

/// Counters of a port up to now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueCounters {
    /// Bytes sent, including link-layer headers.
    pub sent: Bytes,
    /// Packets sent.
    pub packets: u64,
    /// Packets dropped because the queue was full.
    pub dropped: u64,
    /// Bytes waiting now.
    pub waiting: Bytes,
}
