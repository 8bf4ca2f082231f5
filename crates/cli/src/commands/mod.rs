//! The subcommands, a file for each.

pub mod bench;
pub mod check;
pub mod compare;
pub mod congestion;
pub mod demo;
pub mod explain;
pub mod export;
pub mod field;
pub mod figures;
pub mod import;
pub mod interference;
pub mod list;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod show;
pub mod sweep;
pub mod waits;
