//! Pure generators: turn parameters into parts of a model.
//!
//! Models: topologies (fabric, routing, names), the placement of jobs on hosts, and the expansion of jobs,
//! background traffic and staged flows into streams of operations.
//! Leaves out: text, files, the engine.
//!
//! Invariants: equal parameters and seed give equal parts, on every processor; sizes that cannot be built are rejected
//! before memory is allocated for them.

pub mod placement;
pub mod routing;
pub mod topology;
pub mod workload;

pub use topology::{Built, TopologyError};
pub use workload::{TrainingWork, WorkloadError, expand};
