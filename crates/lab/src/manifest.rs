//! The part of a run's manifest that does not describe its tables.

use netloom_model::Partitions;
use netloom_records::{ChangedSetting, RunSummary};
use netloom_scenario::Changed;
use serde_json::{Map, Value, json};

use crate::build::BUILD;
use crate::layout::layouts;
use crate::prepare::Prepared;
use crate::simulate::Simulated;

/// Key of the number of hosts among the derived values.
pub(crate) const HOSTS: &str = "hosts";

/// The summary of a run for its manifest.
pub(crate) fn run_summary(
    prepared: &Prepared,
    simulated: &Simulated,
    threads: usize,
    command: Vec<String>,
) -> RunSummary {
    let compiled = &prepared.compiled;
    RunSummary {
        netloom: env!("CARGO_PKG_VERSION").to_owned(),
        build: Some(BUILD.to_owned()),
        scenario_yaml: compiled.resolved_yaml.clone(),
        scenario: prepared.scenario.clone(),
        changed: compiled.changed.iter().cloned().map(stored).collect(),
        seed: Some(compiled.model.seed),
        outcome: simulated.outcome.clone(),
        wall_time_s: simulated.wall_time_s,
        packets: Some(simulated.engine.packets),
        hops: Some(simulated.engine.hops),
        simulated_ps: simulated.engine.end.0,
        threads: Some(u32::try_from(threads).unwrap_or(u32::MAX)),
        command,
        engine: derived(prepared, simulated),
        jobs: layouts(prepared),
        assumptions: notes(prepared),
        time_scale: compiled.time_scale.clone(),
        measured: None,
    }
}

/// Modelling assumptions, and settings that have no effect.
fn notes(prepared: &Prepared) -> Vec<String> {
    let warnings = prepared.compiled.warnings.problems().iter();
    let warnings = warnings.map(|problem| format!("{}: {}", problem.message(), problem.label()));
    prepared.compiled.notes.iter().cloned().chain(warnings).collect()
}

fn stored(setting: Changed) -> ChangedSetting {
    ChangedSetting { path: setting.path, value: setting.value, default: setting.default }
}

/// Values derived from the scenario.
fn derived(prepared: &Prepared, simulated: &Simulated) -> Map<String, Value> {
    let model = &prepared.compiled.model;
    let partitions = Partitions::of(&model.fabric);
    let entries = [
        (HOSTS, json!(model.fabric.n_hosts())),
        ("switches", json!(model.fabric.n_switches())),
        ("links", json!(model.fabric.links().len())),
        ("partitions", json!(partitions.n_partitions())),
        ("lookahead_ps", json!(partitions.lookahead().map(|span| span.0))),
        ("window_ps", json!(simulated.engine.window.0)),
        ("windows", json!(simulated.engine.windows)),
        ("coordination_delay_ps", json!(model.coordination_delay.0)),
    ];
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
