//! Tests of netloom-report as a user sees it, in one binary.

mod figures;
mod page;
mod refusals;
mod sample;
mod template;
