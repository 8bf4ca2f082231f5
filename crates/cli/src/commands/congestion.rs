//! The congestion tree as text: roots, branches, leaves, contributors and victims, each with the time for which it was
//! one.

use netloom_lab::summary::{CongestionSummary, PairTime, PortTime};
use netloom_lab::words;

/// Largest number of names in a line.
const SHOWN: usize = 8;

/// A line for each kind that occurred.
pub fn lines(found: &CongestionSummary) -> Vec<String> {
    let CongestionSummary { judged_s, roots, branches, leaves, victims, contributors } = found;
    let port = |port: &PortTime| (format!("{} towards {}", port.node, port.towards), port.time_s);
    let host = |port: &PortTime| (port.node.clone(), port.time_s);
    let pair = |pair: &PairTime| (format!("{}->{}", pair.source, pair.destination), pair.time_s);
    let lines = [
        line("roots", &roots.iter().map(port).collect::<Vec<_>>()),
        line("branches", &branches.iter().map(port).collect::<Vec<_>>()),
        line("leaves", &leaves.iter().map(host).collect::<Vec<_>>()),
        line("contributors", &contributors.iter().map(pair).collect::<Vec<_>>()),
        line("victims", &victims.iter().map(pair).collect::<Vec<_>>()),
    ];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    let span = words::span(*judged_s);
    if roots.is_empty() && branches.is_empty() {
        return vec![format!("no congestion in {span}")];
    }
    std::iter::once(format!("congestion, in {span} during which packets waited:")).chain(lines).collect()
}

fn line(kind: &str, named: &[(String, f64)]) -> Option<String> {
    if named.is_empty() {
        return None;
    }
    let n_left_out = named.len().saturating_sub(SHOWN);
    let mut shown: Vec<String> =
        named.iter().take(SHOWN).map(|(name, time_s)| format!("{name} ({})", words::span(*time_s))).collect();
    if n_left_out > 0 {
        shown.push(format!("and {} more", words::count(n_left_out as u64)));
    }
    Some(format!("  {kind}: {}", shown.join(", ")))
}
