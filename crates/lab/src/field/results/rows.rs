//! Rows of integers after two heading lines, up to a last line that states their number.
//!
//! Invariants: a line is bounded in length; a strict reading ends with the line `end N`, and nothing follows it.

use std::io::{BufRead, Read};

use super::broken::{Broken, shown};
use super::files::{self, Files};
use super::{HEAD_LINES, Reading};

/// Maximum length of a line: eight 64-bit numbers take less.
const MOST_BYTES: u64 = 256;
/// Maximum number of columns of a table.
const MOST_COLUMNS: usize = 6;

/// A reader of a table.
pub(super) struct Rows<'a> {
    input: Box<dyn BufRead + 'a>,
    /// Its name in messages.
    name: String,
    columns: &'static str,
    reading: Reading,
    line: String,
    /// Number of the line, from 1.
    number: usize,
    /// Number of rows so far.
    n_rows: u64,
    has_ended: bool,
}

/// The numbers of a row; those beyond its columns are zero.
pub(super) type Row = [u64; MOST_COLUMNS];

impl<'a> Rows<'a> {
    /// Opens a table with this heading.
    pub fn open(
        files: &'a dyn Files,
        file: &str,
        head: &str,
        columns: &'static str,
        reading: Reading,
    ) -> Result<Option<Rows<'a>>, Broken> {
        let input = match reading {
            Reading::Strict => files::open(files, file)?,
            Reading::Partial => match files::find(files, file)? {
                Some(input) => input,
                None => return Ok(None),
            },
        };
        let mut rows = Rows {
            input,
            name: files.name(file),
            columns,
            reading,
            line: String::new(),
            number: 0,
            n_rows: 0,
            has_ended: false,
        };
        for expected in [head, columns] {
            let has_line = rows.next_line()?;
            if !has_line && reading == Reading::Partial {
                rows.has_ended = true;
                return Ok(Some(rows));
            }
            if !has_line || rows.line != expected {
                let found = if has_line { shown(&rows.line) } else { "the file ends".to_owned() };
                return Err(rows.broken_at(1, found, shown(expected)));
            }
        }
        debug_assert_eq!(rows.number, HEAD_LINES);
        Ok(Some(rows))
    }

    /// Whether the file has the last line that the program writes.
    pub fn is_whole(&self) -> bool {
        self.has_ended && self.line.starts_with("end ")
    }

    /// The next row; `None` after the last one.
    pub fn next_row(&mut self) -> Result<Option<Row>, Broken> {
        if self.has_ended {
            return Ok(None);
        }
        if !self.next_line()? {
            self.has_ended = true;
            if self.reading == Reading::Partial {
                return Ok(None);
            }
            return Err(self.broken_at(0, "the file ends", format!("a row, or `end {}`", self.n_rows)));
        }
        if let Some(count) = self.line.strip_prefix("end ") {
            if count.parse() != Ok(self.n_rows) {
                return Err(self.broken_at(5, shown(count), format!("{}, the number of rows", self.n_rows)));
            }
            self.has_ended = true;
            return self.check_end().map(|()| None);
        }
        let row = self.row()?;
        self.n_rows += 1;
        Ok(Some(row))
    }

    /// Checks that nothing follows the last line.
    fn check_end(&mut self) -> Result<(), Broken> {
        let last = std::mem::take(&mut self.line);
        let follows = self.next_line()?;
        if follows {
            return Err(self.broken_at(1, shown(&self.line), "the end of the file after `end`"));
        }
        self.line = last;
        Ok(())
    }

    fn row(&self) -> Result<Row, Broken> {
        let n_columns = self.columns.split(',').count();
        let mut row = [0; MOST_COLUMNS];
        let (mut column, mut n_words) = (1, 0);
        for word in self.line.split(',') {
            let name = self.columns.split(',').nth(n_words);
            let Some((slot, name)) = row.get_mut(n_words).zip(name) else {
                return Err(self.broken_at(column, shown(word), format!("{n_columns} numbers")));
            };
            let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
            match word.parse().ok().filter(|_| is_number) {
                Some(number) => *slot = number,
                None => return Err(self.broken_at(column, shown(word), format!("a whole number, `{name}`"))),
            }
            column += word.len() + 1;
            n_words += 1;
        }
        if n_words < n_columns {
            return Err(self.broken_at(
                self.line.len() + 1,
                format!("{n_words} numbers"),
                format!("{n_columns}"),
            ));
        }
        Ok(row)
    }

    /// Reads a line; a partial reading ignores a last line without a line end.
    fn next_line(&mut self) -> Result<bool, Broken> {
        self.line.clear();
        self.number += 1;
        let mut bytes = Vec::new();
        let mut limited = (&mut self.input).take(MOST_BYTES);
        let read = limited.read_until(b'\n', &mut bytes);
        if let Err(error) = read {
            return Err(self.broken_at(0, format!("the line cannot be read ({error})"), "a readable file"));
        }
        if bytes.is_empty() {
            return Ok(false);
        }
        if bytes.pop() != Some(b'\n') {
            if bytes.len() as u64 + 1 >= MOST_BYTES {
                return Err(self.broken_at(
                    0,
                    "the line is too long",
                    format!("fewer than {MOST_BYTES} bytes"),
                ));
            }
            if self.reading == Reading::Partial {
                return Ok(false);
            }
            return Err(self.broken_at(0, "the file ends in the middle of a line", "a whole file"));
        }
        match String::from_utf8(bytes) {
            Ok(line) => self.line = line,
            Err(error) => {
                let column = error.utf8_error().valid_up_to() + 1;
                return Err(self.broken_at(column, "this is not text", "UTF-8"));
            }
        }
        Ok(true)
    }

    /// A mistake in the row that was read last; the column is an index among the table's columns.
    pub fn broken(&self, column: usize, expected: impl Into<String>) -> Broken {
        let before: usize = self.line.split(',').take(column).map(|word| word.len() + 1).sum();
        let found = self.line.split(',').nth(column).unwrap_or("");
        self.broken_at(before + 1, shown(found), expected)
    }

    /// The error of a table that ends too early.
    pub fn ends_early(&self, expected: impl Into<String>) -> Broken {
        self.broken_at(1, "the table ends too early", expected)
    }

    fn broken_at(&self, column: usize, found: impl Into<String>, expected: impl Into<String>) -> Broken {
        Broken {
            file: self.name.clone(),
            line: self.number,
            column,
            found: found.into(),
            expected: expected.into(),
        }
    }
}
