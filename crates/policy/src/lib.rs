//! Policies as pure functions, independent of the simulator: load balancing, central path assignment, transport (which
//! packets are retransmitted), congestion control, and edge functions (middleboxes at the hosts' switches).
//!
//! Models: given a packet and its candidate ports with their backlog, the port it takes; given the feedback that a
//! sender or receiver gets, its reaction.
//! Leaves out: events, topology, queues, files. Time and randomness are arguments.
//!
//! Invariants: one file per policy and one registry line; a policy sees only its arguments; the same inputs give the
//! same results.

pub mod balance;
pub mod central;
pub mod congestion;
pub mod edge;
pub mod transport;
