//! What targets share: several texts in one input, folders of texts, a run to be altered, refusals.

#![allow(dead_code, reason = "each target uses a part")]

use std::fs;
use std::path::{Path, PathBuf};

use netloom_lab::import::Measurements;
use netloom_lab::{LabError, Overwrite, RunRequest, Source, Style};

/// Parts texts of an input.
pub const SEPARATOR: &[u8] = b"\n%%%\n";
/// Most bytes of a refusal.
const LONGEST: usize = 200_000;

/// The texts of an input.
pub fn texts(input: &[u8]) -> Vec<&[u8]> {
    let mut texts = Vec::new();
    let mut rest = input;
    while let Some(at) = rest.windows(SEPARATOR.len()).position(|bytes| bytes == SEPARATOR) {
        // The line before a separator keeps its end.
        texts.push(&rest[..=at]);
        rest = &rest[at + SEPARATOR.len()..];
    }
    texts.push(rest);
    texts
}

/// A folder of this process with these files, and nothing else.
pub fn folder(files: &[(&str, &[u8])]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("netloom-fuzz-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    for (name, bytes) in files {
        let path = folder.join("input").join(name);
        fs::create_dir_all(path.parent().expect("it is below the folder")).expect("a folder can be made");
        fs::write(path, bytes).expect("a file can be written");
    }
    folder
}

/// A small run of which most tables have rows.
const SCENARIO: &str = "
netloom: 1
fabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 2, host_rate: 100Gbps}}
balance: spray
jobs: [{name: pair, steps: 2, phases: [{compute: 1us}, {ring_all_reduce: {size: 64KiB}}]}]
record: {series: 2us, timeline: 1, causes: true, slowest_flows: 1}
";

/// The folder of a run, made once by this process.
pub fn intact_run() -> PathBuf {
    let run = std::env::temp_dir().join(format!("netloom-fuzz-run-{}", std::process::id()));
    if !run.exists() {
        let request = RunRequest::new(Source::text("small.yaml", SCENARIO));
        let made = netloom_lab::run(RunRequest { folder: Some(run.clone()), ..request });
        made.unwrap_or_else(|error| panic!("{}", error.headed(Style::Plain)));
    }
    run
}

/// A copy of a run folder that may be altered.
pub fn copy_of(run: &Path) -> PathBuf {
    let copy = folder(&[("run/manifest.json", b"")]).join("input/run");
    for entry in fs::read_dir(run).expect("it is there").flatten() {
        // Not `fs::copy`, which the timer of libFuzzer interrupts.
        let bytes = fs::read(entry.path()).expect("it can be read");
        fs::write(copy.join(entry.file_name()), bytes).expect("it can be written");
    }
    copy
}

/// The tables in a run folder, in the order of their names.
pub fn tables_in(run: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(run).expect("it is there").flatten().map(|entry| entry.path());
    let mut tables: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "parquet")).collect();
    tables.sort();
    tables
}

/// Measurements that were accepted can be written, and are intact; a refusal is readable.
pub fn answered(answer: Result<Measurements, LabError>, folder: &Path) {
    match answer {
        Ok(found) => {
            let places = found.write(&folder.join("out"), Overwrite::Refuse, &[]);
            let places = places.unwrap_or_else(|error| panic!("{}", error.headed(Style::Plain)));
            for place in places {
                netloom_lab::check(&place).unwrap_or_else(|error| panic!("{}", error.headed(Style::Plain)));
            }
        }
        Err(error) => refused(&error.headed(Style::Plain)),
    }
}

/// A refusal is of bounded length and steers no terminal.
pub fn refused(text: &str) {
    assert!(!text.is_empty() && text.len() < LONGEST, "{} bytes", text.len());
    let steers = |c: char| c.is_control() && c != '\n';
    assert!(!text.contains(steers), "{text:?}");
}
