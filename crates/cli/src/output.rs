//! Output of text: results to standard output, everything else to standard error.
//!
//! Invariants: a closed standard output (`netloom list | head -1`) is neither an error nor a panic, any other failure to
//! write there is an error; no printed name contains control sequences of the terminal, and a line stays one line.

use std::error::Error;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;

use netloom_lab::{Diagnostics, ExitCode, LabError, Style, words};
use serde::Serialize;

/// Largest number of characters in a line; tables of long names stay below it.
const LONGEST_LINE: usize = 8_000;

/// Prints results, notes, warnings and errors.
pub struct Output {
    /// Whether standard output takes nothing more.
    gone: bool,
    /// Why not, unless its reader has closed it.
    failure: Option<io::Error>,
    /// A path in texts, and the name that is printed in its place.
    renamed: Option<(String, String)>,
}

impl Output {
    /// Prints to standard output and standard error of this process.
    pub fn new() -> Output {
        Output { gone: false, failure: None, renamed: None }
    }

    /// From now on, another name is printed in the place of a path.
    pub fn rename(&mut self, path: &Path, name: &Path) {
        self.renamed = Some((path.display().to_string(), name.display().to_string()));
    }

    /// A text with the names that are printed.
    fn named(&self, text: &str) -> String {
        match &self.renamed {
            Some((path, name)) => text.replace(path, name),
            None => text.to_owned(),
        }
    }

    /// Prints a line of the result.
    pub fn line(&mut self, text: impl AsRef<str>) {
        self.print(&one_line(&self.named(text.as_ref())));
    }

    /// Prints a picture, which has no control sequences except its own colours.
    pub fn drawing(&mut self, text: &str) {
        self.print(text.trim_end_matches('\n'));
    }

    /// Prints text that contains no control sequences.
    fn print(&mut self, text: &str) {
        if self.gone {
            return;
        }
        let mut stdout = io::stdout().lock();
        if let Err(error) = writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
            self.gone = true;
            self.failure = failure(error);
        }
    }

    /// Whether everything could be printed; a closed standard output wants nothing.
    ///
    /// # Errors
    /// If a result could not be written to standard output.
    pub fn finish(self) -> Result<(), LabError> {
        self.failure.map_or(Ok(()), |error| Err(LabError::Unprinted(error)))
    }

    /// Prints lines of the result.
    pub fn lines(&mut self, lines: impl IntoIterator<Item = impl AsRef<str>>) {
        for line in lines {
            self.line(line);
        }
    }

    /// Prints the result as JSON.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), LabError> {
        self.print(&self.named(&json_text(value)?));
        Ok(())
    }

    /// Prints a line that is not part of the result, to standard error.
    pub fn note(&mut self, text: impl AsRef<str>) {
        print_beside(&one_line(&self.named(text.as_ref())));
    }

    /// Prints warnings about the input, before the result.
    pub fn warn(warnings: &Diagnostics) {
        print_beside(warnings.render(style()).trim_end());
    }

    /// Prints an error and, if a command-line option avoids it, a hint; returns the exit code of the error.
    pub fn error(&mut self, error: &LabError) -> ExitCode {
        // The text may contain colours; control sequences in names have already been removed.
        print_beside(self.named(&error.headed(style())).trim_end());
        if let Some(hint) = remedy(error) {
            print_beside(hint);
        }
        error.exit_code()
    }
}

/// A result as JSON, without control sequences in names.
pub fn json_text(value: &impl Serialize) -> Result<String, LabError> {
    let text = serde_json::to_string_pretty(value);
    let text =
        text.map_err(|error| LabError::Internal(format!("the result cannot be written as JSON: {error}")))?;
    Ok(words::harmless_json(&text).into_owned())
}

/// The style of notes, warnings and errors.
fn style() -> Style {
    if io::stderr().is_terminal() { Style::Fancy } else { Style::Plain }
}

/// The error, unless the reader of standard output has closed it.
pub fn failure(error: io::Error) -> Option<io::Error> {
    (error.kind() != ErrorKind::BrokenPipe).then_some(error)
}

fn one_line(text: &str) -> String {
    words::shortened(&words::harmless(text), LONGEST_LINE).into_owned()
}

fn print_beside(text: &str) {
    // A failure here cannot be reported anywhere.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A hint on an error that a command-line option avoids.
fn remedy(error: &LabError) -> Option<&'static str> {
    match error {
        LabError::Sweep(_) if error.is_occupied() => {
            Some("hint: --force uses the folder and keeps the points of both plans, -o PATH writes elsewhere")
        }
        LabError::Unserved { .. } => Some("hint: without --live-port a free port is used"),
        _ if error.is_occupied() => Some("hint: --force replaces it, -o PATH writes elsewhere"),
        _ if is_name_too_long(error) => {
            Some("hint: names of files and folders have at most 255 bytes; -o PATH gives a shorter one")
        }
        _ => None,
    }
}

fn is_name_too_long(error: &LabError) -> bool {
    let mut cause = error.source();
    while let Some(found) = cause {
        if found.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::InvalidFilename) {
            return true;
        }
        cause = found.source();
    }
    false
}
