//! The series of a study: what it varies apart from hosts, collectives, sizes and bursts, in short form.
//!
//! Models: settings in which the scenarios differ, each with its value; settings of jobs, steps among them, and names
//! of scenarios only if nothing else distinguishes two runs.
//!
//! Invariants: two runs that differ in anything but their seed, what is recorded, and the aggressor have different
//! names, or differ in other coordinates.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::differences::{Difference, differences};

/// Sections that are covered by other coordinates, or depend on the seed.
const SHOWN_ELSEWHERE: [&str; 4] = ["jobs", "seed", "name", "record"];

/// The series of runs.
pub struct Circumstances {
    /// Settings in the names.
    pub settings: Vec<String>,
    /// The name of each run.
    pub names: Vec<String>,
}

/// The series of scenarios, which `others` may already distinguish.
pub fn of(scenarios: &[&Value], others: &[String]) -> Circumstances {
    let mut kept: Vec<Difference> = Vec::new();
    let named =
        Difference { path: "name".to_owned(), values: scenarios.iter().map(|one| name_of(one)).collect() };
    let stem = stem(&named.values);
    let is_named = is_needed(&named, others);
    if is_named {
        kept.push(named);
    }
    kept.extend(differences("", &sections(scenarios).iter().map(Some).collect::<Vec<_>>()));
    for row in of_jobs(scenarios) {
        if is_needed(&row, others) && !kept.iter().any(|known| says_as_much(known, &row)) {
            kept.push(row);
        }
    }
    let name = |index: usize| {
        let first = (!is_named).then(|| stem.clone()).filter(|stem| !stem.is_empty());
        let rows = kept.iter().filter_map(|row| {
            let value = row.values[index].as_deref()?;
            Some(if row.path == "name" { value.to_owned() } else { format!("{} {value}", row.path) })
        });
        first.into_iter().chain(rows).collect::<Vec<_>>().join(", ")
    };
    let names = (0..scenarios.len()).map(name).collect();
    Circumstances { settings: kept.into_iter().map(|row| row.path).collect(), names }
}

fn name_of(scenario: &Value) -> Option<String> {
    scenario.get("name").and_then(Value::as_str).map(str::to_owned)
}

/// The sections that are compared unchanged.
fn sections(scenarios: &[&Value]) -> Vec<Value> {
    let compared = |scenario: &&Value| {
        let mut own = scenario.as_object().cloned().unwrap_or_default();
        own.retain(|key, _| !SHOWN_ELSEWHERE.contains(&key.as_str()));
        Value::Object(own)
    };
    scenarios.iter().map(compared).collect()
}

/// The settings in which jobs of the same name differ.
fn of_jobs(scenarios: &[&Value]) -> Vec<Difference> {
    let jobs = |scenario: &Value| scenario.get("jobs").and_then(Value::as_array).cloned().unwrap_or_default();
    let named = |job: &Value| job.get("name").and_then(Value::as_str).map(str::to_owned);
    let names: BTreeSet<String> =
        scenarios.iter().flat_map(|one| jobs(one)).filter_map(|job| named(&job)).collect();
    // The victim first: settings that differ in both jobs are named for it.
    let rows = names.into_iter().rev().flat_map(|name| {
        let own: Vec<Option<Value>> = scenarios
            .iter()
            .map(|one| jobs(one).into_iter().find(|job| named(job).as_ref() == Some(&name)))
            .collect();
        differences(&name, &own.iter().map(Option::as_ref).collect::<Vec<_>>())
    });
    rows.collect()
}

/// Whether two runs with the same name differ in it.
fn is_needed(row: &Difference, others: &[String]) -> bool {
    let mut first: BTreeMap<&String, &String> = BTreeMap::new();
    let pairs = others.iter().zip(&row.values).filter_map(|(other, value)| Some((other, value.as_ref()?)));
    pairs.into_iter().any(|(other, value)| *first.entry(other).or_insert(value) != value)
}

/// Whether runs with equal values of one have equal values of the other.
fn says_as_much(known: &Difference, row: &Difference) -> bool {
    let mut first: BTreeMap<&Option<String>, &String> = BTreeMap::new();
    let pairs =
        known.values.iter().zip(&row.values).filter_map(|(known, value)| Some((known, value.as_ref()?)));
    pairs.into_iter().all(|(known, value)| *first.entry(known).or_insert(value) == value)
}

/// The common prefix of all names.
fn stem(names: &[Option<String>]) -> String {
    let mut stem = names.iter().flatten().next().cloned().unwrap_or_default();
    for name in names.iter().flatten() {
        while !name.starts_with(&stem) {
            stem.pop();
        }
    }
    if names.iter().flatten().all(|name| *name == stem) {
        return stem;
    }
    // No part of a number: `lumi-16` and `lumi-128` have `lumi` in common.
    let between = |c: char| c.is_ascii_digit() || "-_. ".contains(c);
    stem.trim_end_matches(between).to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn scenario(name: &str, placement: &Value, steps: u32, congestion: &str) -> Value {
        let job = |job: &str| json!({"name": job, "placement": placement, "steps": steps});
        json!({"name": name, "seed": steps, "congestion": congestion, "jobs": [job("aggressor"), job("victim")]})
    }

    fn names(scenarios: &[Value], others: &[&str]) -> Vec<String> {
        let others: Vec<String> = others.iter().map(|other| (*other).to_owned()).collect();
        of(&scenarios.iter().collect::<Vec<_>>(), &others).names
    }

    #[test]
    fn settings_are_reported_with_their_values() {
        let placement = json!({"numbered": {"ranks": 4, "first": 0}});
        let of = |congestion| scenario("lumi", &placement, 5, congestion);
        let found = names(&[of("none"), of("slingshot"), of("none")], &["a", "a", "b"]);
        assert_eq!(found, ["lumi, congestion none", "lumi, congestion slingshot", "lumi, congestion none"]);
    }

    #[test]
    fn jobs_are_named_if_nothing_else_distinguishes_runs() {
        let numbered = json!({"numbered": {"ranks": 4, "first": 0}});
        let random = json!({"random": {"ranks": 4, "seed": 0}});
        let of = |placement: &Value, steps| scenario("lumi", placement, steps, "none");
        let apart = names(&[of(&numbered, 5), of(&random, 5)], &["a", "a"]);
        assert_eq!(apart, ["lumi, victim.placement numbered", "lumi, victim.placement random"]);
        assert_eq!(names(&[of(&numbered, 5), of(&random, 5)], &["8 hosts", "16 hosts"]), ["lumi", "lumi"]);
        assert_eq!(names(&[of(&numbered, 5), of(&numbered, 9)], &["a", "b"]), ["lumi", "lumi"]);
        let steps = names(&[of(&numbered, 5), of(&numbered, 9)], &["a", "a"]);
        assert_eq!(steps, ["lumi, victim.steps 5", "lumi, victim.steps 9"]);
    }

    #[test]
    fn names_of_scenarios_are_given_if_nothing_else_distinguishes_runs() {
        let list = |hosts: [&str; 2]| json!({"list": hosts});
        let of = |name, hosts| scenario(name, &list(hosts), 5, "none");
        let scenarios = [of("lumi-16", ["a", "b"]), of("lumi-128", ["c", "d"])];
        assert_eq!(names(&scenarios, &["16", "128"]), ["lumi", "lumi"]);
        assert_eq!(names(&scenarios, &["8", "8"]), ["lumi-16", "lumi-128"]);
    }
}
