//! Whether a point is done already.
//!
//! Models: the run folder's own word: complete, of this version, with this scenario and this seed, ended by itself.
//! Leaves out: whether its tables were altered, which `netloom check` tells.
//!
//! Invariants: names of folders prove nothing; what looks wrong in any way is not done, and is run again.

use std::path::Path;

use netloom_records::{Manifest, RunFolder, Status, Table};

use super::points::PointReport;
use super::variants::{Variant, digest_without_seed};
use crate::summary::Summary;

/// What a folder holds, if it is the whole run of a variant with a seed.
pub(super) fn finished(folder: &Path, variant: &Variant, seed: u64) -> Option<PointReport> {
    let run = RunFolder::open(folder).ok()?;
    let manifest = run.manifest();
    if !is_of(manifest, variant, seed) || !has_all_tables(folder) {
        return None;
    }
    Some(PointReport {
        name: variant.scenario.clone(),
        seed,
        outcome: manifest.outcome.clone(),
        summary: Summary::of_folder(&run).ok()?,
        digest: manifest.digest,
        wall_time_s: manifest.wall_time_s,
        folder: Some(folder.to_owned()),
    })
}

fn is_of(manifest: &Manifest, variant: &Variant, seed: u64) -> bool {
    let says_seed = manifest.scenario_yaml.lines().any(|line| line == format!("seed: {seed}"));
    manifest.netloom == env!("CARGO_PKG_VERSION")
        && manifest.seed == seed
        && says_seed
        && manifest.outcome.status != Status::Stopped
        && digest_without_seed(&manifest.scenario_yaml) == variant.digest
}

fn has_all_tables(folder: &Path) -> bool {
    Table::ALL.iter().all(|table| folder.join(table.file_name()).is_file())
}
