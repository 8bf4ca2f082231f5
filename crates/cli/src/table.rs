//! Tables of text: columns as wide as their widest cell, numbers aligned to the right.
//!
//! Invariants: no cell contains control sequences of the terminal; longer cells are shortened to `LONGEST` characters.

use netloom_lab::words;

/// Largest number of characters in a cell.
const LONGEST: usize = 200;

/// Alignment of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lean {
    /// Left-aligned, for words.
    Left,
    /// Right-aligned, for numbers.
    Right,
}

/// A table to which rows are added.
pub struct Table {
    columns: Vec<(String, Lean)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns.
    pub fn new(columns: impl IntoIterator<Item = (impl Into<String>, Lean)>) -> Table {
        let columns = columns.into_iter().map(|(title, lean)| (cell(title.into()), lean)).collect();
        Table { columns, rows: Vec::new() }
    }

    /// Adds a row with a cell for each column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(|text| cell(text.into())).collect());
    }

    /// The lines of the table; columns without any content are left out.
    pub fn lines(&self) -> Vec<String> {
        let widths: Vec<usize> = (0..self.columns.len()).map(|column| self.width(column)).collect();
        let titles: Vec<&str> = self.columns.iter().map(|(title, _)| title.as_str()).collect();
        let mut lines = vec![self.line(&titles, &widths)];
        for row in &self.rows {
            let cells: Vec<&str> = row.iter().map(String::as_str).collect();
            lines.push(self.line(&cells, &widths));
        }
        lines
    }

    /// The width of a column; zero if all its cells are empty.
    fn width(&self, column: usize) -> usize {
        let widest = self.rows.iter().filter_map(|row| Some(row.get(column)?.chars().count())).max();
        match widest.unwrap_or(0) {
            0 => 0,
            widest => widest.max(self.columns[column].0.chars().count()),
        }
    }

    fn line(&self, cells: &[&str], widths: &[usize]) -> String {
        let mut line = String::new();
        for ((cell, &width), (_, lean)) in cells.iter().zip(widths).zip(&self.columns) {
            if width == 0 {
                continue;
            }
            if !line.is_empty() {
                line.push_str("  ");
            }
            let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
            match lean {
                Lean::Left => line.extend([*cell, &padding]),
                Lean::Right => line.extend([&padding, *cell]),
            }
        }
        line.trim_end().to_owned()
    }
}

/// A cell as it is shown.
#[expect(clippy::needless_pass_by_value, reason = "most cells are kept as they are")]
fn cell(text: String) -> String {
    words::shortened(&words::harmless(&text), LONGEST).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_and_empty_ones_are_left_out() {
        let mut table = Table::new([("run", Lean::Left), ("job", Lean::Left), ("time", Lean::Right)]);
        table.row(["ecmp", "", "1 s"]);
        table.row(["a", "", "12 ms"]);
        assert_eq!(table.lines(), ["run    time", "ecmp    1 s", "a     12 ms"]);
    }

    #[test]
    fn cells_have_no_control_sequences_and_a_limited_length() {
        let mut table = Table::new([("a\u{1b}[31m", Lean::Left), ("n", Lean::Right)]);
        table.row(["\u{1b}[2J\n\u{202e}x", "1"]);
        table.row([&"y".repeat(1_000_000), "2"]);
        let lines = table.lines();
        assert!(lines[0].starts_with("a\\u{1b}[31m "), "{}", lines[0]);
        assert!(lines[1].starts_with("\\u{1b}[2J\\n\\u{202e}x ") && lines[1].ends_with(" 1"), "{}", lines[1]);
        assert!(lines[2].chars().count() == LONGEST + 3 && lines[2].contains("y...y"), "{}", lines[2]);
    }
}
