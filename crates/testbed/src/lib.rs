//! A real network on one machine: Linux namespaces as nodes and veth pairs as links, built from a compiled fabric.
//!
//! Models: nodes as network namespaces; links as veth pairs with a token bucket and a finite queue at both ends, all
//! rates
//! scaled by one factor; shortest paths as kernel routes with several next hops, or one pinned next hop per
//! destination.
//! Leaves out: everything that the kernel does not offer here (delay, marking, pause frames, credits); see [`Ignored`].
//!
//! Invariants: planning only computes, and creates nothing; what cannot be built is refused before anything is created;
//! everything that is created belongs to namespaces that end with the process that requested it.

mod address;
mod counters;
mod ignored;
mod launch;
mod machine;
mod mpi;
mod options;
mod plan;
mod queue;
mod queue_counters;
mod refusal;
mod route;
mod scale;
mod script;

pub use counters::require_bytes;
pub use ignored::Ignored;
pub use launch::{make_network, run_inside, start};
pub use machine::{Access, find_command, require};
pub use options::{Options, RouteMode};
pub use plan::{Interface, Node, Plan, Route, plan};
pub use queue_counters::{QueueCounters, QueueReader};
pub use refusal::Refusal;
pub use scale::{Scale, ScaleChoice};
pub use script::ON_HOST_NAME;
