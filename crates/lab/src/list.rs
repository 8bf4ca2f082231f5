//! What there is to choose from, as the specifications say it.
//!
//! Leaves out: how a list is drawn.

use netloom_catalog::topology;
use netloom_catalog::workload::{background, collective};
use netloom_policy::{balance, congestion, edge};
use netloom_scenario::resolved::sections;
use netloom_scenario::words;
use netloom_units::{Parameter, Spec};
use serde::Serialize;

/// Things of one kind.
#[derive(Debug, Clone, Serialize)]
pub struct Listing {
    /// What they are.
    pub kind: &'static str,
    /// Where a scenario names one.
    pub key: &'static str,
    /// All of them.
    pub entries: Vec<Entry>,
}

/// Something a scenario may name.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Where its rule comes from.
    pub source: &'static str,
    /// What it takes.
    pub parameters: Vec<ParameterEntry>,
}

/// A parameter, in words.
#[derive(Debug, Clone, Serialize)]
pub struct ParameterEntry {
    /// Its key.
    pub name: &'static str,
    /// What may be written.
    pub value: String,
    /// What is taken where nothing is written; absent where something must be.
    pub default: Option<String>,
    /// One line.
    pub meaning: &'static str,
}

/// The kinds that are listed.
pub const KINDS: [&str; 8] =
    ["policies", "edge", "topologies", "collectives", "placements", "transports", "congestion", "background"];

/// The names of the collectives.
pub fn collectives() -> Vec<&'static str> {
    collective::SPECS.iter().map(|spec| spec.name).collect()
}

/// Everything, kind by kind.
pub fn list() -> Vec<Listing> {
    let listing = |kind, key, specs: &[&Spec], common: &[Parameter]| Listing {
        kind,
        key,
        entries: specs.iter().map(|spec| entry(spec, common)).collect(),
    };
    let [policies, helpers, topologies, collectives, placements, transports, controllers, traffic] = KINDS;
    vec![
        listing(policies, "balance", balance::SPECS, &[]),
        listing(helpers, "balance.edge", edge::SPECS, &[]),
        listing(topologies, "fabric", topology::SPECS, &[]),
        listing(collectives, "jobs.phases", collective::SPECS, sections::COLLECTIVE.parameters),
        listing(placements, "jobs.placement", sections::PLACEMENTS, &[]),
        listing(transports, "transport", sections::TRANSPORTS, &[]),
        listing(controllers, "congestion", congestion::SPECS, &[]),
        listing(traffic, "background", background::SPECS, sections::BACKGROUND.parameters),
    ]
}

/// The JSON Schema of scenarios, for editors.
pub fn schema() -> String {
    netloom_scenario::schema()
}

fn entry(spec: &Spec, common: &[Parameter]) -> Entry {
    let parameters = spec.parameters.iter().chain(common).map(parameter).collect();
    Entry { name: spec.name, summary: spec.summary, source: spec.source, parameters }
}

fn parameter(parameter: &Parameter) -> ParameterEntry {
    ParameterEntry {
        name: parameter.name,
        // On a terminal backquotes only get in the way.
        value: words::kind(&parameter.kind).replace('`', ""),
        default: parameter.default.map(words::value),
        meaning: parameter.meaning,
    }
}
