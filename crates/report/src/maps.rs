//! Maps of a paper's figures: a ratio as it was measured beside the same as it was simulated, cell by cell.
//!
//! Models: figures with panels, a panel with its two axes and its cells, and how near the cells of a figure are all together.
//! Leaves out: where the numbers come from; drawing, which the page does (`web/src/maps.ts`).
//!
//! Invariants: a number that is not there is absent, never nought; what is counted in no score is marked as such.

use serde::Serialize;

use crate::error::ReportError;
use crate::nearness::Nearness;
use crate::page::page;
use crate::round::six_digits;

/// All maps of a paper.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Maps {
    /// The paper's name.
    pub paper: String,
    /// The version that simulated.
    pub netloom: String,
    /// Figure by figure.
    pub figures: Vec<FigureMaps>,
}

/// The maps of a figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FigureMaps {
    /// What the paper calls it.
    pub name: String,
    /// What it shows.
    pub shows: String,
    /// The quantity that ratios are of, with its unit, above and below the line.
    pub quantities: [String; 2],
    /// Why some cells are left out of the scores; absent where none is.
    pub left_out: Option<String>,
    /// How near simulated ratios are to those measured; absent where none can be compared.
    pub scores: Option<MapScores>,
    /// Map by map.
    pub panels: Vec<PanelMap>,
}

/// How near the ratios of a figure are, all together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MapScores {
    /// Cells that are compared.
    pub cells: usize,
    /// Those simulated.
    #[serde(flatten)]
    pub simulated: Nearness,
    /// An answer of 1 everywhere.
    pub trivial: Nearness,
}

/// One map.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PanelMap {
    /// What it is of.
    pub title: String,
    /// Its columns, from the left.
    pub across: MapAxis,
    /// Its rows, from the bottom.
    pub up: MapAxis,
    /// The cells that there are, in no order; others were not measured.
    pub cells: Vec<MapCell>,
}

/// An axis of a map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MapAxis {
    /// What varies along it.
    pub name: String,
    /// What stands at each place, with its unit.
    pub labels: Vec<String>,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MapCell {
    /// Its column.
    pub across: usize,
    /// Its row.
    pub up: usize,
    /// The runs above and below the line.
    pub runs: [String; 2],
    /// As published.
    pub measured: MapRatio,
    /// As simulated: means over seeds.
    pub simulated: MapRatio,
    /// Half the 95 % interval of the simulated ratio.
    pub half: Option<f64>,
    /// Seeds of the run with the fewest.
    pub seeds: usize,
    /// Whether it counts in no score.
    pub left_out: bool,
}

/// A ratio and what it is of; each absent where it is not known.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct MapRatio {
    /// Above the line.
    pub above: Option<f64>,
    /// Below it.
    pub below: Option<f64>,
    /// The one over the other.
    pub ratio: Option<f64>,
}

impl MapRatio {
    /// Of numbers that may be none; with as many digits as a page shows.
    pub fn of(above: f64, below: f64, ratio: f64) -> MapRatio {
        let reported = |number: f64| number.is_finite().then(|| six_digits(number));
        MapRatio { above: reported(above), below: reported(below), ratio: reported(ratio) }
    }
}

/// What the page is told, so that it knows this from a report about runs.
#[derive(Serialize)]
struct PageData<'a> {
    maps: &'a Maps,
}

/// The page with these maps, in one file that fetches nothing.
///
/// # Errors
/// If it would be too large.
pub fn render_maps(maps: &Maps) -> Result<String, ReportError> {
    let cells = maps.figures.iter().flat_map(|figure| &figure.panels).map(|panel| panel.cells.len());
    page(&PageData { maps }, (cells.sum(), "cells"))
}
