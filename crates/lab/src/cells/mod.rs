//! Cells of interference studies that were summarized elsewhere, as run folders.
//!
//! Models: a cell with its names; a run folder of one system with table `cells`; the folder that holds such folders
//! (`folder`); where a scenario is in a study (`scenario`).
//! Leaves out: where the means come from.
//!
//! Invariants: rows are in the order of their table; names of collectives are numbered in alphabetical order, so the
//! same cells give the same digest.

mod folder;
pub(crate) mod scenario;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use netloom_records::{
    Batch, CellRow, FolderSink, MANIFEST_FILE, Manifest, Measured, Names, Outcome, Overwrite, RunFolder,
    RunSummary, Sink, Status, Table,
};
use netloom_units::{Bytes, Duration};
use serde_json::{Map, json};

pub(crate) use folder::{StoredRun, write_measured};

use crate::error::LabError;
use crate::manifest::HOSTS;

/// The name in place of the aggressor's collective where there is no aggressor.
pub(crate) const NONE: &str = "none";

/// One cell: the time of a victim in isolation, or beside an aggressor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Where it is in the study.
    pub at: At,
    /// Mean time of the victim's collective.
    pub mean: Duration,
    /// Half of its 95 % confidence interval.
    pub half_interval: Option<Duration>,
    /// Median of these times.
    pub median: Option<Duration>,
    /// Number of iterations in the mean; zero where it is unknown.
    pub steps: u32,
    /// Number of warm-up iterations before these.
    pub warm_up: u32,
    /// The mean it is compared with, and half of its interval; absent for the victim in isolation.
    pub baseline: Option<(Duration, Option<Duration>)>,
}

/// Where a cell is in a study.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    /// Hosts of both groups: twice the victim's ranks.
    pub nodes: u32,
    /// The victim's collective, by its name in scenarios.
    pub victim: String,
    /// The aggressor; absent for the victim in isolation.
    pub aggressor: Option<Aggressor>,
    /// Bytes of the victim's vector; for an all-to-all those for each peer.
    pub size: Bytes,
}

/// What runs beside the victim.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Aggressor {
    /// Its collective, by its name in scenarios.
    pub collective: String,
    /// Bytes of its vector; for an all-to-all those for each peer.
    pub size: Bytes,
    /// Length and pause of its bursts; absent where it never pauses.
    pub bursts: Option<[Duration; 2]>,
}

/// All cells of one system.
#[derive(Debug, Clone, PartialEq)]
pub struct CellRun {
    /// The system; its name is that of the folder and of the scenario.
    pub system: String,
    /// Its cells, in any order, one for each position in the study.
    pub cells: Vec<Cell>,
    /// Who measured them; absent for simulated cells.
    pub measured: Option<Measured>,
    /// Modelling assumptions behind them, in whole sentences.
    pub assumptions: Vec<String>,
}

impl CellRun {
    /// Most hosts that any of the cells has.
    fn n_hosts(&self) -> u32 {
        self.cells.iter().map(|cell| cell.at.nodes).max().unwrap_or(0)
    }

    /// The collectives, in alphabetical order.
    fn collectives(&self) -> Vec<String> {
        let aggressor =
            |cell: &Cell| cell.at.aggressor.as_ref().map_or(NONE, |found| &found.collective).to_owned();
        let names: BTreeSet<String> =
            self.cells.iter().flat_map(|cell| [cell.at.victim.clone(), aggressor(cell)]).collect();
        names.into_iter().collect()
    }

    /// Writes the run folder.
    ///
    /// # Errors
    /// If the folder cannot be written, or a complete run is there that must not be overwritten.
    pub(crate) fn store(
        &self,
        folder: &Path,
        overwrite: Overwrite,
        command: &[String],
    ) -> Result<Manifest, LabError> {
        let collectives = self.collectives();
        let mut rows: Vec<CellRow> = self.cells.iter().map(|cell| row(cell, &collectives)).collect();
        rows.sort_by_key(CellRow::order);
        let names = Names { collectives, ..Names::default() };
        let mut sink = FolderSink::create(folder, names, overwrite)?;
        sink.accept(Batch::Cells(&rows)).map_err(LabError::Storing)?;
        Ok(sink.finish(self.summary(command))?)
    }

    fn summary(&self, command: &[String]) -> RunSummary {
        RunSummary {
            netloom: env!("CARGO_PKG_VERSION").to_owned(),
            build: None,
            scenario_yaml: format!("name: {}\n", self.system),
            scenario: json!({ "name": self.system }),
            changed: Vec::new(),
            seed: None,
            outcome: Outcome { status: Status::Complete, details: Vec::new() },
            wall_time_s: 0.0,
            packets: None,
            hops: None,
            simulated_ps: 0,
            threads: None,
            command: command.to_vec(),
            engine: Map::from_iter([(HOSTS.to_owned(), json!(self.n_hosts()))]),
            jobs: Vec::new(),
            assumptions: self.assumptions.clone(),
            time_scale: None,
            measured: self.measured.clone(),
        }
    }
}

impl StoredRun for CellRun {
    fn location(&self) -> PathBuf {
        PathBuf::from(&self.system)
    }

    fn write(&self, folder: &Path, overwrite: Overwrite, command: &[String]) -> Result<(), LabError> {
        self.store(folder, overwrite, command).map(drop)
    }
}

fn row(cell: &Cell, collectives: &[String]) -> CellRow {
    let number = |name: &str| collectives.iter().position(|known| known == name).unwrap_or(0) as u16;
    let aggressor = cell.at.aggressor.as_ref();
    let bursts = aggressor.and_then(|found| found.bursts);
    CellRow {
        nodes: cell.at.nodes,
        victim: number(&cell.at.victim),
        size: cell.at.size,
        aggressor: number(aggressor.map_or(NONE, |found| &found.collective)),
        aggressor_size: aggressor.map_or(Bytes(0), |found| found.size),
        burst: bursts.map(|bursts| bursts[0]),
        pause: bursts.map(|bursts| bursts[1]),
        mean: cell.mean,
        half_interval: cell.half_interval,
        median: cell.median,
        steps: cell.steps,
        warm_up: cell.warm_up,
        baseline: cell.baseline.map(|found| found.0),
        baseline_half_interval: cell.baseline.and_then(|found| found.1),
    }
}

/// Removes the files of a run from a folder, and the folder if it is empty then; other files stay.
pub(crate) fn remove(folder: &Path) {
    if RunFolder::open(folder).is_err() {
        return;
    }
    // The manifest is removed last, so that the rest of a folder that cannot be removed is still recognized as a run.
    let tables = Table::ALL.iter().map(|table| table.file_name());
    for name in tables.chain([MANIFEST_FILE.to_owned()]) {
        fs::remove_file(folder.join(name)).unwrap_or_default();
    }
    fs::remove_dir(folder).unwrap_or_default();
}

/// Whether a text may be the name of a system: it names a folder and a scenario.
pub(crate) fn is_name(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    name.len() <= 64
        && name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && name.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(nodes: u32, aggressor: Option<Aggressor>) -> Cell {
        Cell {
            at: At { nodes, victim: "ring_all_gather".into(), aggressor, size: Bytes(512) },
            mean: Duration(7),
            half_interval: None,
            median: Some(Duration(6)),
            steps: 900,
            warm_up: 100,
            baseline: None,
        }
    }

    #[test]
    fn cells_are_read_from_their_folder_in_order() {
        let home = tempfile::tempdir().expect("a folder");
        let incast = Aggressor {
            collective: "incast".into(),
            size: Bytes(2 << 20),
            bursts: Some([Duration(1), Duration(2)]),
        };
        let run = CellRun {
            system: "sea".into(),
            cells: vec![cell(8, Some(incast)), cell(8, None), cell(4, None)],
            measured: None,
            assumptions: Vec::new(),
        };
        let folder = home.path().join("sea");
        let manifest = run.store(&folder, Overwrite::Refuse, &[]).expect("it can be written");
        assert_eq!(manifest.engine[HOSTS], 8);
        let found = RunFolder::open(&folder).expect("it is one");
        let names = found.names().expect("they are there").collectives;
        assert_eq!(names, ["incast", "none", "ring_all_gather"]);
        let rows = found.cells().expect("they are there");
        let reported: Vec<(u32, &str)> =
            rows.iter().map(|row| (row.nodes, names[usize::from(row.aggressor)].as_str())).collect();
        assert_eq!(reported, [(4, "none"), (8, "incast"), (8, "none")]);
        assert_eq!((rows[1].burst, rows[1].pause), (Some(Duration(1)), Some(Duration(2))));
        netloom_records::verify(&folder).expect("nothing is wrong with it");
    }

    #[test]
    fn names_are_those_of_folders() {
        assert!(["lumi", "a.b-c_1"].into_iter().all(is_name));
        assert!(!["", "..", "a/b", "a b", "-x"].into_iter().any(is_name));
    }
}
