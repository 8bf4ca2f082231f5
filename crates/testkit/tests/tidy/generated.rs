//! Files that are generated from the specs and stored in the repository: tables, the reference, the schema.
//!
//! `make golden` updates all of them.

use std::collections::BTreeSet;
use std::fs;

use netloom_catalog::workload::background;
use netloom_policy::{balance, congestion, edge};
use netloom_scenario::quantity::Dimension;
use netloom_scenario::{parameter_table, reference, schema};
use netloom_units::Spec;
use serde_json::Value;

use crate::{python_tables, tree, validation};

/// Where the generated table of a page begins.
const TABLE: &str = "<!-- parameters: generated from SPEC, `make golden` rewrites it -->";
/// Where it ends.
const TABLE_END: &str = "<!-- /parameters -->";

fn updates_golden_files() -> bool {
    std::env::var("NETLOOM_UPDATE_GOLDEN").is_ok_and(|value| value == "1")
}

/// A stored file equals its generated text; in update mode it is overwritten.
fn refresh(path: &str, fresh: &str, complaints: &mut Vec<String>) {
    let file = tree::root().join(path);
    if fs::read_to_string(&file).is_ok_and(|stored| stored == fresh) {
        return;
    }
    if updates_golden_files() {
        fs::write(&file, fresh).unwrap_or_else(|error| panic!("{path}: {error}"));
    } else {
        complaints.push(format!("{path}: run `make golden`"));
    }
}

#[test]
fn tables_of_parameters_are_fresh() {
    let policies = balance::SPECS.iter().map(|spec| (format!("docs/policies/{}.md", spec.name), spec));
    let kinds = background::SPECS.iter().map(|spec| (format!("docs/workloads/{}.md", spec.name), spec));
    let controllers =
        congestion::SPECS.iter().map(|spec| (format!("docs/congestion/{}.md", spec.name), spec));
    let helpers = edge::SPECS.iter().map(|spec| (format!("docs/edge/{}.md", spec.name), spec));
    let mut complaints = Vec::new();
    for (path, spec) in policies.chain(kinds).chain(controllers).chain(helpers) {
        let Ok(page) = fs::read_to_string(tree::root().join(&path)) else { continue };
        match with_table(&page, spec) {
            None => complaints.push(format!("{path}: lacks the lines `{TABLE}` and `{TABLE_END}`")),
            Some(fresh) => refresh(&path, &fresh, &mut complaints),
        }
    }
    tree::refuse("The table of a page is generated from the SPEC:", &complaints);
}

/// The page with its table updated.
fn with_table(page: &str, spec: &Spec) -> Option<String> {
    let (before, rest) = page.split_once(TABLE)?;
    let (_, after) = rest.split_once(TABLE_END)?;
    Some(format!("{before}{TABLE}\n{}{TABLE_END}{after}", parameter_table(spec.parameters)))
}

#[test]
fn reference_and_schema_are_fresh() {
    let mut complaints = Vec::new();
    refresh("docs/reference/scenario.md", &reference(), &mut complaints);
    refresh("docs/scenario.schema.json", &schema(), &mut complaints);
    tree::refuse("Reference and schema of scenarios are generated from the specs:", &complaints);
}

#[test]
fn tables_in_python_are_fresh() {
    let mut complaints = Vec::new();
    refresh("python/netloom/_run_tables.py", &python_tables::module(), &mut complaints);
    tree::refuse("The attributes of runs in Python are generated from the tables:", &complaints);
}

#[test]
fn the_validation_page_is_fresh() {
    let mut complaints = Vec::new();
    refresh("docs/validation.md", &validation::page(), &mut complaints);
    tree::refuse("The page about validation is generated from tests and claims:", &complaints);
}

#[test]
fn the_dictionary_for_fuzzing_is_fresh() {
    let schema: Value = serde_json::from_str(&schema()).expect("the schema is JSON");
    let mut words = BTreeSet::new();
    collect(&schema, &mut words);
    for dimension in [Dimension::Rate, Dimension::Size, Dimension::Duration] {
        words.extend(dimension.units().iter().map(|(unit, _)| format!("1{unit}")));
    }
    let yaml = [
        ": ",
        "- ",
        "{",
        "}",
        "[",
        "]",
        ", ",
        "&a ",
        "*a",
        "\\x0a",
        "\\x0a  ",
        "\\x0a%%%\\x0a",
        "netloom: 1",
    ];
    let lines = words.iter().map(String::as_str).chain(yaml).map(|word| format!("\"{word}\"\n"));
    let fresh = format!(
        "# Words of scenarios; made from the schema, `make golden` rewrites it.\n{}",
        lines.collect::<String>()
    );
    let mut complaints = Vec::new();
    refresh("fuzz/scenario.dict", &fresh, &mut complaints);
    tree::refuse("The dictionary for fuzzing is generated from the schema:", &complaints);
}

/// Keys and words of the schema.
fn collect(schema: &Value, words: &mut BTreeSet<String>) {
    match schema {
        Value::Object(entries) => {
            if let Some(Value::Object(keys)) = entries.get("properties") {
                words.extend(keys.keys().cloned());
            }
            let offered = entries.get("enum").and_then(Value::as_array).into_iter().flatten();
            let offered = offered.chain(entries.get("const")).filter_map(Value::as_str);
            words.extend(offered.map(str::to_owned));
            entries.values().for_each(|value| collect(value, words));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, words)),
        _ => {}
    }
}
