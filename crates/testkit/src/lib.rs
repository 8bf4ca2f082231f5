//! The test kit: fixtures to build tests of the engine from, and a naive reference simulator, a second
//! opinion on every result of the engine.
//!
//! [`mod@reference`] is a store-and-forward network driven by one global heap of events. It is slow and obvious on
//! purpose and shares no line with the engine, so that an error would have to be made twice to go unseen.
//! [`reference_roce`] is its like for RDMA over Ethernet, in integer picoseconds.
//! [`seed_sim`] puts on top of it the fabric and the workloads of the seed paper, and thereby reproduces
//! recorded runs of the paper's own simulator to the last bit. [`fixture`] has nothing to do with either: small
//! fabrics, a model with defaults, work as a list.
//!
//! Invariants: `reference`, `reference_roce` and `seed_sim` use no other netloom crate; nothing reads a clock, the environment or a
//! file; nothing depends on this crate but tests.

pub mod fixture;
pub mod reference;
pub mod reference_roce;
pub mod seed_sim;
