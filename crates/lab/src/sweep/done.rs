//! Checks whether a point is finished already.
//!
//! Models: the state recorded in the run folder: complete, of this build, with this scenario and this seed, not
//! stopped.
//! Leaves out: whether its tables were altered, which `netloom check` verifies.
//!
//! Invariants: names of folders are not evidence; a point with any discrepancy is not finished, and is run again.

use std::path::Path;

use netloom_records::statistics::Over;
use netloom_records::{Digest, Manifest, RunFolder, Status, Table};

use serde_json::Value;

use super::points::PointReport;
use super::variants::digest_without_seed;
use crate::build::BUILD;
use crate::error::LabError;
use crate::summary::Summary;

/// The report of a folder, if it has the complete run of a scenario with a seed, with figures over a part of it.
///
/// # Errors
/// If that part is not within the run.
pub(super) fn finished(
    folder: &Path,
    meaning: Digest,
    seed: u64,
    over: Over,
) -> Result<Option<PointReport>, LabError> {
    let Ok(run) = RunFolder::open(folder) else { return Ok(None) };
    let manifest = run.manifest();
    if !is_finished(manifest, meaning, seed) || !has_all_tables(folder) {
        return Ok(None);
    }
    let summary = match Summary::of_folder(&run, over) {
        Ok(summary) => summary,
        Err(outside @ LabError::OutsideRun { .. }) => return Err(outside),
        Err(_) => return Ok(None),
    };
    Ok(Some(PointReport {
        name: scenario_name(manifest),
        seed,
        outcome: manifest.outcome.clone(),
        summary,
        digest: manifest.digest,
        wall_time_s: manifest.wall_time_s,
        folder: Some(folder.to_owned()),
    }))
}

fn scenario_name(manifest: &Manifest) -> String {
    manifest.scenario.get("name").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn is_finished(manifest: &Manifest, meaning: Digest, seed: u64) -> bool {
    manifest.build.as_deref() == Some(BUILD)
        && manifest.outcome.status != Status::Stopped
        && is_run_of(manifest, meaning, seed)
}

/// Whether a run is one of a scenario, given by its digest without the seed, with a seed.
pub(super) fn is_run_of(manifest: &Manifest, meaning: Digest, seed: u64) -> bool {
    let says_seed = manifest.scenario_yaml.lines().any(|line| line == format!("seed: {seed}"));
    manifest.seed == Some(seed) && says_seed && digest_without_seed(&manifest.scenario_yaml) == meaning
}

fn has_all_tables(folder: &Path) -> bool {
    Table::ALL.iter().all(|table| folder.join(table.file_name()).is_file())
}
