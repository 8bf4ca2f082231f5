//! Workloads that measure the engine, and a simple design for comparison.
//!
//! Models: all-to-all in groups of hosts on leaf-spine fabrics, as a synthetic workload without the dependencies of
//! collectives; scenes, which are scenarios as users run them.

pub mod budget;
pub mod callgrind;
pub mod dhat;
pub mod heap;
pub mod measure;
pub mod memory;
pub mod scene;
pub mod two_threads;
pub mod workload;
