//! The table of a reproduction, as text.

use std::fmt::Write as _;

use super::claims::Kind;
use super::judge::{Judged, Verdict};
use super::report::Report;

/// Most figures that are listed individually.
const MOST_LISTED: usize = 4;

const HEADING: [&str; 5] = ["at", "published", "simulated", "acceptable range", "verdict"];

/// The whole table: a block per claim, a line per figure, and a last line with the counts.
pub(super) fn table(report: &Report) -> String {
    let rows: Vec<[String; 5]> = report.judged.iter().map(row).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0).max(HEADING[column].len())
    };
    let widths: Vec<usize> = (0..5).map(width).collect();
    let mut text = String::new();
    line(&mut text, &HEADING.map(str::to_owned), &widths);
    let mut last = "";
    for (judged, row) in report.judged.iter().zip(&rows) {
        if judged.claim != last {
            last = &judged.claim;
            let tag = if judged.kind == Kind::Calibrated { "; calibrated" } else { "" };
            let column = judged.quantity.column();
            say(&mut text, &format!("\n{} ({}; {column}{tag})", judged.claim, judged.said));
        }
        line(&mut text, row, &widths);
        if let (Some(reason), Verdict::NotReproduced) = (&judged.reason, judged.verdict) {
            say(&mut text, &format!("    because: {reason}"));
        }
    }
    text.push('\n');
    text.push_str(&report.account.words());
    text.push_str(&differences(report));
    text.push_str(&count(report));
    text
}

/// Differences from the recorded verdicts.
pub(super) fn differences(report: &Report) -> String {
    let mut text = String::new();
    for judged in report.surprises().filter(|judged| judged.verdict != Verdict::TooFewSeeds) {
        let Judged { claim, at, verdict, .. } = judged;
        say(&mut text, &format!("not as recorded: {claim} at {at} is {}", verdict.word()));
    }
    for law in report.broken_laws() {
        say(&mut text, &format!("an invariant does not hold: {law}"));
    }
    text
}

fn count(report: &Report) -> String {
    let tally = report.tally();
    let mut text = format!(
        "{}: {} reproduced, {} calibrated, {} not reproduced",
        report.paper.id, tally.reproduced, tally.calibrated, tally.not_reproduced
    );
    if tally.too_few_seeds > 0 {
        text.push_str(&format!(", {} with too few seeds", tally.too_few_seeds));
    }
    text.push('\n');
    text
}

fn row(judged: &Judged) -> [String; 5] {
    let interval =
        judged.interval.map(|interval| format!("{} to {}", figure(interval.low), figure(interval.high)));
    [
        judged.at.clone(),
        figures(&judged.published, &[]),
        figures(&judged.simulated, &judged.halves),
        interval.unwrap_or_default(),
        judged.verdict.word().to_owned(),
    ]
}

/// A few figures individually, with half their intervals; many by the smallest and the largest.
fn figures(values: &[f64], halves: &[Option<f64>]) -> String {
    if values.len() <= MOST_LISTED {
        let halves = halves.iter().copied().chain(std::iter::repeat(None));
        return values.iter().zip(halves).map(known).collect::<Vec<_>>().join("  ");
    }
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{} to {} ({})", figure(smallest), figure(largest), values.len())
}

fn line(text: &mut String, cells: &[String; 5], widths: &[usize]) {
    let mut padded = String::from("  ");
    for (cell, width) in cells.iter().zip(widths) {
        write!(padded, "{cell:<width$}  ").expect("a string takes text");
    }
    say(text, padded.trim_end());
}

fn say(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// Half-intervals below this share of the figure are rounding errors.
const ROUNDING: f64 = 1e-9;

/// A figure with half its interval, if that is known and not zero.
pub(super) fn known((value, half): (&f64, Option<f64>)) -> String {
    match half {
        Some(half) if half.is_finite() && half > ROUNDING * value.abs() => {
            format!("{} ± {}", figure(*value), rough(half))
        }
        _ => figure(*value),
    }
}

/// Rounded to two significant figures, enough for an error.
fn rough(half: f64) -> String {
    let before = half.log10().floor() as i32 + 1;
    format!("{half:.*}", (2 - before).clamp(0, 9) as usize)
}

/// Whole numbers unchanged, others rounded to five significant figures; `-` for an unknown figure, and for a ratio to
/// zero.
pub(super) fn figure(value: f64) -> String {
    if !value.is_finite() {
        return "-".into();
    }
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    let before = value.abs().log10().floor().max(-3.0) as i32 + 1;
    format!("{value:.*}", (5 - before).max(0) as usize)
}

#[cfg(test)]
mod tests {
    use super::{figure, known};

    #[test]
    fn errors_are_shorter_than_figures() {
        assert_eq!(known((&34.871_057, Some(0.0123))), "34.871 ± 0.012");
        assert_eq!(known((&1380.439, Some(45.6))), "1380.4 ± 46");
        assert_eq!(known((&372.0, Some(0.0))), "372");
        assert_eq!(known((&10.000_04, Some(2e-13))), "10.000");
        assert_eq!(known((&1.5, None)), "1.5000");
        assert_eq!(known((&f64::INFINITY, Some(f64::INFINITY))), "-");
    }

    #[test]
    fn figures_are_short() {
        let cases = [
            (372.0, "372"),
            (34.871_057, "34.871"),
            (0.061_64, "0.061640"),
            (1380.439, "1380.4"),
            (0.0, "0"),
        ];
        for (value, text) in cases {
            assert_eq!(figure(value), text);
        }
        assert_eq!(figure(f64::NAN), "-");
    }
}
