//! Laws that generated parts of a model must keep, whatever their parameters.

mod collectives;
mod executor;
mod mice;
mod routes;
mod topologies;
mod workloads;
