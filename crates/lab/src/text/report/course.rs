//! A run over time: throughput to hosts, and backlog at switches.

use netloom_report::panel_data::{OverTime, Provenance};

use super::super::ink::Ink;
use super::super::sheet::{Line, Sheet};
use super::super::sparkline::{fitted, largest, mean, sparkline};
use crate::words;

/// Columns before the sparkline.
const LABEL: usize = 15;
/// Columns after it.
const BEHIND: usize = 16;

/// Both sparklines; without samples, how to record them.
pub fn over_time(sheet: &mut Sheet, reported: Option<&OverTime>, run: &Provenance) {
    let Some(reported) = reported else {
        let text = "No samples over time were recorded: run it again with `--set record.series=1us` for throughput \
                    and backlogs over time.";
        sheet.text(Ink::Faint, text, 2);
        return;
    };
    sheet.title(
        "Over time",
        &format!(
            "0 s to {}, every {}; full height = maximum",
            words::span(run.simulated),
            words::span(reported.interval)
        ),
    );
    let room = sheet.columns().saturating_sub(LABEL + BEHIND + 3).max(8);
    let rates = fitted(&reported.throughput, room, mean);
    let most = largest(&reported.throughput);
    course(sheet, "to all hosts", &sparkline(&rates, most), room, &format!("most {}", words::bit_rate(most)));
    let waiting: Vec<f64> = reported.backlog.iter().map(|bytes| *bytes as f64).collect();
    let shown = fitted(&waiting, room, largest);
    let most = format!("most {}", words::size(largest(&waiting)));
    course(sheet, "at a switch", &sparkline(&shown, largest(&shown)), room, &most);
    let where_to = reported.worst.as_ref().map_or_else(
        || "no backlog at any switch when samples were taken".to_owned(),
        |node| format!("largest backlog at {node}"),
    );
    let rate = words::bit_rate(reported.mean);
    sheet.text(Ink::Faint, &format!("mean {rate} to all hosts; {where_to}"), 2);
}

fn course(sheet: &mut Sheet, label: &str, shown: &str, room: usize, most: &str) {
    let line = Line::indented(2).plain(label).up_to(LABEL).add(Ink::Faint, "│").add(Ink::Heat(1), shown);
    // A run of few intervals has a short sparkline.
    let line = line.up_to(LABEL + 1 + shown.chars().count().max(1)).add(Ink::Faint, "│");
    sheet.line(line.up_to(LABEL + room + 3).plain(most));
}
