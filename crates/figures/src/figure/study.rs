//! Sweeps: times over the varied values with their intervals, and the threshold that a search found.
//!
//! Models: a line for each combination of the other values; whiskers are 95 % intervals over seeds; at a threshold, a
//! horizontal line and the shaded interval within which it lies.
//!
//! Invariants: neighbouring points are joined only where nothing else changes with them.

use netloom_report::{CurveData, CurveLine, StudyData, ThresholdData, ValueAxis};

use super::{Drawn, check_lines};
use crate::chart::frame::{Axis, Frame, room_below, room_left};
use crate::chart::legend::{BEFORE, Entry, Sign, legend};
use crate::chart::panel::upright_whisker;
use crate::chart::scale::Scale;
use crate::chart::style::{EVENT, Style};
use crate::chart::unit::{self, Unit};
use crate::chart::{NORMAL, SMALL};
use crate::draw::{Align, Colour, Picture, font};
use crate::names;
use crate::table::Table;

/// Height of a frame over its width.
const RATIO: f64 = 0.56;
/// Largest height of a frame.
const HIGHEST: f64 = 190.0;
/// Margin on the right of a frame, for half of a label.
const RIGHT: f64 = 9.0;
/// Distance between two frames.
const BETWEEN: f64 = 9.0;
/// Room beside the first and the last value, as a share of the axis.
const ROOM: f64 = 0.04;
/// Times whose smallest is above this share of the largest are drawn on an axis that does not begin at zero.
const NEAR: f64 = 0.5;
/// An interval within which a threshold lies.
const SHADE: Colour = Colour([0xdf, 0xe5, 0xeb]);

const STUDY: &[&str] =
    &["quantity", "combination", "path", "value", "number", "unit", "seeds", "mean_s", "half_interval_s"];
const THRESHOLD: &[&str] = &[
    "combination",
    "path",
    "value",
    "number",
    "unit",
    "seeds",
    "relative_difference_percent",
    "half_interval_percent",
    "threshold_percent",
    "estimate",
    "interval_low",
    "interval_high",
];

/// A frame with lines.
struct Plot<'a> {
    across: &'a ValueAxis,
    up: String,
    /// What a number of the axis on the left is worth.
    worth: f64,
    scale: Scale,
    is_joined: bool,
    lines: Vec<&'a CurveLine>,
    /// A horizontal line with its name.
    level: Option<(f64, String)>,
    /// Intervals of the axis below.
    shaded: Vec<[f64; 2]>,
}

impl Plot<'_> {
    /// Whether the first line ends, on the right, lower than it begins.
    fn is_falling(&self) -> bool {
        let ends = self.lines.first().and_then(|line| line.points.first().zip(line.points.last()));
        ends.is_some_and(|(left, right)| right.mean < left.mean)
    }
}

/// Draws the times of a sweep.
pub fn times(data: &StudyData, width: f64) -> Result<Drawn, String> {
    let first = data.curves.first().ok_or("there are no times over several values")?;
    check_lines(first.lines.len())?;
    let mut table = Table::new(STUDY);
    for curve in &data.curves {
        for (line, point) in
            curve.lines.iter().flat_map(|line| line.points.iter().map(move |point| (line, point)))
        {
            table.push([
                curve.quantity.as_str().into(),
                line.name.as_str().into(),
                curve.axis.path.as_str().into(),
                point.value.as_str().into(),
                number(&curve.axis, point.number).into(),
                curve.axis.unit.into(),
                (point.seeds as f64).into(),
                point.mean.into(),
                point.half.into(),
            ]);
        }
    }
    let plots: Vec<Plot<'_>> = data.curves.iter().map(plot_of_times).collect();
    Ok(Drawn { picture: chart(width, &plots), table, without: Vec::new() })
}

/// Draws what a search for thresholds found.
pub fn threshold(data: &ThresholdData, width: f64) -> Result<Drawn, String> {
    check_lines(data.found.len())?;
    let percent = data.threshold * 100.0;
    let mut table = Table::new(THRESHOLD);
    for found in &data.found {
        for point in &found.tried.points {
            table.push([
                found.tried.name.as_str().into(),
                data.axis.path.as_str().into(),
                point.value.as_str().into(),
                point.number.into(),
                data.axis.unit.into(),
                (point.seeds as f64).into(),
                (point.mean * 100.0).into(),
                point.half.map(|half| half * 100.0).into(),
                percent.into(),
                found.estimate.into(),
                found.interval.map(|[low, _]| low).into(),
                found.interval.map(|[_, high]| high).into(),
            ]);
        }
    }
    let lines: Vec<&CurveLine> = data.found.iter().map(|found| &found.tried).collect();
    if lines.iter().all(|line| line.points.is_empty()) {
        return Err("no value that was tried has a step time".to_owned());
    }
    let [low, high] = ends(&lines, 0.01);
    let low = if low < 0.0 { -Scale::linear(0.0, -low, 2).high } else { 0.0 };
    let plot = Plot {
        across: &data.axis,
        up: "step time longer by (%)".to_owned(),
        worth: 0.01,
        scale: Scale::linear(low, high.max(percent * 1.2), 5),
        is_joined: true,
        lines,
        level: Some((percent, format!("threshold {} %", unit::plain(percent)))),
        shaded: data.found.iter().filter_map(|found| found.interval).collect(),
    };
    Ok(Drawn { picture: chart(width, &[plot]), table, without: Vec::new() })
}

/// A position on an axis of names is no number of its data.
fn number(axis: &ValueAxis, number: f64) -> Option<f64> {
    axis.names.is_empty().then_some(number)
}

fn plot_of_times(curve: &CurveData) -> Plot<'_> {
    let lines: Vec<&CurveLine> = curve.lines.iter().collect();
    let unit = unit::span(ends(&lines, 1.0)[1]);
    let [low, high] = ends(&lines, unit.worth);
    let scale = if low > NEAR * high && low < high {
        Scale::within((low - (high - low) * 0.1).max(0.0), high + (high - low) * 0.1, 5)
    } else {
        Scale::linear(0.0, high, 5)
    };
    Plot {
        across: &curve.axis,
        up: format!("{} ({})", short(&curve.quantity), unit.name),
        worth: unit.worth,
        scale,
        is_joined: curve.is_joined,
        lines,
        level: None,
        shaded: Vec::new(),
    }
}

/// The name of a quantity as an axis has room for it.
fn short(quantity: &str) -> String {
    quantity
        .replace("99th percentile of", "p99 of")
        .replace("completion times of messages", "FCT")
        .replace("completion time of messages", "FCT")
}

/// The lowest and the highest end of the intervals of lines.
fn ends(lines: &[&CurveLine], worth: f64) -> [f64; 2] {
    let points = || lines.iter().flat_map(|line| &line.points);
    let low = points().map(|point| point.mean - point.half.unwrap_or(0.0));
    let high = points().map(|point| point.mean + point.half.unwrap_or(0.0));
    [low.fold(f64::INFINITY, f64::min), high.fold(f64::NEG_INFINITY, f64::max)].map(|end| end / worth)
}

/// The axis of values, and what one of its numbers is worth.
fn axis_of(axis: &ValueAxis, lines: &[&CurveLine]) -> (Axis, f64) {
    if !axis.names.is_empty() {
        return (Axis::Names { name: axis.path.clone(), names: axis.names.clone() }, 1.0);
    }
    let numbers = || lines.iter().flat_map(|line| line.points.iter().map(|point| point.number));
    let (low, high) = (numbers().fold(f64::INFINITY, f64::min), numbers().fold(f64::NEG_INFINITY, f64::max));
    let unit = match axis.unit {
        "s" => unit::span(high),
        "B" => unit::size(high),
        "bit/s" => unit::rate(high),
        _ => Unit { name: "", worth: 1.0 },
    };
    let (low, high) = (low / unit.worth, high / unit.worth);
    let pad = (high - low) * ROOM;
    let scale = if axis.log && low > 0.0 {
        Scale::logarithmic(low, high)
    } else {
        Scale::within(low - pad, high + pad, 5)
    };
    let name =
        if unit.name.is_empty() { axis.path.clone() } else { format!("{} ({})", axis.path, unit.name) };
    (Axis::Numbers { name, scale }, unit.worth)
}

/// Plots below each other, with one legend.
fn chart(width: f64, plots: &[Plot<'_>]) -> Picture {
    let mut picture = Picture::new(width);
    let mut top = legend(&mut picture, &entries(plots, width)) + 4.0;
    let share = if plots.len() > 1 { 0.75 } else { 1.0 };
    let named = plots.iter().map(|plot| font::width(&plot.up, NORMAL)).fold(0.0, f64::max);
    let height = (((width - 2.0 * RIGHT) * RATIO).min(HIGHEST) * share).max(named);
    let ups: Vec<Axis> =
        plots.iter().map(|plot| Axis::Numbers { name: plot.up.clone(), scale: plot.scale }).collect();
    let left = ups.iter().map(|up| room_left(up, height)).fold(0.0, f64::max);
    for (plot, up) in plots.iter().zip(ups) {
        let (across, worth) = axis_of(plot.across, &plot.lines);
        let frame = Frame { across, up, left, right: width - RIGHT, top, bottom: top + height };
        draw(&mut picture, &frame, plot, worth);
        picture.height = frame.bottom + room_below(&frame.across, frame.right - left);
        top = picture.height + BETWEEN;
    }
    picture
}

fn draw(picture: &mut Picture, frame: &Frame, plot: &Plot<'_>, worth: f64) {
    for [low, high] in &plot.shaded {
        let ends = [frame.x(low / worth), frame.x(high / worth)];
        picture.rectangle((ends[0], frame.top), (ends[1], frame.bottom), SHADE);
    }
    frame.grid(picture);
    if let Some((level, name)) = &plot.level {
        let y = frame.y(*level);
        picture.line(vec![(frame.left, y), (frame.right, y)], EVENT);
        // Where the lines are low.
        let (x, align) = if plot.is_falling() {
            (frame.right - 4.0, Align::End)
        } else {
            (frame.left + 4.0, Align::Start)
        };
        picture.words(name.as_str(), (x, y - 2.5), align, SMALL);
    }
    let beside = |nth: usize| (nth as f64 - (plot.lines.len() as f64 - 1.0) / 2.0) * 1.5;
    for (nth, line) in plot.lines.iter().enumerate() {
        let style = Style::of(nth);
        let at = |number: f64, mean: f64| (frame.x(number / worth), frame.y(mean / plot.worth));
        let points: Vec<_> = line.points.iter().map(|point| at(point.number, point.mean)).collect();
        if plot.is_joined {
            picture.line(points.clone(), style.pen);
        }
        for (point, &middle) in line.points.iter().zip(&points) {
            if let Some(half) = point.half {
                let [low, high] = [-half, half].map(|half| frame.y((point.mean + half) / plot.worth));
                upright_whisker(picture, middle.0 + beside(nth), (low, high), style.pen.colour);
            }
            style.draw_mark(picture, middle);
        }
    }
    frame.axes(picture, true);
}

fn entries(plots: &[Plot<'_>], width: f64) -> Vec<Entry> {
    let Some(first) = plots.first() else { return Vec::new() };
    let whole: Vec<&str> = first.lines.iter().map(|line| line.name.as_str()).collect();
    let called = names::fitting(&whole, width - BEFORE);
    let named = called.into_iter().enumerate().filter(|(_, name)| !name.is_empty());
    let mut entries: Vec<Entry> =
        named.map(|(nth, name)| Entry { sign: Sign::Line(Style::of(nth), true), name }).collect();
    if entries.is_empty() {
        entries.push(Entry { sign: Sign::Line(Style::of(0), true), name: "mean, 95 % interval".to_owned() });
    }
    if plots.iter().any(|plot| !plot.shaded.is_empty()) {
        entries.push(Entry { sign: Sign::Bar, name: "interval of the threshold".to_owned() });
    }
    entries
}
