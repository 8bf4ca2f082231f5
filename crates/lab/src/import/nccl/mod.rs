//! Times of collectives as nccl-tests print them, or write them as JSON.
//!
//! Models: the out-of-place times of every size; ranks and hosts of the heading; sizes turned into those of scenarios; what
//! `netloom export nccl-tests` writes, as text.
//! Leaves out: in-place times, bandwidths, per-iteration reports; programs of which scenarios have no collective.
//!
//! Invariants: results that the program found wrong are left out, and told of; every line that begins with a number is a
//! cell, is left out and counted, or is a mistake.
//!
//! Source: nccl-tests 2.13 to 2.19 (`src/common.cu`, `src/util.cu`). Which algorithm stands for a program is ours.

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

/// Programs, and the collectives that stand for them.
const PROGRAMS: [(&str, &str); 7] = [
    ("all_gather_perf", "ring_all_gather"),
    ("all_reduce_perf", "ring_all_reduce"),
    ("alltoall_perf", "all_to_all_linear"),
    ("broadcast_perf", "broadcast_chain"),
    ("reduce_scatter_perf", "ring_reduce_scatter"),
    ("sendrecv_perf", "permutation"),
    // What netloom itself prints of a collective that no program times.
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
        ("time", "out of place; the mean over iterations, and over ranks unless `-a` said otherwise"),
        ("collectives", "by the program; which algorithm the library took is not known, ours stands for it"),
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
        None => Err(format!("`{bare}` is a program that cannot be imported, these are: {}", programs())),
    }
}

/// A size as studies tell it: that of an all-to-all for each peer.
fn size(vector: u64, collective: &str, ranks: u32) -> Option<Bytes> {
    let parts = if is_exchange(collective) { u64::from(ranks.max(1)) } else { 1 };
    (vector <= MOST_BYTES).then(|| Bytes(vector / parts))
}
