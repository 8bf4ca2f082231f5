//! Rules of the repository, as tests.
//!
//! Rules that can be checked are tests: which crate may import which, the length of functions, names that may not occur
//! in code whose results must be reproducible, and the page, scenario or line of the changelog that a change requires.
//! Every test collects all complaints before it fails, each with file, line and the rule.
//!
//! Leaves out: what rustfmt, clippy and the compiler already check.

mod edges;
mod generated;
mod pages;
mod python_tables;
mod shape;
mod source;
mod templates;
mod tree;
mod validation;
mod words;
