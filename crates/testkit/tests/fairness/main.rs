//! Fairness of links with credits: no flow starves, whatever meets whom at which switch.
//!
//! The scenes of `starvation` are those in which ingress ports that take turns once starved a flow. `invariant` draws flow
//! sets at random and measures each beside the same fabric with an *ideal crossbar*, in which no ingress is ever busy, and
//! beside its max-min shares. Everything is written as a scenario, so that the defaults of users are what is tested.
//!
//! `NETLOOM_FAIRNESS_SETS` is the number of flow sets (default 200), `NETLOOM_FAIRNESS_WORST` that of the worst of them that
//! are printed as scenarios, for each configuration (default 1; `cargo test` shows what is printed with `--nocapture`).

mod comparison;
mod configuration;
mod flow_set;
mod invariant;
mod max_min;
mod measurement;
mod parallel;
mod path;
mod starvation;
mod statistics;
