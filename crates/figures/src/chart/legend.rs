//! Legends, which identify lines, above the chart and outside of it.
//!
//! Models: entries in as many columns of equal width as fit; the middle of names that are too long is left out.

use super::panel::whisker;
use super::style::{AXIS, EVENT, Mark, Style, WHISKER};
use super::{MIDDLE, SMALL};
use crate::draw::{Align, Colour, Picture, Point, WHITE, font};

/// Margin on the left.
const EDGE: f64 = 1.0;
/// Length of the line before a name.
const SAMPLE: f64 = 20.0;
/// Distance between the line and the name.
const GAP: f64 = 3.0;
/// Room on the left of a name.
pub const BEFORE: f64 = EDGE + SAMPLE + GAP;
/// Distance between two columns.
const BETWEEN: f64 = 9.0;
/// Height of a row.
const ROW: f64 = 9.0;

/// A sign that a legend explains.
#[derive(Debug, Clone, PartialEq)]
pub enum Sign {
    /// A line, with marks or without.
    Line(Style, bool),
    /// A vertical line at an event.
    Event,
    /// An interval about a mean.
    Interval,
    /// A bar.
    Bar,
    /// A mark without a line.
    Mark(Mark),
}

/// A sign and its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The sign.
    pub sign: Sign,
    /// Its meaning.
    pub name: String,
}

/// Draws a legend at the top of a picture; returns its lower end.
pub fn legend(picture: &mut Picture, entries: &[Entry]) -> f64 {
    if entries.is_empty() {
        return 0.0;
    }
    let most = picture.width - BEFORE;
    let names: Vec<String> = entries.iter().map(|entry| font::shortened(&entry.name, SMALL, most)).collect();
    let widest = names.iter().map(|name| font::width(name, SMALL)).fold(0.0, f64::max);
    let column = SAMPLE + GAP + widest + BETWEEN;
    let room = picture.width - EDGE;
    let in_a_row: f64 = names.iter().map(|name| SAMPLE + GAP + font::width(name, SMALL) + BETWEEN).sum();
    let n_columns = (((room + BETWEEN) / column) as usize).clamp(1, entries.len());
    let n_rows = if in_a_row <= room + BETWEEN { 1 } else { entries.len().div_ceil(n_columns) };
    let mut along = EDGE;
    for (nth, (entry, name)) in entries.iter().zip(names).enumerate() {
        // In a single row each entry takes its own width; else entries fill the first column, then the next.
        let x = if n_rows == 1 { along } else { EDGE + (nth / n_rows) as f64 * column };
        let y = (nth % n_rows) as f64 * ROW + ROW / 2.0;
        along += SAMPLE + GAP + font::width(&name, SMALL) + BETWEEN;
        sign(picture, &entry.sign, (x, y));
        picture.words(name, (x + SAMPLE + GAP, y + SMALL * MIDDLE), Align::Start, SMALL);
    }
    n_rows as f64 * ROW + 3.0
}

fn sign(picture: &mut Picture, sign: &Sign, (x, y): Point) {
    let middle = (x + SAMPLE / 2.0, y);
    match sign {
        Sign::Line(style, is_marked) => {
            picture.line(vec![(x, y), (x + SAMPLE, y)], style.pen);
            if *is_marked {
                style.draw_mark(picture, middle);
            }
        }
        Sign::Event => picture.line(vec![(middle.0, y - 4.0), (middle.0, y + 4.0)], EVENT),
        Sign::Bar => bar(picture, (x, y), SAMPLE),
        Sign::Interval => {
            bar(picture, (x, y), SAMPLE * 0.6);
            whisker(picture, y, (x + SAMPLE * 0.3, x + SAMPLE * 0.9));
        }
        Sign::Mark(mark) => {
            let radius = if *mark == Mark::Circle { 1.5 } else { 2.4 };
            picture.area(mark.corners(middle, radius), WHITE, Some(WHISKER));
        }
    }
}

fn bar(picture: &mut Picture, (x, y): Point, length: f64) {
    let corners = vec![(x, y - 2.8), (x + length, y - 2.8), (x + length, y + 2.8), (x, y + 2.8)];
    picture.area(corners, Colour([0xc4, 0xca, 0xd0]), Some(AXIS));
}
