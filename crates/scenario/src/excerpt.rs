//! The lines shown around an error.
//!
//! Models: line and column, a line of context on either side, a window into a line too long to be shown whole.
//! Leaves out: carets and frames; the renderer draws them.
//!
//! Invariants: the output does not grow with the text; a column counts characters; no text can send control sequences
//! to the terminal.

use std::fmt::Write;
use std::sync::Arc;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use netloom_units::steers;

/// Longer lines are shown in part, in bytes.
const LONG_LINE: usize = 160;
/// Bytes shown on either side of the location in such a line.
const MARGIN: usize = 40;
/// Most bytes under one caret.
const WIDEST: usize = 80;
/// Most characters of a word that a message quotes, and of the text between two such words.
const LONGEST_PIECES: [usize; 2] = [400, 100];

/// A text and its name in messages.
#[derive(Debug, Clone)]
pub(crate) struct Excerpt {
    name: String,
    text: Arc<str>,
    /// The numbers of its lines, if it has only some of those of its file.
    lines: Option<Arc<[u32]>>,
}

impl Excerpt {
    pub fn new(name: &str, text: &Arc<str>) -> Excerpt {
        Excerpt { name: harmless(name), text: shown(text), lines: None }
    }

    /// The same with the numbers of its lines; then lines beside each other in the text may be far apart in the file.
    pub fn numbered(self, lines: Option<Arc<[u32]>>) -> Excerpt {
        Excerpt { lines, ..self }
    }

    /// The name of the text in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text, with a substitute for each character that could control a terminal.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Line and column of a byte, both from 1.
    pub fn line_and_column(&self, at: usize) -> (usize, usize) {
        let at = self.text.floor_char_boundary(at);
        let start = self.line_start(at);
        let breaks = self.text[..start].matches('\n').count();
        let line = self.lines.as_ref().and_then(|lines| lines.get(breaks));
        (line.map_or(breaks + 1, |line| *line as usize), self.text[start..at].chars().count() + 1)
    }

    /// The part of a range that is underlined: within its first line, and not wider than a screen.
    pub fn pointed(&self, start: usize, end: usize) -> (usize, usize) {
        let start = self.text.floor_char_boundary(start);
        let end = self.text.floor_char_boundary(end.min(self.line_end(start)).min(start + WIDEST)).max(start);
        (start, end)
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |found| found + 1)
    }

    fn line_end(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        let line = rest.find('\n').map_or(rest, |found| &rest[..found]);
        at + line.strip_suffix('\r').unwrap_or(line).len()
    }

    /// The lines of a range as far as they are shown, with `before` and `after` lines of context.
    fn window(&self, start: usize, end: usize, before: usize, after: usize) -> (usize, usize) {
        let (first, last) = (self.line_start(start), self.line_end(end));
        let long = last - first > LONG_LINE && self.line_start(end) == first;
        let from = if long || start - first > LONG_LINE { self.left_of(start).max(first) } else { first };
        let to = if long || last - end > LONG_LINE { self.right_of(end).min(last) } else { last };
        let (before, after) = if self.lines.is_some() { (0, 0) } else { (before, after) };
        let above = if before > 0 && from == first { self.line_above(first) } else { None };
        let below = if after > 0 && to == last { self.line_below(last) } else { None };
        (above.unwrap_or(from), below.unwrap_or(to))
    }

    fn left_of(&self, at: usize) -> usize {
        self.text.floor_char_boundary(at.saturating_sub(MARGIN))
    }

    fn right_of(&self, at: usize) -> usize {
        self.text.floor_char_boundary(at + MARGIN)
    }

    /// The start of the line before the one that starts at `first`, if it is short.
    fn line_above(&self, first: usize) -> Option<usize> {
        let above = self.line_start(first.checked_sub(1)?);
        (first - above <= LONG_LINE).then_some(above)
    }

    /// The end of the line after the one that ends at `last`, if it is short.
    fn line_below(&self, last: usize) -> Option<usize> {
        let next = last + self.text[last..].find('\n')? + 1;
        let below = self.line_end(next);
        (below - last <= LONG_LINE).then_some(below)
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (start, end) = (span.offset(), span.offset() + span.len());
        if end > self.text.len() || end - start > 4 * LONG_LINE {
            return Err(MietteError::OutOfBounds);
        }
        let (from, to) =
            if lines_before == 0 { (start, end) } else { self.window(start, end, lines_before, lines_after) };
        let (line, column) = self.line_and_column(from);
        let data = &self.text[from..to];
        let breaks = data.matches('\n').count();
        // The renderer counts from 0, and lines with context from their beginning.
        let column = if lines_before == 0 { column - 1 } else { 0 };
        let contents = MietteSpanContents::new_named(
            self.name.clone(),
            data.as_bytes(),
            (from, to - from).into(),
            line - 1,
            column,
            breaks,
        );
        Ok(Box::new(contents))
    }
}

/// The text with a substitute of the same length for each such character; lines stay lines.
fn shown(text: &Arc<str>) -> Arc<str> {
    let bad = |c: char| steers(c) && !matches!(c, '\n' | '\r' | '\t');
    let lone = text.contains('\r') && text.replace("\r\n", "").contains('\r');
    if !lone && !text.contains(bad) {
        return Arc::clone(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let steering = bad(c) || (c == '\r' && rest.peek() != Some(&'\n'));
        clean.push(match c.len_utf8() {
            _ if !steering => c,
            1 => '?',
            2 => '\u{bf}',
            _ => char::REPLACEMENT_CHARACTER,
        });
    }
    Arc::from(clean)
}

/// A message with long words shortened, and without characters that control a terminal.
pub(crate) fn harmless(message: &str) -> String {
    let mut clean = String::with_capacity(message.len());
    for (number, piece) in message.split('`').enumerate() {
        if number > 0 {
            clean.push('`');
        }
        let most = LONGEST_PIECES[number % 2];
        let length = piece.chars().take(most + 1).count();
        let kept = if length > most { most / 2 } else { length };
        for c in piece.chars().take(kept) {
            if steers(c) {
                let _ = write!(clean, "{}", c.escape_default());
            } else {
                clean.push(c);
            }
        }
        if kept < length {
            clean.push_str("...");
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(text: &str) -> Excerpt {
        Excerpt::new("test.yaml", &Arc::from(text))
    }

    fn seen(text: &str, start: usize, length: usize) -> String {
        let excerpt = excerpt(text);
        let contents = excerpt.read_span(&(start, length).into(), 1, 1).expect("the span is in the text");
        String::from_utf8(contents.data().to_vec()).expect("it is text")
    }

    #[test]
    fn a_line_is_shown_between_its_neighbours() {
        let text = "one\ntwo\nthree\nfour\n";
        assert_eq!(seen(text, 4, 3), "one\ntwo\nthree");
        assert_eq!(seen(text, 0, 3), "one\ntwo");
        assert_eq!(seen(text, 14, 4), "three\nfour\n");
        assert_eq!(seen("one\r\ntwo\r\n", 5, 3), "one\r\ntwo\r\n");
        assert_eq!(seen("", 0, 0), "");
    }

    #[test]
    fn a_long_line_is_shown_in_part() {
        let text = format!("{}x{}\nnext", "a".repeat(1_000), "\u{e9}".repeat(1_000));
        let part = seen(&text, 1_000, 1);
        assert!(part.contains("ax\u{e9}") && part.len() <= 2 * MARGIN + 1, "{part}");
        let below = format!("short\n{}\n", "a".repeat(1_000));
        assert_eq!(seen(&below, 0, 5), "short");
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(excerpt("a\n\u{e9}\u{e9}b").line_and_column(6), (2, 3));
        assert_eq!(excerpt("").line_and_column(0), (1, 1));
    }

    #[test]
    fn only_the_first_line_of_a_location_is_underlined() {
        assert_eq!(excerpt("abc\ndef").pointed(1, 7), (1, 3));
        assert_eq!(excerpt(&"a".repeat(500)).pointed(3, 500), (3, 83));
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let text = "a\u{1b}[31m\r\u{9b}\u{202e}\r\n\t\u{e9}";
        let clean = shown(&Arc::from(text));
        assert_eq!(&*clean, "a?[31m?\u{bf}\u{fffd}\r\n\t\u{e9}");
        assert_eq!(clean.len(), text.len());
        assert_eq!(harmless("no `a\u{1b}b\n`"), "no `a\\u{1b}b\\n`");
        assert!(harmless(&format!("no `{}` here", "a".repeat(10_000_000))).len() < 80);
    }
}
