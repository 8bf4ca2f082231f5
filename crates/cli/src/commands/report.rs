//! `netloom report`: one HTML file on the given runs, or a summary of them in the terminal.

use std::path::{Path, PathBuf};

use netloom_lab::{ExitCode, LabError, report_text};

use super::run::overwrite;
use crate::arguments::Report;
use crate::output::Output;
use crate::terminal;

/// The file of the report by default.
const DEFAULT: &str = "out/report.html";

/// Writes the report, or prints the text, or both.
pub fn report(arguments: &Report, output: &mut Output) -> Result<ExitCode, LabError> {
    let baseline = arguments.baseline.as_deref();
    if arguments.text {
        output.drawing(&report_text(&arguments.runs, arguments.over, baseline, terminal::look())?);
    }
    let file: Option<&Path> = arguments.output.as_deref();
    let file: Option<PathBuf> = match file {
        None if arguments.text => {
            if arguments.force {
                output.note("--force replaces the file of -o, and none is written here");
            }
            None
        }
        file => Some(file.unwrap_or(Path::new(DEFAULT)).to_owned()),
    };
    if let Some(file) = file {
        netloom_lab::report(&arguments.runs, &file, overwrite(arguments.force), arguments.over, baseline)?;
        output.line(format!("report {}", file.display()));
    }
    Ok(ExitCode::Good)
}
