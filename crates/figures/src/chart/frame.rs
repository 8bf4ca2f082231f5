//! A frame: the area of the data, with an axis below and one on the left.
//!
//! Models: room for labels and names by their widths; ticks inwards, with small ticks between them on logarithmic axes;
//! labels that would touch each other are left out.

use super::scale::{Scale, Tick};
use super::style::{AXIS, GRID};
use super::unit::plain;
use super::{MIDDLE, NORMAL, SMALL};
use crate::draw::{Align, Picture, Point, Turn, font};

/// Length of a tick, and of a small one.
const TICK: f64 = 2.6;
const SMALL_TICK: f64 = 1.5;
/// Distance between an axis and its labels.
const GAP: f64 = 3.0;
/// Height of a row of labels.
const LABELS: f64 = 8.0;
/// Height of a row with the name of an axis.
const NAME: f64 = 9.5;
/// Smallest distance between labels along an axis.
const APART: f64 = 4.0;
/// Largest height of slanted labels below an axis.
const ASLANT: f64 = 34.0;

/// The quantity of an axis.
#[derive(Debug, Clone, PartialEq)]
pub enum Axis {
    /// Numbers.
    Numbers {
        /// Name and unit.
        name: String,
        /// The scale, in the unit at the ticks.
        scale: Scale,
    },
    /// Names at equal distances: the first at 0, the last at their number less one.
    Names {
        /// Name of the axis.
        name: String,
        /// The names.
        names: Vec<String>,
    },
}

impl Axis {
    /// Its name, with the unit.
    pub fn name(&self) -> &str {
        let (Axis::Numbers { name, .. } | Axis::Names { name, .. }) = self;
        name
    }

    /// Position of a number, from 0 to 1; names are in the middle of parts of equal size.
    fn position(&self, number: f64) -> f64 {
        match self {
            Axis::Numbers { scale, .. } => scale.position(number),
            Axis::Names { names, .. } => (number + 0.5) / names.len().max(1) as f64,
        }
    }
}

/// The area of the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// The axis below.
    pub across: Axis,
    /// The axis on the left.
    pub up: Axis,
    /// From here to there.
    pub left: f64,
    /// From here to there.
    pub right: f64,
    /// From here to there.
    pub top: f64,
    /// From here to there.
    pub bottom: f64,
}

/// Room on the left of a frame for this axis: labels, and its name beside them.
pub fn room_left(up: &Axis, height: f64) -> f64 {
    let labels = labels(up, height, LABELS + APART);
    let widest = labels.iter().map(|(_, text)| font::width(text, SMALL)).fold(0.0, f64::max);
    widest + GAP + NAME + 0.5
}

/// Room below a frame for this axis.
pub fn room_below(across: &Axis, width: f64) -> f64 {
    match across {
        Axis::Names { names, .. } if is_aslant(names, width) => {
            let widest = names.iter().map(|name| font::width(name, SMALL)).fold(0.0, f64::max);
            (widest * std::f64::consts::FRAC_1_SQRT_2 + SMALL).min(ASLANT) + GAP + NAME
        }
        _ => GAP + LABELS + NAME + 1.0,
    }
}

/// Number of labels that fit along an axis; labels beside each other need their widths.
fn room(axis: &Axis, length: f64, each: f64) -> usize {
    let widest = match axis {
        Axis::Numbers { scale, .. } => {
            [scale.low, scale.high].map(|end| font::width(&plain(end), SMALL)).into_iter().fold(0.0, f64::max)
        }
        Axis::Names { .. } => 0.0,
    };
    (length / if each > 0.0 { each } else { widest + APART }) as usize
}

/// Labels with their positions.
fn labels(axis: &Axis, length: f64, each: f64) -> Vec<(f64, String)> {
    match axis {
        Axis::Numbers { scale, .. } => {
            let ticks = scale.ticks(room(axis, length, each)).into_iter();
            ticks.filter(|tick| tick.is_labelled).map(|tick| (tick.at, plain(tick.at))).collect()
        }
        Axis::Names { names, .. } => {
            // Every second, third ... label if there is no room for all.
            let every = ((each * names.len() as f64) / length).ceil().max(1.0) as usize;
            let all = names.iter().enumerate().step_by(every);
            all.map(|(nth, name)| (nth as f64, name.clone())).collect()
        }
    }
}

fn is_aslant(names: &[String], width: f64) -> bool {
    let widest = names.iter().map(|name| font::width(name, SMALL)).fold(0.0, f64::max);
    (widest + APART) * names.len() as f64 > width
}

impl Frame {
    /// Position of a number of the axis below.
    pub fn x(&self, number: f64) -> f64 {
        self.left + self.across.position(number) * (self.right - self.left)
    }

    /// Position of a number of the axis on the left.
    pub fn y(&self, number: f64) -> f64 {
        self.bottom - self.up.position(number) * (self.bottom - self.top)
    }

    /// Position of a pair of numbers.
    pub fn at(&self, (x, y): Point) -> Point {
        (self.x(x), self.y(y))
    }

    /// Draws the grid, behind all data.
    pub fn grid(&self, picture: &mut Picture) {
        if let Axis::Numbers { .. } = self.up {
            for (at, _) in labels(&self.up, self.bottom - self.top, LABELS + APART) {
                picture.line(vec![(self.left, self.y(at)), (self.right, self.y(at))], GRID);
            }
        }
        if let Axis::Numbers { .. } = self.across {
            for (at, _) in labels(&self.across, self.right - self.left, 0.0) {
                picture.line(vec![(self.x(at), self.top), (self.x(at), self.bottom)], GRID);
            }
        }
    }

    /// Draws axes, ticks, labels and names; `is_named` says whether the axis below has labels of its own.
    pub fn axes(&self, picture: &mut Picture, is_named: bool) {
        let corners = [
            (self.left, self.top),
            (self.right, self.top),
            (self.right, self.bottom),
            (self.left, self.bottom),
            (self.left, self.top),
        ];
        picture.line(corners.to_vec(), AXIS);
        self.left_axis(picture);
        self.ticks_below(picture);
        if is_named {
            self.labels_below(picture);
        }
    }

    fn left_axis(&self, picture: &mut Picture) {
        let height = self.bottom - self.top;
        if let Axis::Numbers { scale, .. } = &self.up {
            for tick in scale.ticks(room(&self.up, height, LABELS + APART)) {
                let (y, long) = (self.y(tick.at), length(tick, scale));
                picture.line(vec![(self.left, y), (self.left + long, y)], AXIS);
                picture.line(vec![(self.right - long, y), (self.right, y)], AXIS);
            }
        }
        for (at, text) in labels(&self.up, height, LABELS + APART) {
            let at = (self.left - GAP, self.y(at) + SMALL * MIDDLE);
            picture.words(text, at, Align::End, SMALL);
        }
        // The names of all frames of a picture are aligned at its edge.
        let middle = (NORMAL * 0.85 + 0.5, f64::midpoint(self.top, self.bottom));
        picture.turned(self.up.name(), middle, Align::Middle, Turn::Upright, NORMAL);
    }

    fn ticks_below(&self, picture: &mut Picture) {
        let mut tick = |x: f64, long: f64| {
            picture.line(vec![(x, self.bottom - long), (x, self.bottom)], AXIS);
            picture.line(vec![(x, self.top), (x, self.top + long)], AXIS);
        };
        match &self.across {
            Axis::Numbers { scale, .. } => {
                let ticks = scale.ticks(room(&self.across, self.right - self.left, 0.0));
                for found in ticks {
                    tick(self.x(found.at), length(found, scale));
                }
            }
            Axis::Names { names, .. } => {
                (0..names.len()).for_each(|nth| tick(self.x(nth as f64), SMALL_TICK));
            }
        }
    }

    fn labels_below(&self, picture: &mut Picture) {
        let width = self.right - self.left;
        let y = self.bottom + GAP + SMALL * 0.85;
        match &self.across {
            Axis::Names { names, .. } if is_aslant(names, width) => {
                for (at, text) in labels(&self.across, width, LABELS + 2.0) {
                    let text = font::shortened(&text, SMALL, ASLANT * 1.3);
                    let at = (self.x(at) + SMALL * 0.4, self.bottom + GAP + SMALL * 0.5);
                    picture.turned(text, at, Align::End, Turn::Aslant, SMALL);
                }
            }
            axis => {
                for (at, text) in labels(axis, width, 0.0) {
                    picture.words(text, (self.x(at), y), Align::Middle, SMALL);
                }
            }
        }
        let below = self.bottom + room_below(&self.across, width) - NORMAL * 0.3;
        let name = font::shortened(self.across.name(), NORMAL, picture.width);
        // A name longer than its axis must not leave the paper.
        let half = font::width(&name, NORMAL) / 2.0;
        let middle = f64::midpoint(self.left, self.right).min(picture.width - half).max(half);
        picture.words(name, (middle, below), Align::Middle, NORMAL);
    }
}

/// Small ticks are those without a label.
fn length(tick: Tick, scale: &Scale) -> f64 {
    if tick.is_labelled || !scale.is_log() { TICK } else { SMALL_TICK }
}
