//! Heat maps of shares in characters, with rows and columns for two sets of nodes.
//!
//! Models: shades by character, and by colour if colours are used; numbers beside them if there is room.
//!
//! Invariants: if there is not enough room, neighbouring rows or columns share a cell, which shows their largest share,
//! so that no hot link is hidden; the caller can query how many ([`HeatMap::joined`]).

use super::ink::Ink;
use super::sheet::{Line, columns, cut, name};

/// Shades, each with the upper bound of its shares.
const SHADES: [(f64, char); 5] = [(0.2, '·'), (0.4, '░'), (0.6, '▒'), (0.8, '▓'), (f64::INFINITY, '█')];
/// Columns of a cell with a number.
const WITH_NUMBER: usize = 7;
/// Columns of a name beside the rows.
const LONGEST_NAME: usize = 18;
/// Most rows.
const MOST_ROWS: usize = 32;

/// A cell: the largest share of its links; `None` without a link.
pub type Cell = Option<f64>;

/// The data of a heat map.
#[derive(Debug, Clone, Copy)]
pub struct HeatMap<'a> {
    /// Its title.
    pub title: &'a str,
    /// Names of the first and the last row of each block.
    pub rows: &'a [[String; 2]],
    /// Names of the first and the last column of each block.
    pub columns: &'a [[String; 2]],
    /// Cells by row, then by column.
    pub cells: &'a [Vec<Cell>],
}

/// How many rows and columns (or blocks of them) share a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Joined {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
}

/// The level of a share, from 0 to 4.
pub fn level(share: f64) -> usize {
    SHADES.iter().position(|(most, _)| share < *most).unwrap_or(SHADES.len() - 1)
}

/// The legend of the shades.
pub fn legend() -> Line {
    let mut line = Line::indented(2);
    let mut from = 0;
    for (number, (most, shade)) in SHADES.iter().enumerate() {
        let to = (most.min(1.0) * 100.0).round() as u32;
        let gap = if number > 0 { "  " } else { "" };
        line = line.plain(gap).add(Ink::Heat(number), &shade.to_string()).plain(&format!(" {from}-{to}"));
        from = to;
    }
    line.add(Ink::Faint, " % of the time")
}

impl HeatMap<'_> {
    /// How many rows and columns must share a cell to fit into `most` columns of text.
    pub fn joined(&self, most: usize) -> Joined {
        let rows = self.rows.len().div_ceil(MOST_ROWS).max(1);
        let room = most.saturating_sub(self.label_width(rows) + 3).max(1);
        Joined { rows, columns: self.columns.len().div_ceil(room).max(1) }
    }

    /// Columns of text for the names of rows, `by` of which share one.
    fn label_width(&self, by: usize) -> usize {
        let of = |names: &[[String; 2]]| columns(&span(&ends(names), LONGEST_NAME));
        self.rows.chunks(by).map(of).max().unwrap_or(0).min(LONGEST_NAME)
    }

    /// The lines of the map, in at most `most` columns of text.
    pub fn lines(&self, most: usize) -> Vec<Line> {
        let Joined { rows: by_row, columns: by_column } = self.joined(most);
        let n_columns = self.columns.len().div_ceil(by_column);
        let label = self.label_width(by_row);
        let room = most.saturating_sub(label + 3) / n_columns.max(1);
        let width = if room >= WITH_NUMBER { WITH_NUMBER } else { room.clamp(1, 2) };
        let inner = n_columns * width;
        let mut lines = vec![Line::default().add(Ink::Strong, self.title)];
        lines.push(self.heading(by_column, label, width));
        let rim = |left: &str, right: &str| {
            Line::indented(label + 1).add(Ink::Faint, &[left, &"─".repeat(inner), right].concat())
        };
        lines.push(rim("┌", "┐"));
        for (number, names) in self.rows.chunks(by_row).enumerate() {
            let mut line = Line::default().right(Ink::Plain, &span(&ends(names), label), label);
            line = line.plain(" ").add(Ink::Faint, "│");
            for column in 0..n_columns {
                line = line.then(self.cell(number, column, (by_row, by_column), width));
            }
            lines.push(line.add(Ink::Faint, "│"));
        }
        lines.push(rim("└", "┘"));
        lines
    }

    /// Names of the columns if they fit, else of the first and the last.
    fn heading(&self, by: usize, label: usize, width: usize) -> Line {
        let chunks: Vec<[String; 2]> = self.columns.chunks(by).map(ends).collect();
        let fits = chunks.iter().all(|names| names[0] == names[1] && columns(&names[0]) < width);
        let start = Line::indented(label + 2);
        if fits {
            return chunks.iter().fold(start, |line, names| {
                let end = line.width() + width;
                line.add(Ink::Faint, &names[0]).up_to(end)
            });
        }
        let inner = chunks.len() * width;
        let (Some(first), Some(last)) = (chunks.first(), chunks.last()) else { return start };
        let whole = [first[0].clone(), last[1].clone()];
        // The names may be wider than a small map; they may extend beyond its border.
        let text = span(&whole, inner.max(LONGEST_NAME));
        start.add(Ink::Faint, &text)
    }

    fn cell(&self, row: usize, column: usize, (by_row, by_column): (usize, usize), width: usize) -> Line {
        let rows = self.cells.iter().skip(row * by_row).take(by_row);
        let inside = rows.flat_map(|row| row.iter().skip(column * by_column).take(by_column)).flatten();
        let Some(share) = inside.copied().reduce(f64::max) else {
            return Line::indented(width);
        };
        let level = level(share);
        let shade = SHADES[level].1.to_string();
        if width == WITH_NUMBER {
            let number = format!("{:>3.0} %", share * 100.0);
            return Line::default().add(Ink::Heat(level), &shade).plain(&number).plain(" ");
        }
        Line::default().add(Ink::Heat(level), &shade.repeat(width))
    }
}

/// The first and the last name of several blocks (at least one).
fn ends(names: &[[String; 2]]) -> [String; 2] {
    [names[0][0].clone(), names[names.len() - 1][1].clone()]
}

/// Two names as a range; the common prefix is shown once if room is short.
fn span([first, last]: &[String; 2], most: usize) -> String {
    if first == last {
        return name(first, most);
    }
    let whole = format!("{first} to {last}");
    if columns(&whole) <= most {
        return whole;
    }
    let half = most.saturating_sub(1) / 2;
    cut(&format!("{}–{}", name(first, half), name(last, half)), most)
}

#[cfg(test)]
mod tests {
    use super::super::Look;
    use super::super::sheet::Sheet;
    use super::*;

    fn drawn(map: &HeatMap<'_>, width: usize) -> Vec<String> {
        let mut sheet = Sheet::new(Look { width, colours: false });
        sheet.lines(map.lines(width));
        sheet.finish().lines().map(str::to_owned).collect()
    }

    fn names(word: &str, n: usize) -> Vec<[String; 2]> {
        (0..n).map(|number| [format!("{word}{number}"), format!("{word}{number}")]).collect()
    }

    #[test]
    fn a_small_map_has_numbers() {
        let (rows, columns) = (names("leaf", 2), names("s", 2));
        let cells = [vec![Some(0.1), None], vec![Some(0.5), Some(1.0)]];
        let map = HeatMap { title: "up", rows: &rows, columns: &columns, cells: &cells };
        let expected = [
            "up",
            "       s0     s1",
            "      ┌──────────────┐",
            "leaf0 │· 10 %        │",
            "leaf1 │▒ 50 % █100 % │",
            "      └──────────────┘",
        ];
        assert_eq!(drawn(&map, 60), expected);
    }

    #[test]
    fn a_large_map_is_drawn_in_blocks_whose_cells_are_their_busiest_links() {
        let (rows, columns) = (names("leaf", 64), names("spine", 100));
        let mut cells = vec![[vec![Some(1.0); 50], vec![Some(0.0); 50]].concat(); 64];
        cells[1][99] = Some(0.5);
        let map = HeatMap { title: "up", rows: &rows, columns: &columns, cells: &cells };
        assert_eq!(map.joined(60), Joined { rows: 2, columns: 3 });
        let lines = drawn(&map, 60);
        assert_eq!(lines.len(), 4 + 32);
        assert!(lines.iter().all(|line| line.chars().count() <= 60), "{lines:#?}");
        // Seventeen blocks have a spine whose links are busy; in the first row a single link of the last block is, too.
        assert!(lines[3].ends_with(&format!("│{}{}▒│", "█".repeat(17), "·".repeat(16))), "{}", lines[3]);
        assert!(lines[4].ends_with(&format!("│{}{}│", "█".repeat(17), "·".repeat(17))), "{}", lines[4]);
    }
}
