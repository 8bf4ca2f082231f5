//! Middleboxes in the hosts' switches that track queue pairs, between commodity NICs and a fabric that sprays.
//!
//! Models: decisions about packets and NACKs of single queue pairs, the memory that they need, and how a source switch
//! selects a path.
//! Leaves out: queues, packets on the wire, failures; the engine decides when these functions are called.
//!
//! Invariants: pure; no time, no randomness. Packet sequence numbers have 24 bits and are compared as serial numbers.

pub mod memory;
pub mod path_map;
mod recent;
pub mod themis;

use netloom_units::{Settings, Spec};

/// Every registered middlebox.
pub static SPECS: &[&Spec] = &[&themis::SPEC];

/// The index of a middlebox in [`SPECS`].
pub fn number_of(name: &str) -> Option<usize> {
    SPECS.iter().position(|spec| spec.name == name)
}

/// A middlebox with its parameters.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// Index in [`SPECS`].
    pub number: usize,
    /// Its parameters.
    pub settings: Settings,
}

impl Chosen {
    /// A registered middlebox by name with its default parameters.
    ///
    /// # Panics
    /// If there is none of that name.
    pub fn named(name: &str) -> Chosen {
        let number = number_of(name).unwrap_or_else(|| panic!("no middlebox `{name}` at the edge"));
        Chosen { number, settings: SPECS[number].defaults() }
    }
}
