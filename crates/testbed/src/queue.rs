//! Queue limit of a port, and burst size of its token bucket, in bytes.
//!
//! Models: `switch_limit` and `host_limit` in bytes as in the scenario; an equal part of a shared buffer for each port;
//! without a limit in the scenario, the bytes that the link sends in 10 ms at a switch and in 100 ms at a host.
//! Leaves out: sharing of a buffer among ports, and thresholds within it.
//!
//! Modelling assumptions: limits are not scaled with the rates, since a queue of the same number of packets drops at
//! the
//! same depth, and scaled limits would be less than one packet. The default of a switch port is a queue of 10 ms.

use netloom_model::{Fabric, Queues};
use netloom_units::{Bytes, NodeId, Rate};

/// Largest frame: 1,500 bytes of IP and 14 bytes of Ethernet header.
const FRAME: u64 = 1_514;
/// Two frames; with fewer bytes, packets would be dropped from an otherwise empty queue.
pub const LEAST: u64 = 2 * FRAME;
/// Largest limit that `tbf` accepts.
const MOST: u64 = 1 << 30;

/// The limit of a port of this node, whose link has this scaled rate.
pub fn limit(fabric: &Fabric, queues: &Queues, chosen: Option<Bytes>, node: NodeId, rate: Rate) -> Bytes {
    let sent_in = |milliseconds: u64| rate.0 / 8 * milliseconds / 1_000;
    let bytes = if fabric.is_host(node) {
        queues.host_limit.map_or_else(|| sent_in(100), |limit| limit.0)
    } else if let Some(chosen) = chosen.or(queues.switch_limit) {
        chosen.0
    } else if let Some(buffer) = queues.buffer {
        buffer.size.0 / u64::from(fabric.port_range(node).end - fabric.port_range(node).start)
    } else {
        sent_in(10)
    };
    Bytes(bytes.clamp(LEAST, MOST))
}

/// The burst size of a port's token bucket: the bytes of a millisecond, since the kernel's timers are no finer on a
/// busy
/// machine, and at least four frames.
pub fn burst(rate: Rate) -> Bytes {
    Bytes((rate.0 / 8 / 1_000).max(4 * FRAME))
}
