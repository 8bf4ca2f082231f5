//! The file that nccl-tests write with `-J FILE`.
//!
//! Models: the program from the arguments, ranks and hosts from the list of devices, out-of-place results of every size.
//! Leaves out: the environment, which may hold secrets; per-iteration times.
//!
//! Invariants: all mistakes are reported, each with its path in the document.

use serde::Deserialize;
use serde_json::Value;

use super::{collective, size};
use crate::import::ImportError;
use crate::import::benchmark::{Benchmarks, Left, Options, Row};
use crate::import::sheet::{MICROSECOND, span};

/// The newest supported version of the document.
const VERSION: i64 = 3;

/// The parts of the document that are read.
#[derive(Debug, Deserialize)]
struct Document {
    version: Option<i64>,
    #[serde(default)]
    args: Vec<String>,
    nccl_version: Option<i64>,
    config: Option<Config>,
    /// Since version 1.
    results: Option<Vec<Value>>,
}

#[derive(Debug, Deserialize)]
struct Config {
    #[serde(default)]
    devices: Vec<Device>,
    iterations: Option<u32>,
}

#[derive(Debug, Deserialize)]
struct Device {
    hostname: Option<String>,
}

pub(super) fn read(
    bytes: &[u8],
    name: &str,
    options: &Options,
    found: &mut Benchmarks<'_>,
) -> Result<(), ImportError> {
    let wrong = |mistakes: Vec<String>| ImportError::Document { name: name.to_owned(), mistakes };
    let document: Document =
        serde_json::from_slice(bytes).map_err(|error| wrong(vec![format!("cannot be read: {error}")]))?;
    let mut mistakes = Vec::new();
    if document.version.is_some_and(|version| version > VERSION) {
        found.fact("form", "newer than the supported versions, read as the newest of them");
    }
    let program = document.args.first().map_or("", String::as_str);
    let collective = match collective(program, options) {
        Ok(collective) => Some(collective),
        Err(_) if options.collective.is_some() => options.collective.clone(),
        Err(message) => {
            mistakes.push(format!("args[0]: {message}"));
            None
        }
    };
    let devices = document.config.as_ref().map_or(&[][..], |config| &config.devices);
    let hosts: Vec<String> = devices.iter().filter_map(|device| device.hostname.clone()).collect();
    // Without MPI, one device represents all of them.
    let counted = u32::try_from(devices.len()).ok().filter(|ranks| *ranks > 1);
    let ranks = options.ranks.or(counted);
    if ranks.is_none() {
        mistakes.push("config.devices: the number of ranks is missing; expected `--ranks N`".to_owned());
    }
    if let (Some(stated), Some(counted)) = (options.ranks, counted)
        && stated != counted
    {
        mistakes.push(format!("config.devices: there are {counted} ranks, but `--ranks` is {stated}"));
    }
    let results = document.results.unwrap_or_default();
    if let (Some(collective), Some(ranks)) = (&collective, ranks) {
        let steps = document.config.as_ref().and_then(|config| config.iterations).unwrap_or(0);
        for (nth, result) in results.iter().enumerate() {
            match row(result, collective, ranks, steps) {
                Ok(Ok(row)) => {
                    let location = format!("results[{nth}] of {name}");
                    mistakes.extend(
                        found.add(row, &location).err().map(|error| format!("results[{nth}]: {error}")),
                    );
                }
                Ok(Err(left)) => found.leave_out(left),
                Err(message) => mistakes.push(format!("results[{nth}].{message}")),
            }
        }
    }
    if !mistakes.is_empty() {
        return Err(wrong(mistakes));
    }
    found.name_hosts(hosts);
    found.fact("program", program);
    if let Some(version) = document.nccl_version {
        found.fact("NCCL", &version.to_string());
    }
    Ok(())
}

/// A result, or why it is left out; the error describes the mistake.
fn row(result: &Value, collective: &str, ranks: u32, steps: u32) -> Result<Result<Row, Left>, String> {
    let vector = result["size"].as_u64().and_then(|vector| size(vector, collective, ranks));
    let size = vector.ok_or_else(|| format!("size: {} cannot be used; expected bytes", result["size"]))?;
    if size.0 == 0 {
        return Ok(Err(Left::Empty));
    }
    let out = &result["out_of_place"];
    if out.is_null() {
        return Ok(Err(Left::NoTime));
    }
    let wrong = &out["nwrong"];
    if !wrong.is_null() && wrong.as_f64() != Some(0.0) {
        return Ok(Err(Left::WrongResult));
    }
    let time = out.get("time").or_else(|| out.get("cpu_time")).unwrap_or(&Value::Null);
    if time.is_null() || time.as_f64() == Some(0.0) {
        return Ok(Err(Left::NoTime));
    }
    let mean = time.as_f64().and_then(|time| span(time, MICROSECOND));
    let mean =
        mean.ok_or_else(|| format!("out_of_place.time: {time} is invalid; expected microseconds above 0"))?;
    let done = result["actual_iterations"].as_u64().and_then(|done| u32::try_from(done).ok());
    Ok(Ok(Row { collective: collective.to_owned(), ranks, size, mean, steps: done.unwrap_or(steps) }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(results: &Value) -> Vec<u8> {
        let devices = json!([{ "rank": 0, "hostname": "sea-1" }, { "rank": 1, "hostname": "sea-2" }]);
        let document = json!({
            "version": 3, "args": ["./build/all_gather_perf", "-g", "1"], "env": ["SECRET=1"], "nccl_version": 22803,
            "config": { "iterations": 20, "devices": devices }, "results": results,
        });
        document.to_string().into_bytes()
    }

    #[test]
    fn results_are_read_and_wrong_ones_left_out() {
        let result = |size: u64, time: Value, wrong: Value| {
            json!({ "size": size, "count": 2, "type": "float", "redop": "none", "root": "    -1",
                "out_of_place": { "time": time, "nwrong": wrong }, "actual_iterations": 5 })
        };
        let results = json!([
            result(64, json!(12.5), json!(0.0)), result(128, json!(1.0), json!(2.0)), result(0, json!(1.0), json!(null)),
            { "size": 256, "out_of_place": null },
        ]);
        let options = Options::default();
        let mut found = Benchmarks::new(&options);
        read(&document(&results), "n.json", &options, &mut found).expect("it is right");
        let found = found.finish("nccl-tests", "n", &[], &[]).expect("there is one");
        let run = &found.runs[0];
        assert_eq!((run.cells.len(), run.cells[0].mean.0, run.cells[0].steps), (1, 12_500_000, 5));
        assert_eq!(run.cells[0].at.nodes, 4);
        assert_eq!(found.notes.len(), 3);
        let measured = run.measured.as_ref().expect("it was measured");
        assert_eq!(measured.allocations[0].hosts, ["sea-1", "sea-2"]);
        assert!(!format!("{measured:?}").contains("SECRET"));
    }

    #[test]
    fn mistakes_are_reported_with_their_path() {
        let options = Options { ranks: Some(3), ..Options::default() };
        let error_of = |bytes: &[u8]| {
            let mut found = Benchmarks::new(&options);
            read(bytes, "n.json", &options, &mut found).expect_err("it is wrong").to_string()
        };
        let results =
            json!([{ "size": -1 }, { "size": 8, "out_of_place": { "time": "nan", "nwrong": 0.0 } }]);
        let text = error_of(&document(&results));
        for part in
            ["there are 2 ranks, but `--ranks` is 3", "results[0].size", "results[1].out_of_place.time"]
        {
            assert!(text.contains(part), "{text}");
        }
        assert!(error_of(b"{ \"version\": 3, ").contains("cannot be read"));
    }
}
