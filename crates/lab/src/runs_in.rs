//! Finds the run folders in a folder of several.
//!
//! Models: sweeps, in the order of their plan; folders of measured runs, and the cells beside a report of a reproduction,
//! in the order of their names, in which numbers count as numbers.
//!
//! Invariants: unfinished points are left out; every run that is there is found once.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use netloom_records::{INCOMPLETE_FILE, MANIFEST_FILE, MEASURED_FILE};
use serde_json::Value;

use crate::reproduce::{REPORT_FILE, cells};
use crate::sweep::{PLAN_FILE, plan_in};

/// The run folders below a folder; any other folder itself.
pub fn runs_in(folder: &Path) -> Vec<PathBuf> {
    let has = |name: &str| folder.join(name).is_file();
    let cells = folder.join(cells::FOLDER);
    let mut found = Vec::new();
    if has(PLAN_FILE) || has(MEASURED_FILE) {
        for planned in planned(folder).unwrap_or_default() {
            descend(&planned, &mut found);
        }
        descend(&folder.join("points"), &mut found);
    } else if has(REPORT_FILE) && cells.is_dir() {
        descend(&cells, &mut found);
    } else {
        return vec![folder.to_owned()];
    }
    let mut seen = BTreeSet::new();
    found.retain(|run| seen.insert(run.clone()));
    found
}

/// The folders of the variants of a sweep, in the order of its plan; folders of earlier versions may lack them.
fn planned(folder: &Path) -> Option<Vec<PathBuf>> {
    let plan = plan_in(folder)?;
    let of = |variant: &Value| Some(folder.join(variant["folder"].as_str()?));
    plan["variants"].as_array()?.iter().map(of).collect()
}

fn descend(folder: &Path, found: &mut Vec<PathBuf>) {
    if folder.join(MANIFEST_FILE).is_file() {
        // A process that was killed at the last moment leaves a manifest, but the run is not known to be whole.
        if !folder.join(INCOMPLETE_FILE).exists() {
            found.push(folder.to_owned());
        }
        return;
    }
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut below: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    below.sort_by_cached_key(|path| (natural(path), path.clone()));
    for path in &below {
        descend(path, found);
    }
}

/// A name as texts and the numbers that follow them.
fn natural(path: &Path) -> Vec<(String, u64)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut parts = Vec::new();
    let mut rest = name.as_str();
    while !rest.is_empty() {
        let begin = rest.find(|letter: char| letter.is_ascii_digit()).unwrap_or(rest.len());
        let length =
            rest[begin..].find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len() - begin);
        let number = rest[begin..begin + length].parse().unwrap_or(u64::MAX);
        parts.push((rest[..begin].to_owned(), number));
        rest = &rest[begin + length..];
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes empty runs at these paths.
    fn with_runs(paths: &[&str]) -> tempfile::TempDir {
        let home = tempfile::tempdir().expect("a folder can be made");
        for path in paths {
            let run = home.path().join(path);
            fs::create_dir_all(&run).expect("it can be made");
            fs::write(run.join("manifest.json"), "{}").expect("it can be written");
        }
        home
    }

    fn found(home: &tempfile::TempDir) -> Vec<String> {
        let below = |run: &PathBuf| run.strip_prefix(home.path()).expect("it is below").display().to_string();
        runs_in(home.path()).iter().map(below).collect()
    }

    #[test]
    fn runs_of_a_sweep_are_in_the_order_of_its_plan() {
        let rates = ["points/s/rate=100Gbps", "points/s/rate=50Gbps", "points/s/rate=400Gbps/seed-10"];
        let home =
            with_runs(&[rates[0], rates[1], rates[2], "points/s/rate=400Gbps/seed-9", "points/s/other"]);
        let variants = ["points/s/rate=50Gbps", "points/s/rate=100Gbps", "points/s/rate=400Gbps"];
        let variants: Vec<Value> =
            variants.iter().map(|folder| serde_json::json!({ "folder": folder })).collect();
        let plan = serde_json::json!({ "digest": "0", "variants": variants }).to_string();
        fs::write(home.path().join(PLAN_FILE), plan).expect("it can be written");
        let four = [rates[1], rates[0], "points/s/rate=400Gbps/seed-9", rates[2]];
        assert_eq!(found(&home), [four.as_slice(), &["points/s/other"]].concat());
    }

    #[test]
    fn a_run_that_was_killed_after_its_manifest_is_left_out() {
        let home = with_runs(&["points/1", "points/2"]);
        fs::write(home.path().join(PLAN_FILE), "damaged").expect("it can be written");
        fs::write(home.path().join("points/2").join(INCOMPLETE_FILE), "").expect("it can be written");
        assert_eq!(found(&home), ["points/1"]);
    }

    #[test]
    fn without_a_plan_numbers_in_names_are_in_the_order_of_numbers() {
        let home = with_runs(&["points/100", "points/50", "points/20a", "points/20"]);
        fs::write(home.path().join(PLAN_FILE), "damaged").expect("it can be written");
        assert_eq!(found(&home), ["points/20", "points/20a", "points/50", "points/100"]);
        let alone = with_runs(&["run"]);
        assert_eq!(found(&alone), [""]);
    }
}
