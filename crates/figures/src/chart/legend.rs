//! Legends: which line is which, above the chart and outside of it.
//!
//! Models: entries in columns of equal width, as many as fit; names that are too long lose their middle.

use super::panel::whisker;
use super::style::{AXIS, EVENT, Mark, Style, WHISKER};
use super::{MIDDLE, SMALL};
use crate::draw::{Align, Colour, Picture, Point, WHITE, font};

/// On the left of all.
const EDGE: f64 = 1.0;
/// Length of the line before a name.
const SAMPLE: f64 = 20.0;
/// Between that and the name.
const GAP: f64 = 3.0;
/// Room on the left of a name.
pub const BEFORE: f64 = EDGE + SAMPLE + GAP;
/// Between two columns.
const BETWEEN: f64 = 9.0;
/// From row to row.
const ROW: f64 = 9.0;

/// What is explained.
#[derive(Debug, Clone, PartialEq)]
pub enum Sign {
    /// A line, with marks or without.
    Line(Style, bool),
    /// An upright line where something happened.
    Event,
    /// An interval about a mean.
    Interval,
    /// A bar.
    Bar,
    /// A mark alone.
    Mark(Mark),
}

/// A sign and its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The sign.
    pub sign: Sign,
    /// What it stands for.
    pub name: String,
}

/// Draws a legend at the top of a picture and says where it ends.
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
        // In one row each takes what it needs; else down the first column, then down the next.
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
