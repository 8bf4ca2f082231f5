//! Next hops for generated fabrics.
//!
//! The search itself is in the model, because the engine must repeat it when a link dies; topologies import it from
//! here.

pub use netloom_model::reroute::{overlay, tables};
