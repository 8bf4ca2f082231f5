//! `netloom import`: converts configurations of another simulator to scenarios, and results of benchmarks to measured
//! runs.

mod measured;
mod seed_sim;

use netloom_lab::{ExitCode, LabError};

use crate::arguments::{Format, Import};
use crate::output::Output;

/// Runs the import of the given format.
pub fn import(arguments: &Import, output: &mut Output) -> Result<ExitCode, LabError> {
    match &arguments.format {
        Format::SeedSim(arguments) => Ok(seed_sim::import(arguments, output)),
        Format::Crab(arguments) => measured::crab(arguments, output),
        Format::Osu(arguments) => measured::osu(arguments, output),
        Format::NcclTests(arguments) => measured::nccl_tests(arguments, output),
    }
}
