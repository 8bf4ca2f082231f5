//! Comma-separated text of another program, cell by cell with its location.
//!
//! Models: a heading; columns found by their names, in any order; cells in double quotes; mistakes collected, each with
//! line, column and what was expected.
//! Leaves out: the meaning of columns; line breaks within quotes.
//!
//! Invariants: reading continues after a mistake, so that all are found; columns that are not used are rendered.

use std::fmt::Display;
use std::ops::RangeInclusive;

use netloom_scenario::foreign::Foreign;
use netloom_scenario::{Diagnostics, Location};
use netloom_units::Duration;

/// Picoseconds in a microsecond, and in a second.
pub(super) const MICROSECOND: f64 = 1e6;
pub(super) const SECOND: f64 = 1e12;
/// Times beyond a day are mistakes.
const LONGEST: f64 = 86_400.0 * SECOND;
/// Ranks and hosts beyond these are mistakes.
pub(super) const MOST_HOSTS: u64 = 1 << 20;
/// Sizes beyond these are mistakes.
pub(super) const MOST_BYTES: u64 = 1 << 50;

/// A text and its mistakes so far.
pub(super) struct Sheet<'a> {
    foreign: Foreign,
    heading: Vec<(&'a str, Location)>,
    lines: Vec<Line<'a>>,
    passed_over: Vec<String>,
}

/// A line below the heading.
#[derive(Debug, Clone)]
pub(super) struct Line<'a> {
    /// Its number, from 1.
    pub number: usize,
    /// The whole line.
    pub location: Location,
    cells: Vec<(&'a str, Location)>,
}

impl<'a> Sheet<'a> {
    /// Splits a text whose heading has these columns; `path` names it in messages.
    pub fn open(bytes: &'a [u8], path: &str, columns: &[&str]) -> Result<Sheet<'a>, Diagnostics> {
        let (foreign, text) = Foreign::plain(bytes, path)?;
        let mut lines = split(text);
        let heading = if lines.is_empty() { Vec::new() } else { lines.remove(0).cells };
        let mut sheet = Sheet { foreign, heading, lines, passed_over: Vec::new() };
        sheet.check_heading(columns);
        if sheet.foreign.has_errors() {
            return Err(sheet.foreign.finish().expect_err("a mistake was noted"));
        }
        sheet.check_widths();
        Ok(sheet)
    }

    fn check_heading(&mut self, columns: &[&str]) {
        let head = match (self.heading.first(), self.heading.last()) {
            (Some(first), Some(last)) => Location { end: last.1.end, ..first.1 },
            _ => Location::default(),
        };
        for column in columns {
            if self.column(column).is_some() {
                continue;
            }
            let label = format!("expected the columns {}", columns.join(","));
            self.foreign.report(head, format!("the heading has no column `{column}`"), &label, None);
        }
        let mut seen: Vec<&str> = Vec::new();
        for (name, location) in self.heading.clone() {
            if seen.contains(&name) {
                self.foreign.report(
                    location,
                    format!("the heading has `{name}` twice"),
                    "the second one",
                    None,
                );
            }
            seen.push(name);
            if !columns.contains(&name) {
                self.passed_over.push(name.to_owned());
            }
        }
    }

    /// Leaves out lines with another number of cells, each a mistake.
    fn check_widths(&mut self) {
        let expected = self.heading.len();
        let (good, bad) =
            std::mem::take(&mut self.lines).into_iter().partition(|line| line.cells.len() == expected);
        self.lines = good;
        let bad: Vec<Line<'_>> = bad;
        for line in bad {
            let message =
                format!("line {}: {} cells where {expected} are expected", line.number, line.cells.len());
            self.foreign.report(line.location, message, "differs from the heading", None);
        }
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.heading.iter().position(|(known, _)| *known == name)
    }

    /// The lines below the heading.
    pub fn lines(&self) -> Vec<Line<'a>> {
        self.lines.clone()
    }

    /// Columns of the heading that were not requested.
    pub fn passed_over(&self) -> &[String] {
        &self.passed_over
    }

    /// A cell and its location.
    pub fn cell(&self, line: &Line<'a>, column: &str) -> (&'a str, Location) {
        self.column(column).and_then(|nth| line.cells.get(nth).copied()).unwrap_or(("", line.location))
    }

    /// Reports a mistake in a cell.
    pub fn wrong(&mut self, line: &Line<'_>, column: &str, what: impl Display, expected: &str) {
        let location =
            self.column(column).and_then(|nth| line.cells.get(nth)).map_or(line.location, |cell| cell.1);
        let message = format!("line {}, column `{column}`: {what}", line.number);
        self.foreign.report(location, message, &format!("expected {expected}"), None);
    }

    /// Reports an unknown word, with a hint.
    pub fn unknown(&mut self, line: &Line<'a>, column: &str, known: &[&str]) {
        let (word, location) = self.cell(line, column);
        let message = format!("line {}, column `{column}`: there is no `{word}`", line.number);
        let label = format!("expected one of {}", known.join(", "));
        self.foreign.report(location, message, &label, Foreign::hint(word, known));
    }

    /// The index of the cell's word among these words.
    pub fn word(&mut self, line: &Line<'a>, column: &str, known: &[&str]) -> Option<usize> {
        let (text, _) = self.cell(line, column);
        let found = known.iter().position(|word| *word == text);
        if found.is_none() {
            self.unknown(line, column, known);
        }
        found
    }

    /// An integer.
    pub fn whole(&mut self, line: &Line<'a>, column: &str, within: RangeInclusive<u64>) -> Option<u64> {
        let (text, _) = self.cell(line, column);
        let found = text.parse().ok().filter(|number| within.contains(number));
        if found.is_none() {
            let expected = format!("a whole number from {} to {}", within.start(), within.end());
            self.wrong(line, column, format!("`{text}` cannot be used"), &expected);
        }
        found
    }

    /// A number that is finite and above zero.
    pub fn number(&mut self, line: &Line<'a>, column: &str) -> Option<f64> {
        let (text, _) = self.cell(line, column);
        let found = positive(text);
        if found.is_none() {
            self.wrong(line, column, format!("`{text}` cannot be used"), "a number above 0");
        }
        found
    }

    /// A time above zero, in a unit of this number of picoseconds.
    pub fn time(&mut self, line: &Line<'a>, column: &str, unit: f64) -> Option<Duration> {
        let (text, _) = self.cell(line, column);
        let found = time(text, unit);
        if found.is_none() {
            let unit = if unit == SECOND { "seconds" } else { "microseconds" };
            self.wrong(
                line,
                column,
                format!("`{text}` is not a valid time"),
                &format!("{unit} above 0 and up to a day"),
            );
        }
        found
    }

    /// Ends reading.
    ///
    /// # Errors
    /// All mistakes, if there were any.
    pub fn finish(self) -> Result<(), Diagnostics> {
        self.foreign.finish()
    }
}

/// A number that is finite and above zero.
pub(super) fn positive(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0)
}

/// A time above zero and up to a day, in a unit of this number of picoseconds, rounded to the nearest picosecond.
pub(super) fn time(text: &str, unit: f64) -> Option<Duration> {
    span(positive(text)?, unit)
}

/// As [`time`], for a number.
pub(super) fn span(number: f64, unit: f64) -> Option<Duration> {
    let picoseconds = (number * unit).round();
    (1.0..=LONGEST).contains(&picoseconds).then_some(Duration(picoseconds as u64))
}

/// Lines that are not empty, cell by cell.
fn split(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for (nth, line) in text.split_inclusive('\n').enumerate() {
        let bare = line.trim_end_matches(['\n', '\r']);
        if !bare.trim().is_empty() {
            let location = location(start, bare.len());
            lines.push(Line { number: nth + 1, location, cells: cells(bare, start) });
        }
        start += line.len();
    }
    lines
}

fn location(start: usize, length: usize) -> Location {
    let narrow = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
    Location { source: 0, start: narrow(start), end: narrow(start + length) }
}

fn cells(line: &str, start: usize) -> Vec<(&str, Location)> {
    let mut cells = Vec::new();
    let mut from = 0;
    let mut quoted = false;
    let ends = line.char_indices().filter_map(|(at, letter)| {
        quoted ^= letter == '"';
        (letter == ',' && !quoted).then_some(at)
    });
    let ends: Vec<usize> = ends.chain([line.len()]).collect();
    for end in ends {
        let cell = line[from..end].trim();
        let at = start + from + (line[from..end].len() - line[from..end].trim_start().len());
        let bare = cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"'));
        cells.push((bare.unwrap_or(cell), location(at, cell.len())));
        from = end + 1;
    }
    cells
}

#[cfg(test)]
mod tests {
    use netloom_scenario::Style;

    use super::*;

    #[test]
    fn cells_are_found_by_column_and_mistakes_reported_with_their_locations() {
        let text = b"b,a,more\n\"1,5\",7,x\n2,nan,y\n3\n";
        let mut sheet = Sheet::open(text, "t.csv", &["a", "b"]).expect("the heading is right");
        assert_eq!(sheet.passed_over(), ["more"]);
        let lines = sheet.lines();
        assert_eq!(sheet.cell(&lines[0], "b").0, "1,5");
        assert_eq!(sheet.number(&lines[0], "a"), Some(7.0));
        assert_eq!(sheet.number(&lines[1], "a"), None);
        let rendered = sheet.finish().expect_err("two are wrong").render(Style::Plain);
        assert!(rendered.contains("line 4: 1 cells where 3 are expected"), "{rendered}");
        assert!(rendered.contains("line 3, column `a`: `nan` cannot be used"), "{rendered}");
        assert!(rendered.contains("t.csv:3:3"), "{rendered}");
    }

    #[test]
    fn a_heading_must_have_its_columns() {
        let rendered = Sheet::open(b"", "t.csv", &["a"]).err().expect("it has none").render(Style::Plain);
        assert!(rendered.contains("no column `a`"), "{rendered}");
        let rendered =
            Sheet::open(b"a\0b", "t.csv", &["a"]).err().expect("it is not text").render(Style::Plain);
        assert!(rendered.contains("binary"), "{rendered}");
    }

    #[test]
    fn times_are_exact_if_they_can_be() {
        assert_eq!(time("5.249", MICROSECOND), Some(Duration(5_249_000)));
        assert_eq!(time("0.000001", SECOND), Some(Duration(1_000_000)));
        for text in ["0", "-1", "inf", "NaN", "", "1e300", "five"] {
            assert_eq!(time(text, MICROSECOND), None, "{text}");
        }
    }
}
