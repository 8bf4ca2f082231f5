//! A study on a real machine: prepared for a cluster, measured, and collected into run folders.
//!
//! Models: the folder of a prepared study ([`prepare`]). The program that measures is `field/`, in C++; two text formats join
//! it with netloom (`field/FORMATS.md`).
//! Leaves out: MPI.
//!
//! Invariants: the scenario is the one that simulation takes; nothing that was measured is overwritten.

mod error;
mod files;
mod plan;
mod points;
mod prepare;
mod scripts;
mod sources;
mod study;
mod translate;

pub use error::FieldError;
pub use files::STUDY_FILE;
pub use plan::{FieldPlan, Iterations, PlannedBursts, Role, Segment, SizedCollective, Stream, Work};
pub use prepare::{Preparation, prepare};
pub use study::{RunKind, Study, StudyPoint, StudyRun};
