//! Settings: those that differ from their defaults, and those in which the runs differ.
//!
//! Models: the resolved scenarios of all runs as lists of paths and values, in the form `--set` takes.
//! A setting with several choices, such as a policy with its parameters, is one row: the choice of each run, followed
//! by its parameters.
//! Leaves out: the current defaults; a run folder has the settings that differed from the defaults of its time.
//!
//! Invariants: for a list that is cut the total number is given.

use std::collections::{BTreeMap, BTreeSet};

use netloom_records::ChangedSetting;
use serde::Serialize;
use serde_json::Value;

use crate::collect::About;

/// Largest number of rows of each table.
const LISTED: usize = 200;
/// Longer values are shortened, with their length given.
const MOST_CHARACTERS: usize = 200;

/// The settings of all runs.
#[derive(Debug, Serialize)]
pub struct SettingsData {
    /// Settings in which the runs differ.
    pub between: TableData<BetweenRow>,
    /// Settings that differ from their defaults.
    pub changed: TableData<ChangedRow>,
    /// For each run, whether its folder records the settings that differ from their defaults.
    pub known: Vec<bool>,
}

/// Rows shown, and their total number.
#[derive(Debug, Serialize)]
pub struct TableData<R> {
    /// Total number of rows.
    pub total: usize,
    /// The first of them.
    pub rows: Vec<R>,
}

/// A setting in which the runs differ.
#[derive(Debug, PartialEq, Serialize)]
pub struct BetweenRow {
    /// Its path.
    pub path: String,
    /// The value of each run; absent if a scenario has no such path.
    pub values: Vec<Option<String>>,
    /// The same without the parameters of a choice, for narrow output.
    #[serde(skip)]
    pub words: Vec<Option<String>>,
}

/// A setting that differs from its default.
#[derive(Debug, PartialEq, Serialize)]
pub struct ChangedRow {
    /// Its path.
    pub path: String,
    /// Its default; absent if scenarios must give it.
    pub default: Option<String>,
    /// The value of each run; absent if it is the default.
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

/// A scenario as paths and values, in the natural order of paths.
type Leaves = BTreeMap<Vec<Part>, String>;

/// A part of a path; numbers sort as numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Index(usize),
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
            list.iter().enumerate().for_each(|(index, value)| below(Part::Index(index), value));
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
    let chosen = choices(runs);
    let mut rows: Vec<BetweenRow> = Vec::new();
    let mut done: BTreeSet<&[Part]> = BTreeSet::new();
    for (path, values) in differing_paths(runs) {
        match chosen.iter().find(|prefix| path.starts_with(prefix)) {
            Some(prefix) if done.insert(prefix) => {
                rows.push(chosen_between(runs, prefix));
            }
            Some(_) => {}
            None => rows.push(BetweenRow::plain(path, values)),
        }
    }
    listed(rows)
}

/// Paths at which runs have different choices, each a word, or a word with parameters.
fn choices(runs: &[Leaves]) -> BTreeSet<Vec<Part>> {
    let has_prefix = |run: &Leaves, prefix: &[Part]| run.keys().any(|path| path.starts_with(prefix));
    let mut found = BTreeSet::new();
    for (path, values) in differing_paths(runs) {
        let Some((prefix, [Part::Key(_), Part::Key(_)])) =
            path.split_at_checked(path.len().saturating_sub(2))
        else {
            continue;
        };
        let is_of_some = values.iter().any(Option::is_none);
        if is_of_some
            && !prefix.is_empty()
            && runs.iter().all(|run| has_one_choice(run, prefix) && has_prefix(run, prefix))
        {
            found.insert(prefix.to_vec());
        }
    }
    found
}

/// Whether a run has a word, or one key with parameters, at this path.
fn has_one_choice(run: &Leaves, prefix: &[Part]) -> bool {
    let mut words = run.keys().filter(|path| path.starts_with(prefix)).map(|path| path.get(prefix.len()));
    let Some(first) = words.next() else { return false };
    words.all(|word| word == first)
}

/// The choices of runs at a path.
fn chosen_between(runs: &[Leaves], prefix: &[Part]) -> BetweenRow {
    let found: Vec<Option<(String, String)>> = runs.iter().map(|run| choice(run, prefix)).collect();
    let whole = |(word, parameters): &(String, String)| match parameters.as_str() {
        "" => word.clone(),
        parameters => shortened(&format!("{word} ({parameters})")),
    };
    BetweenRow {
        path: dotted(prefix),
        values: found.iter().map(|found| found.as_ref().map(whole)).collect(),
        words: found.into_iter().map(|found| found.map(|(word, _)| word)).collect(),
    }
}

impl BetweenRow {
    fn plain(path: &[Part], values: Vec<Option<String>>) -> BetweenRow {
        BetweenRow { path: dotted(path), words: values.clone(), values }
    }
}

/// The word of a run at this path, and its parameters.
fn choice(run: &Leaves, prefix: &[Part]) -> Option<(String, String)> {
    let mut below = run.iter().filter(|(path, _)| path.starts_with(prefix)).peekable();
    let (first, value) = below.peek()?;
    let Some(word) = first.get(prefix.len()) else { return Some(((*value).clone(), String::new())) };
    let word = dotted(std::slice::from_ref(word));
    let parameters: Vec<String> =
        below.map(|(path, value)| format!("{} {value}", dotted(&path[prefix.len() + 1..]))).collect();
    Some((word, parameters.join(", ")))
}

fn differing(runs: &[Leaves]) -> Vec<BetweenRow> {
    let rows = differing_paths(runs).into_iter();
    rows.map(|(path, values)| BetweenRow::plain(path, values)).collect()
}

/// Paths at which runs differ, and the value of each run.
fn differing_paths(runs: &[Leaves]) -> Vec<(&Vec<Part>, Vec<Option<String>>)> {
    let mut paths: Vec<&Vec<Part>> = runs.iter().flat_map(Leaves::keys).collect();
    paths.sort_unstable();
    paths.dedup();
    let values =
        |path: &Vec<Part>| -> Vec<Option<String>> { runs.iter().map(|run| run.get(path).cloned()).collect() };
    let differ = |values: &[Option<String>]| values.iter().any(|value| *value != values[0]);
    let found = paths.into_iter().map(|path| (path, values(path)));
    found.filter(|(_, values)| differ(values)).collect()
}

fn changed(runs: &[&About]) -> TableData<ChangedRow> {
    let mut rows: Vec<ChangedRow> = Vec::new();
    let mut indices: BTreeMap<(String, Option<String>), usize> = BTreeMap::new();
    for (number, run) in runs.iter().enumerate() {
        for ChangedSetting { path, value, default } in run.manifest.changed.iter().flatten() {
            let key = (path.clone(), default.clone());
            let index = *indices.entry(key).or_insert_with(|| {
                rows.push(ChangedRow {
                    path: path.clone(),
                    default: default.clone(),
                    values: vec![None; runs.len()],
                });
                rows.len() - 1
            });
            rows[index].values[number] = Some(shortened(value));
        }
    }
    listed(rows)
}

fn dotted(path: &[Part]) -> String {
    let text = |part: &Part| match part {
        Part::Index(index) => index.to_string(),
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
    fn settings_in_which_runs_differ_are_found_at_their_paths() {
        let one = json!({"balance": "ecmp", "jobs": [{"steps": 3}], "seed": 1});
        let two = json!({"balance": {"flowlet": {"gap": "1us"}}, "jobs": [{"steps": 4}], "seed": 1});
        let found = between(&[leaves(&one), leaves(&two)]);
        let row = |path: &str, values: [Option<&str>; 2]| {
            let values = values.map(|value| value.map(str::to_owned)).to_vec();
            BetweenRow { path: path.to_owned(), words: values.clone(), values }
        };
        assert_eq!(found.total, 2);
        let words = ["ecmp", "flowlet"].map(|word| Some(word.to_owned())).to_vec();
        let balance = row("balance", [Some("ecmp"), Some("flowlet (gap 1us)")]);
        assert_eq!(found.rows[0], BetweenRow { words, ..balance });
        assert_eq!(found.rows[1], row("jobs.0.steps", [Some("3"), Some("4")]));
    }

    #[test]
    fn a_section_of_several_keys_stays_in_rows() {
        let one = json!({"queues": {"limit": "1MiB", "marking": {"minimum": "1KB", "maximum": "2KB"}}});
        let two = json!({"queues": {"limit": "1MiB"}});
        let found = between(&[leaves(&one), leaves(&two)]);
        let paths: Vec<&str> = found.rows.iter().map(|row| row.path.as_str()).collect();
        assert_eq!(paths, ["queues.marking.maximum", "queues.marking.minimum"]);
    }

    #[test]
    fn long_lists_and_values_are_cut_with_their_lengths_given() {
        let scenario = |seed: usize| json!((0..300).map(|index| index + seed).collect::<Vec<_>>());
        let found = between(&[leaves(&scenario(0)), leaves(&scenario(1))]);
        assert_eq!((found.total, found.rows.len()), (300, LISTED));
        assert_eq!(found.rows[10].path, "10");
        let long = shortened(&"x".repeat(300));
        assert!(long.ends_with("… (300 bytes)"), "{long}");
    }
}
