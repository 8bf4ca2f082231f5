//! House rules, as tests.
//!
//! What can be checked is not left to a reader's memory: which crate may import which, how long a function may grow,
//! what may not be named in code whose results must repeat, and which page, scenario or line of the changelog a change
//! owes. Every test collects all complaints before it fails, each with file, line and the rule.
//!
//! Leaves out: what rustfmt, clippy and the compiler already refuse.

mod edges;
mod generated;
mod pages;
mod shape;
mod source;
mod tree;
mod validation;
mod words;
