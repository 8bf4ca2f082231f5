//! Which runs are seeds of one variant, and what it is called.
//!
//! Invariants: runs of one variant have the same settings but for seed, name and recording; names are distinct.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Observed;
use crate::panels::by_setting::is_below;
use crate::panels::settings::BetweenRow;

/// Settings that make no variant.
const NOT_VARIED: [&str; 3] = ["seed", "name", "record"];
/// The setting whose values are names by themselves.
const POLICY: &str = "balance";
/// Largest number of settings in a name.
const NAMED: usize = 3;

/// Runs that differ only in their seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Variant {
    /// Its name: that of its only run, or what distinguishes its settings.
    pub name: String,
    /// Indices of its runs, ascending.
    pub runs: Vec<usize>,
}

/// The variants in the order of their first runs, from the settings in which the runs differ.
pub(super) fn variants(runs: &[Observed], between: &[BetweenRow]) -> Vec<Variant> {
    let rows: Vec<&BetweenRow> = between.iter().filter(|row| is_varied(&row.path)).collect();
    let mut by_settings: BTreeMap<(bool, Vec<&Option<String>>), usize> = BTreeMap::new();
    let mut variants: Vec<Variant> = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        let values = rows.iter().map(|row| &row.values[number]).collect();
        let known = *by_settings.entry((run.seed.is_none(), values)).or_insert(variants.len());
        if known == variants.len() {
            variants.push(Variant { name: described(runs, &rows, number), runs: Vec::new() });
        }
        variants[known].runs.push(number);
    }
    let is_unclear =
        variants.iter().any(|variant| variant.name.is_empty() || is_repeated(variant, &variants));
    for variant in &mut variants {
        if is_unclear || variant.runs.len() == 1 {
            variant.name.clone_from(&runs[variant.runs[0]].name);
        }
    }
    variants
}

/// The variant with this name, or with a run of this name.
pub(super) fn find(variants: &[Variant], runs: &[Observed], name: &str) -> Option<usize> {
    let by_name = variants.iter().position(|variant| variant.name == name);
    by_name.or_else(|| {
        variants.iter().position(|variant| variant.runs.iter().any(|&run| runs[run].name == name))
    })
}

/// The names of all.
pub(super) fn names(variants: &[Variant]) -> Vec<String> {
    variants.iter().map(|variant| variant.name.clone()).collect()
}

fn is_varied(path: &str) -> bool {
    !NOT_VARIED.iter().any(|section| is_below(path, section))
}

fn is_repeated(variant: &Variant, variants: &[Variant]) -> bool {
    variants.iter().filter(|other| other.name == variant.name).count() > 1
}

/// The settings of a run that distinguish it: its policy, if that says all about load balancing, and other values.
fn described(runs: &[Observed], rows: &[&BetweenRow], run: usize) -> String {
    let (of_policy, others): (Vec<&BetweenRow>, Vec<&BetweenRow>) =
        rows.iter().copied().partition(|row| is_below(&row.path, POLICY));
    let mut words: Vec<String> = match &runs[run].policy {
        Some(policy) if !of_policy.is_empty() && names_all(runs, &of_policy) => vec![policy.clone()],
        _ => of_policy.iter().map(|row| setting(row, run)).collect(),
    };
    words.extend(others.iter().map(|row| setting(row, run)));
    if words.len() > NAMED {
        words.truncate(NAMED);
        words.push("...".to_owned());
    }
    words.join(", ")
}

/// Whether runs with one policy have equal values in these rows.
fn names_all(runs: &[Observed], rows: &[&BetweenRow]) -> bool {
    let mut known: BTreeMap<&Option<String>, Vec<&Option<String>>> = BTreeMap::new();
    runs.iter().enumerate().all(|(number, run)| {
        let values: Vec<&Option<String>> = rows.iter().map(|row| &row.values[number]).collect();
        *known.entry(&run.policy).or_insert_with(|| values.clone()) == values
    })
}

/// The value of a setting with its key: in short form, if that distinguishes as many.
fn setting(row: &BetweenRow, run: usize) -> String {
    let n_distinct = |values: &[Option<String>]| values.iter().collect::<BTreeSet<_>>().len();
    let values = if n_distinct(&row.words) == n_distinct(&row.values) { &row.words } else { &row.values };
    let value = values[run].as_deref().unwrap_or("none");
    if row.path == POLICY {
        return value.to_owned();
    }
    let key = row.path.rsplit('.').next().unwrap_or(&row.path);
    format!("{key} {value}")
}
