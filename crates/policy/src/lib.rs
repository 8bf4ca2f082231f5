//! Decisions without a simulator: load balancing now, congestion control and queueing later.
//!
//! Models: given a packet and the candidate ports with their backlog, which port.
//! Leaves out: events, topology, queues, files. Time and randomness are arguments.
//!
//! Invariants: one file per policy and one registry line; a policy sees only what it is handed; same inputs, same
//! answers.

pub mod balance;
pub mod congestion;
pub mod edge;
