//! Credits: links whose sender counts the free buffer space of the receiver, and switches with input buffers and a
//! crossbar.
//!
//! Models: the rules of `docs/concepts/credits.md`.
//! Leaves out: queue pairs (`rdma`), which use such links as any other; the wire itself (`port`).
//!
//! Invariants: credits at the sender, those in flight back to it, and those of packets on the wire or in the buffer
//! always add up to the initial credits; no packet is dropped for lack of room.

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
mod switch;
mod throttle;
mod turn;
mod vl_increments;

#[cfg(test)]
mod tests;

pub use counters::CreditCounters;
pub use crossbar::{Crossbar, cut_through};
pub use host::HostReturns;
pub use link_credits::LinkCredits;
pub use notices::Notices;
pub use occupancy::{ByteSums, HostPair, OccupancyInterval, QueueOccupancy};
pub use return_queue::{Destination, ReturnQueue, ReturnSender, Returned};
pub use returns::Returns;
pub use throttle::Throttle;
pub use turn::max_bypasses;
pub use vl_increments::VlIncrements;
