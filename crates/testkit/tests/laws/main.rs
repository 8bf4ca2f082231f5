//! The laws of the engine: what must hold whatever the fabric, the policy and the workload.
//!
//! One law per file. Expected numbers come from arithmetic, queueing theory or counting, never from the engine.

mod adapting;
mod balls_in_bins;
mod cases;
mod changing_links;
mod channels;
mod classes;
mod congestion_tree;
mod conservation;
mod credits;
mod determinism;
mod doubles;
mod dragonfly;
mod drop_tail;
mod failures;
mod groups;
mod hooks;
mod hot_spot;
mod ideal_paths;
mod ideal_times;
mod interference;
mod latency;
mod named_paths;
mod notices;
mod nslb;
mod outages;
mod packets;
mod paths_in_turn;
mod polarization;
mod priority;
mod queues;
mod rates;
mod rdma;
mod rehash;
mod reordering;
mod routes;
mod seams;
mod senses;
mod spectrum;
mod staged;
mod storms;
mod themis;
mod themis_failures;
mod throttling;
mod waits;
