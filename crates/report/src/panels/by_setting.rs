//! Completion time by setting: runs that differ in more than their balancing policy, as groups of bars.
//!
//! Models: a bar for each balancing policy, a group for each combination of the other settings in which the runs
//! differ; runs that differ only in their seed share a bar.
//! Leaves out: whether a difference is significant; `netloom sweep` has confidence intervals.
//!
//! Invariants: absent unless there are several groups; a setting that depends on the balancing policy forms no group.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::settings::{BetweenRow, between_runs};
use super::steps::JobData;
use crate::collect::About;
use crate::round::six_digits;

/// Settings that distinguish the bars.
const BARS: &str = "balance";
/// Settings that distinguish neither bars nor groups.
const NEITHER: [&str; 2] = ["seed", "name"];
/// Largest number of settings in a label.
const NAMED: usize = 3;

/// All runs by their settings.
#[derive(Debug, Serialize)]
pub struct BySettingData {
    /// The settings in which the groups differ.
    pub settings: Vec<String>,
    /// Names of the groups.
    pub groups: Vec<String>,
    /// Names of the bars.
    pub bars: Vec<String>,
    /// By group, then by bar; absent without a run.
    pub times: Vec<Vec<Option<TimesData>>>,
}

/// Completion times of runs that differ only in their seed, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimesData {
    /// Number of runs.
    pub runs: usize,
    /// Their mean.
    pub mean: f64,
    /// The shortest.
    pub low: f64,
    /// The longest.
    pub high: f64,
}

impl BySettingData {
    /// From all runs.
    pub fn of(runs: &[&About], steps: &[JobData]) -> Option<BySettingData> {
        let differ = between_runs(runs);
        let differ =
            differ.into_iter().filter(|row| !NEITHER.iter().any(|section| is_below(&row.path, section)));
        let (bars, others): (Vec<_>, Vec<_>) = differ.partition(|row| is_below(&row.path, BARS));
        let bar_of = values(&bars, runs.len());
        let groups: Vec<BetweenRow> = others.into_iter().filter(|row| !follows(row, &bar_of)).collect();
        let group_of = values(&groups, runs.len());
        let bar_names = named_by_policy(names(&bar_of), runs, &bar_of);
        let group_names = sorted(names(&group_of));
        let mut found: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
        for run in 0..runs.len() {
            if let Some(time) = completion(run, steps) {
                let cell = (index(&group_names, &group_of[run]), index(&bar_names, &bar_of[run]));
                found.entry(cell).or_default().push(time);
            }
        }
        let n_groups = found.keys().map(|key| key.0).collect::<BTreeSet<_>>().len();
        let times = |group: usize| -> Vec<Option<TimesData>> {
            (0..bar_names.len()).map(|bar| TimesData::of(found.get(&(group, bar))?)).collect()
        };
        let times: Vec<Vec<Option<TimesData>>> = (0..group_names.len()).map(times).collect();
        (n_groups > 1).then(|| BySettingData {
            settings: groups.iter().map(|row| row.path.clone()).collect(),
            groups: group_names.into_iter().map(|(_, name)| name).collect(),
            bars: bar_names.into_iter().map(|(_, name)| name).collect(),
            times,
        })
    }
}

/// Whether a path is that of a section of settings, or of one of its parameters.
pub(crate) fn is_below(path: &str, section: &str) -> bool {
    path.strip_prefix(section).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Values of settings of a run.
type Values = Vec<Option<String>>;

/// The values of each run.
fn values(rows: &[BetweenRow], n_runs: usize) -> Vec<Values> {
    (0..n_runs).map(|run| rows.iter().map(|row| row.values[run].clone()).collect()).collect()
}

/// Whether all runs of the same bar agree in a setting.
fn follows(row: &BetweenRow, bar_of: &[Values]) -> bool {
    let mut known: BTreeMap<&Values, &Option<String>> = BTreeMap::new();
    row.values.iter().zip(bar_of).all(|(value, bar)| *known.entry(bar).or_insert(value) == value)
}

/// Every combination of values once, in the order of runs, with its name.
fn names(of_runs: &[Values]) -> Vec<(Values, String)> {
    let mut seen = BTreeSet::new();
    let first = of_runs.iter().filter(|values| seen.insert(*values));
    first.map(|values| (values.clone(), name(values))).collect()
}

/// The values, separated by slashes.
fn name(values: &Values) -> String {
    let word = |value: &Option<String>| value.clone().unwrap_or_else(|| "–".to_owned());
    let mut words: Vec<String> = values.iter().take(NAMED).map(word).collect();
    if values.len() > NAMED {
        words.push("…".to_owned());
    }
    words.join(" / ")
}

/// Sorted by their values, quantities by their sizes.
fn sorted(mut names: Vec<(Values, String)>) -> Vec<(Values, String)> {
    let order = |(values, _): &(Values, String)| -> Vec<(f64, Option<String>)> {
        values.iter().map(|value| (size(value.as_deref().unwrap_or_default()), value.clone())).collect()
    };
    names.sort_by(|left, right| order(left).partial_cmp(&order(right)).expect("no size is NaN"));
    names
}

/// The same with the names of the policies, if these distinguish the bars.
fn named_by_policy(
    names: Vec<(Values, String)>,
    runs: &[&About],
    bar_of: &[Values],
) -> Vec<(Values, String)> {
    let policies = |values: &Values| {
        let run = bar_of.iter().position(|of_run| of_run == values)?;
        policy_name(&runs[run].manifest.scenario["balance"])
    };
    let found: Option<Vec<String>> = names.iter().map(|(values, _)| policies(values)).collect();
    match found {
        Some(found) if found.iter().collect::<BTreeSet<_>>().len() == names.len() => {
            names.into_iter().zip(found).map(|((values, _), name)| (values, name)).collect()
        }
        _ => names,
    }
}

/// The balancing policy of switches, and that of the edge if there is one.
pub(crate) fn policy_name(balance: &Value) -> Option<String> {
    let word = |value: &Value| match value {
        Value::String(word) => Some(word.clone()),
        Value::Object(map) => map.keys().next().cloned(),
        _ => None,
    };
    let switch = word(&balance["switch"])?;
    let edge = word(&balance["edge"]).filter(|edge| edge != "none");
    Some(edge.map_or(switch.clone(), |edge| format!("{switch} with {edge}")))
}

/// A quantity in its base unit; other values are infinite and come last.
fn size(value: &str) -> f64 {
    let end = value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(value.len());
    let (number, unit) = value.split_at(end);
    let worth = match unit.trim_start() {
        "ps" => 1e-12,
        "ns" => 1e-9,
        "us" => 1e-6,
        "ms" => 1e-3,
        "" | "s" | "B" | "bps" | "%" => 1.0,
        "KB" | "Kbps" => 1e3,
        "KiB" => 1024.0,
        "MB" | "Mbps" => 1e6,
        "MiB" => 1_048_576.0,
        "GB" | "Gbps" => 1e9,
        "GiB" => 1_073_741_824.0,
        "TB" | "Tbps" => 1e12,
        _ => return f64::INFINITY,
    };
    number.parse::<f64>().map_or(f64::INFINITY, |number| number * worth)
}

fn index(names: &[(Values, String)], values: &Values) -> usize {
    names.iter().position(|(other, _)| other == values).expect("every combination has its name")
}

/// The time of a run's slowest job, if all of its jobs finished.
fn completion(run: usize, steps: &[JobData]) -> Option<f64> {
    let times: Option<Vec<f64>> = steps.iter().filter(|job| job.run == run).map(|job| job.time).collect();
    times?.into_iter().max_by(f64::total_cmp)
}

impl TimesData {
    fn of(times: &[f64]) -> Option<TimesData> {
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let [low, high] =
            [times.iter().copied().min_by(f64::total_cmp)?, times.iter().copied().fold(0.0, f64::max)];
        Some(TimesData { runs: times.len(), mean: six_digits(mean), low, high })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_in_different_units_are_compared_by_size() {
        assert!(size("900us") < size("4ms") && size("4ms") < size("1s"));
        assert!(size("10") < size("20") && size("1KiB") > size("1KB"));
        assert!(size("spray").is_infinite());
    }
}
