//! Tests of the public interface of netloom-figures, in one binary.

mod data;
mod files;
mod pictures;
#[path = "../../../report/tests/it/sample.rs"]
#[allow(dead_code, reason = "the report's tests use more of the small run than these")]
mod sample;
mod sweeps;
