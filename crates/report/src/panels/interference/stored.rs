//! Imported cells, which are summaries already, as points of a study.
//!
//! Models: rows of table `cells`, each with its own baseline; bus bandwidths of collectives for which they are defined.
//! Leaves out: seeds, which the means do not state.
//!
//! Invariants: a cell has the same names as runs of the same study would have.

use netloom_records::{CellRow, Names};
use netloom_units::Duration;

use super::written::{is_exchange, size_text};
use super::{Coordinates, PointData, ratio, system};
use crate::collect::About;
use crate::round::six_digits;

/// The name of no aggressor.
const NONE: &str = "none";

/// The cells of a run.
pub(super) fn points(about: &About, rows: &[CellRow]) -> Vec<PointData> {
    rows.iter().map(|row| point(about, row)).collect()
}

fn point(about: &About, row: &CellRow) -> PointData {
    let name = |id: u16| collective(&about.names, id);
    let mean = (row.mean.as_seconds(), row.half_interval.map(Duration::as_seconds));
    let baseline =
        row.baseline.map(|mean| (mean.as_seconds(), row.baseline_half_interval.map(Duration::as_seconds)));
    let aggressor = name(row.aggressor);
    let victim = name(row.victim);
    let busbw_bps = bus(&victim, row).filter(|_| mean.0 > 0.0).map(|bytes| six_digits(bytes * 8.0 / mean.0));
    PointData {
        run: about.name.clone(),
        seed: about.manifest.seed,
        at: Coordinates {
            scenario: system(about),
            measured: about.manifest.measured.is_some(),
            nodes: u64::from(row.nodes),
            victim,
            bytes: row.size.0,
            aggressor: (aggressor != NONE)
                .then(|| format!("{aggressor} {}", size_text(row.aggressor_size.0))),
            bursts: row.burst.zip(row.pause).map(|(length, pause)| [length, pause].map(Duration::as_seconds)),
        },
        mean_s: mean.0,
        half_s: mean.1,
        steps: [row.steps, row.warm_up],
        busbw_bps,
        baseline_s: baseline.map(|baseline| baseline.0),
        ratio: baseline.filter(|_| mean.0 > 0.0).map(|baseline| ratio(baseline, mean)),
        key: None,
        system: system(about),
    }
}

fn collective(names: &Names, id: u16) -> String {
    names.collectives.get(usize::from(id)).cloned().unwrap_or_else(|| format!("collective {id}"))
}

/// Bytes counted for bus bandwidth of a collective of these ranks, as in nccl-tests; none for other collectives.
fn bus(victim: &str, row: &CellRow) -> Option<f64> {
    let ranks = f64::from(row.nodes / 2);
    let vector = row.size.0 as f64 * if is_exchange(victim) { ranks } else { 1.0 };
    let factor = match victim {
        "ring_all_reduce" => 2.0 * (ranks - 1.0) / ranks,
        "ring_all_gather" | "ring_reduce_scatter" => (ranks - 1.0) / ranks,
        exchange if is_exchange(exchange) => (ranks - 1.0) / ranks,
        _ => return None,
    };
    (ranks >= 1.0).then_some(vector * factor)
}
