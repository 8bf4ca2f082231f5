//! Imports: scenarios from the input files of other simulators, and measured runs from the output of benchmarks; one
//! file or folder per format.
//!
//! Each simulator format is a function from its text to the text of a netloom scenario and notes on what could not be
//! imported; each benchmark format is a function from its files to [`Measurements`].

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

/// A scenario created from another format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Remarks for users.
    pub notes: Vec<String>,
}
