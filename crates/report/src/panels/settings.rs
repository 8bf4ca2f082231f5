//! Settings: those that are not the defaults, and those in which the runs differ.
//!
//! Models: the resolved scenarios of all runs as lists of paths and values, in the form `--set` takes.
//! Leaves out: what the defaults are now; a run folder holds what differed from them when it was made.
//!
//! Invariants: a list that is cut says how long it was.

use std::collections::BTreeMap;

use netloom_records::ChangedSetting;
use serde::Serialize;
use serde_json::Value;

use crate::collect::About;

/// Rows of each table.
const LISTED: usize = 200;
/// Longer values are shortened, visibly.
const MOST_CHARACTERS: usize = 200;

/// The settings of all runs.
#[derive(Debug, Serialize)]
pub struct SettingsData {
    /// In which the runs differ.
    pub between: TableData<BetweenRow>,
    /// Not at their defaults.
    pub changed: TableData<ChangedRow>,
    /// For each run, whether its folder says what was not at its default.
    pub known: Vec<bool>,
}

/// Rows shown, and how many there are.
#[derive(Debug, Serialize)]
pub struct TableData<R> {
    /// How many there are.
    pub total: usize,
    /// The first of them.
    pub rows: Vec<R>,
}

/// A setting in which the runs differ.
#[derive(Debug, PartialEq, Serialize)]
pub struct BetweenRow {
    /// Where it is set.
    pub path: String,
    /// Run by run; absent where a scenario has no such place.
    pub values: Vec<Option<String>>,
}

/// A setting that is not at its default.
#[derive(Debug, PartialEq, Serialize)]
pub struct ChangedRow {
    /// Where it is set.
    pub path: String,
    /// Its default; absent where a scenario must say it.
    pub default: Option<String>,
    /// Run by run; absent where the default was taken.
    pub values: Vec<Option<String>>,
}

impl SettingsData {
    /// Of all runs.
    pub fn of(runs: &[&About]) -> SettingsData {
        let leaves: Vec<Leaves> = runs.iter().map(|run| leaves(&run.manifest.scenario)).collect();
        SettingsData {
            between: between(&leaves),
            changed: changed(runs),
            known: runs.iter().map(|run| run.manifest.changed.is_some()).collect(),
        }
    }
}

fn listed<R>(rows: Vec<R>) -> TableData<R> {
    TableData { total: rows.len(), rows: rows.into_iter().take(LISTED).collect() }
}

/// A scenario as paths and values, in order of appearance in the paths' natural order.
type Leaves = BTreeMap<Vec<Part>, String>;

/// A part of a path; numbers sort as numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Place(usize),
    Key(String),
}

fn leaves(scenario: &Value) -> Leaves {
    let mut found = Leaves::new();
    collect(scenario, &mut Vec::new(), &mut found);
    found
}

fn collect(value: &Value, path: &mut Vec<Part>, found: &mut Leaves) {
    let mut below = |part: Part, value: &Value| {
        path.push(part);
        collect(value, path, found);
        path.pop();
    };
    match value {
        Value::Object(map) if !map.is_empty() => {
            map.iter().for_each(|(key, value)| below(Part::Key(key.clone()), value));
        }
        Value::Array(list) if !list.is_empty() => {
            list.iter().enumerate().for_each(|(place, value)| below(Part::Place(place), value));
        }
        Value::String(text) => {
            found.insert(path.clone(), shortened(text));
        }
        other => {
            found.insert(path.clone(), shortened(&other.to_string()));
        }
    }
}

/// All settings in which runs differ.
pub fn between_runs(runs: &[&About]) -> Vec<BetweenRow> {
    let leaves: Vec<Leaves> = runs.iter().map(|run| leaves(&run.manifest.scenario)).collect();
    differing(&leaves)
}

fn between(runs: &[Leaves]) -> TableData<BetweenRow> {
    listed(differing(runs))
}

fn differing(runs: &[Leaves]) -> Vec<BetweenRow> {
    let mut paths: Vec<&Vec<Part>> = runs.iter().flat_map(Leaves::keys).collect();
    paths.sort_unstable();
    paths.dedup();
    let row = |path: &Vec<Part>| {
        let values: Vec<Option<String>> = runs.iter().map(|run| run.get(path).cloned()).collect();
        let differ = values.iter().any(|value| *value != values[0]);
        differ.then(|| BetweenRow { path: dotted(path), values })
    };
    paths.into_iter().filter_map(row).collect()
}

fn changed(runs: &[&About]) -> TableData<ChangedRow> {
    let mut rows: Vec<ChangedRow> = Vec::new();
    let mut places: BTreeMap<(String, Option<String>), usize> = BTreeMap::new();
    for (number, run) in runs.iter().enumerate() {
        for ChangedSetting { path, value, default } in run.manifest.changed.iter().flatten() {
            let key = (path.clone(), default.clone());
            let place = *places.entry(key).or_insert_with(|| {
                rows.push(ChangedRow {
                    path: path.clone(),
                    default: default.clone(),
                    values: vec![None; runs.len()],
                });
                rows.len() - 1
            });
            rows[place].values[number] = Some(shortened(value));
        }
    }
    listed(rows)
}

fn dotted(path: &[Part]) -> String {
    let text = |part: &Part| match part {
        Part::Place(place) => place.to_string(),
        Part::Key(key) => key.clone(),
    };
    path.iter().map(text).collect::<Vec<_>>().join(".")
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_differs_is_found_at_its_path() {
        let one = json!({"balance": "ecmp", "jobs": [{"steps": 3}], "seed": 1});
        let two = json!({"balance": {"flowlet": {"gap": "1us"}}, "jobs": [{"steps": 4}], "seed": 1});
        let found = between(&[leaves(&one), leaves(&two)]);
        let row = |path: &str, values: [Option<&str>; 2]| BetweenRow {
            path: path.to_owned(),
            values: values.map(|value| value.map(str::to_owned)).to_vec(),
        };
        assert_eq!(found.total, 3);
        assert_eq!(found.rows[0], row("balance", [Some("ecmp"), None]));
        assert_eq!(found.rows[1], row("balance.flowlet.gap", [None, Some("1us")]));
        assert_eq!(found.rows[2], row("jobs.0.steps", [Some("3"), Some("4")]));
    }

    #[test]
    fn long_lists_and_values_say_how_long_they_were() {
        let scenario = |seed: usize| json!((0..300).map(|place| place + seed).collect::<Vec<_>>());
        let found = between(&[leaves(&scenario(0)), leaves(&scenario(1))]);
        assert_eq!((found.total, found.rows.len()), (300, LISTED));
        assert_eq!(found.rows[10].path, "10");
        let long = shortened(&"x".repeat(300));
        assert!(long.ends_with("… (300 bytes)"), "{long}");
    }
}
