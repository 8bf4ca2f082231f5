//! The destination of rows: the engine pushes, a sink stores.
//!
//! Models: the interface between producers and stores of rows. Leaves out: any particular store.
//!
//! Invariants: after an error the run ends; no further batch is pushed.

pub use crate::registry::{Batch, MemorySink};

/// A sink could not store rows (a full disk, for example); the run ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SinkError(
    /// The cause, for users.
    pub String,
);

impl std::fmt::Display for SinkError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for SinkError {}

/// Stores rows as the run produces them.
pub trait Sink {
    /// Stores a batch.
    ///
    /// # Errors
    /// If it cannot be stored.
    fn accept(&mut self, batch: Batch<'_>) -> Result<(), SinkError>;
}
