//! What is made from the specs and kept in the repository: tables, the reference, the schema.
//!
//! `make bless` rewrites all of it.

use std::fs;

use netloom_catalog::workload::background;
use netloom_policy::balance;
use netloom_scenario::{parameter_table, reference, schema};
use netloom_units::Spec;

use crate::{tree, validation};

/// Where the generated table of a page begins.
const TABLE: &str = "<!-- parameters: generated from SPEC, `make bless` rewrites it -->";
/// Where it ends.
const TABLE_END: &str = "<!-- /parameters -->";

fn blessing() -> bool {
    std::env::var("NETLOOM_BLESS").is_ok_and(|value| value == "1")
}

/// A file is what it is made from; when blessing, it becomes that.
fn refresh(path: &str, fresh: &str, complaints: &mut Vec<String>) {
    let file = tree::root().join(path);
    if fs::read_to_string(&file).is_ok_and(|stored| stored == fresh) {
        return;
    }
    if blessing() {
        fs::write(&file, fresh).unwrap_or_else(|error| panic!("{path}: {error}"));
    } else {
        complaints.push(format!("{path}: run `make bless`"));
    }
}

#[test]
fn tables_of_parameters_are_fresh() {
    let policies = balance::SPECS.iter().map(|spec| (format!("docs/policies/{}.md", spec.name), spec));
    let kinds = background::SPECS.iter().map(|spec| (format!("docs/workloads/{}.md", spec.name), spec));
    let mut complaints = Vec::new();
    for (path, spec) in policies.chain(kinds) {
        let Ok(page) = fs::read_to_string(tree::root().join(&path)) else { continue };
        match with_table(&page, spec) {
            None => complaints.push(format!("{path}: lacks the lines `{TABLE}` and `{TABLE_END}`")),
            Some(fresh) => refresh(&path, &fresh, &mut complaints),
        }
    }
    tree::refuse("The table of a page is made from the SPEC:", &complaints);
}

/// The page with its table made anew.
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
    tree::refuse("Reference and schema of scenarios are made from the specs:", &complaints);
}

#[test]
fn the_validation_page_is_fresh() {
    let mut complaints = Vec::new();
    refresh("docs/validation.md", &validation::page(), &mut complaints);
    tree::refuse("The page about validation is made from tests and claims:", &complaints);
}
