//! The engine: takes a model and its work, simulates window by window, and emits records.
//!
//! Models: packets on links, queues at egress ports, hosts that send and receive messages, links that fail. Time
//! advances in windows no longer than the smallest delay between two partitions, so that partitions need no global
//! event order.
//! Leaves out: text, files, clocks; how the model was built and how records are stored.
//!
//! Where to look: `run` is the entry point; `coordinator` acts between windows; `partition` advances nodes through one
//! window; `node`, `host` and `port` process packets; `ring` carries packets over a link; `parallel` holds the only
//! threads.
//!
//! Invariants: integer picoseconds; no global event queue; no iteration over hash maps; every random draw comes from a
//! stream of the node's own; results depend on the model alone.

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
mod group_routes;
mod hand_over;
pub mod hook;
mod host;
mod ledger;
mod load;
mod mark;
pub mod measure;
mod node;
pub mod observe;
pub mod packet;
mod packet_trains;
mod parallel;
mod partition;
mod pending_starts;
mod port;
mod prefetch;
pub mod program;
mod rates;
mod rdma;
mod reordering;
mod ring;
mod round;
mod route;
mod run;
pub mod sampler;
mod sender_waits;
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

pub use actor::MOST_AT_ONE_INSTANT;
pub use measure::{Estimate, estimate};
pub use packet_trains::messages_wait_as_trains;
pub use run::{
    Clock, Deadlock, Extensions, FailedQueuePair, Options, Outcome, Stall, Standstill, Status, Waiting, run,
};
