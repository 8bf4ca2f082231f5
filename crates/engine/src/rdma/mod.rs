//! RDMA at hosts: queue pairs, the NIC that serves them, and their responses.
//!
//! Models: `docs/concepts/roce.md`.
//! Leaves out: what a transport acknowledges and retransmits and how fast a queue pair may send (see the policies);
//! what switches do.
//!
//! Where to look: `nic` holds a host's tables; `pair` and `message` are their entries; `serve` puts packets on the
//! wire, `receive` takes data, `control` takes responses; `ack_feedback` is for congestion control that needs more than
//! marks.
//!
//! Invariants: a queue pair's slot is reused only when nothing of its messages is left anywhere in the fabric, so a
//! late packet never reaches the wrong queue pair.

mod ack_feedback;
mod by_class;
mod control;
mod injection;
mod message;
mod nic;
mod pair;
mod ready;
mod receive;
mod serve;
mod share;

pub use message::{Incoming, Outgoing};
pub use nic::Nic;
