//! FCT slowdown by size: for each bucket of sizes a bar to the median and a whisker to the 99th percentile.
//!
//! Models: runs with the same buckets side by side; others below.

use netloom_report::panel_data::{Report, SizeBucket, Slowdowns, independent};

use super::super::bars::{bar, whisker};
use super::super::ink::Ink;
use super::super::sheet::{Line, Sheet, name};
use super::{MOST_ALONE, cut_list};
use crate::words;

/// Columns of the sizes, with the gap after them.
const SIZES: usize = 14;
/// Fewest columns of a run: a bar of eight and two numbers.
const LEAST: usize = 8 + NUMBERS;
/// Columns of two numbers after a bar.
const NUMBERS: usize = 16;

/// Slowdowns of a run, with its number.
type Of<'a> = (usize, &'a Slowdowns);

/// The section.
pub fn sizes(sheet: &mut Sheet, report: &Report) {
    let all: Vec<Of<'_>> =
        report.slowdown.iter().enumerate().filter_map(|(run, found)| Some((run, found.as_ref()?))).collect();
    if all.is_empty() {
        return;
    }
    sheet.title(
        "FCT slowdown by size",
        &format!("{}; a bar to the median, a whisker to the 99th percentile", independent(&report.fct)),
    );
    let most = (sheet.columns().saturating_sub(SIZES) / LEAST).max(1);
    let mut left = &all[..all.len().min(MOST_ALONE)];
    while let Some(first) = left.first() {
        let alike = left.iter().take(most).take_while(|other| have_same_sizes(first.1, other.1)).count();
        beside(sheet, report, &left[..alike]);
        left = &left[alike..];
    }
    cut_list(sheet, all.len(), MOST_ALONE, "run");
}

fn have_same_sizes(one: &Slowdowns, other: &Slowdowns) -> bool {
    let sizes = |of: &Slowdowns| of.buckets.iter().map(|bucket| bucket.largest_bytes).collect::<Vec<_>>();
    sizes(one) == sizes(other)
}

/// Runs with the same buckets side by side.
fn beside(sheet: &mut Sheet, report: &Report, runs: &[Of<'_>]) {
    let width = ((sheet.columns() - SIZES) / runs.len()).clamp(LEAST, 2 * LEAST);
    let room = width - NUMBERS;
    let full = runs.iter().flat_map(|(_, of)| &of.buckets).map(|bucket| bucket.p99).fold(1.0, f64::max);
    let mut head = Line::indented(2).add(Ink::Faint, "up to").up_to(SIZES);
    for (run, _) in runs {
        let end = head.width() + width;
        head = head.add(Ink::Run(*run), &name(&report.runs[*run].name, width - 1)).up_to(end);
    }
    sheet.line(head);
    let cell = |line: Line, run: usize, bucket: &SizeBucket| {
        let end = line.width() + room;
        let (median, p99) = (bucket.p50 / full, bucket.p99 / full);
        let line = line.add(Ink::Run(run), &bar(median, room)).add(Ink::Faint, &whisker(median, p99, room));
        let line = line.up_to(end).right(Ink::Plain, &short(bucket.p50), 6);
        line.add(Ink::Faint, " to ").plain(&short(bucket.p99)).up_to(end + NUMBERS)
    };
    let first = &runs[0].1.buckets;
    let rows =
        first.iter().enumerate().map(|(row, bucket)| (words::size(bucket.largest_bytes as f64), Some(row)));
    let all = (first.len() > 1).then(|| ("all".to_owned(), None));
    for (label, row) in rows.chain(all) {
        let start = Line::indented(2).right(Ink::Plain, &label, SIZES - 4).up_to(SIZES);
        let line = runs
            .iter()
            .fold(start, |line, (run, of)| cell(line, *run, row.map_or(&of.all, |row| &of.buckets[row])));
        sheet.line(line);
    }
}

/// A slowdown in at most six columns.
fn short(number: f64) -> String {
    match number {
        n if n < 100.0 => format!("{n:.2}"),
        n if n < 10_000.0 => format!("{n:.0}"),
        n => words::amount(n),
    }
}
