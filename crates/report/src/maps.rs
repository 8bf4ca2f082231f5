//! Maps of a paper's figures: for each cell the measured and the simulated ratio.
//!
//! Models: figures with panels, a panel with its two axes and its cells, and scores over all cells of a figure.
//! Leaves out: the origin of the numbers; drawing, which the page does (`web/src/maps.ts`).
//!
//! Invariants: a missing number is absent, never zero; cells that are excluded from the scores are marked.

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
    /// Version of netloom that simulated.
    pub netloom: String,
    /// The figures.
    pub figures: Vec<FigureMaps>,
}

/// The maps of a figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FigureMaps {
    /// Its name in the paper.
    pub name: String,
    /// What it shows.
    pub shows: String,
    /// The quantities of numerator and denominator, with their units.
    pub quantities: [String; 2],
    /// Why some cells are excluded from the scores; absent if none is.
    pub exclusion: Option<String>,
    /// How close simulated ratios are to measured ones; absent if none can be compared.
    pub scores: Option<MapScores>,
    /// The maps.
    pub panels: Vec<PanelMap>,
}

/// How close the ratios of a figure are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MapScores {
    /// Number of cells compared.
    pub cells: usize,
    /// Score of the simulated ratios.
    #[serde(flatten)]
    pub simulated: Nearness,
    /// Score of a prediction of 1 for every cell.
    pub trivial: Nearness,
}

/// One map.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PanelMap {
    /// Its title.
    pub title: String,
    /// Its columns, from the left.
    pub across: MapAxis,
    /// Its rows, from the bottom.
    pub up: MapAxis,
    /// The cells that exist, in no order; others were not measured.
    pub cells: Vec<MapCell>,
}

/// An axis of a map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MapAxis {
    /// What varies along it.
    pub name: String,
    /// The labels of positions, with units.
    pub labels: Vec<String>,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MapCell {
    /// Its column.
    pub across: usize,
    /// Its row.
    pub up: usize,
    /// The runs of numerator and denominator.
    pub runs: [String; 2],
    /// As published.
    pub measured: MapRatio,
    /// As simulated: means over seeds.
    pub simulated: MapRatio,
    /// Half the 95 % interval of the simulated ratio.
    pub half: Option<f64>,
    /// Number of seeds of the run with the fewest.
    pub seeds: usize,
    /// Whether it is excluded from the scores.
    pub excluded: bool,
}

/// A ratio with its numerator and denominator; each absent if not known.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct MapRatio {
    /// Numerator.
    pub above: Option<f64>,
    /// Denominator.
    pub below: Option<f64>,
    /// Their ratio.
    pub ratio: Option<f64>,
}

impl MapRatio {
    /// From numbers that may be absent, rounded to the digits that a page shows.
    pub fn of(above: f64, below: f64, ratio: f64) -> MapRatio {
        let rounded = |number: f64| number.is_finite().then(|| six_digits(number));
        MapRatio { above: rounded(above), below: rounded(below), ratio: rounded(ratio) }
    }
}

/// The data of the page, with a key that distinguishes it from a report about runs.
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
