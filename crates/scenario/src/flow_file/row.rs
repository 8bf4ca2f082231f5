//! A row of a file of flows: its cells, checked, as a flow.

use std::sync::Arc;

use netloom_model::FiniteFlow;
use netloom_units::{Bytes, Duration};

use super::cells::Cells;
use super::heading::{Column, Heading};
use super::lines::Lines;
use super::{FlowTable, Interned};
use crate::diagnostic::Problems;
use crate::location::Location;
use crate::quantity::{self, Dimension, Refusal};
use crate::resolve::LONGEST;

/// Most different hosts.
const MOST_HOSTS: usize = 1 << 20;
/// Most kinds of traffic; a flow numbers them in 16 bits.
const MOST_KINDS: usize = u16::MAX as usize;
/// Problems beyond this number are counted without a description, as no more are stored.
const MOST_DESCRIBED: usize = 1_000;
/// Most rows that are noted for a later check.
const MOST_SUSPECTS: usize = 1_000;

/// The rows read so far.
pub(super) struct Rows {
    heading: Heading,
    cells: Cells,
    flows: Vec<FiniteFlow>,
    hosts: Interned,
    kinds: Interned,
    suspects: Vec<(u32, Location)>,
    /// The start of the last row that waits for none, in ps.
    last_start: u64,
    /// Number of mistakes in rows.
    n_wrong: usize,
}

/// The current row, with where its mistakes go.
struct Row<'a> {
    line: &'a [u8],
    lines: &'a mut Lines,
    problems: &'a mut Problems,
}

/// What is wrong: message, label, hint.
type Mistake = (String, String, Option<String>);

impl Rows {
    pub fn new(heading: Heading) -> Rows {
        Rows {
            heading,
            cells: Cells::default(),
            flows: Vec::new(),
            hosts: Interned::default(),
            kinds: Interned::default(),
            suspects: Vec::new(),
            last_start: 0,
            n_wrong: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.flows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.flows.is_empty()
    }

    pub fn finish(self, digest: String, is_complete: bool) -> FlowTable {
        let Rows { flows, hosts, kinds, suspects, .. } = self;
        let (flows, hosts, kinds) = (Arc::new(flows), hosts.list, kinds.list);
        FlowTable { flows, hosts, kinds, digest, is_complete, suspects }
    }

    /// Adds a row; a row with mistakes keeps its number.
    pub fn take(&mut self, line: &[u8], lines: &mut Lines, problems: &mut Problems) {
        let mut row = Row { line, lines, problems };
        self.cells.split(line);
        if self.cells.count != self.heading.width {
            let (found, expected) = (self.cells.count, self.heading.width);
            self.wrong(&mut row, (0, line.len()), || {
                (
                    format!("{found} cells where the heading has {expected}"),
                    "differs from the heading".to_owned(),
                    None,
                )
            });
            self.flows.push(nothing());
            return;
        }
        self.check_number(&mut row);
        let source = self.host(Column::Source, &mut row);
        let destination = self.host(Column::Destination, &mut row);
        let size = self.size(&mut row);
        let start = self.quantity(Column::Start, Dimension::Duration, &mut row);
        let after = self.after(&mut row);
        let service = self.kind(&mut row);
        if source.is_some() && source == destination {
            let range = self.range(Column::Destination);
            self.wrong(&mut row, range, || {
                let label = "source and destination are the same".to_owned();
                ("a flow goes from one host to another".to_owned(), label, None)
            });
        }
        let start = start.and_then(|start| self.in_order(start, after, &mut row));
        let found = source.zip(destination).zip(size).zip(start).zip(after).zip(service);
        let flow = found.map(|(((((source, destination), size), start), after), service)| FiniteFlow {
            start: Duration(start),
            size: Bytes(size),
            source,
            destination,
            after,
            service,
        });
        let flow = flow.unwrap_or_else(nothing);
        self.suspect(&flow, &mut row);
        self.flows.push(flow);
    }

    fn range(&self, column: Column) -> (usize, usize) {
        self.heading.cell(column).map_or((0, 0), |cell| self.cells.range(cell))
    }

    fn wrong(&mut self, row: &mut Row<'_>, range: (usize, usize), mistake: impl FnOnce() -> Mistake) {
        self.n_wrong += 1;
        if self.n_wrong > MOST_DESCRIBED {
            row.problems.report(Location { source: row.lines.source, ..Location::default() }, String::new());
            return;
        }
        let (message, label, help) = mistake();
        let location = row.lines.location(row.line, range);
        row.problems.report(location, message).label(label).maybe_help(help);
    }

    /// The text of a cell; none if it is empty or no text.
    fn text<'a>(&mut self, column: Column, row: &mut Row<'a>) -> Option<&'a str> {
        let range = self.range(column);
        let found = std::str::from_utf8(&row.line[range.0..range.1]);
        if found.is_err() {
            self.wrong(row, range, || {
                let label = "expected text in UTF-8".to_owned();
                (format!("this `{}` is no text", column.name()), label, None)
            });
        }
        found.ok()
    }

    fn required<'a>(&mut self, column: Column, row: &mut Row<'a>) -> Option<&'a str> {
        let text = self.text(column, row)?;
        if text.is_empty() {
            let range = (0, row.line.len());
            self.wrong(row, range, || {
                (
                    format!("this row has no `{}`", column.name()),
                    format!("`{}` is empty", column.name()),
                    None,
                )
            });
            return None;
        }
        Some(text)
    }

    fn host(&mut self, column: Column, row: &mut Row<'_>) -> Option<u32> {
        let text = self.required(column, row)?;
        if let Some(number) = self.hosts.get(text) {
            return Some(number);
        }
        let range = self.range(column);
        if self.hosts.list.len() >= MOST_HOSTS {
            self.wrong(row, range, || {
                (format!("more than {MOST_HOSTS} different hosts"), "one too many".to_owned(), None)
            });
            return None;
        }
        let location = row.lines.location(row.line, range);
        Some(self.hosts.add(text, location))
    }

    fn kind(&mut self, row: &mut Row<'_>) -> Option<u16> {
        let text = self.text(Column::Class, row)?;
        if text.is_empty() {
            return Some(0);
        }
        let range = self.range(Column::Class);
        let known = self.kinds.get(text);
        if known.is_none() && self.kinds.list.len() >= MOST_KINDS {
            self.wrong(row, range, || {
                (format!("more than {MOST_KINDS} kinds of traffic"), "one too many".to_owned(), None)
            });
            return None;
        }
        let number = known.unwrap_or_else(|| self.kinds.add(text, row.lines.location(row.line, range)));
        Some(number as u16 + 1)
    }

    fn size(&mut self, row: &mut Row<'_>) -> Option<u64> {
        let size = self.quantity(Column::Size, Dimension::Size, row)?;
        if size == 0 {
            let range = self.range(Column::Size);
            self.wrong(row, range, || {
                ("a flow has at least one byte".to_owned(), "expected a size above zero".to_owned(), None)
            });
            return None;
        }
        Some(size)
    }

    fn quantity(&mut self, column: Column, dimension: Dimension, row: &mut Row<'_>) -> Option<u64> {
        let text = self.required(column, row)?;
        let unit = self.heading.units[usize::from(column == Column::Start)];
        let refusal = match parse(text, unit, dimension) {
            Ok(found) if dimension == Dimension::Duration && found > LONGEST.0 => {
                let label = "expected at most 100 days".to_owned();
                Refusal { message: format!("`{text}` is too long"), label, help: None }
            }
            Ok(found) => return Some(found),
            Err(refusal) => refusal,
        };
        let range = self.range(column);
        self.wrong(row, range, || (refusal.message, refusal.label, refusal.help));
        None
    }

    fn after(&mut self, row: &mut Row<'_>) -> Option<u32> {
        let text = self.text(Column::After, row)?;
        if text.is_empty() {
            return Some(FiniteFlow::NONE);
        }
        let here = self.flows.len();
        let found = text.parse::<u32>().ok();
        if let Some(before) = found.filter(|&before| (before as usize) < here) {
            return Some(before);
        }
        let range = self.range(Column::After);
        self.wrong(row, range, || {
            let message = match found {
                Some(number) if number as usize == here => format!("row {number} waits for itself"),
                Some(number) => format!("there is no row {number} before this one, which is row {here}"),
                None => format!("`{text}` is not the number of a row"),
            };
            let label = match here {
                0 => "expected nothing: this is the first row".to_owned(),
                _ => format!("expected a number from 0 to {}", here - 1),
            };
            (message, label, Some("rows are numbered from 0, the first one below the heading".to_owned()))
        });
        None
    }

    /// Rows that state their numbers are numbered from 0, line by line.
    fn check_number(&mut self, row: &mut Row<'_>) {
        if self.heading.cell(Column::Number).is_none() {
            return;
        }
        let Some(text) = self.required(Column::Number, row) else { return };
        let here = self.flows.len();
        if text.parse() != Ok(here) {
            let range = self.range(Column::Number);
            let help = "rows are numbered from 0, the first one below the heading".to_owned();
            let message = format!("`{text}` is not the number of this row");
            self.wrong(row, range, || (message, format!("expected {here}"), Some(help)));
        }
    }

    /// The start, if it is not before that of the row above; those of rows that wait are delays, and rows that state
    /// their numbers are not meant to be in the order of their starts.
    fn in_order(&mut self, start: u64, after: Option<u32>, row: &mut Row<'_>) -> Option<u64> {
        if after != Some(FiniteFlow::NONE) || self.heading.cell(Column::Number).is_some() {
            return Some(start);
        }
        let last = std::mem::replace(&mut self.last_start, start);
        if start >= last {
            return Some(start);
        }
        let range = self.range(Column::Start);
        self.wrong(row, range, || {
            let label = format!("expected {} or later", quantity::print(last, Dimension::Duration));
            let help =
                "sort the rows by `start`; those with `after` may be anywhere behind the row they wait for";
            ("this row starts before one above it".to_owned(), label, Some(help.to_owned()))
        });
        None
    }

    /// Notes a row whose sender has another name than both ends of the flow before: perhaps a flow it cannot know of.
    fn suspect(&mut self, flow: &FiniteFlow, row: &mut Row<'_>) {
        let Some(before) = flow.waits_for().map(|before| self.flows[before as usize]) else { return };
        let is_known = [before.source, before.destination].contains(&flow.source);
        if !is_known && self.suspects.len() < MOST_SUSPECTS {
            let range = self.range(Column::After);
            let location = row.lines.location(row.line, range);
            self.suspects.push((self.flows.len() as u32, location));
        }
    }
}

/// The location of a row with mistakes: the rows below keep their numbers.
fn nothing() -> FiniteFlow {
    let (start, size) = (Duration::ZERO, Bytes(1));
    FiniteFlow { start, size, source: 0, destination: 0, after: FiniteFlow::NONE, service: 0 }
}

/// A quantity with its unit, or a number in the unit of its column.
fn parse(text: &str, unit: Option<(&'static str, u64)>, dimension: Dimension) -> Result<u64, Refusal> {
    let n_digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(n_digits);
    let factor = match unit {
        Some((_, factor)) => rest.is_empty().then_some(factor),
        None => dimension.units().iter().find(|(name, _)| *name == rest).map(|(_, factor)| *factor),
    };
    // The common case first: rows are many.
    let quick =
        factor.zip(digits.parse::<u64>().ok()).and_then(|(factor, number)| number.checked_mul(factor));
    if let Some(found) = quick {
        return Ok(found);
    }
    let Some((name, _)) = unit else {
        return quantity::parse(text, dimension).map_err(|refusal| in_column(refusal, dimension));
    };
    if quantity::parse(text, dimension).is_ok() {
        return Err(Refusal {
            message: format!("`{text}` has a unit, and so has its column"),
            label: format!("expected a number of {name}"),
            help: Some("name the column without a unit".to_owned()),
        });
    }
    quantity::parse(&format!("{text}{name}"), dimension)
}

/// A number without a unit may have one in the name of its column.
fn in_column(refusal: Refusal, dimension: Dimension) -> Refusal {
    let column = if dimension == Dimension::Size { "size_bytes" } else { "start_ns" };
    let is_bare = refusal.message.ends_with("has no unit");
    let help = refusal
        .help
        .map(|help| if is_bare { format!("{help}; or name the column `{column}`") } else { help });
    Refusal { help, ..refusal }
}
