//! A paper's figures as tables: published numbers beside ours.
//!
//! Models: for each run of a figure what was published, our mean over seeds with its 95 % confidence interval, and whether
//! the published number lies where 99 % of single runs do.
//! Leaves out: pictures.

use super::claims::Figure;
use super::paper::{Paper, Target};
use super::quantity::Quantity;
use super::report::Report;
use super::runs::Measured;
use super::table::{figure, known};
use crate::sample::Sample;

/// All figures as Markdown; empty for a paper without any.
///
/// A figure that these runs say nothing about is left out.
pub(super) fn figures(report: &Report) -> String {
    let parts = report.paper.claims.figures.iter().filter_map(|figure| section(report, figure));
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { String::new() } else { format!("{}{}", head(&report.paper.id), parts.join("\n")) }
}

fn head(paper: &str) -> String {
    format!(
        "# The figures of {paper} as numbers\n\n\
         Written by `netloom reproduce {paper} -o FOLDER`.\n\
         Ours are means over seeds; ± is half the 95 % confidence interval of the mean.\n\
         An asterisk marks a published figure that lies where less than 1 % of our single runs would.\n\n"
    )
}

fn section(report: &Report, figure: &Figure) -> Option<String> {
    let rows = report.paper.rows(figure).expect("figures are checked when the paper is read");
    let lines: Vec<String> = rows.iter().filter_map(|target| row(report, figure, target)).collect();
    if lines.is_empty() {
        return None;
    }
    let columns = figure.measured.iter().map(|quantity| {
        let column = quantity.column();
        format!(" {column}, published | {column}, ours |")
    });
    let heading = format!("| run | seeds |{}", columns.collect::<String>());
    let rule = format!("|---|--:|{}", "--:|--:|".repeat(figure.measured.len()));
    Some(format!("## {}\n\n{}\n\n{heading}\n{rule}\n{}", figure.name, figure.shows, lines.concat()))
}

/// A run or part; none that was not run.
fn row(report: &Report, figure: &Figure, target: &Target) -> Option<String> {
    let runs: Vec<&Measured> = report.measured.iter().filter(|run| run.run == target.run).collect();
    if runs.is_empty() {
        return None;
    }
    let cells = figure.measured.iter().map(|quantity| cells(&report.paper, &runs, target, *quantity));
    Some(format!("| {} | {} | {} |\n", target.name(), runs.len(), cells.collect::<Vec<_>>().join(" | ")))
}

/// What was published, and ours; an asterisk where one more run of ours would hardly have given it.
fn cells(paper: &Paper, runs: &[&Measured], target: &Target, quantity: Quantity) -> String {
    let part = target.part.as_deref().filter(|_| quantity.is_of_a_part());
    let published = paper.published.get(&target.run, part, quantity);
    let values: Vec<f64> = runs.iter().filter_map(|run| run.get(part, quantity)).collect();
    let sample = Sample::of(&values);
    let interval = sample.and_then(|sample| sample.prediction());
    let outside = published.zip(interval).is_some_and(|(value, interval)| !interval.holds(value));
    let published = published.map_or("-".to_owned(), figure);
    let ours = sample.map_or("-".to_owned(), |sample| known((&sample.mean, sample.confidence())));
    format!("{published}{} | {ours}", if outside { "*" } else { "" })
}
