//! Utilization of links: between two tiers as heat maps, and the busiest directions as bars.

use netloom_report::panel_data::{Links, ListData, TierData, Usage};

use super::super::bars::bar;
use super::super::heat_map::{Cell, HeatMap, legend, level};
use super::super::ink::Ink;
use super::super::sheet::{Line, Sheet, beside, name};
use crate::words;

/// Most directions of links that are listed.
const LISTED: usize = 5;

/// The whole of it.
pub fn busy(sheet: &mut Sheet, reported: &Links) {
    if let Some(tiers) = &reported.tiers {
        maps(sheet, tiers);
    }
    sheet.title("Busiest links", "share of the time that they were sending");
    busiest(sheet, &reported.busiest);
    if reported.unsampled {
        sheet.text(
            Ink::Faint,
            "Utilization of links is over the whole run, since ports were not sampled over time.",
            2,
        );
    }
}

fn cells(reported: &[Vec<Option<Usage>>]) -> Vec<Vec<Cell>> {
    let busiest = |usage: &Option<Usage>| usage.map(|usage| usage.busiest);
    reported.iter().map(|row| row.iter().map(busiest).collect()).collect()
}

fn maps(sheet: &mut Sheet, reported: &TierData) {
    sheet.title("Links between leaves and spines", "the busiest of each cell");
    let (up, down) = (cells(&reported.up), cells(&reported.down));
    let made = |title, cells| HeatMap { title, rows: &reported.leaves, columns: &reported.spines, cells };
    let most = sheet.columns() - 2;
    // Side by side if both fit, else each over all columns.
    let halves =
        [("from leaves up", &up), ("from spines down", &down)].map(|(title, cells)| made(title, cells));
    let wide = if halves[0].joined(most / 2 - 2) == halves[0].joined(most) { most / 2 - 2 } else { most };
    let blocks = halves.iter().map(|map| map.lines(wide)).collect();
    let lines = beside(blocks, 3, most).into_iter().map(|line| Line::indented(2).then(line));
    sheet.lines(lines);
    sheet.line(legend());
    let joined = halves[0].joined(wide);
    let blocks = [joined.rows * reported.leaf_block, joined.columns * reported.spine_block];
    if blocks != [1, 1] {
        let text = format!(
            "The fabric is drawn in blocks: a cell has the busiest link of {} and {}.",
            neighbours(blocks[0], "leaf", "leaves"),
            neighbours(blocks[1], "spine", "spines"),
        );
        sheet.text(Ink::Faint, &text, 2);
    }
}

fn neighbours(count: usize, one: &str, several: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("up to {count} {several}") }
}

fn busiest(sheet: &mut Sheet, reported: &ListData) {
    let room = sheet.columns().saturating_sub(2 + 10);
    let (names, length) = (room * 3 / 5, room * 2 / 5);
    let label = |link: &netloom_report::panel_data::ListedLink| {
        format!("{} to {} ({})", link.from, link.to, link.link)
    };
    let short = |link: &netloom_report::panel_data::ListedLink| {
        let whole = label(link);
        if super::super::sheet::columns(&whole) <= names {
            whole
        } else {
            format!("{} to {}", link.from, link.to)
        }
    };
    for link in reported.links.iter().take(LISTED) {
        let line = Line::indented(2).plain(&name(&short(link), names - 2)).up_to(names);
        let line = line.add(Ink::Heat(level(link.usage)), &bar(link.usage, length)).up_to(names + length + 1);
        sheet.line(line.right(Ink::Plain, &words::percent(link.usage), 9));
    }
    super::cut_list(sheet, reported.total, LISTED, "direction");
}
