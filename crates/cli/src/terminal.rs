//! What pictures are drawn for: the columns of the terminal, and whether it has colours.
//!
//! Invariants: where standard output is no terminal, there are 80 columns and no colours, whatever machine it is; only
//! `COLUMNS`, which says so expressly, changes the columns there.

use std::env;
use std::io::{self, IsTerminal};

use console::Term;
use netloom_lab::text::Look;

/// Fewest columns, and most, that `COLUMNS` may ask for.
const COLUMNS: std::ops::RangeInclusive<usize> = 20..=1_000;

/// What is there now.
pub fn look() -> Look {
    let asked = env::var("COLUMNS").ok().and_then(|text| columns(&text));
    let is_terminal = io::stdout().is_terminal();
    let there = || Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    let width = asked.or_else(|| there().filter(|&columns| is_terminal && columns > 0));
    let value = |name| env::var(name).unwrap_or_default();
    let colours = is_terminal && has_colours(&value("NO_COLOR"), &value("TERM"), &value("COLORTERM"));
    Look { width: width.unwrap_or(Look::PLAIN.width), colours }
}

/// A number of columns that makes sense.
fn columns(text: &str) -> Option<usize> {
    text.trim().parse().ok().filter(|columns| COLUMNS.contains(columns))
}

/// Whether a terminal has 256 colours, and they are wanted (no-color.org).
fn has_colours(no_color: &str, term: &str, colorterm: &str) -> bool {
    let is_known =
        ["256color", "direct", "kitty", "alacritty", "ghostty"].iter().any(|word| term.contains(word));
    no_color.is_empty() && term != "dumb" && (is_known || !colorterm.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_used_where_they_are_known_and_wanted() {
        assert!(has_colours("", "xterm-256color", ""));
        assert!(has_colours("", "screen", "truecolor"));
        assert!(!has_colours("1", "xterm-256color", "truecolor"));
        assert!(!has_colours("", "dumb", "truecolor"));
        assert!(!has_colours("", "vt100", ""));
    }

    #[test]
    fn columns_are_a_number_that_makes_sense() {
        assert_eq!(
            ["120", " 60 ", "0", "-1", "x", "99999999999999999999"].map(columns),
            [Some(120), Some(60), None, None, None, None]
        );
    }
}
