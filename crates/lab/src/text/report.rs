//! The figures of runs as text: the data of the report's panels, in characters.
//!
//! Models: step times and completion times run by run, slowdown by size; then for each run its throughput and queues
//! over time, exposed communication, utilization of links, faults and losses.
//! Leaves out: panels that only the page has; the last line has the command that makes the page.
//!
//! Invariants: all bars of a section share a scale; a list that is cut states its full length.

mod course;
mod damage;
mod exposed;
mod links;
mod slowdown;
mod staged;
pub(super) mod tiers;
mod times;
mod why;

use netloom_records::Status;
use netloom_report::panel_data::{Report, SpanData};

use super::Look;
use super::ink::Ink;
use super::sheet::{Line, Sheet, name};
use crate::words;

/// Most runs that are drawn individually; sections that compare runs show all of them.
const MOST_ALONE: usize = 8;
/// Most runs in a section that compares them.
const MOST_BESIDE: usize = 40;
/// Most differing settings that are listed.
const MOST_SETTINGS: usize = 6;
/// Most columns of a run's name before its bars.
const LONGEST_LABEL: usize = 24;

/// The figures of these runs; the paths are those for the command that makes the page.
pub fn report(report: &Report, paths: &[String], look: Look) -> String {
    let mut sheet = Sheet::new(look);
    answer(&mut sheet, report);
    heads(&mut sheet, report);
    why::why(&mut sheet, report);
    times::steps(&mut sheet, report);
    times::course(&mut sheet, report);
    times::messages(&mut sheet, report);
    slowdown::sizes(&mut sheet, report);
    for number in 0..report.runs.len().min(MOST_ALONE) {
        alone(&mut sheet, report, number);
    }
    sheet.gap();
    if report.runs.len() > MOST_ALONE {
        let left_out = words::some((report.runs.len() - MOST_ALONE) as u64, "run");
        sheet.text(
            Ink::Faint,
            &format!("{left_out} more are not shown individually; name fewer to see them."),
            0,
        );
    }
    let start = Line::default().add(Ink::Faint, "The whole report, for a browser: ");
    let more = if paths.len() > MOST_ALONE { " ..." } else { "" };
    let paths = paths[..paths.len().min(MOST_ALONE)].join(" ");
    sheet.hanging(start, Ink::Plain, &format!("netloom report {paths}{more} -o report.html"));
    sheet.finish()
}

/// Which variant is better.
fn answer(sheet: &mut Sheet, report: &Report) {
    let Some(answer) = &report.answer else { return };
    sheet.heading("Answer");
    for sentence in answer.sentences() {
        let indent = if sentence.is_reason { 4 } else { 2 };
        sheet.hanging(Line::indented(indent), Ink::Plain, sentence.text);
    }
}

/// A line for each run, and the settings in which they differ.
fn heads(sheet: &mut Sheet, report: &Report) {
    sheet.heading("Runs");
    let label = label_width(report.runs.iter().map(|run| run.name.as_str()));
    for (number, run) in report.runs.iter().enumerate().take(MOST_BESIDE) {
        let (word, ink) = status(run.status);
        let start = labelled(number, &run.name, label).add(ink, word);
        let text = match &run.measured {
            Some(measured) => format!("{}, measured by {}", run.scenario, measured.by),
            None => format!(
                "{}, {} simulated, {} packets, seed {}",
                run.scenario,
                words::span(run.simulated),
                words::amount(run.packets.unwrap_or_default() as f64),
                run.seed.as_deref().unwrap_or_default(),
            ),
        };
        sheet.hanging(start.plain(": "), Ink::Plain, &text);
    }
    cut_list(sheet, report.runs.len(), MOST_BESIDE, "run");
    spans(sheet, report);
    let differing = differing(report);
    if report.runs.len() < 2 || differing.is_empty() {
        return;
    }
    sheet.text(Ink::Faint, "They differ in:", 2);
    for (path, values) in differing.iter().take(MOST_SETTINGS) {
        let more = if values.len() > MOST_ALONE { ", ..." } else { "" };
        let start = Line::indented(4).plain(&name(path, 30)).plain(": ");
        sheet.hanging(start, Ink::Plain, &(values[..values.len().min(MOST_ALONE)].join(", ") + more));
    }
    let cut = &report.settings.between;
    let rows_left_out = cut.total - cut.rows.len();
    cut_list(sheet, differing.len() + rows_left_out, MOST_SETTINGS.min(differing.len()), "setting");
}

/// The part of each run over which background messages, throughput and links are reported, if it is not the whole run.
fn spans(sheet: &mut Sheet, report: &Report) {
    let parts = || report.runs.iter().filter(|run| !run.span.whole);
    let Some(first) = parts().next() else { return };
    let why = if first.span.jobs { "while a job runs" } else { "in a part of the run" };
    sheet.text(Ink::Faint, &format!("Background messages, mean throughput and links: {why}, which is"), 2);
    for run in parts().take(MOST_BESIDE) {
        sheet.hanging(
            Line::indented(4).plain(&name(&run.name, 30)).plain(": "),
            Ink::Plain,
            &span(&run.span),
        );
    }
    cut_list(sheet, parts().count(), MOST_BESIDE, "run");
}

/// Start and end.
fn span(of: &SpanData) -> String {
    let ends = |from: f64, to: f64| format!("{} to {}", words::span(from), words::span(to));
    match of.parts.as_slice() {
        [first, .., last] => {
            let n_parts = words::some(of.parts.len() as u64, "part");
            format!("{n_parts} of {}, {} in all", ends(first[0], last[1]), words::span(of.length))
        }
        parts => parts.iter().map(|part| ends(part[0], part[1])).collect(),
    }
}

/// Settings in which the runs differ, with the value of each run.
fn differing(report: &Report) -> Vec<(String, Vec<String>)> {
    let rows = report.settings.between.rows.iter();
    let word = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
    rows.map(|row| (row.path.clone(), row.words.iter().map(word).collect())).collect()
}

/// How a run ended.
fn status(status: Status) -> (&'static str, Ink) {
    match status {
        Status::Complete => ("complete", Ink::Plain),
        Status::Stopped => ("stopped", Ink::Alarm),
        Status::Deadline => ("ended by its deadline", Ink::Plain),
        Status::Stalled => ("stalled", Ink::Alarm),
        Status::Deadlock => ("stopped by a deadlock", Ink::Alarm),
        Status::Unreachable => ("stalled, since no path led to a peer", Ink::Alarm),
    }
}

/// One run by itself.
fn alone(sheet: &mut Sheet, report: &Report, number: usize) {
    let run = &report.runs[number];
    sheet.heading(&run.name);
    let links = &report.links[number];
    let is_known = [&links.from_hosts, &links.between, &links.to_hosts].iter().any(|usage| usage.is_some());
    if !is_known && run.hops.is_none() {
        sheet.gap();
        if let Some(measured) = &run.measured {
            sheet.text(Ink::Plain, &format!("Measured by {}: {}.", measured.by, measured.source), 2);
        }
        let text = "The run has no records of its network: no ports, no packets. The results of its study are shown in \
            the browser, and by `netloom show interference`.";
        sheet.text(Ink::Faint, text, 2);
        return;
    }
    course::over_time(sheet, report.over_time[number].as_ref(), run);
    exposed::exposed(sheet, report.timeline[number].as_ref());
    staged::stages(sheet, report.stages[number].as_ref());
    tiers::tiers(sheet, &report.tier_ports[number]);
    links::busy(sheet, &report.links[number]);
    damage::faults(sheet, &report.faults[number], run.simulated);
    damage::lost(sheet, &report.faults[number], run.packets);
}

/// A line that begins with the name of a run, in its colour.
fn labelled(number: usize, label: &str, width: usize) -> Line {
    let end = 2 + width + 2;
    Line::indented(2).add(Ink::Run(number), &name(label, width)).up_to(end)
}

/// Columns of the longest of these labels, up to a limit.
fn label_width<'a>(labels: impl Iterator<Item = &'a str>) -> usize {
    let width = |label: &str| super::sheet::columns(&words::harmless(label));
    labels.map(width).max().unwrap_or(0).min(LONGEST_LABEL)
}

/// States how many items of a list are not shown.
fn cut_list(sheet: &mut Sheet, total: usize, shown: usize, noun: &str) {
    if total > shown {
        let more = words::some((total - shown) as u64, &format!("more {noun}"));
        sheet.text(Ink::Faint, &format!("... and {more}"), 4);
    }
}
