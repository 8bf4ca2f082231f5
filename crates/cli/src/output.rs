//! Where text goes: results to standard output, everything else to standard error.
//!
//! Invariants: a reader that goes away (`netloom list | head -1`) is no error and no panic; no name that is printed
//! steers the terminal, and a line stays one line.

use std::io::{self, IsTerminal, Write};

use netloom_lab::{Diagnostics, ExitCode, LabError, Style, words};
use serde::Serialize;

/// Most characters of a line; a table of long names has fewer.
const LONGEST_LINE: usize = 8_000;

/// Prints.
pub struct Output {
    gone: bool,
}

impl Output {
    /// To this process's standard output and standard error.
    pub fn new() -> Output {
        Output { gone: false }
    }

    /// A line of the result.
    pub fn line(&mut self, text: impl AsRef<str>) {
        self.print(&one_line(text.as_ref()));
    }

    /// A picture, which is harmless already and may have colours of its own.
    pub fn drawing(&mut self, text: &str) {
        self.print(text.trim_end_matches('\n'));
    }

    /// What is known to steer no terminal.
    fn print(&mut self, text: &str) {
        if !self.gone {
            self.gone = writeln!(io::stdout().lock(), "{text}").is_err();
        }
    }

    /// Lines of the result.
    pub fn lines(&mut self, lines: impl IntoIterator<Item = impl AsRef<str>>) {
        for line in lines {
            self.line(line);
        }
    }

    /// The result for programs.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), LabError> {
        self.print(&json_text(value)?);
        Ok(())
    }

    /// A line beside the result.
    #[expect(clippy::unused_self, reason = "whoever prints owns the output")]
    pub fn note(&mut self, text: impl AsRef<str>) {
        print_beside(&one_line(text.as_ref()));
    }

    /// What is to be thought of before the result is.
    pub fn warn(warnings: &Diagnostics) {
        print_beside(warnings.render(style()).trim_end());
    }

    /// An error and, where there is one on the command line, its remedy; the answer is what it means for the exit code.
    #[expect(clippy::unused_self, reason = "whoever prints owns the output")]
    pub fn error(&mut self, error: &LabError) -> ExitCode {
        // Colours are among what is printed here; the words of others have been made harmless by then.
        print_beside(error.headed(style()).trim_end());
        if let Some(hint) = remedy(error) {
            print_beside(hint);
        }
        error.exit_code()
    }
}

/// A result as JSON in which no name steers a terminal.
pub fn json_text(value: &impl Serialize) -> Result<String, LabError> {
    let text = serde_json::to_string_pretty(value);
    let text = text.map_err(|error| LabError::Internal(format!("the result is no JSON: {error}")))?;
    Ok(words::harmless_json(&text).into_owned())
}

/// How what is printed beside the result is drawn.
fn style() -> Style {
    if io::stderr().is_terminal() { Style::Fancy } else { Style::Plain }
}

fn one_line(text: &str) -> String {
    words::shortened(&words::harmless(text), LONGEST_LINE).into_owned()
}

fn print_beside(text: &str) {
    // Nothing sensible can be done where even this fails.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// What to do about an error that has a remedy on the command line.
fn remedy(error: &LabError) -> Option<&'static str> {
    match error {
        LabError::Sweep(_) if error.is_occupied() => {
            Some("hint: --force takes it over and keeps the points of both plans, -o PATH makes it elsewhere")
        }
        LabError::Unserved { .. } => Some("hint: without --live-port a port that is free is taken"),
        _ if error.is_occupied() => Some("hint: --force writes in its place, -o PATH writes elsewhere"),
        _ => None,
    }
}
