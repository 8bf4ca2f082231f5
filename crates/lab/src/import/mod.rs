//! Imports: scenarios made from what other simulators were given, and measured runs made from what benchmarks printed; one
//! file or folder per format.
//!
//! Each format of a simulator is a function from its text to the text of a netloom scenario and notes on what could not be
//! taken over; each format of a benchmark one from its files to [`Measurements`].

mod benchmark;
mod crab;
mod error;
mod measured;
mod nccl;
mod osu;
mod seed_sim;
mod sheet;

pub use benchmark::{Options, hosts_of};
pub use crab::crab;
pub use error::ImportError;
pub use measured::{Measurements, NotASystem, Wanted};
pub use nccl::nccl_tests;
pub use osu::osu;
pub use seed_sim::seed_sim;

/// A scenario made from something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// What it is called.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What a reader should know.
    pub notes: Vec<String>,
}
