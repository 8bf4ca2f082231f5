//! The properties of a study in a resolved scenario: its two jobs, their collectives, ranks and bursts.
//!
//! Models: jobs called `victim` and `aggressor`, each with one collective.
//! Leaves out: everything else in a scenario.
//!
//! Invariants: a value that is missing, or not in the form that scenarios print, is absent, never guessed.

use serde_json::Value;

/// Names of the two jobs.
pub(super) const VICTIM: &str = "victim";
pub(super) const AGGRESSOR: &str = "aggressor";
/// Units of sizes as scenarios print them, each 1024 of the one before.
const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];

/// The job of a name.
pub(super) fn job<'a>(scenario: &'a Value, name: &str) -> Option<&'a Value> {
    scenario.get("jobs")?.as_array()?.iter().find(|job| job.get("name").and_then(Value::as_str) == Some(name))
}

/// The first collective of a job, with its size as it is written.
pub(super) fn collective(job: &Value) -> Option<(&str, &str)> {
    let each = job.get("phases")?.get(0)?.get("collectives")?.get("each")?.get(0)?.as_object()?;
    let (name, body) = each.iter().next()?;
    Some((name, body.get("size").and_then(Value::as_str)?))
}

/// Whether sizes of a collective are given per peer.
pub(super) fn is_exchange(collective: &str) -> bool {
    collective.starts_with("all_to_all")
}

/// The collective of a job with its size, in the form of that of a victim.
pub(super) fn label(job: &Value) -> Option<String> {
    let (name, size) = collective(job)?;
    let part = if is_exchange(name) { part(size, n_ranks(job)?) } else { None };
    Some(format!("{name} {}", part.unwrap_or_else(|| size.to_owned())))
}

/// A size as scenarios print it, divided; none if the parts are not whole bytes.
fn part(size: &str, parts: u64) -> Option<String> {
    let digits = size.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = UNITS.iter().position(|unit| *unit == &size[digits.len()..])?;
    let bytes = digits.parse::<u64>().ok()?.checked_mul(1024_u64.checked_pow(unit as u32)?)?;
    (parts > 0 && bytes % parts == 0).then(|| size_text(bytes / parts))
}

/// A size in the largest unit of which it is a whole number.
pub(super) fn size_text(bytes: u64) -> String {
    let (mut number, mut unit) = (bytes, 0);
    while number >= 1024 && number % 1024 == 0 && unit + 1 < UNITS.len() {
        number /= 1024;
        unit += 1;
    }
    format!("{number}{}", UNITS[unit])
}

/// The number of ranks of a job.
pub(super) fn n_ranks(job: &Value) -> Option<u64> {
    let (_, rule) = job.get("placement")?.as_object()?.iter().next()?;
    if let Some(list) = rule.as_array() {
        return Some(list.len() as u64);
    }
    let ranks = rule.get("ranks")?;
    ranks.as_u64().or_else(|| ranks.as_str()?.parse().ok())
}

/// Length and pause of a job's bursts, in seconds.
pub(super) fn bursts(job: &Value) -> Option<[f64; 2]> {
    let bursts = job.get("bursts")?;
    let span = |key: &str| seconds(bursts.get(key)?.as_str()?);
    Some([span("length")?, span("pause")?])
}

/// A span of time as scenarios print it.
fn seconds(text: &str) -> Option<f64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let number = digits.parse::<f64>().ok()?;
    // Divided, so that ten microseconds are the double nearest to them.
    Some(match &text[digits.len()..] {
        "ps" => number / 1e12,
        "ns" => number / 1e9,
        "us" => number / 1e6,
        "ms" => number / 1e3,
        "s" => number,
        "min" => number * 60.0,
        "h" => number * 3_600.0,
        "d" => number * 86_400.0,
        _ => return None,
    })
}

/// The scenario as it would be without its aggressor: equal for a run and its baseline.
pub(super) fn without_aggressor(scenario: &Value) -> String {
    let mut alone = scenario.clone();
    if let Some(jobs) = alone.get_mut("jobs").and_then(Value::as_array_mut) {
        jobs.retain(|job| job.get("name").and_then(Value::as_str) != Some(AGGRESSOR));
    }
    alone.to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_scenario_without_its_aggressor_is_its_baseline() {
        let scenario = |jobs: &[&str]| json!({ "jobs": jobs.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>() });
        let alone = without_aggressor(&scenario(&["victim"]));
        assert_eq!(without_aggressor(&scenario(&["victim", "aggressor"])), alone);
        assert_ne!(without_aggressor(&scenario(&["victim", "other"])), alone);
    }

    #[test]
    fn sizes_per_peer_are_given_in_the_largest_whole_unit() {
        let parts = [("64MiB", 32, "2MiB"), ("512KiB", 4, "128KiB"), ("1MiB", 3, ""), ("4000B", 4, "1000B")];
        for (size, ranks, expected) in parts {
            assert_eq!(part(size, ranks).unwrap_or_default(), expected, "{size} / {ranks}");
        }
        assert_eq!(part("64 apples", 4), None);
    }

    #[test]
    fn spans_are_parsed_as_scenarios_print_them() {
        let spans = [("100us", 1e-4), ("1.5ms", 1.5e-3), ("10s", 10.0), ("55ns", 5.5e-8)];
        assert!(spans.iter().all(|(text, expected)| (seconds(text).unwrap() / expected - 1.0).abs() < 1e-12));
        assert_eq!((seconds("ten"), seconds("5 parsecs")), (None, None));
    }
}
