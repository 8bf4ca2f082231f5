//! The test kit: fixtures to build tests of the engine from, and a naive simulator that serves as referee, a second
//! opinion on everything the fast engine says.
//!
//! [`referee`] is a store-and-forward network driven by one global heap of events. It is slow and obvious on
//! purpose and shares no line with the engine, so that an error would have to be made twice to go unseen.
//! [`referee_roce`] is its like for RDMA over Ethernet, in integer picoseconds.
//! [`seed_sim`] puts on top of it the fabric and the workloads of the seed paper, and thereby reproduces
//! recorded runs of the paper's own simulator to the last bit. [`fixture`] has nothing to do with either: small
//! fabrics, a model with defaults, work as a list.
//!
//! Invariants: `referee`, `referee_roce` and `seed_sim` use no other netloom crate; nothing reads a clock, the environment or a
//! file; nothing depends on this crate but tests.

pub mod fixture;
pub mod referee;
pub mod referee_roce;
pub mod seed_sim;
