//! All texts that are taken for results of CRAB are refused, or become intact runs.
//!
//! Models: an input that begins with `{` is a job of the framework (configuration, times of a program, its log), any other
//! one tables of means, each with the name that its heading says.
#![no_main]

mod shared;

use libfuzzer_sys::fuzz_target;
use netloom_lab::import::crab;

/// Files of a job, in order.
const JOB: [&str; 3] = ["config.json", "data_app_0.csv", "slurm_output.log"];

fuzz_target!(|input: &[u8]| {
    let texts = shared::texts(input);
    let names: Vec<String> = if input.starts_with(b"{") {
        JOB.map(|name| format!("data/sea/2026-01-01_00-00-00-000000/{name}")).into()
    } else {
        texts.iter().map(|text| table(text)).collect()
    };
    let files: Vec<(&str, &[u8])> = names.iter().map(String::as_str).zip(texts).collect();
    let folder = shared::folder(&files);
    shared::answered(crab(&[folder.join("input")], &[]), &folder);
});

/// The name of a table, by its heading.
fn table(text: &[u8]) -> String {
    let has = |word: &[u8]| text.split(|byte| *byte == b'\n').next().unwrap_or(b"").windows(word.len()).any(|at| at == word);
    let name = if has(b"pause_s") {
        "measured_bursty"
    } else if has(b"aggressor") {
        "measured_steady"
    } else if has(b"prefix") {
        "allocations"
    } else {
        "measured_baseline"
    };
    format!("{name}.csv")
}
