//! The seed paper's experiments on top of the reference simulator: its fabric, its two scenarios, its mice, its
//! statistics.
//!
//! What it models: the simulator behind A. Zeltser, "Adaptive Packet Routing vs. Flowlet Switching for Distributed
//! Training Under Link Failures" (February 2026), as it behaves, oddities included: rounds of a ring do not wait for
//! one another, an all-reduce has the volume of a reduce-scatter, start times of flows are absolute.
//! What it leaves out: sampling of ring orders, which depends on a hash that Python salts per process; orders are
//! given.
//!
//! Invariants: the seeded generator first samples the failed links, then breaks ties; mice have a generator of their
//! own.
//! Source: behavioural specification of that simulator (repository commit 6e1b933), sections 2 and 5 to 12.

mod averages;
pub mod config;
mod dp_heavy;
mod job;
mod mice;
mod mixed;
mod ring;
mod run;
pub mod statistics;
mod topology;

pub use config::Config;
pub use job::{JobTimes, StepTimes};
pub use mice::{MiceFlow, MiceSource};
pub use ring::RingOrder;
pub use run::{Flow, SeedRun, simulate};
pub use statistics::Statistics;
pub use topology::{Port, ScalableUnit};
