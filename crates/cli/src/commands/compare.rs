//! `netloom compare`: runs side by side.

use std::path::PathBuf;

use netloom_lab::compare::{Cell, Comparison, METRICS, Metric, Row, Unit, compare_folders};
use netloom_lab::sweep::{SweepState, unfinished_sweeps};
use netloom_lab::{AnswerData, ExitCode, LabError, ReasonRequest, Sentence, Status, SweepProgress, words};

use super::run::status_word;
use crate::arguments::{Compare, ComparedRuns};
use crate::interrupt;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::{Lean, Table};

/// Compares run folders.
pub fn compare(arguments: &Compare, output: &mut Output) -> Result<ExitCode, LabError> {
    let ComparedRuns { runs, over, baseline, why } = &arguments.compared;
    let comparison = with_reasons(*why, !arguments.json, output, |reasons| {
        compare_folders(runs, *over, baseline.as_deref(), reasons)
    })?;
    if arguments.json {
        output.json(&comparison.to_json())?;
    } else {
        print(&comparison, output);
    }
    for note in &comparison.notes {
        output.note(note);
    }
    Ok(code_of(&comparison.unfinished))
}

/// Notes the unfinished sweeps among the folders; returns the exit code.
pub fn note_unfinished(folders: &[PathBuf], output: &mut Output) -> Result<ExitCode, LabError> {
    let unfinished = unfinished_sweeps(folders)?;
    for sweep in &unfinished {
        output.note(sweep.words());
    }
    Ok(code_of(&unfinished))
}

/// What was not computed to its end is not good, although what is there was shown.
fn code_of(unfinished: &[SweepState]) -> ExitCode {
    if unfinished.is_empty() { ExitCode::Good } else { ExitCode::StoppedEarly }
}

/// What `find` finds, with reasons if they are wanted, while their progress is shown.
pub fn with_reasons<T>(
    wanted: bool,
    is_shown: bool,
    output: &mut Output,
    find: impl FnOnce(Option<&ReasonRequest<'_>>) -> T,
) -> T {
    if !wanted {
        return find(None);
    }
    let progress = Progress::new(is_shown);
    let on_progress = |now: &SweepProgress| progress.sweep(now);
    let stop = Some(interrupt::stop_flag(output));
    let found =
        find(Some(&ReasonRequest { stop, on_progress: Some(&on_progress), ..ReasonRequest::default() }));
    progress.clear();
    found
}

/// Prints which variant is better, the values, their change relative to the baseline, and which runs are not complete.
pub fn print(comparison: &Comparison, output: &mut Output) {
    if comparison.rows.is_empty() {
        return;
    }
    print_answer(comparison.answer.as_ref(), output);
    output.lines(table(&comparison.rows, "run", value).lines());
    let others: Vec<&Row> = comparison.rows.iter().filter(|row| row.run != comparison.baseline).collect();
    if !others.is_empty() {
        output.line("");
        print_changes(&others, &comparison.baseline, output);
    }
    output.lines(spans(comparison));
    for row in comparison.rows.iter().filter(|row| row.status != Status::Complete) {
        output.line(format!("{}: {}", row.run, status_word(row.status)));
    }
}

/// The changes of these rows relative to the baseline; says so where a run has no figure in common with it.
fn print_changes(others: &[&Row], baseline: &str, output: &mut Output) {
    let compares = |row: &Row| row.cells.iter().flatten().any(|cell| cell.ratio.is_some());
    let compared: Vec<&Row> = others.iter().copied().filter(|row| compares(row)).collect();
    if !compared.is_empty() {
        output.lines(table(compared.iter().copied(), &format!("vs {baseline}"), change).lines());
    }
    let mut alone: Vec<&str> = others.iter().map(|row| row.run.as_str()).collect();
    alone.dedup();
    for run in alone.into_iter().filter(|run| compared.iter().all(|row| row.run != **run)) {
        output.line(format!("{run}: no figure above zero in common with {baseline}"));
    }
}

/// The sentences of an answer, and a gap.
pub fn print_answer(answer: Option<&AnswerData>, output: &mut Output) {
    if let Some(answer) = answer {
        let line = |said: Sentence<'_>| format!("{}{}", if said.is_reason { "  " } else { "" }, said.text);
        output.lines(answer.sentences().map(line));
        output.line("");
    }
}

/// The parts of the runs that FCT statistics cover, if any; runs with the same part share a line.
fn spans(comparison: &Comparison) -> Vec<String> {
    let mut reported: Vec<(String, Vec<&str>)> = Vec::new();
    for (run, span) in &comparison.spans {
        let words = span.words();
        match reported.iter_mut().find(|(known, _)| *known == words) {
            Some((_, runs)) => runs.push(run),
            None => reported.push((words, vec![run])),
        }
    }
    let Some((first, _)) = reported.first() else { return Vec::new() };
    let head = "FCT: of background messages and finite flows that started";
    if reported.len() == 1 {
        return vec![String::new(), format!("{head} {first}")];
    }
    let each = reported.iter().map(|(words, runs)| format!("  {}: {words}", runs.join(", ")));
    [String::new(), head.to_owned()].into_iter().chain(each).collect()
}

/// A line for each row; a run with several rows is named once, and jobs are named only if some run has several rows.
fn table<'a>(
    rows: impl IntoIterator<Item = &'a Row>,
    title: &str,
    text: fn(&Metric, &Cell) -> String,
) -> Table {
    let rows: Vec<&Row> = rows.into_iter().collect();
    let several_parts = rows.windows(2).any(|two| two[0].run == two[1].run);
    let numbers = METRICS.iter().map(|metric| (metric.title, Lean::Right));
    let mut table =
        Table::new([title, "job", "stage"].map(|title| (title, Lean::Left)).into_iter().chain(numbers));
    let mut last = "";
    for row in rows {
        let run = if row.run == last { String::new() } else { row.run.clone() };
        let job = row.job.clone().filter(|_| several_parts).unwrap_or_default();
        let stage = row.stage.map(|stage| stage.to_string()).unwrap_or_default();
        let cell = |(metric, cell): (&Metric, &Option<Cell>)| {
            cell.as_ref().map_or_else(String::new, |cell| text(metric, cell))
        };
        table.row([run, job, stage].into_iter().chain(METRICS.iter().zip(&row.cells).map(cell)));
        last = &row.run;
    }
    table
}

fn value(metric: &Metric, cell: &Cell) -> String {
    match metric.unit {
        Unit::Seconds => words::span(cell.value),
        Unit::Bytes => words::size(cell.value),
        Unit::Packets => words::count(cell.value as u64),
        Unit::BitsPerSecond => words::bit_rate(cell.value),
        Unit::Share => words::percent(cell.value),
        Unit::One => format!("{:.4}", cell.value),
        Unit::BitsPerSecondSquared => format!("{} (Gbps)^2", words::number(cell.value / 1e18)),
    }
}

fn change(_: &Metric, cell: &Cell) -> String {
    cell.ratio.map(words::change).unwrap_or_default()
}
