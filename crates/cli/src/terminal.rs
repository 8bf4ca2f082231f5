//! Properties of the terminal that pictures depend on: number of columns, and colours.
//!
//! Invariants: if standard output is not a terminal, there are 80 columns and no colours on any machine; only `COLUMNS`
//! changes the number of columns then.

use std::env;
use std::io::{self, IsTerminal};

use console::Term;
use netloom_lab::text::Look;

/// Smallest and largest number of columns that `COLUMNS` may set.
const COLUMNS: std::ops::RangeInclusive<usize> = 20..=1_000;

/// The properties of the terminal of this process.
pub fn look() -> Look {
    let asked = env::var("COLUMNS").ok().and_then(|text| columns(&text));
    let is_terminal = io::stdout().is_terminal();
    let there = || Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    let width = asked.or_else(|| there().filter(|&columns| is_terminal && columns > 0));
    let value = |name| env::var(name).unwrap_or_default();
    let colours = is_terminal && has_colours(&value("NO_COLOR"), &value("TERM"), &value("COLORTERM"));
    Look { width: width.unwrap_or(Look::PLAIN.width), colours }
}

/// Parses a number of columns; `None` if it is no number, or out of range.
fn columns(text: &str) -> Option<usize> {
    text.trim().parse().ok().filter(|columns| COLUMNS.contains(columns))
}

/// Whether the terminal has 256 colours and `NO_COLOR` is not set (no-color.org).
fn has_colours(no_color: &str, term: &str, colorterm: &str) -> bool {
    let is_known =
        ["256color", "direct", "kitty", "alacritty", "ghostty"].iter().any(|word| term.contains(word));
    no_color.is_empty() && term != "dumb" && (is_known || !colorterm.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_used_if_the_terminal_has_them_and_no_color_is_not_set() {
        assert!(has_colours("", "xterm-256color", ""));
        assert!(has_colours("", "screen", "truecolor"));
        assert!(!has_colours("1", "xterm-256color", "truecolor"));
        assert!(!has_colours("", "dumb", "truecolor"));
        assert!(!has_colours("", "vt100", ""));
    }

    #[test]
    fn columns_out_of_range_are_ignored() {
        assert_eq!(
            ["120", " 60 ", "0", "-1", "x", "99999999999999999999"].map(columns),
            [Some(120), Some(60), None, None, None, None]
        );
    }
}
