//! The engine: a model and its work in, records out, window by window.
//!
//! Models: packets on links, queues at egress ports, hosts that send and receive messages, links that fail; advanced in
//! windows no longer than the smallest delay between two partitions, so that partitions need no global order.
//! Leaves out: text, files, clocks; how a model came about and how records are stored.
//!
//! Where to look: `run` is the door; `coordinator` acts between windows; `partition` advances nodes through one;
//! `node`, `host` and `port` are what a packet meets; `ring` is what it crosses; `parallel` holds the only threads.
//!
//! Invariants: integer picoseconds; no global queue; no hash map iterated; every random draw comes from a node's own
//! stream; results depend on the model alone.

mod activity;
mod actor;
mod adapt;
mod assemble;
mod bits;
mod buffer;
mod calendar;
mod channel;
mod congestion;
mod context;
mod coordinator;
mod credit;
mod edge;
mod event_count;
mod flow;
mod governor;
pub mod hook;
mod host;
mod ledger;
mod load;
mod mark;
pub mod measure;
mod node;
pub mod observe;
pub mod packet;
mod parallel;
mod partition;
mod port;
mod rates;
mod rdma;
mod reordering;
mod ring;
mod round;
mod route;
mod run;
pub mod sampler;
mod slab;
mod sort;
mod stages;
mod state;
mod telemetry;
mod timeline;
mod trace;
mod turns;
mod waiting;
mod wakes;

pub use measure::{Estimate, estimate};
pub use run::{Clock, Deadlock, GivenUp, Options, Outcome, Seams, Stall, Status, Waiting, run};
