//! Counters of the queues of all ports, as the kernel keeps them.
//!
//! Models: what each port has sent and dropped, and what waits there.
//! Leaves out: when to read; how the kernel is asked (`netlink`).

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod netlink;

use netloom_units::Bytes;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::QueueReader;
#[cfg(target_os = "linux")]
pub use netlink::QueueReader;

/// What a port has done until now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueCounters {
    /// Bytes sent, link-layer headers included.
    pub sent: Bytes,
    /// Packets sent.
    pub packets: u64,
    /// Packets dropped since the queue was full.
    pub dropped: u64,
    /// Bytes waiting now.
    pub waiting: Bytes,
}
