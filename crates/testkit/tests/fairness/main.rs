//! Fairness of links with credits: no flow starves, whatever flows meet at which switch.
//!
//! The scenarios of `starvation` are those in which ingress ports that take turns once starved a flow. `invariant`
//! samples random flow sets and compares each with the same fabric with an *ideal crossbar*, in which no ingress is
//! ever busy, and with its max-min shares. Everything is written as a scenario, so that the defaults of users are
//! tested.
//!
//! `NETLOOM_FAIRNESS_SETS` is the number of flow sets (default 200), `NETLOOM_FAIRNESS_WORST` that of the worst of them
//! that are printed as scenarios, for each configuration (default 1; `cargo test` shows the output with `--nocapture`).

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
