//! Random small scenes of RDMA over Ethernet, and of the same hosts around switches with credits: the invariants of
//! every one of them, in either simulator, and that both simulators agree.
//!
//! The engine and the reference simulator run them, and must agree packet for packet. Rates and delays are odd, so that
//! two events without a defined order rarely occur at one node at one instant ([`Outcome::ties`] counts them).
//!
//! [`Outcome::ties`]: netloom_testkit::reference_roce::Outcome::ties

mod agreement;
mod credits;
mod crossbar;
mod engine_side;
mod fabric;
mod laws;
mod scene;
