//! Texts of other programs, read with the same error handling: for importers.
//!
//! Models: YAML as a tree with its locations; any other text unchanged; errors collected and shown together, hints for
//! misspelled words.
//! Leaves out: the meaning of keys; the importer has it.
//!
//! Invariants: limits and error messages are those of a scenario's own text.

use crate::diagnostic::{Diagnostics, Problems};
use crate::location::{Location, Sources};
use crate::suggest;
use crate::written::{self, Node, Unreadable};

/// A text of another program and the errors found in it so far.
#[derive(Debug)]
pub struct Foreign {
    sources: Sources,
    problems: Problems,
}

impl Foreign {
    /// Parses a text; `path` names it in messages.
    ///
    /// # Errors
    /// If it is not well-formed YAML, or exceeds the limits of this project.
    pub fn open(bytes: &[u8], path: &str) -> Result<(Foreign, Node), Diagnostics> {
        let mut foreign = Foreign { sources: Sources::default(), problems: Problems::default() };
        let Some((text, _)) = foreign.sources.add_bytes(bytes, path, &mut foreign.problems) else {
            return Err(foreign.problems.finish(&foreign.sources));
        };
        match written::parse(text, 0, 0, &mut foreign.problems) {
            Some(root) => Ok((foreign, root)),
            None => Err(foreign.problems.finish(&foreign.sources)),
        }
    }

    /// Takes a text that is not YAML; locations are bytes of the returned text.
    ///
    /// # Errors
    /// If it is not text.
    pub fn plain<'a>(bytes: &'a [u8], path: &str) -> Result<(Foreign, &'a str), Diagnostics> {
        let mut foreign = Foreign { sources: Sources::default(), problems: Problems::default() };
        let decoded = match written::zero_byte(bytes) {
            Some(at) => Err((at, false)),
            None => std::str::from_utf8(bytes).map_err(|error| (error.valid_up_to(), true)),
        };
        let (at, is_text) = match decoded {
            Ok(text) => {
                foreign.sources.add(path, text);
                return Ok((foreign, text));
            }
            Err(found) => found,
        };
        let what = if is_text { "no text in UTF-8" } else { "a binary file" };
        let message = format!("this is {what} (byte {at})");
        let help = "a file of text, in UTF-8";
        let found = Unreadable { at, message, label: "expected text", help, is_text };
        foreign.sources.add_unreadable(bytes, path, found, &mut foreign.problems);
        Err(foreign.problems.finish(&foreign.sources))
    }

    /// Whether an error was reported.
    pub fn has_errors(&self) -> bool {
        !self.problems.is_empty()
    }

    /// Adds an error: message, the words under the caret, and a hint.
    pub fn report(
        &mut self,
        location: Location,
        message: impl Into<String>,
        label: &str,
        help: Option<String>,
    ) {
        self.problems.report(location, message).label(label).maybe_help(help);
    }

    /// A hint for a misspelled word: the closest known one, or all of them when they are few.
    pub fn hint(word: &str, known: &[&str]) -> Option<String> {
        suggest::hint(word, known.iter().copied())
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// All errors, if there were any.
    pub fn finish(self) -> Result<(), Diagnostics> {
        if self.problems.is_empty() { Ok(()) } else { Err(self.problems.finish(&self.sources)) }
    }
}
