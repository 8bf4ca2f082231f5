//! Tests of netloom-report as a user sees it, in one binary.

mod figures;
mod page;
mod queue_pairs;
mod refusals;
mod sample;
mod template;
