//! `netloom report`: one HTML file on the given runs, or a summary of them in the terminal.

use std::path::{Path, PathBuf};

use netloom_lab::{ExitCode, LabError, ReasonRequest, report_text};

use super::compare::with_reasons;
use super::run::overwrite;
use crate::arguments::Report;
use crate::output::Output;
use crate::terminal;

/// The file of the report by default.
const DEFAULT: &str = "out/report.html";

/// Writes the report, or prints the text, or both.
pub fn report(arguments: &Report, output: &mut Output) -> Result<ExitCode, LabError> {
    if arguments.text && arguments.force && arguments.output.is_none() {
        output.note("--force replaces the file of -o, and none is written here");
    }
    let file = file(arguments);
    let text = if arguments.why {
        with_reasons(output, |reasons| make(arguments, file.as_deref(), Some(reasons)))?
    } else {
        make(arguments, file.as_deref(), None)?
    };
    if let Some(text) = text {
        output.drawing(&text);
    }
    if let Some(file) = file {
        output.line(format!("report {}", file.display()));
    }
    Ok(ExitCode::Good)
}

/// The file to write, if one is wanted.
fn file(arguments: &Report) -> Option<PathBuf> {
    let default = || (!arguments.text).then(|| PathBuf::from(DEFAULT));
    arguments.output.clone().or_else(default)
}

/// Writes the file and returns the text, as far as they are wanted.
fn make(
    arguments: &Report,
    file: Option<&Path>,
    reasons: Option<&ReasonRequest<'_>>,
) -> Result<Option<String>, LabError> {
    let Report { runs, over, baseline, force, .. } = arguments;
    let baseline = baseline.as_deref();
    let text = || report_text(runs, *over, baseline, reasons, terminal::look());
    let text = arguments.text.then(text).transpose()?;
    if let Some(file) = file {
        netloom_lab::report(runs, file, overwrite(*force), *over, baseline, reasons)?;
    }
    Ok(text)
}
