//! The data of a figure: rows of columns, written as comma-separated values.
//!
//! Invariants: the name of a column contains its unit; numbers are written such that they are read back exactly; absent
//! values are empty.
//!
//! Source: RFC 4180, except for line ends.

use netloom_records::csv::quoted;

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    columns: &'static [&'static str],
    rows: Vec<Vec<Cell>>,
}

/// The value of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A text.
    Text(String),
    /// A number.
    Number(f64),
    /// No value.
    Absent,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Cell {
        Cell::Number(number)
    }
}

impl From<Option<f64>> for Cell {
    fn from(number: Option<f64>) -> Cell {
        number.map_or(Cell::Absent, Cell::Number)
    }
}

impl Table {
    /// A table without rows.
    pub fn new(columns: &'static [&'static str]) -> Table {
        Table { columns, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push<const N: usize>(&mut self, row: [Cell; N]) {
        debug_assert_eq!(N, self.columns.len());
        self.rows.push(row.into());
    }

    /// The contents of the file.
    pub fn csv(&self) -> String {
        let mut text = self.columns.join(",") + "\n";
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(Cell::written).collect();
            text.push_str(&(cells.join(",") + "\n"));
        }
        text
    }
}

impl Cell {
    fn written(&self) -> String {
        match self {
            Cell::Text(text) => quoted(text),
            Cell::Number(number) => number.to_string(),
            Cell::Absent => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_are_quoted() {
        let mut table = Table::new(&["run", "time_s"]);
        table.push(["a,\"b\"".into(), 1.25e-6.into()]);
        table.push(["plain".into(), None.into()]);
        assert_eq!(table.csv(), "run,time_s\n\"a,\"\"b\"\"\",0.00000125\nplain,\n");
    }
}
