//! Tests of netloom-figures as a user sees it, in one binary.

mod data;
mod files;
mod pictures;
#[path = "../../../report/tests/it/sample.rs"]
#[allow(dead_code, reason = "the report's tests need more of the small run than these")]
mod sample;
