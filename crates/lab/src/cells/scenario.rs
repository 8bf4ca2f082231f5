//! The position of a run in its interference study, by its resolved scenario.
//!
//! Models: the jobs `victim` and `aggressor`, described as in the report: hosts of both groups, collectives, sizes (for
//! an all-to-all those for each peer), bursts.
//! Leaves out: everything else in which runs may differ.
//!
//! Invariants: a run and its baseline have the same text once the aggressor is removed.

use netloom_scenario::quantity;
use netloom_units::{Bytes, Duration};
use serde_json::Value;

use super::{Aggressor, At};

const VICTIM: &str = "victim";
const AGGRESSOR: &str = "aggressor";

/// The position of a scenario in its study; absent for a scenario that is not part of a study.
pub(crate) fn at(scenario: &Value) -> Option<At> {
    let victim = job(scenario, VICTIM)?;
    let (name, size) = collective(victim)?;
    let aggressor = match job(scenario, AGGRESSOR) {
        None => None,
        Some(job) => {
            let (name, size) = collective(job)?;
            Some(Aggressor { collective: name, size, bursts: bursts(job)? })
        }
    };
    let nodes = u32::try_from(n_ranks(victim)?.checked_mul(2)?).ok()?;
    Some(At { nodes, victim: name, aggressor, size })
}

/// The scenario as it would be without its aggressor: equal for a run and its baseline.
pub(crate) fn without_aggressor(scenario: &Value) -> String {
    let mut alone = scenario.clone();
    if let Some(jobs) = alone.get_mut("jobs").and_then(Value::as_array_mut) {
        jobs.retain(|job| job.get("name").and_then(Value::as_str) != Some(AGGRESSOR));
    }
    alone.to_string()
}

/// Whether the size of a collective is stated as the bytes for each peer.
pub(crate) fn is_exchange(collective: &str) -> bool {
    collective.starts_with("all_to_all")
}

fn job<'a>(scenario: &'a Value, name: &str) -> Option<&'a Value> {
    scenario.get("jobs")?.as_array()?.iter().find(|job| job.get("name").and_then(Value::as_str) == Some(name))
}

/// The first collective of a job, with its size as studies state it.
fn collective(job: &Value) -> Option<(String, Bytes)> {
    let each = job.get("phases")?.get(0)?.get("collectives")?.get("each")?.get(0)?.as_object()?;
    let (name, body) = each.iter().next()?;
    let size = quantity::size(body.get("size")?.as_str()?).ok()?;
    let parts = if is_exchange(name) { n_ranks(job)?.max(1) } else { 1 };
    Some((name.clone(), Bytes(size.0 / parts)))
}

/// The number of ranks of a job.
fn n_ranks(job: &Value) -> Option<u64> {
    let (_, rule) = job.get("placement")?.as_object()?.iter().next()?;
    if let Some(list) = rule.as_array() {
        return Some(list.len() as u64);
    }
    let ranks = rule.get("ranks")?;
    ranks.as_u64().or_else(|| ranks.as_str()?.parse().ok())
}

/// Length and pause of a job's bursts; `None` where they cannot be read.
#[expect(clippy::option_option, reason = "no bursts are not the same as bursts that cannot be read")]
fn bursts(job: &Value) -> Option<Option<[Duration; 2]>> {
    let Some(bursts) = job.get("bursts").filter(|bursts| bursts.is_object()) else { return Some(None) };
    let span = |key: &str| quantity::duration(bursts.get(key)?.as_str()?).ok();
    Some(Some([span("length")?, span("pause")?]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn job(name: &str, collective: &str, size: &str) -> Value {
        let mut each = serde_json::Map::new();
        each.insert(collective.to_owned(), json!({ "size": size }));
        let phases = json!([{ "collectives": { "each": [each] } }]);
        json!({ "name": name, "placement": { "hosts": ["a", "b", "c", "d"] }, "phases": phases })
    }

    #[test]
    fn a_position_in_a_study_is_named_as_in_the_report() {
        let mut aggressor = job("aggressor", "all_to_all_linear", "8MiB");
        aggressor["bursts"] = json!({ "length": "1ms", "pause": "100us" });
        let scenario = json!({ "jobs": [job("victim", "ring_all_gather", "512B"), aggressor] });
        let found = at(&scenario).expect("it is part of a study");
        assert_eq!((found.nodes, found.victim.as_str(), found.size), (8, "ring_all_gather", Bytes(512)));
        let aggressor = found.aggressor.expect("there is one");
        assert_eq!(aggressor.size, Bytes(2 << 20), "for each peer");
        assert_eq!(aggressor.bursts, Some([Duration(1_000_000_000), Duration(100_000_000)]));
        let alone = json!({ "jobs": [job("victim", "ring_all_gather", "512B")] });
        assert_eq!(at(&alone).expect("it is part of one, too").aggressor, None);
        assert_eq!(without_aggressor(&scenario), alone.to_string());
        assert_eq!(at(&json!({ "jobs": [job("other", "incast", "1B")] })), None);
    }
}
