//! Decisions without a simulator: load balancing, what a central controller plans, what transports repeat, how fast they
//! send, what stands at the edge.
//!
//! Models: given a packet and the candidate ports with their backlog, which port; given what a network told a sender or a
//! receiver, what it does.
//! Leaves out: events, topology, queues, files. Time and randomness are arguments.
//!
//! Invariants: one file per policy and one registry line; a policy sees only what it is handed; same inputs, same
//! answers.

pub mod balance;
pub mod central;
pub mod congestion;
pub mod edge;
pub mod transport;
