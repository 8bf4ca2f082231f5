//! A study on a real machine: prepared for a cluster, measured, and collected into run folders.
//!
//! Models: the folder of a prepared study ([`prepare`]), measuring its plans on this machine ([`run`]), and run folders
//! of the MPI program's results ([`collect`]). The program that measures is `field/`, in C++; it and netloom exchange
//! two text formats (`field/FORMATS.md`).
//! Leaves out: MPI.
//!
//! Invariants: the scenario is the one that a simulation takes; measured data is never overwritten.

mod collect;
mod error;
mod files;
mod measured_run;
mod mpi;
mod network;
mod plan;
mod points;
mod prepare;
mod process;
mod results;
mod run;
mod scripts;
mod sources;
mod study;
mod tables;
mod translate;

pub use collect::{Collected, CollectedPoint, Collection, collect};
pub use error::FieldError;
pub use files::STUDY_FILE;
pub use mpi::Mpi;
pub use network::Network;
pub use plan::{FieldPlan, Iterations, PlannedBursts, Role, Segment, SizedCollective, Stream, Work};
pub use prepare::{Preparation, prepare};
pub use process::command_text;
pub use results::{Broken, Files, Reading, read as read_results};
pub use run::{FieldEvent, FieldReport, FieldRun, run};
pub use study::{RunKind, Study, StudyPoint, StudyRun};
