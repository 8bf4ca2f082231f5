//! Runs in the formats of other programs.
//!
//! Models: tables as comma-separated values ([`csv()`]), a timeline for the Perfetto viewer ([`perfetto()`]), latencies
//! ([`osu`]) and bandwidths ([`nccl`]) of collectives as benchmarks print them, and the files that exports write
//! ([`NewFile`]).
//! Leaves out: the layout of benchmark tables, which the command prints.
//!
//! Invariants: the only input is the run folder; output appears complete or not at all; memory does not grow with the
//! rows of a run.

pub(crate) mod alone;
mod csv;
mod error;
mod location;
pub mod nccl;
pub mod osu;
mod perfetto;

pub use csv::{CsvReport, CsvTable, csv};
pub use error::ExportError;
pub use location::NewFile;
pub use perfetto::{TraceReport, perfetto};
