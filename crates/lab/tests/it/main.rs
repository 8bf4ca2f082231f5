//! Tests of the laboratory as a program meets it, in one binary.

mod comparison;
mod determinism;
mod endings;
mod figures;
mod golden;
mod grids;
mod import;
mod inheritance;
mod packets;
mod queue_pairs;
mod reproduce;
mod scenes;
mod schema;
mod sweeps;
