//! Imports: scenarios made from what other simulators were given, one folder per format.
//!
//! Each format is a function from its text to the text of a netloom scenario and notes on what could not be taken over.

mod error;
mod seed_sim;

pub use error::ImportError;
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
