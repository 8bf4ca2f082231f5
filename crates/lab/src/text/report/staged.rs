//! Staged flows: the sum of their throughputs in each stage, as bars.

use netloom_report::panel_data::{StageData, Staged};

use super::super::bars::bar;
use super::super::ink::Ink;
use super::super::sheet::{Line, Sheet};
use super::super::sparkline::largest;
use crate::words;

/// Most stages that are drawn.
const MOST: usize = 12;
/// Columns before a bar.
const LABEL: usize = 26;
/// Columns after it.
const BEHIND: usize = 36;

/// The stages of a run; empty without any.
pub fn stages(sheet: &mut Sheet, reported: Option<&Staged>) {
    let Some(reported) = reported.filter(|reported| !reported.stages.is_empty()) else { return };
    sheet.title("Staged flows", "sum of the throughputs of each stage, and fairness");
    let full = largest(&reported.stages.iter().map(|stage| stage.sum).collect::<Vec<_>>());
    let room = sheet.columns().saturating_sub(LABEL + BEHIND).max(6);
    let row = |stage: &StageData| {
        let span = format!("{} to {}", words::span(stage.start), words::span(stage.end));
        let share = if full > 0.0 { stage.sum / full } else { 0.0 };
        let line = Line::indented(2).plain(&span).up_to(LABEL).add(Ink::Heat(1), &bar(share, room));
        let line = line.up_to(LABEL + room).right(Ink::Strong, &words::bit_rate(stage.sum), 12);
        let jain = stage.jain.map_or_else(String::new, |jain| format!(", Jain {jain:.3}"));
        line.plain(&format!(", {}{jain}", words::some(stage.flows as u64, "flow")))
    };
    sheet.lines(reported.stages.iter().take(MOST).map(row).collect::<Vec<_>>());
    super::cut_list(sheet, reported.total_stages, MOST.min(reported.stages.len()), "stage");
}
