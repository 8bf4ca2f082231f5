//! Throughput to all hosts together, and the largest backlog of a switch, over simulated time: a line for each run.
//!
//! Models: faults as vertical lines; faults at the start of a run are no events.

use netloom_report::panel_data::{EventData, OverTime};

use super::{Drawn, Run, check_lines, largest, without};
use crate::chart::frame::Axis;
use crate::chart::legend::{Entry, Sign};
use crate::chart::panel::{Join, Line, Panel, chart};
use crate::chart::scale::Scale;
use crate::chart::style::Style;
use crate::chart::unit::{self, Unit};
use crate::table::{Cell, Table};

/// A quantity over time.
struct Quantity {
    name: &'static str,
    columns: &'static [&'static str],
    unit: fn(f64) -> Unit,
    read: fn(&OverTime, usize) -> f64,
    join: Join,
}

const THROUGHPUT: Quantity = Quantity {
    name: "throughput to all hosts",
    columns: &["run", "time_s", "interval_s", "throughput_bit_per_s", "event"],
    unit: unit::rate,
    read: |found, number| found.throughput[number],
    join: Join::Steps,
};

const QUEUES: Quantity = Quantity {
    name: "largest backlog of a switch",
    columns: &["run", "time_s", "interval_s", "largest_backlog_B", "event"],
    unit: unit::size,
    read: |found, number| found.backlog[number] as f64,
    join: Join::Straight,
};

/// The end of an interval, in seconds.
fn end(found: &OverTime, number: usize) -> f64 {
    (number as f64 + 1.0) * found.interval
}

/// Throughput over time.
pub fn throughput(runs: &[Run], width: f64) -> Result<Drawn, String> {
    draw(runs, width, &THROUGHPUT)
}

/// The largest backlog at switches over time.
pub fn queues(runs: &[Run], width: f64) -> Result<Drawn, String> {
    draw(runs, width, &QUEUES)
}

fn draw(runs: &[Run], width: f64, quantity: &Quantity) -> Result<Drawn, String> {
    let none = "nothing was sampled over time: `record: { series: 10us }` samples every port";
    let (with, lacking) = without(runs, |run| run.over_time.as_ref(), none)?;
    check_lines(with.len())?;
    let mut table = Table::new(quantity.columns);
    let (mut lines, mut events, mut entries) = (Vec::new(), Vec::new(), Vec::new());
    for (number, run, found) in &with {
        write_rows(&mut table, quantity, run, found);
        events.extend(happened(run).map(|event| event.time));
        lines.push((*number, *found));
        entries.push(Entry { sign: Sign::Line(Style::of(*number), false), name: run.called.clone() });
    }
    let last = largest(
        with.iter().map(|(_, _, found)| end(found, found.throughput.len() - 1)).chain(events.iter().copied()),
    );
    // An event that several runs have is drawn as one line.
    events.sort_by(f64::total_cmp);
    events.dedup();
    if !events.is_empty() {
        entries.push(Entry { sign: Sign::Event, name: "event (fault or repair)".to_owned() });
    }
    let picture = chart(width, &entries, &[panel(quantity, &lines, &events, last)]);
    Ok(Drawn { picture, table, without: lacking })
}

/// Rows of intervals, then rows of events.
fn write_rows(table: &mut Table, quantity: &Quantity, run: &Run, found: &OverTime) {
    for nth in 0..found.throughput.len() {
        let value = (quantity.read)(found, nth);
        table.push([
            run.name().into(),
            end(found, nth).into(),
            found.interval.into(),
            value.into(),
            Cell::Absent,
        ]);
    }
    for event in happened(run) {
        let what = event_text(event).as_str().into();
        table.push([run.name().into(), event.time.into(), Cell::Absent, Cell::Absent, what]);
    }
}

fn panel(quantity: &Quantity, lines: &[(usize, &OverTime)], events: &[f64], last: f64) -> Panel {
    let values = |found: &OverTime| -> Vec<f64> {
        (0..found.throughput.len()).map(|nth| (quantity.read)(found, nth)).collect()
    };
    let most = largest(lines.iter().flat_map(|(_, found)| values(found)));
    let (unit, span) = ((quantity.unit)(most), unit::span(last));
    let line = |(number, found): &(usize, &OverTime)| Line {
        points: points(found, &values(found), quantity.join, span.worth, unit.worth),
        style: Style::of(*number),
        join: quantity.join,
        is_marked: false,
    };
    Panel {
        across: Axis::Numbers {
            name: format!("simulated time ({})", span.name),
            scale: Scale::within(0.0, last / span.worth, 5),
        },
        up: Axis::Numbers {
            name: format!("{} ({})", quantity.name, unit.name),
            // A line at the largest value must stay below the frame.
            scale: Scale::within(0.0, most / unit.worth * 1.06, 6),
        },
        lines: lines.iter().map(line).collect(),
        events: events.iter().map(|time| time / span.worth).collect(),
    }
}

/// A mean holds over its whole interval; a backlog is sampled at the end of the interval.
fn points(found: &OverTime, values: &[f64], join: Join, second: f64, one: f64) -> Vec<(f64, f64)> {
    let mut ends = values.iter().enumerate().map(|(nth, value)| (end(found, nth) / second, value / one));
    if join == Join::Straight {
        return std::iter::once((0.0, 0.0)).chain(ends).collect();
    }
    let starts = values.iter().enumerate().map(|(nth, value)| {
        let start = if nth == 0 { 0.0 } else { end(found, nth - 1) };
        (start / second, value / one)
    });
    starts.chain(ends.next_back()).collect()
}

fn happened(run: &Run) -> impl Iterator<Item = &EventData> {
    run.events.iter().filter(|event| event.time > 0.0)
}

fn event_text(event: &EventData) -> String {
    format!("{} {} {}", event.target, event.name, event.action)
}
