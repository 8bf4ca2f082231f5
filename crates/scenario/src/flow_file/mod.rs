//! A file of finite flows: comma-separated rows, read line by line.
//!
//! Models: a heading that names the columns, in any order; sender, receiver, size, start, and optionally the kind of
//! traffic, the row after which a flow starts and the number of the row; the digest of the file.
//! Leaves out: where the file is (the caller opens it), which hosts exist (the compiler looks names up), line breaks
//! within quotes.
//!
//! Invariants: memory is 32 bytes per row, with names once each, and does not depend on what is wrong; all mistakes are
//! found, each with its line and column; a unit is in the cell or in the name of the column, never guessed.

mod cells;
mod digest;
mod heading;
mod lines;
mod row;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

use netloom_model::FiniteFlow;

use crate::diagnostic::Problems;
use crate::location::{Located, Location, Sources};
use digest::Hashing;
use heading::Heading;
pub(crate) use lines::Lines;
use row::Rows;

/// Most rows of a file.
const MOST_ROWS: usize = 100_000_000;
/// Bytes read from a file at a time.
const BLOCK: usize = 1 << 16;
/// Longest line in bytes.
const LONGEST_LINE: usize = 1 << 16;

/// The rows of a file; their ends are indices of `hosts`.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowTable {
    /// The flows; [`FiniteFlow::service`] 0 is no kind of traffic, and others are one above an index of `kinds`.
    pub flows: Arc<Vec<FiniteFlow>>,
    /// Names or numbers of hosts, as first written.
    pub hosts: Vec<Located<String>>,
    /// Kinds of traffic, as first written.
    pub kinds: Vec<Located<String>>,
    /// The BLAKE3 digest of the file, in hexadecimal digits.
    pub digest: String,
    /// Whether all rows are as they should be; those with mistakes are no flows, and only their hosts are used.
    pub is_complete: bool,
    /// Rows whose `after` names a flow of other hosts by their names, some of them, with their locations.
    suspects: Vec<(u32, Location)>,
}

impl FlowTable {
    /// The line of a row.
    pub(crate) fn line_of(row: u32) -> u64 {
        u64::from(row) + 2
    }

    /// Where the `after` of a row is written, if that is known.
    pub(crate) fn location_of_after(&self, row: u32) -> Option<Location> {
        let found = self.suspects.binary_search_by_key(&row, |(row, _)| *row).ok()?;
        Some(self.suspects[found].1)
    }
}

/// Texts by number, each once.
#[derive(Debug, Default)]
struct Interned {
    numbers: HashMap<Box<str>, u32>,
    list: Vec<Located<String>>,
}

impl Interned {
    fn get(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    fn add(&mut self, text: &str, location: Location) -> u32 {
        let number = self.list.len() as u32;
        self.numbers.insert(text.into(), number);
        self.list.push(Located::new(text.to_owned(), location));
        number
    }
}

/// Reads a file; `name` names it in messages. A file with mistakes in its rows is read to its end.
pub(crate) fn read(
    file: Box<dyn Read>,
    name: &str,
    at: Location,
    sources: &mut Sources,
    problems: &mut Problems,
) -> Option<FlowTable> {
    let n_before = problems.len();
    let mut reader = BufReader::with_capacity(BLOCK, Hashing::new(file));
    let mut lines = Lines::new(sources.reserve(name));
    let found = rows(&mut reader, &mut lines, problems);
    sources.fill(&mut lines);
    let rows = match found {
        Ok(rows) => rows?,
        Err(error) => {
            problems.report(at, format!("{name} cannot be read: {error}")).label("this file");
            return None;
        }
    };
    if rows.is_empty() && problems.len() == n_before {
        let report = problems.report(at, format!("{name} has no flows"));
        report.label("a heading without rows");
        return None;
    }
    let is_complete = problems.len() == n_before;
    Some(rows.finish(reader.into_inner().digest(), is_complete))
}

/// All rows; none if the heading is not one.
fn rows(
    reader: &mut impl BufRead,
    lines: &mut Lines,
    problems: &mut Problems,
) -> std::io::Result<Option<Rows>> {
    let mut line = Vec::new();
    read_line(reader, &mut line)?;
    lines.next();
    let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
    let Some(heading) = Heading::read(bare(text), lines, problems) else { return Ok(None) };
    let mut rows = Rows::new(heading);
    let mut is_over = false;
    while read_line(reader, &mut line)? {
        lines.next();
        let bare = bare(&line);
        if bare.trim_ascii().is_empty() {
            is_over = true;
            continue;
        }
        if is_over {
            let report = problems
                .report(lines.location(bare, (0, bare.len())), "there is an empty line above this row");
            report.label("expected right below the row before it").help("remove empty lines between rows");
            is_over = false;
        }
        if bare.len() > LONGEST_LINE || rows.len() >= MOST_ROWS {
            let report =
                problems.report(lines.location(&bare[..bare.len().min(80)], (0, 1)), "this file is too long");
            let label = format!("expected at most {MOST_ROWS} rows, of {LONGEST_LINE} bytes each");
            report.label(label);
            return Ok(Some(rows));
        }
        rows.take(bare, lines, problems);
    }
    Ok(Some(rows))
}

/// Reads the next line, or a part of one that is too long; returns whether there was one.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    let n_read = reader.by_ref().take(LONGEST_LINE as u64 + 2).read_until(b'\n', line)?;
    Ok(n_read > 0)
}

/// A line without its end.
fn bare(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
