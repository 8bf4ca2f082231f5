//! Credits: links whose sender knows what room the receiver has, and switches with input buffers and a crossbar.
//!
//! Models: the rules of `docs/concepts/credits.md`.
//! Leaves out: queue pairs (`rdma`), who use such links as any other; the wire itself (`port`).
//!
//! Invariants: credits at the sender, on their way back, and of packets on the wire or in the buffer always add up to what
//! there was at first; nothing is dropped for want of room.

mod arbiter;
mod counters;
mod crossbar;
mod direct;
mod grant;
mod host;
mod link_credits;
mod notices;
mod occupancy;
mod queues;
mod return_queue;
mod returns;
mod steps;
mod switch;
mod throttle;
mod turn;

#[cfg(test)]
mod tests;

pub use counters::CreditCounters;
pub use crossbar::{Crossbar, cut_through};
pub use host::HostReturns;
pub use link_credits::LinkCredits;
pub use notices::Notices;
pub use occupancy::{ByteSums, OccupancyInterval, Pair, QueueOccupancy};
pub use return_queue::{Destination, ReturnQueue, ReturnSender, Returned};
pub use returns::Returns;
pub use steps::Steps;
pub use throttle::Throttle;
pub use turn::most_passes;
