//! The heat maps of a paper's figures as a page: published beside simulated.
//!
//! Models: the published and the simulated ratio of each cell, with its quantities; scores over the cells that count.
//! Leaves out: the positions of cells.
//!
//! Invariants: ratios are those of `figures.md`: mean over mean, with confidence intervals over seeds; a figure without
//! runs is left out, and cells of the others that were not run are marked as such.

use netloom_report::{FigureMaps, MapAxis, MapCell, MapRatio, MapScores, Maps, Nearness, PanelMap};

use super::bench::{Asked, Bench};
use super::claims::Figure;
use super::maps::{self, Axis, Cell, CellsOfMap, Map};
use super::quantity::Quantity;
use super::report::Report;
use super::score::{Score, Statistic};

/// All maps; `None` if the paper has none, or none of them was run.
pub(super) fn drawn(report: &Report) -> Option<Maps> {
    let figures = report.paper.claims.figures.iter();
    let figures: Vec<FigureMaps> = figures.filter_map(|figure| of(report, figure)).collect();
    let paper = report.paper.id.clone();
    (!figures.is_empty()).then(|| Maps { paper, netloom: env!("CARGO_PKG_VERSION").to_owned(), figures })
}

/// The quantities of the ratios.
struct Drawing<'a> {
    bench: Bench<'a>,
    /// Numerator and denominator.
    quantities: [Quantity; 2],
}

fn of(report: &Report, figure: &Figure) -> Option<FigureMaps> {
    let checked = "figures are checked when the paper is read";
    let map = figure.map.as_ref()?;
    let above = *figure.quantities.first().expect(checked);
    let below = figure.per.as_ref().and_then(|per| per.quantity).unwrap_or(above);
    let bench = Bench { paper: &report.paper, runs: &report.runs };
    let drawing = Drawing { bench, quantities: [above, below] };
    let cells = maps::cells(&report.paper, figure).expect(checked);
    let laid = maps::laid(map, &cells).expect(checked);
    let panels = panels(&drawing, map, &laid);
    let is_run = |cell: &MapCell| cell.simulated.ratio.is_some();
    panels.iter().flat_map(|panel| &panel.cells).any(is_run).then(|| FigureMaps {
        name: figure.name.clone(),
        shows: figure.shows.clone(),
        quantities: drawing.quantities.map(|quantity| quantity.column().to_owned()),
        exclusion: map.left_out.as_ref().map(|left_out| left_out.reason.clone()),
        scores: scores(&drawing, &cells),
        panels,
    })
}

fn panels(drawing: &Drawing<'_>, map: &Map, laid: &[CellsOfMap<'_>]) -> Vec<PanelMap> {
    let axis = |axis: &Axis| MapAxis { name: axis.name.clone(), labels: axis.labels() };
    let panels = map.panels.iter().zip(laid);
    let panel = |(panel, cells_of_map): (&maps::Panel, &CellsOfMap<'_>)| PanelMap {
        title: panel.title.clone(),
        across: axis(&panel.across),
        up: axis(&panel.up),
        cells: cells_of_map.iter().map(|(index, cell)| drawing.cell(*index, cell)).collect(),
    };
    panels.map(panel).collect()
}

/// The scores of the cells that count and were run, with their number.
fn scores(drawing: &Drawing<'_>, cells: &[Cell]) -> Option<MapScores> {
    let counts = cells.iter().filter(|cell| !cell.left_out).map(|cell| drawing.asked(cell));
    let pairs = counts.map(|asked| (drawing.bench.simulated(&asked), drawing.bench.published(&asked)));
    let pairs: Vec<(f64, f64)> =
        pairs.filter(|(simulated, published)| *simulated > 0.0 && *published > 0.0).collect();
    let score = |of| Score { of, at_least: None, at_most: None, published_from: None, published_below: None };
    let median = score(Statistic::MedianError).of(&pairs)?;
    let near = score(Statistic::ShareNear).of(&pairs)?;
    Some(MapScores {
        cells: median.n,
        simulated: Nearness { median_error: median.simulated, share_near: near.simulated },
        trivial: Nearness { median_error: median.trivial?, share_near: near.trivial? },
    })
}

impl Drawing<'_> {
    fn asked(&self, cell: &Cell) -> Asked {
        let [above, below] = self.quantities;
        Asked { above: (cell.above.of(above), above), below: Some((cell.below.of(below), below)) }
    }

    fn cell(&self, (across, up): (usize, usize), cell: &Cell) -> MapCell {
        let bench = &self.bench;
        let asked = self.asked(cell);
        let [above, below] = [asked.above.clone(), asked.below.clone().expect("a cell is a ratio")]
            .map(|above| Asked { above, below: None });
        let ratio = |of: &dyn Fn(&Asked) -> f64| MapRatio::of(of(&above), of(&below), of(&asked));
        MapCell {
            across,
            up,
            runs: [cell.above.name(), cell.below.name()],
            measured: ratio(&|asked| bench.published(asked)),
            simulated: ratio(&|asked| bench.simulated(asked)),
            half: bench.half(&asked),
            seeds: bench.n_seeds(&asked),
            excluded: cell.left_out,
        }
    }
}
