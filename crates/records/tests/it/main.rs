//! Tests of netloom-records as a user sees it, in one binary.

mod alter;
mod damage;
mod digest;
mod earlier;
mod kill;
mod locations;
mod manifests;
mod memory;
mod round_trip;
mod sample;
mod schema;
