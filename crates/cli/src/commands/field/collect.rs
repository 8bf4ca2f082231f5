//! `netloom field collect`: converts the results of a study to measured runs.

use netloom_lab::field::{Collected, Collection, collect};
use netloom_lab::{ExitCode, LabError, words};

use crate::arguments::FieldCollect;
use crate::commands::run::{command_line, overwrite};
use crate::output::Output;
use crate::table::{Lean, Table};

/// Collects the results and prints the means.
pub fn study(arguments: &FieldCollect, output: &mut Output) -> Result<ExitCode, LabError> {
    let collected = collect(&Collection {
        study: arguments.study.clone(),
        folder: arguments.output.clone(),
        is_partial: arguments.partial,
        overwrite: overwrite(arguments.force),
        command: command_line(),
    })?;
    if arguments.json {
        output.json(&collected)?;
    } else if !arguments.quiet {
        print(&collected, output);
    }
    for missing in &collected.missing {
        output.note(format!("missing: {missing}"));
    }
    Ok(collected.exit_code())
}

fn print(collected: &Collected, output: &mut Output) {
    let numbers = ["baseline", "congested", "ratio"].map(|title| (title, Lean::Right));
    let mut table = Table::new([("point", Lean::Left)].into_iter().chain(numbers));
    let span = |seconds: Option<f64>| seconds.map_or_else(|| "-".to_owned(), words::span);
    for point in collected.points.iter().filter(|point| point.baseline_s.or(point.congested_s).is_some()) {
        let ratio = point.baseline_s.zip(point.congested_s).filter(|(_, congested)| *congested > 0.0);
        table.row([
            point.name.clone(),
            span(point.baseline_s),
            span(point.congested_s),
            ratio.map_or_else(
                || "-".to_owned(),
                |(baseline, congested)| format!("{:.3}", baseline / congested),
            ),
        ]);
    }
    if collected.points.iter().any(|point| point.baseline_s.or(point.congested_s).is_some()) {
        output.lines(table.lines());
        output.line("");
    }
    let mut printed: Vec<&String> = Vec::new();
    for detail in collected.points.iter().flat_map(|point| &point.details) {
        if !printed.contains(&detail) {
            printed.push(detail);
            output.note(format!("note: {detail}"));
        }
    }
    let points = words::some(collected.points.len() as u64, "point");
    output.line(format!("folder {}: {points}", collected.folder.display()));
}
