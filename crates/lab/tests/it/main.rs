//! Tests of the laboratory as a program meets it, in one binary.

mod arbitration;
mod comparison;
mod congestion_tree;
mod determinism;
mod endings;
mod fabrics;
mod figures;
mod golden;
mod grids;
mod import;
mod inheritance;
mod interference;
mod live;
mod loads;
mod maps;
mod names;
mod nccl;
mod osu;
mod packets;
mod parts;
mod queue_pairs;
mod reproduce;
mod scenes;
mod schema;
mod sweeps;
mod tables;
