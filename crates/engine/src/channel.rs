//! A channel: the sending end of a ring, and the receiver to notify of entries pushed into it.
//!
//! Models: one announcement per window to another partition, one per push within this partition.
//! Leaves out: what is pushed, and when.

use crate::activity::InLinkBit;
use crate::context::PartitionContext;
use crate::packet::InFlight;
use crate::ring::Sender;
use crate::round::Round;

/// The receiver that is notified of a packet pushed into the ring.
#[derive(Debug, Clone, Copy)]
pub enum ReceiverLocation {
    /// Another partition, through the shared activity bits.
    Partition(InLinkBit),
    /// This same partition: the number of the in-link there.
    Inside(u32),
}

/// See the module.
pub struct Channel {
    /// The window in which the link was last announced.
    announced: u64,
    sender: Sender,
    receiver: ReceiverLocation,
}

impl Channel {
    /// A channel on which nothing was pushed.
    pub fn new(sender: Sender, receiver: ReceiverLocation) -> Channel {
        Channel { announced: u64::MAX, sender, receiver }
    }

    /// Whether the link ends in this same partition.
    #[inline(always)]
    pub fn ends_inside(&self) -> bool {
        matches!(self.receiver, ReceiverLocation::Inside(_))
    }

    /// Prefetches the memory of the next entry.
    #[inline(always)]
    pub fn prefetch_next(&self) {
        self.sender.prefetch_next();
    }

    /// Number of entries ever pushed.
    pub fn n_pushed(&self) -> u64 {
        self.sender.n_pushed()
    }

    /// Puts an entry into the ring without a notification.
    #[cfg(test)]
    pub fn put(&mut self, entry: InFlight) {
        self.sender.push(entry);
    }

    /// Puts an entry into the ring and notifies the receiver: another partition at the first push of a window, this one
    /// at every push.
    #[inline(always)]
    pub fn push(&mut self, entry: InFlight, context: &mut PartitionContext, round: &Round) {
        self.sender.push(entry);
        if self.announced == round.window {
            return;
        }
        match self.receiver {
            ReceiverLocation::Partition(index) => {
                self.announced = round.window;
                round.activity.announce(index, entry.arrival);
            }
            ReceiverLocation::Inside(in_link) => context.pushed_inside(in_link, entry.arrival),
        }
    }
}
