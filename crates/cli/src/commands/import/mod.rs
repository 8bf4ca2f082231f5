//! `netloom import`: scenarios made from what another simulator was given, measured runs from what benchmarks printed.

mod measured;
mod seed_sim;

use netloom_lab::{ExitCode, LabError};

use crate::arguments::{Format, Import};
use crate::output::Output;

/// Imports.
pub fn import(arguments: &Import, output: &mut Output) -> Result<ExitCode, LabError> {
    match &arguments.format {
        Format::SeedSim(arguments) => Ok(seed_sim::import(arguments, output)),
        Format::Crab(arguments) => measured::crab(arguments, output),
        Format::Osu(arguments) => measured::osu(arguments, output),
        Format::NcclTests(arguments) => measured::nccl_tests(arguments, output),
    }
}
