//! Next hops for generated fabrics.
//!
//! The search itself lives in the model, because an engine that learns of a dead link must search again; topologies
//! take it from here.

pub use netloom_model::reroute::{overlay, tables};
