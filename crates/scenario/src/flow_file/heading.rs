//! The heading of a file of flows: which column is where, and which unit its numbers have.

use super::cells::{Cells, MOST};
use super::lines::Lines;
use crate::diagnostic::Problems;
use crate::quantity::Dimension;
use crate::suggest;

/// The names of the columns, without units.
const NAMES: [&str; 7] = ["src", "dst", "size", "start", "class", "after", "number"];
/// The number of those that a file must have.
const N_REQUIRED: usize = 4;
/// What a file begins with.
const EXAMPLE: &str = "begin with a line such as `src,dst,size,start`";

/// A column of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Source,
    Destination,
    Size,
    Start,
    Class,
    After,
    Number,
}

impl Column {
    const ALL: [Column; 7] = [
        Column::Source,
        Column::Destination,
        Column::Size,
        Column::Start,
        Column::Class,
        Column::After,
        Column::Number,
    ];

    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }
}

/// Which cell of a row a column is.
#[derive(Debug)]
pub(super) struct Heading {
    cells: [Option<usize>; 7],
    /// The units of sizes and starts, for columns whose names have one: name and number of base units.
    pub units: [Option<(&'static str, u64)>; 2],
    /// Number of cells.
    pub width: usize,
}

impl Heading {
    /// Reads the first line, or reports what is wrong with it.
    pub fn read(line: &[u8], lines: &mut Lines, problems: &mut Problems) -> Option<Heading> {
        let mut cells = Cells::default();
        cells.split(line);
        let whole = lines.location(line, (0, line.len()));
        let mut heading = Heading { cells: [None; 7], units: [None; 2], width: cells.count };
        let named = (0..cells.count.min(MOST)).map(|cell| {
            let (from, to) = cells.range(cell);
            (cell, String::from_utf8_lossy(&line[from..to]).into_owned(), (from, to))
        });
        let named: Vec<_> = named.collect();
        if !named.iter().any(|(_, name, _)| column(name).is_some()) {
            let help = if has_other_separator(line) { "separate cells by commas" } else { EXAMPLE };
            let report = problems.report(whole, "the first line does not name the columns");
            report.label(format!("expected {}", suggest::quoted(&NAMES[..N_REQUIRED]))).help(help);
            return None;
        }
        let mut meant = Vec::new();
        for (cell, name, range) in named {
            let location = lines.location(line, range);
            let Some((found, unit)) = column(&name) else {
                let synonym = synonym(&name);
                meant
                    .extend(synonym.or_else(|| column(suggest::closest(&name, NAMES)?).map(|found| found.0)));
                let help = synonym.map(|column| format!("call it `{}`", column.name()));
                let help = help.or_else(|| suggest::hint(&name, NAMES));
                let report = problems.report(location, format!("there is no column `{name}`"));
                report.label("unknown column").maybe_help(help);
                continue;
            };
            if heading.cells[found as usize].replace(cell).is_some() {
                let report = problems.report(location, format!("there are two columns `{}`", found.name()));
                report.label("the second one");
            }
            if let Some(location) = (found as usize).checked_sub(2).and_then(|nth| heading.units.get_mut(nth))
            {
                *location = unit;
            }
        }
        let missing: Vec<Column> = Column::ALL[..N_REQUIRED]
            .iter()
            .copied()
            .filter(|column| heading.cell(*column).is_none())
            .collect();
        for column in missing.iter().filter(|column| !meant.contains(column)) {
            let report = problems.report(whole, format!("there is no column `{}`", column.name()));
            report.label(format!("expected {}", suggest::quoted(&NAMES[..N_REQUIRED]))).help(EXAMPLE);
        }
        missing.is_empty().then_some(heading)
    }

    /// The cell of a column.
    pub fn cell(&self, column: Column) -> Option<usize> {
        self.cells[column as usize]
    }
}

/// Names of columns in other tools' files, and the columns that mean the same here.
const SYNONYMS: &[(&[&str], Column)] = &[
    (&["source", "sender", "from", "src_host", "src_ip", "srcid", "src_id"], Column::Source),
    (
        &["destination", "dest", "receiver", "to", "dst_host", "dst_ip", "dstid", "dst_id"],
        Column::Destination,
    ),
    (&["bytes", "flow_size", "flowsize", "length", "nbytes"], Column::Size),
    (&["time", "start_time", "starttime", "timestamp", "arrival"], Column::Start),
    (&["traffic_class", "priority", "prio", "tc"], Column::Class),
    (&["depends_on", "dependency", "parent", "trigger"], Column::After),
];

fn synonym(name: &str) -> Option<Column> {
    let name = name.to_lowercase().replace(['-', ' '], "_");
    SYNONYMS.iter().find(|(names, _)| names.contains(&name.as_str())).map(|(_, column)| *column)
}

/// Whether a line without commas has other separators between names of columns.
fn has_other_separator(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    [';', '\t', '|', ' '].iter().any(|&separator| {
        let mut names = text.split(separator).map(str::trim);
        names.clone().count() > 1 && names.any(|name| column(name).is_some() || synonym(name).is_some())
    })
}

/// The column of a name, with its unit: `size`, `size_bytes`, `size_KiB`, `start`, `start_ns`.
fn column(name: &str) -> Option<(Column, Option<(&'static str, u64)>)> {
    if let Some(found) = Column::ALL.into_iter().find(|column| column.name() == name) {
        return Some((found, None));
    }
    let dimensions = [(Column::Size, Dimension::Size), (Column::Start, Dimension::Duration)];
    dimensions.into_iter().find_map(|(column, dimension)| {
        let unit = name.strip_prefix(column.name())?.strip_prefix('_')?;
        let unit = if unit == "bytes" { "B" } else { unit };
        let found = dimension.units().iter().find(|(known, _)| *known == unit)?;
        Some((column, Some(*found)))
    })
}
