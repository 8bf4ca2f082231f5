//! Lists the available components of each kind, from their specifications.
//!
//! Leaves out: the layout of a list.

use netloom_catalog::topology;
use netloom_catalog::workload::{background, collective};
use netloom_policy::{balance, congestion, edge};
use netloom_scenario::resolved::sections;
use netloom_scenario::words;
use netloom_units::{Parameter, Spec};
use serde::Serialize;

/// The components of one kind.
#[derive(Debug, Clone, Serialize)]
pub struct Listing {
    /// The kind.
    pub kind: &'static str,
    /// The scenario key that selects one.
    pub key: &'static str,
    /// All of them.
    pub entries: Vec<Entry>,
}

/// A component that a scenario may select.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// A summary of one line.
    pub summary: &'static str,
    /// The source of its rule.
    pub source: &'static str,
    /// Its parameters.
    pub parameters: Vec<ParameterEntry>,
}

/// A parameter.
#[derive(Debug, Clone, Serialize)]
pub struct ParameterEntry {
    /// Its key.
    pub name: &'static str,
    /// The values allowed.
    pub value: String,
    /// The default; absent if the key is required.
    pub default: Option<String>,
    /// Its meaning, in one line.
    pub meaning: &'static str,
}

/// The kinds that are listed.
pub const KINDS: [&str; 8] =
    ["policies", "edge", "topologies", "collectives", "placements", "transports", "congestion", "background"];

/// The names of the collectives.
pub fn collectives() -> Vec<&'static str> {
    collective::SPECS.iter().map(|spec| spec.name).collect()
}

/// All components, kind by kind.
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
        // Backquotes are noise on a terminal.
        value: words::kind(&parameter.kind).replace('`', ""),
        default: parameter.default.as_ref().map(words::value),
        meaning: parameter.meaning,
    }
}
