//! Statistics of many values in bounded memory: for summaries and reports of tables too long to hold.
//!
//! Invariants: memory does not grow with the number of rows; for few values, everything is exact.

mod causes;
mod fairness;
mod histogram;
mod nics;
mod reordering;
mod sample;
mod slowdown;
mod span;
pub mod student;

pub use causes::{CausedMessages, Covered, RandomCauses, RandomMessages};
pub use fairness::Fairness;
pub use nics::{HostPorts, SendingRate};
pub use reordering::Reordering;
pub use sample::{Sample, Taken};
pub use slowdown::{SizeBucket, Slowdown, Slowdowns};
pub use span::{OutsideRun, Over, PortShares, Span};
