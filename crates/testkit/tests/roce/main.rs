//! Random small scenes of RDMA over Ethernet, and of the same hosts around switches with credits: what must hold in every one
//! of them, whoever plays it, and that it is the same whoever does.
//!
//! The engine and the referee play them, and must agree packet for packet. Rates and delays are odd, so that two things
//! whose order nobody tells hardly ever happen at one node at one instant ([`Outcome::ties`] counts them).
//!
//! [`Outcome::ties`]: netloom_testkit::reference_roce::Outcome::ties

mod agreement;
mod credits;
mod crossbar;
mod engine_side;
mod fabric;
mod laws;
mod scene;
