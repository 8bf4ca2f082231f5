//! Tests of netloom-report as a user sees it, in one binary.

mod bandwidth;
mod congestion;
mod explorer;
mod figures;
mod page;
mod queue_pairs;
mod refusals;
mod sample;
mod stages;
mod template;
mod traffic;
