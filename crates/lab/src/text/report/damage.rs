//! Faults on a time line, and lost packets by reason.

use netloom_report::panel_data::{ChangeData, EventData, Faults};

use super::super::bars::bar;
use super::super::ink::Ink;
use super::super::sheet::{Line, Sheet, name};
use crate::words;

/// Most events, or changes of links, that are listed.
const LISTED: usize = 8;
/// Columns of a bar of lost packets.
const BAR: usize = 12;

/// Faults on the time line; empty without faults.
pub fn faults(sheet: &mut Sheet, reported: &Faults, simulated: f64) {
    if reported.total == 0 && reported.total_events == 0 {
        return;
    }
    sheet.title("Faults", "▼ a link goes down, ▲ comes up, ◆ both, ● another event");
    time_line(sheet, reported, simulated);
    cut_marks(sheet, reported.changes.len(), reported.total, "changes of links");
    cut_marks(sheet, reported.events.len(), reported.total_events, "events");
    if reported.events.is_empty() {
        reported.changes.iter().take(LISTED).for_each(|change| list_change(sheet, change));
        super::cut_list(sheet, reported.total as usize, LISTED, "change");
        return;
    }
    reported.events.iter().take(LISTED).for_each(|event| list_event(sheet, event));
    super::cut_list(sheet, reported.total_events as usize, LISTED, "event");
}

/// States how many are marked, if not all are.
fn cut_marks(sheet: &mut Sheet, marked: usize, total: u64, what: &str) {
    if total > marked as u64 {
        let (marked, total) = (words::count(marked as u64), words::count(total));
        sheet.text(Ink::Faint, &format!("the first {marked} of {total} {what} are marked"), 2);
    }
}

/// Marks from the start of the run to its end.
fn time_line(sheet: &mut Sheet, reported: &Faults, simulated: f64) {
    let end = words::span(simulated);
    let room = sheet.columns().saturating_sub(2 + 4 + 2 + 1 + end.chars().count()).max(8);
    let mut marks = vec![' '; room];
    let index = |time: f64| {
        let share = if simulated > 0.0 { (time / simulated).clamp(0.0, 1.0) } else { 0.0 };
        (share * (room - 1) as f64).round() as usize
    };
    for event in &reported.events {
        marks[index(event.time)] = '●';
    }
    for change in &reported.changes {
        let mark = &mut marks[index(change.time)];
        *mark = match (*mark, change.up) {
            ('▼' | '◆', true) | ('▲' | '◆', false) => '◆',
            (_, true) => '▲',
            (_, false) => '▼',
        };
    }
    let drawn: String = marks.into_iter().map(|mark| if mark == ' ' { '─' } else { mark }).collect();
    let line = Line::indented(2).plain("0 s ").add(Ink::Faint, "│").add(Ink::Alarm, &drawn);
    sheet.line(line.add(Ink::Faint, "│").plain(" ").plain(&end));
}

fn list_change(sheet: &mut Sheet, change: &ChangeData) {
    let start = Line::indented(2).right(Ink::Plain, &words::span(change.time), 10).plain("  ");
    sheet.hanging(
        start,
        Ink::Plain,
        &format!("{} {}", change.link, if change.up { "comes up" } else { "goes down" }),
    );
}

fn list_event(sheet: &mut Sheet, event: &EventData) {
    let mut text = format!("{} {}: {}", event.target, event.name, event.action.replace('_', " "));
    if let Some(rate) = event.rate {
        text.push_str(&format!(", {}", words::bit_rate(rate)));
    }
    if let Some(loss) = event.loss {
        text.push_str(&format!(", {} of packets lost", words::percent(loss)));
    }
    if let Some(period) = event.period {
        text.push_str(&format!(", every {}", words::span(period)));
    }
    if let Some(detected) = event.detected {
        text.push_str(&format!(", detected at {}", words::span(detected)));
    }
    let start = Line::indented(2).right(Ink::Plain, &words::span(event.time), 10).plain("  ");
    sheet.hanging(start, Ink::Plain, &text);
}

/// Packets lost, by reason.
pub fn lost(sheet: &mut Sheet, reported: &Faults, n_packets: Option<u64>) {
    if reported.drops.is_empty() {
        sheet.gap();
        sheet.text(Ink::Faint, "No packet was lost.", 2);
        return;
    }
    sheet.title("Packets lost", "by reason");
    let most = reported.drops.iter().map(|drops| drops.packets).max().unwrap_or(0);
    for drops in &reported.drops {
        let line = Line::indented(2).plain(&drops.reason.replace('_', " ")).up_to(17);
        let share = drops.packets as f64 / most.max(1) as f64;
        let line = line.add(Ink::Alarm, &bar(share, BAR)).up_to(17 + BAR + 1);
        let line = line.right(Ink::Strong, &words::amount(drops.packets as f64), 8).plain("  ");
        let text = format!(
            "{}from {} to {}, most at {}",
            drops.bytes.map_or_else(String::new, |bytes| format!("{}, ", words::size(bytes as f64))),
            words::span(drops.first),
            words::span(drops.last),
            name(&drops.worst, 24),
        );
        sheet.hanging(line, Ink::Plain, &text);
    }
    let all: u64 = reported.drops.iter().map(|drops| drops.packets).sum();
    let made = n_packets
        .map_or_else(String::new, |made| format!("; hosts created {} data packets", words::count(made)));
    let text = format!("{} in all{made}", words::some(all, "packet"));
    sheet.text(Ink::Faint, &text, 2);
}
