//! The manifest: the description of a run in its folder.
//!
//! Models: how the run was made, how it ended, and the digests of its tables, as JSON.
//! Leaves out: the tables.
//!
//! Invariants: every program that reads run folders relies on these fields: fields may be added, and none changes its
//! meaning within a schema version; unknown fields are ignored; an unknown value is null, never missing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::column::SCHEMA_VERSION;
use crate::digest::{Digest, RunDigest, TableSummary};
use crate::layout::JobLayout;
use crate::measured::Measured;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// All work is done.
    Complete,
    /// A user stopped it.
    Stopped,
    /// It reached its deadline.
    Deadline,
    /// No progress was possible any more.
    Stalled,
    /// Buffers waited for each other in a cycle.
    Deadlock,
    /// Work waited for a peer to which no path led.
    Unreachable,
}

/// How a run ended, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The status as a word.
    pub status: Status,
    /// For users: which work waits for what.
    #[serde(default)]
    pub details: Vec<String>,
}

/// A setting of the scenario that was not at its default when the run was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedSetting {
    /// Its path in the scenario.
    pub path: String,
    /// Its value.
    pub value: String,
    /// Its default; absent if the setting is required.
    pub default: Option<String>,
}

/// What is recorded about a run besides its tables.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSummary {
    /// Version of netloom.
    pub netloom: String,
    /// The version with a digest of its sources; absent for a run that was not simulated.
    pub build: Option<String>,
    /// The scenario as text, with all inherited and default values written out.
    pub scenario_yaml: String,
    /// The same as data.
    pub scenario: Value,
    /// The settings that are not at their defaults.
    pub changed: Vec<ChangedSetting>,
    /// The seed; absent for a measured run.
    pub seed: Option<u64>,
    /// How it ended.
    pub outcome: Outcome,
    /// Wall time, in seconds.
    pub wall_time_s: f64,
    /// Data packets that hosts created; absent if not counted.
    pub packets: Option<u64>,
    /// Packets that crossed a link, of all kinds: packet-hops; absent if not counted.
    pub hops: Option<u64>,
    /// Simulated time, in ps; for a measured run the time that its tables cover.
    pub simulated_ps: u64,
    /// Threads used; absent for a measured run.
    pub threads: Option<u32>,
    /// The command line, argument by argument.
    pub command: Vec<String>,
    /// Values the engine derived: window, lookahead, coordination delay.
    pub engine: Map<String, Value>,
    /// The jobs that compute or have groups.
    pub jobs: Vec<JobLayout>,
    /// Modelling assumptions, in whole sentences.
    pub assumptions: Vec<String>,
    /// Its times as a share of those of its source, such as `1/1000`; absent if the scenario states none.
    pub time_scale: Option<String>,
    /// Who measured it and how; absent if it was simulated.
    pub measured: Option<Measured>,
}

/// The manifest of a run folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of netloom that wrote it.
    pub netloom: String,
    /// The version with a digest of the sources that results depend on; absent for measured runs, and in folders of
    /// earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// Version of the tables, see [`SCHEMA_VERSION`].
    pub schema: u32,
    /// Digest over all tables.
    pub digest: Digest,
    /// How the run ended.
    pub outcome: Outcome,
    /// The seed; absent for a measured run.
    #[serde(deserialize_with = "Option::deserialize")]
    pub seed: Option<u64>,
    /// Data packets that hosts created; absent if not counted.
    #[serde(deserialize_with = "Option::deserialize")]
    pub packets: Option<u64>,
    /// Packets that crossed a link, of all kinds: packet-hops; absent if not counted.
    #[serde(deserialize_with = "Option::deserialize")]
    pub hops: Option<u64>,
    /// Simulated time, in ps; for a measured run the time that its tables cover.
    pub simulated_ps: u64,
    /// Wall time, in seconds.
    pub wall_time_s: f64,
    /// Threads used; absent for a measured run.
    #[serde(deserialize_with = "Option::deserialize")]
    pub threads: Option<u32>,
    /// The command line, argument by argument.
    #[serde(default)]
    pub command: Vec<String>,
    /// Rows and digest by name of the table.
    pub tables: BTreeMap<String, TableSummary>,
    /// Values the engine derived: window, lookahead, coordination delay.
    #[serde(default)]
    pub engine: Map<String, Value>,
    /// The jobs that compute or have groups; runs of earlier versions do not have them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobLayout>,
    /// Modelling assumptions, in whole sentences; up to version 3 they were called `ours`.
    #[serde(default, alias = "ours")]
    pub assumptions: Vec<String>,
    /// The resolved scenario as text.
    #[serde(default)]
    pub scenario_yaml: String,
    /// The same as data.
    #[serde(default)]
    pub scenario: Value,
    /// The settings that were not at their defaults; absent if the writer did not record them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<Vec<ChangedSetting>>,
    /// Its times as a share of those of its source, such as `1/1000`; absent if the scenario states none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_scale: Option<String>,
    /// Who measured it and how; absent if it was simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
    /// Digest over all other fields but the wall time; absent in folders of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest_digest: Option<Digest>,
}

/// Fields that the digest of a manifest does not cover: itself, and the wall time, which differs between equal runs.
const NOT_COVERED: [&str; 2] = ["manifest_digest", "wall_time_s"];

/// The digest of a manifest: over its JSON without spaces, the keys of each object sorted.
pub(crate) fn manifest_digest(mut manifest: Value) -> Digest {
    if let Some(fields) = manifest.as_object_mut() {
        fields.retain(|name, _| !NOT_COVERED.contains(&name.as_str()));
    }
    Digest::of(manifest.to_string().as_bytes())
}

impl Manifest {
    /// Combines the summary of a run with the digests of its tables.
    pub fn new(summary: RunSummary, run: RunDigest) -> Manifest {
        let mut manifest = Manifest {
            netloom: summary.netloom,
            build: summary.build,
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
            jobs: summary.jobs,
            assumptions: summary.assumptions,
            scenario_yaml: summary.scenario_yaml,
            scenario: summary.scenario,
            changed: Some(summary.changed),
            time_scale: summary.time_scale,
            measured: summary.measured,
            manifest_digest: None,
        };
        let value = serde_json::to_value(&manifest).expect("a manifest is JSON");
        manifest.manifest_digest = Some(manifest_digest(value));
        manifest
    }
}
