//! Packet trains at a port: many packets accepted together, and taken one by one.
//!
//! Models: ports in computed form on the fast path, without a limit; the start of each packet follows from the first.
//! Leaves out: the packets, which the host keeps (`packet_trains`).

use super::{Egress, Start};
use crate::packet::Packet;

/// 106 days in ps: trains that last longer end here, so that sums with the end do not overflow.
const NEVER_REACHED: u64 = u64::MAX / 2;

impl Egress {
    /// Whether many packets may be accepted together: the start of each is known at once, and none is refused.
    pub fn takes_trains(&self) -> bool {
        self.uses_fast_path && self.extras.limit_ps == u64::MAX
    }

    /// As [`Egress::enqueue_fast`], of a number of packets of this size; returns when the first of them starts. They are
    /// taken by [`Egress::take_of_train`].
    pub fn enqueue_train(&mut self, now: u64, bytes: u32, n_packets: u32) -> u64 {
        let start = self.free_at.max(now);
        let bytes = u64::from(bytes) * u64::from(n_packets);
        self.free_at = start.saturating_add(bytes.saturating_mul(self.ps_per_byte)).min(NEVER_REACHED);
        self.peak_ps = self.peak_ps.max(self.free_at - now);
        self.bytes += bytes;
        start
    }

    /// The transmission of such a packet.
    pub fn take_of_train(&self, at: u64, packet: Packet) -> Start {
        Start { at, end: at + u64::from(packet.bytes) * self.ps_per_byte, packet }
    }
}
