//! One job of the framework: its programs and its nodes.
//!
//! Models: `config.json` (nodes, split into halves, one process on each; programs with their arguments), the time in
//! the name of the folder, the nodes in the log.
//! Leaves out: accounts, partitions, time limits; the order of programs, except that victims run one after the other
//! beside one aggressor.
//!
//! Invariants: a configuration of another form is left out with its reason, never guessed.

use std::collections::BTreeMap;

use netloom_units::Bytes;
use serde_json::Value;

use super::{VICTIMS, aggressor};
use crate::cells::Aggressor;
use crate::import::sheet::{MOST_BYTES, MOST_HOSTS, SECOND, time};
use crate::words;

/// Programs by the names of their files, in the order of the collectives.
const OF_VICTIMS: [&str; 2] = ["agtr_comm_only", "a2a_comm_only"];
const OF_AGGRESSORS: [&str; 2] = ["noise_a2a", "noise_incast"];
const OF_BURSTS: [&str; 2] = ["bursty_noise_a2a", "bursty_noise_incast"];

/// One job.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Job {
    pub nodes: u32,
    pub victims: Vec<Victim>,
    pub aggressor: Option<Aggressor>,
    /// The label of the job, if it contradicts the arguments of its programs.
    pub other_label: Option<String>,
}

/// One victim, which measures one size.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Victim {
    pub number: u32,
    pub collective: &'static str,
    pub size: Bytes,
    pub iterations: u32,
}

/// Why something is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Left {
    OtherPrograms,
    OtherSplit,
    NoTime,
    NoData,
    Short,
    NoHosts,
}

impl Left {
    /// The reason as text, with the number of cases.
    pub fn words(self, count: u64) -> String {
        let (noun, why) = match self {
            Left::OtherPrograms => {
                ("job", "left out: its programs are not one victim with its sizes and at most one aggressor")
            }
            Left::OtherSplit => {
                ("job", "left out: not one process on each node, alternating victims and aggressors")
            }
            Left::NoTime => ("job", "left out: the name of the folder is not a time"),
            Left::NoData => ("size", "left out: the job has no data for it"),
            Left::Short => ("size", "left out: fewer iterations than configured"),
            Left::NoHosts => ("job", "without the nodes in its log"),
        };
        format!("{} {why}", words::some(count, noun))
    }
}

/// Reads a configuration: a job, the reason why it is left out, or all its mistakes.
pub(super) fn read(bytes: &[u8]) -> Result<Result<Job, Left>, Vec<String>> {
    let config: Value =
        serde_json::from_slice(bytes).map_err(|error| vec![format!("not valid JSON: {error}")])?;
    let options = &config["global_options"];
    let mut mistakes = Vec::new();
    let nodes = whole(&options["numnodes"]).filter(|nodes| (2..=MOST_HOSTS).contains(nodes));
    if nodes.is_none() {
        mistakes.push(format!("global_options.numnodes: {} cannot be used", options["numnodes"]));
    }
    let Some(applications) = config["applications"].as_object() else {
        mistakes.push("applications: expected programs by their numbers".to_owned());
        return Err(mistakes);
    };
    let is = |key: &str, wanted: &str| {
        options[key].as_str() == Some(wanted) || whole(&options[key]) == wanted.parse().ok()
    };
    let is_split =
        is("ppn", "1") && options["partitionsplit"].as_str() == Some("50:50") && is("partitionlayout", "i");
    let (mut victims, mut noise) = (Vec::new(), Vec::new());
    for (key, program) in applications {
        let name = program["path"].as_str().unwrap_or_default().rsplit('/').next().unwrap_or_default();
        let name = name.strip_suffix(".py").unwrap_or(name);
        let arguments = program["args"].as_str().unwrap_or_default();
        let location = |list: [&str; 2]| list.iter().position(|known| *known == name);
        if let Some(nth) = location(OF_VICTIMS) {
            match victim(key, nth, arguments) {
                Ok(found) => victims.push(found),
                Err(message) => mistakes.push(format!("applications.{key}.args: {message}")),
            }
        } else if let Some(nth) = location(OF_AGGRESSORS) {
            noise.push(aggressor(nth, None));
        } else if let Some(nth) = location(OF_BURSTS) {
            match bursts(arguments) {
                Some(found) => noise.push(aggressor(nth, Some(found))),
                None => mistakes.push(format!(
                    "applications.{key}.args: `{arguments}`: expected pause and length in seconds"
                )),
            }
        } else {
            return Ok(Err(Left::OtherPrograms));
        }
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    victims.sort_by_key(|victim| victim.number);
    let is_one = victims.windows(2).all(|two| two[0].collective == two[1].collective);
    if victims.is_empty() || !is_one || noise.len() > 1 {
        return Ok(Err(Left::OtherPrograms));
    }
    let Some(nodes) = nodes.filter(|nodes| nodes % 2 == 0 && is_split) else {
        return Ok(Err(Left::OtherSplit));
    };
    let job = Job { nodes: nodes as u32, victims, aggressor: noise.pop(), other_label: None };
    let label = options["extrainfo"].as_str().unwrap_or_default();
    let other_label = super::allocations::contradicts(label, &job).then(|| label.to_owned());
    Ok(Ok(Job { other_label, ..job }))
}

/// A number, or one written as text.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn victim(key: &str, nth: usize, arguments: &str) -> Result<Victim, String> {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let options: BTreeMap<&str, &str> =
        words.chunks(2).filter_map(|two| Some((two[0], *two.get(1)?))).collect();
    let read = |option: &str, most: u64| {
        let text = options.get(option).copied().unwrap_or_default();
        let found = text.parse::<u64>().ok().filter(|number| (1..=most).contains(number));
        found.ok_or_else(|| {
            format!("`{option} {text}` cannot be used; expected a whole number from 1 to {most}")
        })
    };
    let size = read("-msgsize", MOST_BYTES)?;
    let iterations = read("-iter", u64::from(u32::MAX))?;
    let number = key.parse().map_err(|_| format!("`{key}` is not the number of a program"))?;
    Ok(Victim { number, collective: VICTIMS[nth].1, size: Bytes(size), iterations: iterations as u32 })
}

/// Length and pause; the arguments state the pause first.
fn bursts(arguments: &str) -> Option<[netloom_units::Duration; 2]> {
    match arguments.split_whitespace().collect::<Vec<_>>().as_slice() {
        [pause, length] => Some([time(length, SECOND)?, time(pause, SECOND)?]),
        _ => None,
    }
}

/// Microseconds since the epoch of the calendar, from a folder name `YYYY-MM-DD_HH-MM-SS-UUUUUU`.
pub(super) fn when(name: &str) -> Option<i64> {
    let parts: Vec<i64> = name.split(['-', '_']).map(str::parse).collect::<Result<_, _>>().ok()?;
    let [year, month, day, hour, minute, second, micros] = parts.try_into().ok()?;
    let is_one = (1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !is_one || hour > 23 || minute > 59 || second > 60 || micros > 999_999 {
        return None;
    }
    // Day number by the rule for a calendar whose years begin in March.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000_000 + micros)
}

/// The nodes in a log, in the order of ranks.
pub(super) fn hosts(log: &[u8]) -> Option<Vec<String>> {
    let text = String::from_utf8_lossy(log);
    let printed =
        text.lines().find_map(|line| line.split_once("nodes provided by SLURM:").map(|found| found.1))?;
    let list = printed.trim().trim_end_matches('-').trim();
    host_list(list).filter(|hosts| !hosts.is_empty())
}

/// A list in Slurm's format: `nid[005000-005003,005010],other7`.
fn host_list(list: &str) -> Option<Vec<String>> {
    let mut hosts = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        let end = rest.find([',', '[']).unwrap_or(rest.len());
        let prefix = &rest[..end];
        rest = &rest[end..];
        if let Some(inner) = rest.strip_prefix('[') {
            let (inner, after) = inner.split_once(']')?;
            for range in inner.split(',') {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                let (from, to): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
                if from > to || to - from >= MOST_HOSTS {
                    return None;
                }
                let digits = first.len();
                hosts.extend((from..=to).map(|number| format!("{prefix}{number:0digits$}")));
            }
            rest = after;
        } else {
            hosts.push(prefix.to_owned());
        }
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    Some(hosts)
}

#[cfg(test)]
mod tests {
    use netloom_units::Duration;
    use serde_json::json;

    use super::*;

    fn config(programs: &[(&str, &str)]) -> Value {
        let programs = programs.iter().enumerate().map(|(nth, (path, args))| {
            (
                nth.to_string(),
                json!({ "path": format!("/home/wrappers/{path}.py"), "args": args, "collect": true }),
            )
        });
        let programs: serde_json::Map<String, Value> = programs.collect();
        let options = json!({ "numnodes": 8, "ppn": "1", "partitionsplit": "50:50", "partitionlayout": "i",
            "extrainfo": "All-Gather Inc-Congested 0.0001 0.001" });
        json!({ "global_options": options, "applications": programs })
    }

    fn job(config: &Value) -> Result<Result<Job, Left>, Vec<String>> {
        read(config.to_string().as_bytes())
    }

    #[test]
    fn programs_define_victims_aggressor_and_bursts() {
        let config = config(&[
            ("agtr_comm_only", "-msgsize 64 -iter 1000"),
            ("agtr_comm_only", "-msgsize 512 -iter 1000"),
            ("bursty_noise_incast", "0.0001 0.001"),
        ]);
        let found = job(&config).expect("it has no mistake").expect("it is of the shape");
        let sizes: Vec<u64> = found.victims.iter().map(|victim| victim.size.0).collect();
        assert_eq!((found.nodes, sizes), (8, vec![64, 512]));
        let aggressor = found.aggressor.expect("there is one");
        assert_eq!(aggressor.bursts, Some([Duration(1_000_000_000), Duration(100_000_000)]));
        assert_eq!(found.other_label, None);
    }

    #[test]
    fn a_label_that_contradicts_the_programs_is_reported() {
        let config =
            config(&[("agtr_comm_only", "-msgsize 64 -iter 1000"), ("bursty_noise_incast", "0.01 0.001")]);
        let found = job(&config).expect("it has no mistake").expect("it is of the shape");
        assert_eq!(found.other_label.as_deref(), Some("All-Gather Inc-Congested 0.0001 0.001"));
    }

    #[test]
    fn other_configurations_are_left_out_and_mistakes_reported() {
        let victim = ("agtr_comm_only", "-msgsize 64 -iter 1000");
        let left = |programs: &[(&str, &str)]| {
            job(&config(programs)).expect("it has no mistake").expect_err("other")
        };
        assert_eq!(left(&[victim, ("ping-pong", "")]), Left::OtherPrograms);
        assert_eq!(left(&[victim, ("noise_a2a", ""), ("noise_a2a", "")]), Left::OtherPrograms);
        assert_eq!(left(&[victim, ("a2a_comm_only", "-msgsize 64 -iter 9")]), Left::OtherPrograms);
        let mut odd = config(&[victim]);
        odd["global_options"]["numnodes"] = json!("9");
        assert_eq!(job(&odd), Ok(Err(Left::OtherSplit)));
        odd["global_options"]["numnodes"] = json!("many");
        odd["applications"]["0"]["args"] = json!("-msgsize -1");
        let errors = job(&odd).expect_err("two are wrong").join("\n");
        assert!(errors.contains("numnodes") && errors.contains("applications.0.args"), "{errors}");
        assert!(read(b"{").is_err() && read(b"[]").is_err());
    }

    #[test]
    fn folder_names_are_parsed_as_times() {
        let times = ["2025-12-31_23-59-59-999999", "2026-01-01_00-00-00-000000"].map(when);
        assert_eq!(times[1].zip(times[0]).map(|(later, sooner)| later - sooner), Some(1));
        assert_eq!(
            when("2024-03-01_00-00-00-000000")
                .zip(when("2024-02-28_00-00-00-000000"))
                .map(|(later, sooner)| later - sooner),
            Some(2 * 86_400_000_000)
        );
        assert!(
            ["new", "2025-13-01_00-00-00-000000", "2025-12-01"].into_iter().all(|name| when(name).is_none())
        );
    }

    #[test]
    fn lists_of_hosts_are_expanded() {
        let log = b"--- [WORKER] Allocating nodes provided by SLURM: nid[005009-005010,005020],x7 ---\n";
        assert_eq!(hosts(log).expect("the log has them"), ["nid005009", "nid005010", "nid005020", "x7"]);
        assert_eq!(host_list("a[1-"), None);
        assert_eq!(hosts(b"nothing"), None);
    }
}
