//! The lines of a file that messages show.
//!
//! Invariants: only lines with something to point at are kept, and a bounded number of them, so a file is never in
//! memory as a whole.

use crate::location::Location;

/// Most bytes of kept lines.
const MOST_BYTES: usize = 64 << 20;

/// Kept lines, as one text, with their numbers.
#[derive(Debug)]
pub(crate) struct Lines {
    /// Number of the text among the sources.
    pub source: u16,
    /// The kept lines.
    pub text: String,
    /// The number of each kept line, from 1.
    pub numbers: Vec<u32>,
    /// The current line, from 1.
    current: u32,
    /// Where the current line begins in the text, if it is kept.
    start: Option<u32>,
}

impl Lines {
    pub fn new(source: u16) -> Lines {
        Lines { source, text: String::new(), numbers: Vec::new(), current: 0, start: None }
    }

    /// Goes to the next line.
    pub fn next(&mut self) {
        self.current += 1;
        self.start = None;
    }

    /// The location of a range of bytes of the current line, which is kept from now on.
    pub fn location(&mut self, line: &[u8], (from, to): (usize, usize)) -> Location {
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).len() as u32;
        let start = self.start.unwrap_or_else(|| self.keep(line));
        let (start, end) = (start + shown(&line[..from]), start + shown(&line[..to]));
        Location { source: self.source, start, end }
    }

    fn keep(&mut self, line: &[u8]) -> u32 {
        let start = self.text.len();
        if start + line.len() < MOST_BYTES {
            self.text.push_str(&String::from_utf8_lossy(line));
            self.text.push('\n');
            self.numbers.push(self.current);
        }
        self.start = Some(start as u32);
        start as u32
    }
}
