//! Invariants of the generated parts of a model, for all parameters.

mod background;
mod collectives;
mod communicators;
mod executor;
mod finite;
mod groups;
mod hosts;
mod mice;
mod overlap;
mod pipeline;
mod poisson;
mod routes;
mod staged;
mod topologies;
mod up_down;
mod workloads;
