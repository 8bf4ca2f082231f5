//! The seeds of fuzzing are accepted inputs.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, Cursor, ErrorKind};
use std::path::{Path, PathBuf};

use netloom_lab::field::{
    FieldPlan, Files, Iterations, Reading, Role, Segment, SizedCollective, Stream, Work, read_results,
};
use netloom_lab::{Digest, LabError, Style, import};

fn seeds(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target)
}

#[track_caller]
fn accepted(answer: Result<import::Measurements, LabError>) {
    let found = answer.unwrap_or_else(|error| panic!("{}", error.headed(Style::Plain)));
    assert!(!found.runs.is_empty());
}

#[test]
fn outputs_of_benchmarks_are_accepted() {
    let options = import::Options { ranks: Some(8), ..import::Options::default() };
    accepted(import::osu(&[seeds("osu/versions.txt")], &options));
    let options = import::Options::default();
    for name in ["text.txt", "document.json"] {
        accepted(import::nccl_tests(&[seeds("nccl-tests").join(name)], &options));
    }
}

#[test]
fn results_of_the_framework_are_accepted() {
    let home = tempfile::tempdir().expect("a folder can be made");
    let job = "data/sea/2026-01-01_00-00-00-000000";
    let names = [
        (
            "means.txt",
            ["measured_steady.csv", "measured_bursty.csv", "measured_baseline.csv", "allocations.csv"]
                .map(str::to_owned)
                .to_vec(),
        ),
        (
            "job.txt",
            ["config.json", "data_app_0.csv", "slurm_output.log"]
                .map(|name| format!("{job}/{name}"))
                .to_vec(),
        ),
    ];
    for (seed, names) in names {
        let text = fs::read_to_string(seeds("crab").join(seed)).expect("it is there");
        let folder = home.path().join(seed);
        for (name, text) in names.iter().zip(text.split("%%%\n")) {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("it is below")).expect("it can be made");
            fs::write(path, text).expect("it can be written");
        }
        accepted(import::crab(&[folder], &[]));
    }
}

/// Texts by name.
struct Memory(BTreeMap<&'static str, String>);

impl Files for Memory {
    fn name(&self, file: &str) -> String {
        file.to_owned()
    }

    fn open(&self, file: &str) -> io::Result<Box<dyn BufRead + '_>> {
        let text = self.0.get(file).ok_or_else(|| io::Error::from(ErrorKind::NotFound))?;
        Ok(Box::new(Cursor::new(text.as_bytes())))
    }
}

/// Asserts that a seed is read as the results of a plan.
#[track_caller]
fn read(seed: &str, names: [&'static str; 5], roles: Vec<Role>, work: Work, segments: Vec<Segment>) {
    let plan = FieldPlan { study: Digest::of(&[]), seed: 1, roles, work, segments, deadline_s: 60 };
    let text = fs::read_to_string(seeds("results").join(seed)).expect("it is there");
    let text = text.strip_prefix("s\n").unwrap_or(&text);
    let mut files: BTreeMap<&'static str, String> =
        names.into_iter().zip(text.split("%%%\n").map(str::to_owned)).collect();
    files.insert("plan.txt", plan.to_string());
    if let Err(error) = read_results(&Memory(files), &plan, Reading::Strict) {
        panic!("{error}");
    }
}

#[test]
fn results_of_the_program_are_accepted() {
    let sized = |collective: &str| SizedCollective { collective: collective.to_owned(), bytes: 65_536 };
    let segment =
        |is_congested, warm_up, n| Segment { is_congested, warm_up, iterations: Iterations::Count(n) };
    let work = Work::Interference {
        victim: sized("ring_all_reduce"),
        aggressor: Some(sized("incast")),
        bursts: None,
    };
    let names = ["manifest.txt", "times-0.csv", "times-1.csv", "times-2.csv", "times-3.csv"];
    let roles = vec![Role::Victim, Role::Aggressor, Role::Victim, Role::Aggressor];
    let segments = [false, true, false].map(|is_congested| segment(is_congested, 1, 2)).to_vec();
    read("interference.txt", names, roles, work, segments);
    let stream = |from, start_ns| Stream { from, to: 1, start_ns, stop_ns: 500_000_000, bytes: 65_536 };
    let work = Work::Streams(vec![stream(0, 0), stream(2, 100_000_000)]);
    let names = ["manifest.txt", "times-0.csv", "times-1.csv", "times-2.csv", "streams-1.csv"];
    read("streams.txt", names, vec![Role::Victim; 3], work, vec![segment(false, 0, 1)]);
}
