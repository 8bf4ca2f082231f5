//! The manifest: what a run folder says about itself.
//!
//! Models: how the run was made, how it ended, and the digests of its tables, as JSON.
//! Leaves out: the tables.
//!
//! Invariants: these fields are a promise to every program that reads run folders: they may grow, never change their
//! meaning within a schema version; unknown fields are passed over; what is not known is null, and never missing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::column::SCHEMA_VERSION;
use crate::digest::{Digest, RunDigest, TableSummary};
use crate::measured::Measured;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// All work was done.
    Complete,
    /// Somebody stopped it.
    Stopped,
    /// It reached its deadline.
    Deadline,
    /// No progress was possible any more.
    Stalled,
    /// Buffers waited for each other in a ring.
    Deadlock,
    /// Work waited for a peer that no path led to.
    Unreachable,
}

/// How a run ended, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// In a word.
    pub status: Status,
    /// For people: who waits for what.
    #[serde(default)]
    pub details: Vec<String>,
}

/// A setting of the scenario that was not at its default when the run was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedSetting {
    /// Where it is set.
    pub path: String,
    /// What it was.
    pub value: String,
    /// What it would have been; absent where a scenario must say it.
    pub default: Option<String>,
}

/// What whoever ran it knows about a run, and its tables do not say.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSummary {
    /// Version of netloom.
    pub netloom: String,
    /// The scenario with everything inherited and defaulted written out, as text.
    pub scenario_yaml: String,
    /// The same as data.
    pub scenario: Value,
    /// Which of its settings are not at their defaults.
    pub changed: Vec<ChangedSetting>,
    /// The seed; absent of a measured run.
    pub seed: Option<u64>,
    /// How it ended.
    pub outcome: Outcome,
    /// Wall time, in seconds.
    pub wall_time_s: f64,
    /// Data packets that hosts created; absent where nobody counted them.
    pub packets: Option<u64>,
    /// Packets that crossed a link, of all kinds: packet-hops; absent where nobody counted them.
    pub hops: Option<u64>,
    /// Simulated time, in ps; of a measured run the time that its tables are of.
    pub simulated_ps: u64,
    /// Threads used; absent of a measured run.
    pub threads: Option<u32>,
    /// The command line, word by word.
    pub command: Vec<String>,
    /// Values the engine derived: window, lookahead, coordination delay.
    pub engine: Map<String, Value>,
    /// What is not from a source but ours, in whole sentences.
    pub ours: Vec<String>,
    /// Its times as a share of those of its source, such as `1/1000`; absent where the scenario states none.
    pub time_scale: Option<String>,
    /// Who measured it and how; absent where it was simulated.
    pub measured: Option<Measured>,
}

/// The manifest of a run folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of netloom that wrote it.
    pub netloom: String,
    /// Version of the tables, see [`SCHEMA_VERSION`].
    pub schema: u32,
    /// Digest over all tables.
    pub digest: Digest,
    /// How the run ended.
    pub outcome: Outcome,
    /// The seed; absent of a measured run.
    #[serde(deserialize_with = "Option::deserialize")]
    pub seed: Option<u64>,
    /// Data packets that hosts created; absent where nobody counted them.
    #[serde(deserialize_with = "Option::deserialize")]
    pub packets: Option<u64>,
    /// Packets that crossed a link, of all kinds: packet-hops; absent where nobody counted them.
    #[serde(deserialize_with = "Option::deserialize")]
    pub hops: Option<u64>,
    /// Simulated time, in ps; of a measured run the time that its tables are of.
    pub simulated_ps: u64,
    /// Wall time, in seconds.
    pub wall_time_s: f64,
    /// Threads used; absent of a measured run.
    #[serde(deserialize_with = "Option::deserialize")]
    pub threads: Option<u32>,
    /// The command line, word by word.
    #[serde(default)]
    pub command: Vec<String>,
    /// Rows and digest by name of the table.
    pub tables: BTreeMap<String, TableSummary>,
    /// Values the engine derived: window, lookahead, coordination delay.
    #[serde(default)]
    pub engine: Map<String, Value>,
    /// What is not from a source but ours, in whole sentences.
    #[serde(default)]
    pub ours: Vec<String>,
    /// The resolved scenario as text.
    #[serde(default)]
    pub scenario_yaml: String,
    /// The same as data.
    #[serde(default)]
    pub scenario: Value,
    /// Which of its settings were not at their defaults; absent where the writer did not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<Vec<ChangedSetting>>,
    /// Its times as a share of those of its source, such as `1/1000`; absent where the scenario states none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_scale: Option<String>,
    /// Who measured it and how; absent where it was simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
}

impl Manifest {
    /// Joins what the run's maker knows with what its tables are.
    pub fn new(summary: RunSummary, run: RunDigest) -> Manifest {
        Manifest {
            netloom: summary.netloom,
            schema: SCHEMA_VERSION,
            digest: run.digest,
            outcome: summary.outcome,
            seed: summary.seed,
            packets: summary.packets,
            hops: summary.hops,
            simulated_ps: summary.simulated_ps,
            wall_time_s: summary.wall_time_s,
            threads: summary.threads,
            command: summary.command,
            tables: run.tables,
            engine: summary.engine,
            ours: summary.ours,
            scenario_yaml: summary.scenario_yaml,
            scenario: summary.scenario,
            changed: Some(summary.changed),
            time_scale: summary.time_scale,
            measured: summary.measured,
        }
    }
}
