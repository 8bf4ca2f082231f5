//! The ports of each tier as strips: bars of the busiest port of each part, in the order of the nodes.

use netloom_report::panel_data::{StripData, TierPorts};

use super::super::ink::Ink;
use super::super::sheet::{Line, Sheet, name};
use super::super::sparkline::{fitted, largest, sparkline};
use crate::words;

/// Most strips that are drawn.
const MOST_STRIPS: usize = 12;
/// Most columns of the kinds of nodes.
const KINDS: usize = 24;
/// Fewest columns of bars.
const LEAST_BARS: usize = 8;

/// The section; none if there are no ports.
pub fn tiers(sheet: &mut Sheet, reported: &TierPorts) {
    if reported.strips.is_empty() {
        return;
    }
    sheet.title("Ports by tier", "utilization of the busiest port of each part, nodes from left to right");
    let full = reported.strips.iter().map(|strip| strip.most).fold(0.0, f64::max);
    let shown = &reported.strips[..reported.strips.len().min(MOST_STRIPS)];
    let kinds = |strip: &StripData| name(&format!("{} to {}", strip.from, strip.to), KINDS);
    let label = shown.iter().map(|strip| kinds(strip).chars().count()).max().unwrap_or(0);
    let room = sheet.columns().saturating_sub(label + 5 + " 100 %".len()).max(LEAST_BARS);
    for strip in shown {
        let bars = sparkline(&fitted(&strip.usage, room, largest), full);
        let most = words::percent(strip.most);
        sheet.line(
            Line::indented(2)
                .plain(&format!("{:<label$} ", kinds(strip)))
                .plain(&bars)
                .plain(&format!(" {most}")),
        );
        sheet.hanging(Line::indented(label + 3), Ink::Faint, &facts(strip));
    }
    super::cut_list(sheet, reported.strips.len(), MOST_STRIPS, "tier");
}

/// How many ports, the mean, and the worst ones by name.
fn facts(strip: &StripData) -> String {
    let link = |ends: &[String; 2]| format!("{} to {}", ends[0], ends[1]);
    let mut facts = vec![
        words::some(strip.ports as u64, "port"),
        format!("mean {}, median {}", words::percent(strip.mean), words::percent(strip.median)),
    ];
    if strip.most > 0.0 {
        facts.push(format!("busiest {}", link(&strip.busiest)));
    }
    if let Some(queue) = strip.queue.filter(|queue| *queue > 0) {
        facts.push(format!("longest queue {} ({})", words::size(queue as f64), link(&strip.longest)));
    }
    if strip.dropped > 0 {
        facts.push(format!("{} dropped", words::some(strip.dropped, "packet")));
    }
    if strip.paused > 0.0 {
        facts.push(format!("paused {} of the time at most", words::percent(strip.paused)));
    }
    facts.join("; ")
}
