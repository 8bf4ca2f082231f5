//! `netloom figures`: figures for papers.

use netloom_lab::figures::{Format, Wanted};
use netloom_lab::{ExitCode, LabError, Over};

use super::compare::note_unfinished;
use super::run::overwrite;
use crate::arguments::Figures;
use crate::output::Output;

/// Writes the figures, and lists those written and those left out.
pub fn figures(arguments: &Figures, output: &mut Output) -> Result<ExitCode, LabError> {
    let format = Format::of(&arguments.format, arguments.dpi).map_err(LabError::from)?;
    let wanted = Wanted {
        format,
        width_mm: arguments.width,
        over: arguments.over,
        overwrite: overwrite(arguments.force),
    };
    let made = netloom_lab::figures::figures(&arguments.runs, &arguments.output, wanted)?;
    for figure in &made.figures {
        output.line(format!("figure {}", figure.picture.display()));
        output.line(format!("data {}", figure.data.display()));
        if !figure.without.is_empty() {
            output.line(format!("  without data in it: {}", figure.without.join(", ")));
        }
    }
    if arguments.over == Over::Jobs {
        output.line("background messages and links: while a job runs; `--over all` takes the whole run");
    }
    for figure in &made.left_out {
        output.line(format!("left out {}: {}", figure.name, figure.reason));
    }
    for name in &made.boxed {
        output.line(format!(
            "the font lacks characters of `{name}`; they are drawn as boxes, except in the data and in SVG"
        ));
    }
    note_unfinished(&arguments.runs, output)
}
