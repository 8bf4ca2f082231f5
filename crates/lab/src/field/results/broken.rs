//! A malformed file of the program.

use std::fmt;

use crate::words::harmless;

/// Maximum number of characters of a line in a message.
const MOST_SHOWN: usize = 80;

/// A malformed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The file.
    pub file: String,
    /// The line, from 1; 0 is the whole file.
    pub line: usize,
    /// The column, from 1; 0 is the whole line.
    pub column: usize,
    /// What was found.
    pub found: String,
    /// What was expected.
    pub expected: String,
}

impl std::error::Error for Broken {}

impl fmt::Display for Broken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Broken { file, line, column, found, expected } = self;
        write!(formatter, "{}", harmless(file))?;
        if *line > 0 {
            write!(formatter, ":{line}")?;
        }
        if *column > 0 {
            write!(formatter, ":{column}")?;
        }
        write!(formatter, ": {}; expected {}", harmless(found), harmless(expected))
    }
}

/// A part of a file in a message: only its beginning, if it is long.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(MOST_SHOWN) {
        None => format!("`{text}`"),
        Some((end, _)) => format!("`{}...`", &text[..end]),
    }
}
