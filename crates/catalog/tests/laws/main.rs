//! Laws that generated parts of a model must keep, whatever their parameters.

mod background;
mod collectives;
mod executor;
mod groups;
mod mice;
mod poisson;
mod routes;
mod staged;
mod topologies;
mod up_down;
mod workloads;
