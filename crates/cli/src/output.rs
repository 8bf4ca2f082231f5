//! Where text goes: results to standard output, everything else to standard error.
//!
//! Invariants: a reader that goes away (`netloom list | head -1`) is no error and no panic.

use std::io::{self, IsTerminal, Write};

use netloom_lab::{ExitCode, LabError, Style};
use serde::Serialize;

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
        if !self.gone {
            let mut out = io::stdout().lock();
            self.gone = writeln!(out, "{}", text.as_ref()).is_err();
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
        let text = serde_json::to_string_pretty(value);
        self.line(text.map_err(|error| LabError::Internal(format!("the result is no JSON: {error}")))?);
        Ok(())
    }

    /// A line beside the result.
    #[expect(clippy::unused_self, reason = "whoever prints owns the output")]
    pub fn note(&mut self, text: impl AsRef<str>) {
        // Nothing sensible can be done where even this fails.
        let _ = writeln!(io::stderr().lock(), "{}", text.as_ref());
    }

    /// An error; the answer is what it means for the exit code.
    pub fn error(&mut self, error: &LabError) -> ExitCode {
        let style = if io::stderr().is_terminal() { Style::Fancy } else { Style::Plain };
        self.note(error.headed(style).trim_end());
        error.exit_code()
    }
}
