//! Every text in the place of a run's manifest is refused by `check`, unless it says the same as the manifest that was
//! there, and never more than refused by a report.
#![no_main]

mod shared;

use std::fs;

use libfuzzer_sys::fuzz_target;
use netloom_lab::{Over, Style, check, read_report};
use serde_json::Value;

/// What a digest does not cover: the wall time, and manifests without a digest.
fn covered(manifest: &[u8]) -> Option<Value> {
    let mut value: Value = serde_json::from_slice(manifest).ok()?;
    value.as_object_mut()?.remove("wall_time_s");
    value.get("manifest_digest")?.as_str()?;
    Some(value)
}

fuzz_target!(|input: &[u8]| {
    let run = shared::intact_run();
    let folder = shared::copy_of(&run);
    let stored = fs::read(run.join("manifest.json")).expect("it is there");
    fs::write(folder.join("manifest.json"), input).expect("it can be written");
    match check(&folder) {
        Ok(_) => assert!(covered(input).is_none_or(|input| Some(input) == covered(&stored)), "it was altered"),
        Err(error) => shared::refused(&error.headed(Style::Plain)),
    }
    if let Err(error) = read_report(&[folder], Over::Jobs, None, None) {
        shared::refused(&error.headed(Style::Plain));
    }
});
