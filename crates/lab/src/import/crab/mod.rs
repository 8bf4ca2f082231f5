//! Results of the benchmark framework of Piarulli et al. 2026 (CRAB): victims timed in isolation and beside aggressors
//! on real machines.
//!
//! Models: two layouts, distinguished by the files in the folder: tables of means of many runs (`digest`), and the
//! output of the framework itself, job by job (`raw`).
//! Leaves out: other benchmarks that the framework can start.
//!
//! Invariants: all folders are read before anything is written; a cell that occurs twice is a mistake, or is reported.
//!
//! Source: <https://github.com/HLC-Lab/CRAB>, branch `huawei_oehi`; the paper is arXiv 2604.11432.

mod allocations;
mod digest;
mod jobs;
mod raw;
mod times;

use std::path::PathBuf;

use netloom_units::{Bytes, Duration};

use super::ImportError;
use super::measured::{Measurements, Wanted, check_wanted};
use crate::cells::Aggressor;
use crate::error::LabError;

/// The framework.
const BY: &str = "CRAB";
/// The source of its published numbers.
const PUBLISHED: &str = "L. Piarulli et al. 2026 (arXiv 2604.11432), data of github.com/HLC-Lab/CRAB";

/// Bytes that an aggressor sends to each peer in a round: a constant of the framework's noise programs
/// (`benchmarks/blink/noise_incast.cpp` and `noise_a2a.cpp`).
const NOISE: Bytes = Bytes(2 << 20);

/// Iterations of a run, and those at its beginning that do not count (from its configurations and plotting program).
const ITERATIONS: u32 = 1_000;
const WARM_UP: u32 = 100;

/// Victims: names of collectives in the framework and in scenarios.
const VICTIMS: [(&str, &str); 2] = [("all_gather", "ring_all_gather"), ("all_to_all", "all_to_all_linear")];
/// Aggressors.
const AGGRESSORS: [(&str, &str); 2] = [("all_to_all", "all_to_all_linear"), ("incast", "incast")];

/// Facts about all its runs.
const FACTS: [(&str, &str); 5] = [
    ("iterations", "1,000 for each size, of which the first 100 do not count"),
    ("time", "that of the slowest rank, measured from a barrier"),
    ("processes", "one for each node; victims on the first, third and so on, aggressors on the others"),
    ("aggressor", "endless rounds of 2 MiB for each peer, started together with the victim"),
    ("baseline", "a different job than the one beside the aggressor, often on partly different nodes"),
];

/// Reads folders of either layout.
///
/// # Errors
/// All mistakes of all files, or that a folder has neither layout.
pub fn crab(folders: &[PathBuf], wanted: &[Wanted]) -> Result<Measurements, LabError> {
    let mut digests = digest::Digests::default();
    let mut raws = raw::Raws::default();
    let (mut has_digests, mut has_raws) = (false, false);
    for folder in folders {
        if digest::is_one(folder) {
            digests.read(folder)?;
            has_digests = true;
            continue;
        }
        let jobs = raw::jobs_in(folder);
        if jobs.is_empty() {
            let expected = "measured_steady.csv and similar files, or data/SYSTEM/TIME/config.json";
            return Err(ImportError::NoLayout { path: folder.clone(), expected }.into());
        }
        raws.read(jobs, wanted)?;
        has_raws = true;
    }
    if has_digests && has_raws {
        return Err(ImportError::BothLayouts.into());
    }
    if has_raws {
        check_wanted(wanted, raws.systems())?;
        return raws.finish(wanted);
    }
    check_wanted(wanted, digests.systems())?;
    Ok(digests.finish(wanted)?)
}

fn aggressor(collective: usize, bursts: Option<[Duration; 2]>) -> Aggressor {
    Aggressor { collective: AGGRESSORS[collective].1.to_owned(), size: NOISE, bursts }
}

fn facts() -> std::collections::BTreeMap<String, String> {
    FACTS.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect()
}
