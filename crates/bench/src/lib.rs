//! Workloads to measure the engine with, and plain designs to compare it to.
//!
//! Models: all-to-all in groups of hosts on leaf-spine fabrics, as synthetic work without collectives' dependencies; scenes,
//! which are scenarios as users run them.

pub mod budget;
pub mod callgrind;
pub mod dhat;
pub mod heap;
pub mod measure;
pub mod memory;
pub mod scene;
pub mod two_threads;
pub mod workload;
