//! The folder of a sweep: its plan, its points, and whether it is finished.
//!
//! Models: `sweep.json`, written completely before the first point; the marker `UNFINISHED` until every point and the
//! dataset are on the disk.
//! Leaves out: the content of a point's folder.
//!
//! Invariants: files that netloom did not write are not changed; one process at a time writes here (by a lock on the
//! marker, where the file system has locks); the plan in the folder is that of the current run.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use netloom_records::{FolderError, Marker, SWEEP_FILE, read_bounded, write_whole};
use serde_json::Value;

use super::error::SweepError;
use super::plan::Plan;
use crate::error::LabError;
use crate::words::shortened;

/// Name of the plan in the folder of a sweep.
pub const PLAN_FILE: &str = SWEEP_FILE;
/// Name of the plan while it is being written.
const PLAN_DRAFT: &str = "sweep.json.draft";
/// Name of the marker of an unfinished sweep; it differs from that of a run, so a sweep is not taken for a run.
pub const UNFINISHED_FILE: &str = "UNFINISHED";
const TEXT: &str = "This sweep is still being run, or was ended early; the same command resumes it.\n";

/// Most characters of a part of a plan in a message.
const LONGEST: usize = 80;

/// Parts of a plan and their names in messages about differences.
const PARTS: [(&str, &str); 10] = [
    ("netloom", "the version of netloom"),
    ("set", "--set"),
    ("vary", "--vary"),
    ("sample", "--sample"),
    ("bisect", "--bisect"),
    ("strategy", "the strategy"),
    ("seeds", "--seeds"),
    ("until_ci", "--until-ci"),
    ("keep", "--keep"),
    ("variants", "the scenarios"),
];

/// A claimed folder; the lock is held as long as this lives.
#[derive(Debug)]
pub(super) struct SweepFolder(Marker);

impl SweepFolder {
    /// Claims the folder for a plan; creates it if needed.
    pub fn claim(path: &Path, plan: &Plan, force: bool, command: &[String]) -> Result<Self, LabError> {
        let wanted = plan.to_json(command);
        check(path, &wanted, force)?;
        let refused = |source| FolderError::Io { action: "make the folder", path: path.to_owned(), source };
        fs::create_dir_all(path).map_err(refused)?;
        let marker = Marker::set(path, UNFINISHED_FILE, TEXT)?;
        // Another process may have begun another sweep between the first check and the lock.
        if !check(path, &wanted, force)? {
            let mut text = serde_json::to_string_pretty(&wanted).expect("a plan is JSON");
            text.push('\n');
            write_whole(&path.join(PLAN_FILE), &path.join(PLAN_DRAFT), text.as_bytes())?;
        }
        Ok(SweepFolder(marker))
    }

    /// Marks the sweep as finished: every point and the dataset are stored.
    pub fn finish(self) -> Result<(), LabError> {
        Ok(self.0.lift()?)
    }
}

/// Checks what is in the folder; returns whether it has the plan.
fn check(path: &Path, wanted: &Value, force: bool) -> Result<bool, LabError> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(FolderError::File(path.to_owned()).into());
        }
        Err(source) => {
            return Err(FolderError::Io { action: "read the folder", path: path.to_owned(), source }.into());
        }
    };
    let Some(there) = read_plan(path)? else {
        // A sweep that was killed at its start leaves only these files.
        let is_own = |name: &str| name == UNFINISHED_FILE || name == PLAN_DRAFT;
        let is_foreign = entries.flatten().any(|entry| !is_own(&entry.file_name().to_string_lossy()));
        return if is_foreign { Err(SweepError::Foreign(path.to_owned()).into()) } else { Ok(false) };
    };
    let differences = differences(&there, wanted);
    if !differences.is_empty() && !force {
        return Err(SweepError::Other { path: path.to_owned(), differences }.into());
    }
    Ok(differences.is_empty())
}

/// The plan in a folder, if there is one.
pub(super) fn read_plan(folder: &Path) -> Result<Option<Value>, LabError> {
    let path = folder.join(PLAN_FILE);
    let bytes = match read_bounded(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(FolderError::Io { action: "read the plan", path, source }.into()),
    };
    let value = serde_json::from_slice(&bytes).map_err(|error| error.to_string());
    let value = value.and_then(|value: Value| match value.get("digest").and(value.get("variants")) {
        Some(_) => Ok(value),
        None => Err("it was not written by netloom".to_owned()),
    });
    value.map(Some).map_err(|detail| SweepError::Plan { path, detail }.into())
}

/// The plan in a folder, if there is one that can be read.
pub(crate) fn plan_in(folder: &Path) -> Option<Value> {
    read_plan(folder).ok().flatten()
}

/// The differences between the plan in the folder and the requested one, as text.
fn differences(there: &Value, wanted: &Value) -> Vec<String> {
    let part = |(key, title): &(&str, &str)| {
        let (old, new) = (&there[*key], &wanted[*key]);
        (old != new).then(|| match *key {
            "variants" => of_variants(old, new),
            "set" | "vary" => format!("{}, now {}", typed(title, old), typed(title, new)),
            _ => format!("{title} {}, now {}", short(old), short(new)),
        })
    };
    let mut found: Vec<String> = PARTS.iter().filter_map(part).collect();
    // The variants follow from the rest; they are mentioned only if nothing else differs.
    if found.len() > 1 && there["variants"] != wanted["variants"] && same_scenarios(there, wanted) {
        found.pop();
    }
    if found.is_empty() && there["digest"] != wanted["digest"] {
        found.push("its resolved scenarios differ".to_owned());
    }
    found
}

fn same_scenarios(there: &Value, wanted: &Value) -> bool {
    there["scenarios"] == wanted["scenarios"]
}

/// The first variant that differs.
fn of_variants(old: &Value, new: &Value) -> String {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let (old, new) = (list(old), list(new));
    let differs = old.iter().zip(&new).find(|(old, new)| old != new);
    match differs {
        Some((old, new)) if old["folder"] == new["folder"] => {
            format!("the scenario has changed: {}", short(&new["name"]))
        }
        Some((old, new)) => format!("it has {}, now {}", short(&old["folder"]), short(&new["folder"])),
        None => format!("it has {} variants, now {}", old.len(), new.len()),
    }
}

/// A part of a plan, abbreviated.
fn short(value: &Value) -> String {
    let text = match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => format!("`{text}`"),
        Value::Object(seeds) if seeds.contains_key("first") => {
            format!("{}..{}", seeds["first"], seeds["last"])
        }
        other => other.to_string(),
    };
    shortened(&text, LONGEST).into_owned()
}

/// An option as it was typed, repeated as often as it was given.
fn typed(option: &str, given: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let one = |item: &Value| {
        let (path, values) = match item {
            Value::Array(pair) => (pair.first(), pair.get(1).map(text)),
            item => {
                let list = || item["values"].as_array().map(|all| joined(all.iter().map(text)));
                (item.get("path"), item.get("range").map(text).or_else(list))
            }
        };
        format!("{option} {}={}", path.map(text).unwrap_or_default(), values.unwrap_or_default())
    };
    let all: Vec<String> = given.as_array().into_iter().flatten().map(one).collect();
    if all.is_empty() { format!("no {option}") } else { shortened(&all.join(" "), LONGEST).into_owned() }
}

fn joined(values: impl Iterator<Item = String>) -> String {
    values.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn options_are_reported_as_they_were_typed() {
        let vary =
            json!([{ "path": "balance", "values": ["ecmp", "spray"] }, { "path": "a", "values": ["1"] }]);
        assert_eq!(typed("--vary", &vary), "--vary balance=ecmp,spray --vary a=1");
        assert_eq!(typed("--vary", &json!([{ "path": "a", "range": "1..2" }])), "--vary a=1..2");
        assert_eq!(typed("--set", &json!([["deadline", "1s"]])), "--set deadline=1s");
        assert_eq!(typed("--set", &json!([])), "no --set");
        assert_eq!(typed("--set", &Value::Null), "no --set");
    }
}
