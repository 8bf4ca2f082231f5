//! RDMA at hosts: queue pairs, the NIC that serves them, and what they answer.
//!
//! Models: `docs/concepts/roce.md`.
//! Leaves out: what a transport answers and repeats and how fast a queue pair may send; the policies know. What switches do.
//!
//! Where to look: `nic` is the table of everything a host has; `pair` and `message` what stands in it; `serve` puts packets
//! on the wire, `receive` takes data, `control` takes answers; `senses` is for congestion control that needs more than marks.
//!
//! Invariants: a queue pair's place is used again only when nothing of its messages is left anywhere in the fabric, so a
//! late packet never meets a stranger.

mod by_class;
mod control;
mod injection;
mod message;
mod nic;
mod pair;
mod ready;
mod receive;
mod senses;
mod serve;
mod share;

pub use message::{Incoming, Outgoing};
pub use nic::Nic;
