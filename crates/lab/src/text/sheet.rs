//! Lines of styled text, and the sheet that collects them.
//!
//! Invariants: control characters are escaped when a text is added; a line is never wider than the sheet, cut text ends
//! with an ellipsis; widths are counted in columns of a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::Look;
use super::ink::{Ink, OFF};
use crate::words::harmless;

/// The mark of cut text.
const CUT: &str = "…";

/// Number of columns of a text.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// The text, cut to at most `most` columns.
pub fn cut(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = CUT.width();
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > most {
            break;
        }
        kept.push(c);
    }
    if most > 0 {
        kept.push_str(CUT);
    }
    kept
}

/// A name, cut to at most `most` columns: of a longer one, its beginning and its end.
pub fn name(text: &str, most: usize) -> String {
    let clean = harmless(text);
    let width = columns(&clean);
    if width <= most {
        return clean.into_owned();
    }
    let tail_room = most.saturating_sub(1) / 3;
    let mut tail = String::new();
    for c in clean.chars().rev() {
        if columns(&tail) + c.width().unwrap_or(0) > tail_room {
            break;
        }
        tail.insert(0, c);
    }
    let head = cut(&clean, most.saturating_sub(columns(&tail)));
    head + &tail
}

/// A line under construction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    pieces: Vec<(Ink, String)>,
    width: usize,
}

impl Line {
    /// A line that is indented by `by` columns.
    pub fn indented(by: usize) -> Line {
        Line::default().plain(&" ".repeat(by))
    }

    /// Columns so far.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The line with more text.
    #[must_use]
    pub fn add(mut self, ink: Ink, text: &str) -> Line {
        if !text.is_empty() {
            let clean = harmless(text);
            self.width += columns(&clean);
            match self.pieces.last_mut() {
                Some((last, piece)) if *last == ink => piece.push_str(&clean),
                _ => self.pieces.push((ink, clean.into_owned())),
            }
        }
        self
    }

    /// The line with more plain text.
    #[must_use]
    pub fn plain(self, text: &str) -> Line {
        self.add(Ink::Plain, text)
    }

    /// The line, padded with blanks up to a column.
    #[must_use]
    pub fn up_to(self, column: usize) -> Line {
        let missing = column.saturating_sub(self.width);
        self.plain(&" ".repeat(missing))
    }

    /// The line with a right-aligned text, which ends the given number of columns from here.
    #[must_use]
    pub fn right(self, ink: Ink, text: &str, width: usize) -> Line {
        let end = self.width + width;
        let start = end.saturating_sub(columns(&harmless(text)));
        self.up_to(start).add(ink, text)
    }

    /// The line with another one appended.
    #[must_use]
    pub fn then(mut self, other: Line) -> Line {
        self.width += other.width;
        self.pieces.extend(other.pieces);
        self
    }

    /// As it is printed.
    fn finish(self, most: usize, colours: bool) -> String {
        let fits = self.width <= most;
        let mut left = if fits { most } else { most.saturating_sub(CUT.width()) };
        let mut text = String::new();
        for (ink, piece) in self.pieces {
            let mut shown = String::new();
            for c in piece.chars() {
                let width = c.width().unwrap_or(0);
                if width > left {
                    left = 0;
                    break;
                }
                left -= width;
                shown.push(c);
            }
            match ink.code().filter(|_| colours && !shown.trim().is_empty()) {
                Some(code) => text.extend([&code, shown.as_str(), OFF]),
                None => text.push_str(&shown),
            }
        }
        if !fits {
            text.push_str(CUT);
        }
        text.trim_end().to_owned()
    }
}

/// Blocks of lines side by side as far as they fit into `most` columns, the others below.
pub fn beside(blocks: Vec<Vec<Line>>, gap: usize, most: usize) -> Vec<Line> {
    let width = |block: &Vec<Line>| block.iter().map(Line::width).max().unwrap_or(0);
    let mut done: Vec<Line> = Vec::new();
    let mut row: Vec<Line> = Vec::new();
    for block in blocks.into_iter().filter(|block| !block.is_empty()) {
        let start = width(&row) + gap;
        if row.is_empty() {
            row = block;
        } else if start + width(&block) <= most {
            row.resize(row.len().max(block.len()), Line::default());
            let mut right = block.into_iter();
            let joined = row.into_iter().map(|line| match right.next() {
                Some(piece) => line.up_to(start).then(piece),
                None => line,
            });
            row = joined.collect();
        } else {
            done.append(&mut row);
            done.push(Line::default());
            row = block;
        }
    }
    done.append(&mut row);
    done
}

/// Lines, one below the other.
#[derive(Debug)]
pub struct Sheet {
    look: Look,
    lines: Vec<Line>,
    /// Number of lines up to the last heading, inclusive.
    headed: usize,
}

impl Sheet {
    /// An empty sheet.
    pub fn new(look: Look) -> Sheet {
        Sheet { look, lines: Vec::new(), headed: 0 }
    }

    /// Columns to draw in.
    pub fn columns(&self) -> usize {
        self.look.columns()
    }

    /// Adds a line.
    pub fn line(&mut self, line: Line) {
        self.lines.push(line);
    }

    /// Adds lines.
    pub fn lines(&mut self, lines: impl IntoIterator<Item = Line>) {
        self.lines.extend(lines);
    }

    /// Adds an empty line, except at the top, after a heading or after an empty line.
    pub fn gap(&mut self) {
        let is_below_heading = self.lines.len() == self.headed;
        if !is_below_heading && self.lines.last().is_some_and(|line| line.width() > 0) {
            self.lines.push(Line::default());
        }
    }

    /// A heading over all columns.
    pub fn heading(&mut self, text: &str) {
        self.gap();
        let text = name(text, self.columns().saturating_sub(4));
        let rule = "─".repeat(self.columns().saturating_sub(columns(&text) + 4));
        let line = Line::default().add(Ink::Faint, "── ").add(Ink::Strong, &text).plain(" ");
        self.line(line.add(Ink::Faint, &rule));
        self.headed = self.lines.len();
    }

    /// A heading followed by a remark.
    pub fn title(&mut self, text: &str, remark: &str) {
        self.gap();
        let whole = Line::default().add(Ink::Strong, text);
        let fits = columns(text) + 2 + columns(remark) <= self.columns();
        if fits {
            self.line(whole.plain("  ").add(Ink::Faint, remark));
        } else {
            self.line(whole);
            self.text(Ink::Faint, remark, 2);
        }
    }

    /// Wrapped text, indented.
    pub fn text(&mut self, ink: Ink, text: &str, indent: usize) {
        self.hanging(Line::indented(indent), ink, text);
    }

    /// Wrapped text after the beginning of a line; further lines are indented to the same column.
    pub fn hanging(&mut self, start: Line, ink: Ink, text: &str) {
        let further = Line::indented(start.width());
        self.beginning(start, &further, ink, text);
    }

    /// Wrapped text after the beginning of a line; further lines begin with `further`.
    pub fn beginning(&mut self, start: Line, further: &Line, ink: Ink, text: &str) {
        let (most, indent) = (self.columns(), start.width());
        let mut line = start;
        let mut is_first = true;
        for word in harmless(text).split(' ').filter(|word| !word.is_empty()) {
            let word = cut(word, most.saturating_sub(indent));
            if !is_first && line.width() + 1 + columns(&word) > most {
                self.line(std::mem::replace(&mut line, further.clone()));
                is_first = true;
            }
            line = if is_first { line } else { line.add(ink, " ") }.add(ink, &word);
            is_first = false;
        }
        self.line(line);
    }

    /// All of it as text.
    pub fn finish(self) -> String {
        let Look { width, colours } = self.look;
        let mut text = String::new();
        for line in self.lines {
            text.push_str(&line.finish(width, colours));
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_does_not_fit_is_cut_with_an_ellipsis() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(name("leaf0.host12.nic3", 9), "leaf0.…c3".to_owned());
        // Each of these characters takes two columns.
        assert_eq!(cut("計算機網路", 6), "計算…");
        let mut sheet = Sheet::new(Look { width: 10, colours: false });
        sheet.line(Line::default().plain("0123456789"));
        sheet.line(Line::default().plain("01234").add(Ink::Alarm, "567890"));
        assert_eq!(sheet.finish(), "0123456789\n012345678…\n");
    }

    #[test]
    fn colours_end_where_their_text_ends_and_blanks_have_none() {
        let mut sheet = Sheet::new(Look { width: 20, colours: true });
        sheet.line(Line::default().add(Ink::Strong, "a").add(Ink::Faint, "  ").add(Ink::Run(0), "b"));
        assert_eq!(sheet.finish(), "\u{1b}[1ma\u{1b}[0m  \u{1b}[38;5;39mb\u{1b}[0m\n");
    }

    #[test]
    fn control_characters_are_escaped() {
        let mut sheet = Sheet::new(Look::PLAIN);
        sheet.line(Line::default().plain("a\u{1b}[2J\rb"));
        sheet.text(Ink::Plain, "c\u{202e}d \n", 2);
        let text = sheet.finish();
        assert_eq!(text, "a\\u{1b}[2J\\rb\n  c\\u{202e}d \\n\n");
    }

    #[test]
    fn blocks_are_side_by_side_as_far_as_they_fit() {
        let block = |text: &str| vec![Line::default().plain(text), Line::default().plain("x")];
        let shown =
            |lines: Vec<Line>| lines.into_iter().map(|line| line.finish(80, false)).collect::<Vec<_>>();
        assert_eq!(shown(beside(vec![block("abc"), block("de")], 2, 7)), ["abc  de", "x    x"]);
        assert_eq!(shown(beside(vec![block("abc"), block("de")], 2, 6)), ["abc", "x", "", "de", "x"]);
    }
}
