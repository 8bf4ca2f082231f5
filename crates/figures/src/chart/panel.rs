//! A line chart: legend, panels below each other, axes.
//!
//! Models: lines through points, or in steps; marks at points; vertical lines at events.
//!
//! Invariants: the size of fonts does not depend on the width; lines that coincide are all visible.

use super::NORMAL;
use super::frame::{Axis, Frame, room_below, room_left};
use super::legend::{Entry, legend};
use super::style::{EVENT, Style, WHISKER};
use crate::draw::{Colour, Pen, Picture, Point, font};

/// Height of a frame over its width.
const RATIO: f64 = 0.56;
/// Largest height of a frame.
const HIGHEST: f64 = 190.0;
/// Margin on the right of a frame, for half of a label.
const RIGHT: f64 = 9.0;
/// Distance between two frames.
const BETWEEN: f64 = 9.0;
/// Margin above the first frame, for half of a label.
const TOP: f64 = 4.0;

/// How the points of a line are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// By straight lines.
    Straight,
    /// By steps: a value holds until the next point.
    Steps,
}

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// In units of the axes.
    pub points: Vec<Point>,
    /// Its style.
    pub style: Style,
    /// How its points are joined.
    pub join: Join,
    /// Whether its points have marks.
    pub is_marked: bool,
}

/// A frame with lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// The axis below; if the next panel has the same one, only that panel shows it.
    pub across: Axis,
    /// The axis on the left.
    pub up: Axis,
    /// Lines.
    pub lines: Vec<Line>,
    /// Vertical lines, in units of the axis below.
    pub events: Vec<f64>,
}

/// A chart of panels below each other.
pub fn chart(width: f64, entries: &[Entry], panels: &[Panel]) -> Picture {
    let mut picture = Picture::new(width);
    let mut top = legend(&mut picture, entries) + TOP;
    // Two panels together are less than twice as high as a single one.
    let share = if panels.len() > 1 { 0.75 } else { 1.0 };
    let named = panels.iter().map(|panel| font::width(panel.up.name(), NORMAL)).fold(0.0, f64::max);
    let height = ((width - 2.0 * RIGHT) * RATIO).min(HIGHEST).max(named / share) * share;
    let left = panels.iter().map(|panel| room_left(&panel.up, height)).fold(0.0, f64::max);
    for (nth, panel) in panels.iter().enumerate() {
        let frame = Frame {
            across: panel.across.clone(),
            up: panel.up.clone(),
            left,
            right: width - RIGHT,
            top,
            bottom: top + height,
        };
        let is_named = panels.get(nth + 1).is_none_or(|next| next.across != panel.across);
        draw(&mut picture, &frame, panel, is_named);
        let below = if is_named { room_below(&panel.across, frame.right - left) } else { 0.0 };
        picture.height = frame.bottom + below;
        top = picture.height + BETWEEN;
    }
    picture
}

fn draw(picture: &mut Picture, frame: &Frame, panel: &Panel, is_named: bool) {
    frame.grid(picture);
    for event in &panel.events {
        picture.line(vec![(frame.x(*event), frame.top), (frame.x(*event), frame.bottom)], EVENT);
    }
    for line in &back_to_front(&panel.lines) {
        let points: Vec<Point> = line.points.iter().map(|point| frame.at(*point)).collect();
        let through = if line.join == Join::Steps { steps(&points) } else { points.clone() };
        picture.line(through, line.style.pen);
        if line.is_marked {
            for point in &points {
                line.style.draw_mark(picture, *point);
            }
        }
    }
    frame.axes(picture, is_named);
}

/// Lines sorted such that those with the widest gaps come last: lines below them remain visible through the gaps.
fn back_to_front(lines: &[Line]) -> Vec<&Line> {
    let mut order: Vec<&Line> = lines.iter().collect();
    order.sort_by(|left, right| left.style.gaps().total_cmp(&right.style.gaps()));
    order
}

/// A step: first horizontal, then vertical.
fn steps(points: &[Point]) -> Vec<Point> {
    let mut through: Vec<Point> = points.first().copied().into_iter().collect();
    for two in points.windows(2) {
        let corner = (two[1].0, two[0].1);
        if corner != two[0] && corner != two[1] {
            through.push(corner);
        }
        through.push(two[1]);
    }
    through
}

/// A horizontal interval with two ends.
pub fn whisker(picture: &mut Picture, y: f64, (low, high): (f64, f64)) {
    picture.line(vec![(low, y), (high, y)], WHISKER);
    for end in [low, high] {
        picture.line(vec![(end, y - 2.0), (end, y + 2.0)], WHISKER);
    }
}

/// A vertical interval with two ends.
pub fn upright_whisker(picture: &mut Picture, x: f64, (low, high): (f64, f64), colour: Colour) {
    let pen = Pen::solid(colour, WHISKER.width);
    picture.line(vec![(x, low), (x, high)], pen);
    for end in [low, high] {
        picture.line(vec![(x - 1.6, end), (x + 1.6, end)], pen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_holds_until_the_next_one() {
        let through = steps(&[(0.0, 1.0), (2.0, 3.0), (2.0, 4.0)]);
        assert_eq!(through, [(0.0, 1.0), (2.0, 1.0), (2.0, 3.0), (2.0, 4.0)]);
        assert!(steps(&[]).is_empty());
    }
}
