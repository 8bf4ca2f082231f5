//! Styles of lines: colours, dashes and marks, which distinguish lines in grey print, too.
//!
//! Source: colours of Okabe and Ito as in the report (`web/src/style.css`, light), chosen for all kinds of colour
//! vision;
//! the scale of shares is that of `web/src/palette.ts`, after cividis.

use crate::draw::{Colour, Dash, Pen, Picture, Point};

/// Colours of runs.
const COLOURS: [Colour; 8] = [
    Colour([0x00, 0x72, 0xb2]),
    Colour([0xd5, 0x5e, 0x00]),
    Colour([0x00, 0x9e, 0x73]),
    Colour([0xcc, 0x79, 0xa7]),
    Colour([0xe6, 0x9f, 0x00]),
    Colour([0x56, 0xb4, 0xe9]),
    Colour([0x8f, 0x7a, 0x00]),
    Colour([0x4d, 0x4d, 0x4d]),
];

/// Dashes, in points; successive ones differ clearly.
const DASHES: [Dash; 9] = [
    &[],
    &[4.0, 1.6],
    &[1.2, 1.2],
    &[5.0, 1.4, 1.2, 1.4],
    &[8.0, 2.0],
    &[2.4, 1.2],
    &[5.0, 1.2, 1.2, 1.2, 1.2, 1.2],
    &[1.2, 3.2],
    &[7.0, 1.2, 2.8, 1.2],
];

/// Grid lines.
pub const GRID: Pen = Pen::solid(Colour([0xdd, 0xe1, 0xe6]), 0.35);
/// Axes and their ticks.
pub const AXIS: Pen = Pen::solid(Colour([0x30, 0x34, 0x3a]), 0.5);
/// Vertical lines at events.
pub const EVENT: Pen = Pen { colour: Colour([0x60, 0x60, 0x60]), width: 0.6, dash: &[2.0, 1.0] };
/// Ends of intervals.
pub const WHISKER: Pen = Pen::solid(Colour([0x10, 0x12, 0x14]), 0.7);

/// Width of lines of data.
const LINE: f64 = 1.1;
/// Half the size of a mark.
const MARK: f64 = 1.9;

/// Largest number of lines that can be distinguished: no two of them have the same colour and the same dashes.
pub const MOST_LINES: usize = COLOURS.len() * DASHES.len();

/// A mark at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Circle,
    Square,
    Triangle,
    Diamond,
    Point,
}

const MARKS: [Mark; 5] = [Mark::Circle, Mark::Square, Mark::Triangle, Mark::Diamond, Mark::Point];

/// The style of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// The line.
    pub pen: Pen,
    /// The mark at its points, if they are marked.
    pub mark: Mark,
    /// Whether the mark is filled.
    pub is_filled: bool,
}

impl Style {
    /// The style of the line with this number, from 0.
    pub fn of(line: usize) -> Style {
        // The numbers of colours and of dashes have no common divisor, so no pair repeats before all have occurred.
        let pen = Pen { colour: colour(line), width: LINE, dash: DASHES[line % DASHES.len()] };
        Style { pen, mark: MARKS[line % MARKS.len()], is_filled: (line / MARKS.len()).is_multiple_of(2) }
    }

    /// The share of the line that is gaps.
    pub fn gaps(self) -> f64 {
        let whole: f64 = self.pen.dash.iter().sum();
        let open: f64 = self.pen.dash.iter().skip(1).step_by(2).sum();
        if whole > 0.0 { open / whole } else { 0.0 }
    }

    /// Draws its mark; an unfilled mark does not cover what is behind it.
    pub fn draw_mark(self, picture: &mut Picture, at: Point) {
        let mut corners = self.mark.corners(at, MARK);
        let edge = Pen::solid(self.pen.colour, 0.8);
        if self.is_filled {
            picture.area(corners, self.pen.colour, Some(edge));
        } else {
            corners.push(corners[0]);
            picture.line(corners, edge);
        }
    }
}

/// The colour with this number.
pub fn colour(number: usize) -> Colour {
    COLOURS[number % COLOURS.len()]
}

impl Mark {
    /// Its corners, relative to a point.
    pub fn corners(self, (x, y): Point, radius: f64) -> Vec<Point> {
        let around = |n: usize, radius: f64, first: f64| -> Vec<Point> {
            let turn = |nth: usize| std::f64::consts::TAU * (first + nth as f64 / n as f64);
            (0..n).map(|nth| (x + radius * turn(nth).sin(), y - radius * turn(nth).cos())).collect()
        };
        match self {
            Mark::Circle => around(24, radius, 0.0),
            Mark::Square => around(4, radius * 1.25, 0.125),
            Mark::Triangle => around(3, radius * 1.35, 0.0),
            Mark::Diamond => around(4, radius * 1.3, 0.0),
            Mark::Point => around(3, radius * 1.35, 0.5),
        }
    }
}

/// Colours of shares, from the smallest to the largest.
const SHARES: [Colour; 7] = [
    Colour([0x00, 0x22, 0x4e]),
    Colour([0x2d, 0x42, 0x70]),
    Colour([0x5b, 0x61, 0x6e]),
    Colour([0x7f, 0x7c, 0x75]),
    Colour([0xa7, 0x9b, 0x6d]),
    Colour([0xd2, 0xbd, 0x5c]),
    Colour([0xfe, 0xe8, 0x38]),
];

/// The colour of a share from 0 to 1.
pub fn shade(share: f64) -> Colour {
    let position = share.clamp(0.0, 1.0) * (SHARES.len() - 1) as f64;
    let below = (position as usize).min(SHARES.len() - 2);
    let part = position - below as f64;
    let (Colour(low), Colour(high)) = (SHARES[below], SHARES[below + 1]);
    let mixed = |channel: usize| {
        (f64::from(low[channel]) * (1.0 - part) + f64::from(high[channel]) * part).round() as u8
    };
    Colour([mixed(0), mixed(1), mixed(2)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_distinguished() {
        for line in 0..MOST_LINES {
            for other in 0..line {
                let (line, other) = (Style::of(line).pen, Style::of(other).pen);
                assert!(line.colour != other.colour || line.dash != other.dash);
            }
        }
        // For grey print: of eight runs no two have the same dashes.
        for line in 0..8 {
            for other in 0..line {
                let (line, other) = (Style::of(line), Style::of(other));
                assert!(line.pen.dash != other.pen.dash);
            }
        }
    }

    #[test]
    fn colours_are_those_of_the_report() {
        let page = include_str!("../../../../web/src/style.css");
        let light = page.split_once('}').expect("it has rules").0;
        let scale = include_str!("../../../../web/src/palette.ts");
        let hex = |Colour([red, green, blue]): Colour| format!("#{red:02x}{green:02x}{blue:02x}");
        for (number, found) in COLOURS.into_iter().enumerate() {
            assert!(light.contains(&format!("--run-{number}: {};", hex(found))), "{number}");
        }
        let shares: Vec<String> = SHARES.map(|found| format!("\"{}\"", hex(found))).to_vec();
        assert!(scale.contains(&shares.join(", ")));
        assert_eq!((shade(0.0), shade(1.0), shade(0.5)), (SHARES[0], SHARES[6], SHARES[3]));
    }
}
