//! `netloom report`: one HTML file on the given runs, or a summary of them in the terminal.

use std::path::PathBuf;

use netloom_lab::{ExitCode, LabError, ReportOutputs, abandoned_draft};

use super::compare::{note_unfinished, with_reasons};
use super::run::overwrite;
use crate::arguments::{ComparedRuns, Report};
use crate::output::Output;
use crate::terminal;

/// The file of the report by default.
const DEFAULT: &str = "out/report.html";

/// Writes the report, or prints the text, or both.
pub fn report(arguments: &Report, output: &mut Output) -> Result<ExitCode, LabError> {
    if arguments.text && arguments.force && arguments.output.is_none() {
        output.note("--force replaces the file of -o, and none is written here");
    }
    let default = || (!arguments.text).then(|| PathBuf::from(DEFAULT));
    let file = arguments.output.clone().or_else(default);
    let outputs = ReportOutputs {
        page: file.as_deref().map(|file| (file, overwrite(arguments.force))),
        text: arguments.text.then(terminal::look),
    };
    if let Some(draft) = file.as_deref().and_then(abandoned_draft) {
        output.note(format!("replacing a report that was not finished: {}", draft.display()));
    }
    let ComparedRuns { runs, over, baseline, why } = &arguments.compared;
    let text = with_reasons(*why, true, output, |reasons| {
        netloom_lab::report(runs, *over, baseline.as_deref(), reasons, outputs)
    })?;
    if let Some(text) = text {
        output.drawing(&text);
    }
    if let Some(file) = file {
        output.line(format!("report {}", file.display()));
    }
    note_unfinished(runs, output)
}
