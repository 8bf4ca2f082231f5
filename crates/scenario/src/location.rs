//! Positions of scenario elements in their texts.
//!
//! A scenario may have several texts: its file, those it inherits from, and each override of the command line.
//!
//! Invariants: two locations always compare equal, so that values which carry their location can be compared by meaning.

use std::sync::Arc;

use crate::diagnostic::Problems;
use crate::excerpt::Excerpt;
use crate::flow_file::Lines;
use crate::written::{self, Unreadable};

/// Bytes shown after the first invalid one.
const SHOWN_AFTER: usize = 400;
/// Prefix of the names of overrides.
const OVERRIDE: &str = "--";

/// A byte range in one of the texts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Location {
    /// Number of the text; 0 is the scenario file.
    pub source: u16,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl PartialEq for Location {
    /// Always true: locations do not affect the meaning.
    fn eq(&self, _: &Location) -> bool {
        true
    }
}

impl Location {
    /// A sort key: text by text, front to back.
    pub(crate) fn key(self) -> (u16, u32, u32) {
        (self.source, self.start, self.end)
    }
}

/// A value and where it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Where it is written.
    pub location: Location,
}

impl<T> Located<T> {
    /// Joins a value with its location.
    pub fn new(value: T, location: Location) -> Located<T> {
        Located { value, location }
    }
}

/// One text and its name in messages.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// File name, or `--set`.
    pub name: String,
    /// The whole text.
    pub text: Arc<str>,
    /// The numbers of its lines, if it has only some of those of a file of rows.
    pub lines: Option<Arc<[u32]>>,
}

/// All texts of one scenario.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sources {
    list: Vec<Source>,
}

impl PartialEq for Sources {
    /// Always true: texts do not affect the meaning.
    fn eq(&self, _: &Sources) -> bool {
        true
    }
}

impl Sources {
    /// Adds a text and returns its number.
    pub fn add(&mut self, name: &str, text: &str) -> u16 {
        let number = u16::try_from(self.list.len()).unwrap_or(u16::MAX);
        self.list.push(Source { name: name.to_owned(), text: Arc::from(text), lines: None });
        number
    }

    /// Adds a file of rows, of which only some lines will be kept, and returns its number.
    pub fn reserve(&mut self, name: &str) -> u16 {
        let number = self.add(name, "");
        self.list.last_mut().expect("just added").lines = Some(Arc::default());
        number
    }

    /// Sets the lines of a file of rows.
    pub fn fill(&mut self, kept: &mut Lines) {
        let source = &mut self.list[usize::from(kept.source)];
        source.text = Arc::from(std::mem::take(&mut kept.text));
        source.lines = Some(Arc::from(std::mem::take(&mut kept.numbers)));
    }

    /// Adds the bytes of a file and returns their text with its number; reports bytes that are not text.
    pub fn add_bytes<'a>(
        &mut self,
        bytes: &'a [u8],
        name: &str,
        problems: &mut Problems,
    ) -> Option<(&'a str, u16)> {
        match written::decode(bytes) {
            Ok(text) => Some((text, self.add(name, text))),
            Err(found) => {
                self.add_unreadable(bytes, name, found, problems);
                None
            }
        }
    }

    /// Adds the printable part of bytes that are not text: an invalid byte is shown as U+FFFD.
    pub fn add_unreadable(&mut self, bytes: &[u8], name: &str, found: Unreadable, problems: &mut Problems) {
        let end = if found.is_text { bytes.len().min(found.at + SHOWN_AFTER) } else { 0 };
        let source = self.add(name, &String::from_utf8_lossy(&bytes[..end]));
        let at = if found.is_text { found.at as u32 } else { 0 };
        let width = if found.is_text { char::REPLACEMENT_CHARACTER.len_utf8() as u32 } else { 0 };
        let report = problems.report(Location { source, start: at, end: at + width }, found.message);
        report.label(found.label).help(found.help);
    }

    /// Names of the texts that the first one inherits from, the nearest first; overrides follow them.
    pub fn bases(&self) -> impl Iterator<Item = &str> {
        let texts = self.list.iter().skip(1).filter(|source| source.lines.is_none());
        let names = texts.map(|source| source.name.as_str());
        names.take_while(|name| !name.starts_with(OVERRIDE))
    }

    /// All texts as they are shown, by number.
    pub fn excerpts(&self) -> Vec<Excerpt> {
        let excerpt =
            |source: &Source| Excerpt::new(&source.name, &source.text).numbered(source.lines.clone());
        self.list.iter().map(excerpt).collect()
    }
}
