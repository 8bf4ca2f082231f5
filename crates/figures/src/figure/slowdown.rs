//! FCT slowdown by size of the background messages of the span: mean and 99th percentile, a line for each run.

use netloom_records::statistics::{SizeBucket, Slowdowns};

use super::{Drawn, Run, check_lines, largest, without};
use crate::chart::frame::Axis;
use crate::chart::legend::{Entry, Sign};
use crate::chart::panel::{Join, Line, Panel, chart};
use crate::chart::scale::Scale;
use crate::chart::style::Style;
use crate::chart::unit::sized;
use crate::table::Table;

/// If slowdowns differ by more than this factor, the axis is logarithmic.
const WIDE: f64 = 20.0;
const COLUMNS: &[&str] =
    &["run", "largest_size_B", "messages", "mean_slowdown", "p99_slowdown", "started_from_s", "started_to_s"];

/// Draws the figure.
pub fn draw(runs: &[Run], width: f64) -> Result<Drawn, String> {
    let none = "no background message arrived; slowdown does not cover messages of jobs";
    let (with, lacking) = without(runs, |run| run.slowdown.as_ref(), none)?;
    check_lines(with.len())?;
    let mut table = Table::new(COLUMNS);
    for (_, run, found) in &with {
        for bucket in &found.buckets {
            let count = bucket.count as f64;
            let size = bucket.largest_bytes as f64;
            let [from, to] = run.span();
            table.push([
                run.name().into(),
                size.into(),
                count.into(),
                bucket.mean.into(),
                bucket.p99.into(),
                from.into(),
                to.into(),
            ]);
        }
    }
    // Runs with different traffic have different sizes; each is a tick.
    let mut sizes: Vec<u64> = with
        .iter()
        .flat_map(|(_, _, found)| found.buckets.iter().map(|bucket| bucket.largest_bytes))
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    let across = Axis::Names {
        name: "message size, largest of its bucket".to_owned(),
        names: sizes.iter().map(|size| sized(*size)).collect(),
    };
    let panel = |what: &str, read| panel(what, read, &across, &sizes, &with);
    let panels = [panel("mean", |bucket| bucket.mean), panel("p99", |bucket| bucket.p99)];
    let entry = |(number, run, _): &(usize, &Run, _)| Entry {
        sign: Sign::Line(Style::of(*number), true),
        name: run.called.clone(),
    };
    let entries: Vec<Entry> = with.iter().map(entry).collect();
    Ok(Drawn { picture: chart(width, &entries, &panels), table, without: lacking })
}

/// A panel with the mean or percentile of each bucket, a line for each run.
fn panel(
    what: &str,
    read: fn(&SizeBucket) -> f64,
    across: &Axis,
    sizes: &[u64],
    with: &[(usize, &Run, &Slowdowns)],
) -> Panel {
    let most = largest(with.iter().flat_map(|(_, _, found)| found.buckets.iter().map(read)));
    let scale = if most > WIDE { Scale::logarithmic(1.0, most) } else { Scale::linear(0.0, most, 4) };
    let line = |(number, _, found): &(usize, &Run, &Slowdowns)| Line {
        points: found.buckets.iter().map(|bucket| (position(sizes, bucket), read(bucket))).collect(),
        style: Style::of(*number),
        join: Join::Straight,
        is_marked: true,
    };
    let up = Axis::Numbers { name: format!("{what} slowdown (×)"), scale };
    Panel { across: across.clone(), up, lines: with.iter().map(line).collect(), events: Vec::new() }
}

fn position(sizes: &[u64], bucket: &SizeBucket) -> f64 {
    sizes.binary_search(&bucket.largest_bytes).unwrap_or(0) as f64
}
