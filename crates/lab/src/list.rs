//! What there is to choose from, as the specifications say it.
//!
//! Leaves out: how a list is drawn.

use netloom_catalog::topology;
use netloom_catalog::workload::{background, collective};
use netloom_policy::balance;
use netloom_scenario::quantity::{self, Dimension};
use netloom_scenario::resolved::sections;
use netloom_units::{Kind, Parameter, Spec, Value};
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
pub const KINDS: [&str; 6] =
    ["policies", "topologies", "collectives", "placements", "transports", "background"];

/// Everything, kind by kind.
pub fn list() -> Vec<Listing> {
    let listing = |kind, key, specs: &[&Spec], common: &[Parameter]| Listing {
        kind,
        key,
        entries: specs.iter().map(|spec| entry(spec, common)).collect(),
    };
    let [policies, topologies, collectives, placements, transports, traffic] = KINDS;
    vec![
        listing(policies, "balance", balance::SPECS, &[]),
        listing(topologies, "fabric", topology::SPECS, &[]),
        listing(collectives, "jobs.phases", collective::SPECS, sections::COLLECTIVE.parameters),
        listing(placements, "jobs.placement", sections::PLACEMENTS, &[]),
        listing(transports, "transport", sections::TRANSPORTS, &[]),
        listing(traffic, "background", background::SPECS, sections::BACKGROUND.parameters),
    ]
}

fn entry(spec: &Spec, common: &[Parameter]) -> Entry {
    let parameters = spec.parameters.iter().chain(common).map(parameter).collect();
    Entry { name: spec.name, summary: spec.summary, source: spec.source, parameters }
}

fn parameter(parameter: &Parameter) -> ParameterEntry {
    ParameterEntry {
        name: parameter.name,
        value: kind_text(&parameter.kind),
        default: parameter.default.map(value_text),
        meaning: parameter.meaning,
    }
}

fn kind_text(kind: &Kind) -> String {
    match kind {
        Kind::Count { minimum, maximum: u64::MAX } => format!("whole number from {minimum}"),
        Kind::Count { minimum, maximum } => format!("whole number from {minimum} to {maximum}"),
        Kind::Fraction { minimum, maximum } => format!("number from {minimum} to {maximum}"),
        Kind::Duration => "time with its unit".to_owned(),
        Kind::Size => "size with its unit".to_owned(),
        Kind::Rate => "rate with its unit".to_owned(),
        Kind::Flag => "true or false".to_owned(),
        Kind::Choice(words) => words.join(" or "),
        Kind::Optional(inner) => format!("{}, or none", kind_text(inner)),
    }
}

fn value_text(value: Value) -> String {
    match value {
        Value::Count(count) => count.to_string(),
        Value::Fraction(fraction) => fraction.to_string(),
        Value::Duration(span) => quantity::print(span.0, Dimension::Duration),
        Value::Size(size) => quantity::print(size.0, Dimension::Size),
        Value::Rate(rate) => quantity::print(rate.0, Dimension::Rate),
        Value::Flag(flag) => flag.to_string(),
        Value::Choice(word) => word.to_owned(),
        Value::Absent => "none".to_owned(),
    }
}
