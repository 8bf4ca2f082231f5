//! Credits in flight back to the sender of a link.
//!
//! Models: a channel of its own beside the data in the opposite direction: neither credits nor notices of congestion
//! take time on the wire (modelling assumption).

use netloom_units::NodeId;

use super::{ReturnSender, Returned};
use crate::channel::Channel;
use crate::context::PartitionContext;
use crate::packet::{InFlight, Packet};
use crate::round::Round;

/// The channel back to the sender of an in-link.
#[repr(C)]
pub struct Returns {
    /// When the last credits were sent, in ps.
    latest: u64,
    delay: u64,
    /// Credits to a switch.
    credits: Option<ReturnSender>,
    /// The sender's local port.
    port: u32,
    /// Credits to a NIC, and notices to a switch.
    channel: Channel,
}

impl Returns {
    /// An empty channel to the sender's local `port`.
    pub fn new(channel: Channel, credits: Option<ReturnSender>, delay: u64, port: u32) -> Returns {
        // No event acts on another node at its own instant.
        Returns { channel, credits, delay: delay.max(1), port, latest: 0 }
    }

    /// Prefetches the memory of the next credits to a switch.
    #[inline(always)]
    pub fn prefetch_next(&self) {
        if let Some(credits) = &self.credits {
            credits.prefetch_next();
        }
    }

    /// Returns credits: `blocks` blocks of a VL will be free at `at`.
    #[inline(always)]
    pub fn give(&mut self, at: u64, vl: usize, blocks: u32, context: &mut PartitionContext, round: &Round) {
        let Some(credits) = &mut self.credits else {
            return self.send(at, Packet::credit(self.port, vl as u32, blocks), context, round);
        };
        self.latest = self.latest.max(at);
        let arrival = self.latest + self.delay;
        credits.push(Returned { arrival, vl: vl as u32, blocks }, context, round);
    }

    /// Notifies the sender at `at` of congestion towards a leaf; the notice arrives no earlier than credits that were
    /// sent before.
    pub fn notify(&mut self, at: u64, leaf: NodeId, context: &mut PartitionContext, round: &Round) {
        self.send(at, Packet::notice(self.port, leaf.0), context, round);
    }

    fn send(&mut self, at: u64, packet: Packet, context: &mut PartitionContext, round: &Round) {
        self.latest = self.latest.max(at);
        self.channel.push(InFlight { arrival: self.latest + self.delay, packet }, context, round);
    }
}
