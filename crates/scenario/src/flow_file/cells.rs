//! The cells of a line of comma-separated text.
//!
//! Models: cells with blanks around them, cells in double quotes.
//! Leaves out: line breaks and doubled quotes within quotes.

/// Most cells of a line; further ones are counted only.
pub(super) const MOST: usize = 16;

/// The cells of a line, as ranges of its bytes.
#[derive(Debug, Default)]
pub(super) struct Cells {
    ranges: [(usize, usize); MOST],
    /// Number of cells.
    pub count: usize,
}

impl Cells {
    /// Splits a line without its end.
    pub fn split(&mut self, line: &[u8]) {
        self.count = 0;
        let (mut from, mut is_quoted) = (0, false);
        for (at, &byte) in line.iter().enumerate() {
            is_quoted ^= byte == b'"';
            if byte == b',' && !is_quoted {
                self.add(line, from, at);
                from = at + 1;
            }
        }
        self.add(line, from, line.len());
    }

    fn add(&mut self, line: &[u8], from: usize, to: usize) {
        let cell = &line[from..to];
        let start = from + (cell.len() - cell.trim_ascii_start().len());
        let end = start + cell.trim_ascii().len();
        let is_quoted = end - start > 1 && line[start] == b'"' && line[end - 1] == b'"';
        let inner = usize::from(is_quoted);
        if let Some(range) = self.ranges.get_mut(self.count) {
            *range = (start + inner, end - inner);
        }
        self.count += 1;
    }

    /// The range of a cell; an empty one if there is no such cell.
    pub fn range(&self, number: usize) -> (usize, usize) {
        self.ranges.get(number).copied().filter(|_| number < self.count).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Vec<&str> {
        let mut cells = Cells::default();
        cells.split(line.as_bytes());
        (0..cells.count.min(MOST))
            .map(|number| cells.range(number))
            .map(|(from, to)| &line[from..to])
            .collect()
    }

    #[test]
    fn blanks_and_quotes_are_not_part_of_a_cell() {
        assert_eq!(split("a, b ,\"c,d\",, \"\""), ["a", "b", "c,d", "", ""]);
        assert_eq!(split(""), [""]);
        assert_eq!(split("\""), ["\""]);
        assert_eq!(split(&",".repeat(40)).len(), MOST);
    }
}
