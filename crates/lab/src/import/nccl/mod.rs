//! Times of collectives from nccl-tests, as text or as JSON.
//!
//! Models: the out-of-place times of every size; ranks and hosts of the header; sizes converted to those of scenarios;
//! the output of `netloom export nccl-tests`, as text.
//! Leaves out: in-place times, bandwidths, per-iteration reports; programs without a corresponding collective in
//! scenarios.
//!
//! Invariants: results that the program found wrong are left out and reported; every line that begins with a number is
//! a cell, is left out and counted, or is a mistake.
//!
//! Source: nccl-tests 2.13 to 2.19 (`src/common.cu`, `src/util.cu`). The algorithm that represents a program is a
//! modelling assumption.

mod json;
mod text;

use std::path::PathBuf;

use netloom_scenario::Diagnostics;
use netloom_units::Bytes;

use super::ImportError;
use super::benchmark::{Benchmarks, Options};
use super::measured::Measurements;
use super::sheet::MOST_BYTES;
use crate::cells::scenario::is_exchange;
use crate::error::LabError;
use crate::source::Source;

const BY: &str = "nccl-tests";

/// Programs, and the collectives that represent them.
const PROGRAMS: [(&str, &str); 7] = [
    ("all_gather_perf", "ring_all_gather"),
    ("all_reduce_perf", "ring_all_reduce"),
    ("alltoall_perf", "all_to_all_linear"),
    ("broadcast_perf", "broadcast_chain"),
    ("reduce_scatter_perf", "ring_reduce_scatter"),
    ("sendrecv_perf", "permutation"),
    // Printed by netloom for a collective without a program in nccl-tests.
    ("incast", "incast"),
];

/// Reads outputs, text or JSON.
///
/// # Errors
/// All mistakes of all files, or that there are no results.
pub fn nccl_tests(files: &[PathBuf], options: &Options) -> Result<Measurements, LabError> {
    let mut found = Benchmarks::new(options);
    let (mut mistakes, mut others) = (Vec::new(), Vec::new());
    for file in files {
        let bytes = Source::file(file).read()?;
        let name = file.display().to_string();
        if bytes.trim_ascii_start().starts_with(b"{") {
            others.extend(json::read(&bytes, &name, options, &mut found).err().map(LabError::from));
        } else {
            mistakes.extend(text::read(&bytes, &name, options, &mut found).err());
        }
    }
    if !mistakes.is_empty() {
        others.insert(0, ImportError::from(Diagnostics::join(mistakes)).into());
    }
    if !others.is_empty() {
        return Err(LabError::several(others));
    }
    let facts = [
        ("time", "out of place; the mean over iterations, and over ranks unless `-a` selected another value"),
        (
            "collectives",
            "by the program; the algorithm of the library is not known, so netloom's choice represents it",
        ),
    ];
    Ok(found.finish(BY, "nccl-tests", &facts, files)?)
}

/// The collective of a program, or why there is none.
fn collective(program: &str, options: &Options) -> Result<String, String> {
    let bare = program.rsplit('/').next().unwrap_or(program);
    let known = PROGRAMS.iter().find(|(name, _)| bare == *name || bare.strip_suffix("_mpi") == Some(*name));
    let found = known.map(|(_, collective)| (*collective).to_owned());
    let programs = || PROGRAMS[..6].iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    match found {
        Some(collective) => Ok(options.collective.clone().unwrap_or(collective)),
        None => Err(format!("the program `{bare}` cannot be imported; expected one of {}", programs())),
    }
}

/// The size as studies state it: for an all-to-all, the size for each peer.
fn size(vector: u64, collective: &str, ranks: u32) -> Option<Bytes> {
    let parts = if is_exchange(collective) { u64::from(ranks.max(1)) } else { 1 };
    (vector <= MOST_BYTES).then(|| Bytes(vector / parts))
}
