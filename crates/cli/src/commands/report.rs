//! `netloom report`: one HTML file about some runs.

use netloom_lab::{ExitCode, LabError};

use super::run::overwrite;
use crate::arguments::Report;
use crate::output::Output;

/// Writes the report.
pub fn report(arguments: &Report, output: &mut Output) -> Result<ExitCode, LabError> {
    netloom_lab::report(&arguments.runs, &arguments.output, overwrite(arguments.force))?;
    output.line(format!("report {}", arguments.output.display()));
    Ok(ExitCode::Good)
}
