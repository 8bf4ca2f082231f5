//! The test kit: fixtures for tests of the engine, and a simple reference simulator, a second, independent
//! implementation for every result of the engine.
//!
//! [`mod@reference`] is a store-and-forward network driven by one global heap of events. It is slow and simple on
//! purpose and shares no line with the engine, so that an error is missed only if it is made twice.
//! [`reference_roce`] is its counterpart for RDMA over Ethernet, in integer picoseconds.
//! [`seed_sim`] adds the fabric and the workloads of the seed paper to `reference`, and thereby reproduces recorded
//! runs of the paper's own simulator to the last bit. [`fixture`] is independent of these: small fabrics, a model with
//! defaults, work as a list.
//!
//! Invariants: `reference`, `reference_roce` and `seed_sim` use no other netloom crate; nothing reads a clock, the
//! environment or a file; only tests depend on this crate.

pub mod fixture;
pub mod reference;
pub mod reference_roce;
pub mod seed_sim;
