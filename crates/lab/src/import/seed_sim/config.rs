//! A whole configuration.

use netloom_scenario::written::Node;

use super::heavy::{self, Heavy};
use super::mice::{self, Mice};
use super::mixed::{self, Mixed};
use super::read::{Reader, word};
use super::topology::{self, Topology};

/// The parts of a configuration that change a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Config {
    pub topology: Topology,
    pub scenario: Scenario,
    pub mice: Option<Mice>,
    /// The seed of the original's ring orders.
    pub seed: u64,
    /// Settings without effect, and settings that cannot be imported unchanged.
    pub notes: Vec<String>,
}

/// One of the two workloads.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scenario {
    /// One data-parallel job.
    Heavy(Heavy),
    /// A tensor-parallel and a pipeline-parallel job.
    Mixed(Mixed),
}

/// What is printed, logged or plotted: none of it changes a run.
const RUN: &[&str] = &["file_debug", "message_verbose", "verbose_route", "visualize"];

/// Reads a configuration; mistakes have been reported.
pub(super) fn config(reader: &mut Reader, root: &Node) -> Option<Config> {
    let form = reader.open(root, "configuration", &["run", "topology", "scenario"]);
    reader.optional(&form, "run", RUN);
    let mut notes = Vec::new();
    let topology = topology::topology(reader, &form, &mut notes);
    let scenario = reader.section(&form, "scenario", &["name", "params"]);
    let kind = reader.need(&scenario, "name", word)?;
    let (scenario, mice, seed) = match kind.as_str() {
        "ai-factory-su-workload1-dp-heavy" => {
            let params = reader.section(&scenario, "params", heavy::KEYS);
            let heavy = heavy::heavy(reader, &params, topology.as_ref());
            let mice = mice::mice(reader, &params);
            (heavy.map(Scenario::Heavy), mice, heavy::seed(reader, &params))
        }
        "ai-factory-su-mixed_scenario" => {
            let params = reader.section(&scenario, "params", mixed::KEYS);
            let mixed = mixed::mixed(reader, &params, topology.as_ref());
            let mice = mice::mice(reader, &params);
            (mixed.map(Scenario::Mixed), mice, heavy::seed(reader, &params))
        }
        _ => {
            let message = format!("there is no scenario `{kind}`");
            let known = "expected `ai-factory-su-workload1-dp-heavy` or `ai-factory-su-mixed_scenario`";
            reader.report(scenario.location_of("name"), message, known);
            return None;
        }
    };
    Some(Config { topology: topology?, scenario: scenario?, mice: mice?, seed: seed?, notes })
}
