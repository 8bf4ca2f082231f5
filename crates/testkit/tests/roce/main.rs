//! Random small scenes of RDMA over Ethernet: what must hold in every one of them, whoever plays it.
//!
//! The scenes are made to be played by the engine too, and compared packet for packet: rates and delays are odd, and two
//! things hardly ever happen at one node at one instant ([`Outcome::ties`] counts them).
//!
//! [`Outcome::ties`]: netloom_testkit::referee_roce::Outcome::ties

mod agreement;
mod engine_side;
mod fabric;
mod laws;
mod scene;
