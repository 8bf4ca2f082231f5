//! The positions of a figure's cells on heat maps.
//!
//! Models: panels with two axes; the name of a cell's run is a pattern into which the words of both axes are inserted;
//! further cells that count in no score.
//! Leaves out: the values of the cells.
//!
//! Invariants: a cell is named after the divisor of its ratio, since runs without an aggressor may serve several cells;
//! every cell of a figure has exactly one position, so that a misspelt name is not taken for a missing cell.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::claims::{Divisor, Figure};
use super::paper::{Paper, Target, row_quantity};

/// The maps of a figure.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Map {
    /// Further cells, which count in no score.
    #[serde(default)]
    pub left_out: Option<LeftOut>,
    /// Map by map.
    pub panels: Vec<Panel>,
}

/// Cells that count in no score.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LeftOut {
    /// Runs, `run/job`, or groups.
    pub at: Vec<String>,
    /// The divisor of each.
    pub per: Divisor,
    /// Why.
    pub reason: String,
}

/// One map.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Panel {
    /// Its title.
    pub title: String,
    /// From left to right.
    pub across: Axis,
    /// From the bottom to the top.
    pub up: Axis,
    /// Names of the cells' runs, with `{across}` and `{up}` in place of the words of the axes.
    pub cells: Vec<String>,
}

/// An axis of a map.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Axis {
    /// The parameter along it.
    pub name: String,
    /// Its values as they occur in names of runs.
    pub words: Vec<String>,
    /// Labels with units; by default the words themselves.
    #[serde(default)]
    pub labels: Vec<String>,
}

impl Axis {
    /// The label at each position.
    pub fn labels(&self) -> Vec<String> {
        if self.labels.is_empty() { self.words.clone() } else { self.labels.clone() }
    }

    fn check(&self) -> Result<(), String> {
        let (words, labels) = (self.words.len(), self.labels.len());
        if words == 0 {
            return Err("has no words".into());
        }
        if labels > 0 && labels != words {
            return Err(format!("{labels} labels for {words} words"));
        }
        match self.words.iter().enumerate().find(|(number, word)| self.words[..*number].contains(*word)) {
            Some((_, twice)) => Err(format!("`{twice}` occurs twice")),
            None => Ok(()),
        }
    }
}

/// A ratio on a map.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cell {
    pub above: Target,
    pub below: Target,
    pub left_out: bool,
}

impl Cell {
    fn is_called(&self, name: &str) -> bool {
        self.below.run == name || self.below.name() == name
    }
}

/// The cells of a panel by position: column, then row.
pub(super) type CellsOfMap<'a> = BTreeMap<(usize, usize), &'a Cell>;

/// All cells that a figure's maps may have: its own, and those left out of scores.
pub(super) fn cells(paper: &Paper, figure: &Figure) -> Result<Vec<Cell>, String> {
    let Some(map) = &figure.map else { return Ok(Vec::new()) };
    let [_] = figure.quantities.as_slice() else {
        return Err(format!("map: expected one quantity, and the figure has {}", figure.quantities.len()));
    };
    let Some(below) = paper.rows_below(figure)? else {
        return Err("map: expected ratios, and the figure has no `per`".into());
    };
    let pairs = |above: Vec<Target>, below: Vec<Target>, left_out: bool| {
        let pairs = above.into_iter().zip(below);
        pairs.map(move |(above, below)| Cell { above, below, left_out })
    };
    let mut cells: Vec<Cell> = pairs(paper.rows(figure)?, below, false).collect();
    if let Some(LeftOut { at, per, .. }) = &map.left_out {
        let quantity = row_quantity(figure)?;
        let above = paper.targets(at, quantity);
        let below =
            paper.divisors(at, quantity, Some(per)).map(|below| below.map_or(Vec::new(), |below| below.1));
        let wrong = |reason| format!("map: left_out: {reason}");
        cells.extend(pairs(above.map_err(wrong)?, below.map_err(wrong)?, true));
    }
    Ok(cells)
}

/// The positions of the cells of each panel.
pub(super) fn laid<'a>(map: &Map, cells: &'a [Cell]) -> Result<Vec<CellsOfMap<'a>>, String> {
    if map.panels.is_empty() {
        return Err("map: it has no panels".into());
    }
    let wrong = |panel: &Panel, reason: String| format!("map: panel `{}`: {reason}", panel.title);
    let mut laid = Vec::new();
    for panel in &map.panels {
        laid.push(cells_of_map(panel, cells).map_err(|reason| wrong(panel, reason))?);
    }
    let times = |cell: &Cell| laid.iter().flat_map(BTreeMap::values).filter(|other| **other == cell).count();
    let placed: Vec<(&Cell, usize)> = cells.iter().map(|cell| (cell, times(cell))).collect();
    if let Some((cell, _)) = placed.iter().find(|(_, times)| *times > 1) {
        return Err(format!("map: `{}` has two positions", cell.below.name()));
    }
    let astray: Vec<&Cell> = placed.iter().filter(|(_, times)| *times == 0).map(|(cell, _)| *cell).collect();
    match astray.as_slice() {
        [] => Ok(laid),
        [cell] => Err(format!("map: `{}` is in no panel", cell.below.name())),
        [cell, more @ ..] => {
            Err(format!("map: `{}` and {} more cells are in no panel", cell.below.name(), more.len()))
        }
    }
}

/// The positions of the cells of a panel.
fn cells_of_map<'a>(panel: &Panel, cells: &'a [Cell]) -> Result<CellsOfMap<'a>, String> {
    let axes = [("across", &panel.across), ("up", &panel.up)];
    for (side, axis) in axes {
        axis.check().map_err(|reason| format!("{side}: {reason}"))?;
    }
    let mut cells_of_map = CellsOfMap::new();
    for pattern in &panel.cells {
        let before = cells_of_map.len();
        for (column, across) in panel.across.words.iter().enumerate() {
            for (row, up) in panel.up.words.iter().enumerate() {
                let name = pattern.replace("{across}", across).replace("{up}", up);
                for cell in cells.iter().filter(|cell| cell.is_called(&name)) {
                    if let Some(other) = cells_of_map.insert((column, row), cell) {
                        let (one, other) = (cell.below.name(), other.below.name());
                        return Err(format!("both `{other}` and `{one}` are at `{across}`, `{up}`"));
                    }
                }
            }
        }
        if cells_of_map.len() == before {
            return Err(format!("`{pattern}` is not a cell of the figure"));
        }
    }
    let has =
        |side: usize, index: usize| cells_of_map.keys().any(|(column, row)| [*column, *row][side] == index);
    for (side, (word, axis)) in axes.into_iter().enumerate() {
        if let Some(bare) = (0..axis.words.len()).find(|index| !has(side, *index)) {
            return Err(format!("{word}: no cell of the figure is at `{}`", axis.words[bare]));
        }
    }
    Ok(cells_of_map)
}
