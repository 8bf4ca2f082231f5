//! A paper's figures as tables: published numbers beside simulated ones.
//!
//! Models: for each run of a figure the published number, the simulated mean over seeds with its 95 % confidence
//! interval, and whether the published number is within the 99 % prediction interval of single runs; the same for
//! ratios of two runs, where a figure requests them.
//! Leaves out: heat maps (`drawn`).

use super::bench::{Asked, Bench};
use super::claims::Figure;
use super::paper::Target;
use super::report::Report;
use super::table::{figure, known};
use crate::sample::Sample;

/// All figures as Markdown; empty for a paper without figures.
///
/// A figure without runs is left out.
pub(super) fn figures(report: &Report) -> String {
    let parts = report.paper.claims.figures.iter().filter_map(|figure| section(report, figure));
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { String::new() } else { format!("{}{}", head(&report.paper.id), parts.join("\n")) }
}

fn head(paper: &str) -> String {
    format!(
        "# The figures of {paper} as numbers\n\n\
         Written by `netloom reproduce {paper} -o FOLDER`.\n\
         Simulated figures are means over seeds; ± is half the 95 % confidence interval of the mean.\n\
         An asterisk marks a published figure as far from the mean as fewer than 1 % of single simulated runs would be.\n\n"
    )
}

fn section(report: &Report, figure: &Figure) -> Option<String> {
    let checked = "figures are checked when the paper is read";
    let rows = report.paper.rows(figure).expect(checked);
    let below = report.paper.rows_below(figure).expect(checked);
    let row = |(number, target): (usize, &Target)| {
        let divisor = below.as_ref().map(|below| &below[number]);
        row(report, figure, target, divisor)
    };
    let lines: Vec<String> = rows.iter().enumerate().filter_map(row).collect();
    if lines.is_empty() {
        return None;
    }
    let names = figure.quantities.iter().flat_map(|quantity| {
        let column = quantity.column();
        let ratio = figure.per.as_ref().map(|_| format!("{column}, ratio"));
        [Some(column.to_owned()), ratio].into_iter().flatten()
    });
    let columns: Vec<String> =
        names.map(|name| format!(" {name}, published | {name}, simulated |")).collect();
    let heading = format!("| run | seeds |{}", columns.concat());
    let rule = format!("|---|--:|{}", "--:|--:|".repeat(columns.len()));
    let per = below.map_or(String::new(), |below| format!("\n\n{}", in_words(&rows, &below, figure)));
    let Figure { name, shows, .. } = figure;
    Some(format!("## {name}\n\n{shows}{per}\n\n{heading}\n{rule}\n{}", lines.concat()))
}

/// Describes the numerators and denominators of the ratios.
fn in_words(rows: &[Target], below: &[Target], figure: &Figure) -> String {
    let by = figure.per.as_ref().and_then(|per| per.quantity);
    let what = by.map_or(String::new(), |quantity| format!("`{}` of ", quantity.column()));
    let pair = |(row, below): (&Target, &Target)| format!("`{}` over {what}`{}`", row.name(), below.name());
    let first = rows.iter().zip(below).map(pair).next().unwrap_or_default();
    format!("Ratios are those of a run to another one: {first}, and so on.")
}

/// The row of a run or part; `None` if it was not run.
fn row(report: &Report, figure: &Figure, target: &Target, divisor: Option<&Target>) -> Option<String> {
    let bench = Bench { paper: &report.paper, runs: &report.runs };
    let n_runs = report.runs.iter().filter(|run| run.run == target.run).count();
    if n_runs == 0 {
        return None;
    }
    let by = figure.per.as_ref().and_then(|per| per.quantity);
    let asked = figure.quantities.iter().flat_map(|&quantity| {
        let above = (target.of(quantity), quantity);
        let by = by.unwrap_or(quantity);
        let ratio = divisor.map(|divisor| Asked { above: above.clone(), below: Some((divisor.of(by), by)) });
        [Some(Asked { above, below: None }), ratio].into_iter().flatten()
    });
    let cells: Vec<String> = asked.map(|asked| cells(&bench, &asked)).collect();
    Some(format!("| {} | {n_runs} | {} |\n", target.name(), cells.join(" | ")))
}

/// The published and the simulated number; an asterisk marks a published one outside the prediction interval.
fn cells(bench: &Bench<'_>, asked: &Asked) -> String {
    let (published, simulated) = (bench.published(asked), bench.simulated(asked));
    let interval = Sample::of(&bench.by_seed(asked)).and_then(|sample| sample.prediction());
    let outside = interval.is_some_and(|interval| !published.is_nan() && !interval.holds(published));
    let mark = if outside { "*" } else { "" };
    format!("{}{mark} | {}", figure(published), known((&simulated, bench.half(asked))))
}
