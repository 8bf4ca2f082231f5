//! The layout of tables: `measured_steady.csv`, `measured_bursty.csv`, `measured_baseline.csv`, `allocations.csv`.
//!
//! Models: a line for each cell with its mean and that of its baseline; runs in isolation with their median; the nodes
//! of a run.
//! Leaves out: the column `ratio`, which follows from the two means; it is checked.
//!
//! Invariants: each point of a study occurs once; a ratio that differs from that of its means is a mistake, which
//! detects a truncated line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use netloom_records::{Allocation, Measured};
use netloom_scenario::Diagnostics;
use netloom_units::Bytes;

use super::allocations;
use super::{AGGRESSORS, BY, ITERATIONS, PUBLISHED, VICTIMS, WARM_UP, aggressor, facts};
use crate::cells::{At, Cell, CellRun, is_name};
use crate::error::LabError;
use crate::import::ImportError;
use crate::import::measured::{Measurements, Seen, Wanted, called};
use crate::import::sheet::{Line, MICROSECOND, MOST_BYTES, MOST_HOSTS, SECOND, Sheet};
use crate::source::Source;
use crate::words;

const STEADY: &str = "measured_steady.csv";
const BURSTY: &str = "measured_bursty.csv";
const ALONE: &str = "measured_baseline.csv";
const ALLOCATIONS: &str = "allocations.csv";

const OF_STEADY: [&str; 8] =
    ["system", "nodes", "victim", "aggressor", "bytes", "baseline_us", "congested_us", "ratio"];
const OF_BURSTY: [&str; 10] = [
    "system",
    "nodes",
    "victim",
    "aggressor",
    "bytes",
    "pause_s",
    "burst_s",
    "baseline_us",
    "congested_us",
    "ratio",
];
const OF_ALONE: [&str; 6] = ["system", "nodes", "victim", "bytes", "mean_us", "median_us"];

/// How far a stated ratio may be from that of the stated means: both are rounded to three digits.
const ROUNDED: f64 = 0.002;

/// Whether a folder has tables of this layout.
pub(super) fn is_one(folder: &Path) -> bool {
    [STEADY, BURSTY, ALONE].iter().any(|name| folder.join(name).is_file())
}

/// Everything read so far.
#[derive(Debug, Default)]
pub(super) struct Digests {
    cells: BTreeMap<String, Vec<Cell>>,
    allocations: BTreeMap<String, Vec<Allocation>>,
    seen: Seen,
    notes: Vec<String>,
    mistakes: Vec<Diagnostics>,
    files: Vec<String>,
}

/// Reads the rows of one table.
type Take = fn(&mut Digests, &mut Sheet<'_>, &str);

impl Digests {
    /// Reads the tables of a folder; their mistakes are reported at the end.
    pub fn read(&mut self, folder: &Path) -> Result<(), LabError> {
        let tables: [(&str, &[&str], Take); 4] = [
            (STEADY, &OF_STEADY, Digests::steady),
            (BURSTY, &OF_BURSTY, Digests::bursty),
            (ALONE, &OF_ALONE, Digests::alone),
            (ALLOCATIONS, &allocations::COLUMNS, Digests::allocate),
        ];
        for (name, columns, take) in tables {
            let path = folder.join(name);
            if !path.exists() {
                self.notes.push(format!("there is no {name} in {}", folder.display()));
                continue;
            }
            let bytes = Source::file(&path).read()?;
            let path = path.display().to_string();
            let mut sheet = match Sheet::open(&bytes, &path, columns) {
                Ok(sheet) => sheet,
                Err(mistakes) => {
                    self.mistakes.push(mistakes);
                    continue;
                }
            };
            take(self, &mut sheet, &path);
            if !sheet.passed_over().is_empty() {
                self.notes.push(format!("columns ignored in {path}: {}", sheet.passed_over().join(", ")));
            }
            self.mistakes.extend(sheet.finish().err());
            self.files.push(name.to_owned());
        }
        Ok(())
    }

    /// The systems in these tables.
    pub fn systems(&self) -> impl Iterator<Item = &str> + Clone {
        self.cells.keys().map(String::as_str)
    }

    /// The runs of the selected systems.
    ///
    /// # Errors
    /// All mistakes.
    pub fn finish(mut self, wanted: &[Wanted]) -> Result<Measurements, ImportError> {
        if !self.mistakes.is_empty() {
            return Err(Diagnostics::join(self.mistakes).into());
        }
        if self.cells.is_empty() {
            return Err(ImportError::Empty(self.files.join(", ")));
        }
        let files: BTreeSet<String> = self.files.into_iter().collect();
        let files: Vec<String> = files.into_iter().collect();
        let source = format!("{PUBLISHED}; means of {}", files.join(", "));
        let mut runs = Vec::new();
        for (system, cells) in self.cells {
            let allocations = self.allocations.remove(&system).unwrap_or_default();
            let Some(called) = called(&system, wanted) else {
                let cells = words::some(cells.len() as u64, "cell");
                self.notes.push(format!("{cells} of {system} left out: the system was not selected"));
                continue;
            };
            let mut facts = facts();
            facts.insert("median of a run alone".to_owned(), "over all iterations".to_owned());
            let measured = Measured { by: BY.to_owned(), source: source.clone(), facts, allocations };
            self.notes.extend(without_hosts(&system, &cells, &measured));
            runs.push(CellRun { system: called, cells, measured: Some(measured), assumptions: Vec::new() });
        }
        let of_others: usize = self.allocations.values().map(Vec::len).sum();
        if of_others > 0 {
            let found = words::some(of_others as u64, "allocation");
            self.notes.push(format!("{found} left out: those systems have no measurements"));
        }
        Ok(Measurements { by: BY, source, runs, notes: self.notes })
    }

    fn steady(&mut self, sheet: &mut Sheet<'_>, path: &str) {
        self.beside(sheet, path, false);
    }

    fn bursty(&mut self, sheet: &mut Sheet<'_>, path: &str) {
        self.beside(sheet, path, true);
    }

    /// Cells beside an aggressor.
    fn beside(&mut self, sheet: &mut Sheet<'_>, path: &str, has_bursts: bool) {
        for line in sheet.lines() {
            let at = system_and_point(sheet, &line);
            let known = AGGRESSORS.map(|(theirs, _)| theirs);
            let collective = sheet.word(&line, "aggressor", &known);
            let bursts = if has_bursts {
                let [burst, pause] = ["burst_s", "pause_s"].map(|column| sheet.time(&line, column, SECOND));
                burst.zip(pause).map(|(burst, pause)| Some([burst, pause]))
            } else {
                Some(None)
            };
            let baseline = sheet.time(&line, "baseline_us", MICROSECOND);
            let mean = sheet.time(&line, "congested_us", MICROSECOND);
            let ratio = sheet.number(&line, "ratio");
            let Some((system, at)) = at else { continue };
            let (Some(collective), Some(bursts)) = (collective, bursts) else { continue };
            let (Some(baseline), Some(mean), Some(ratio)) = (baseline, mean, ratio) else { continue };
            let found = baseline.0 as f64 / mean.0 as f64;
            if (found - ratio).abs() > ROUNDED * found.max(1.0) {
                let what = format!("{ratio} is not baseline_us over congested_us");
                sheet.wrong(&line, "ratio", what, &format!("{found:.3}"));
                continue;
            }
            let at = At { aggressor: Some(aggressor(collective, bursts)), ..at };
            let cell = Cell { mean, baseline: Some((baseline, None)), ..plain(at) };
            self.add(sheet, &line, path, system, cell);
        }
    }

    /// Cells of the victim in isolation.
    fn alone(&mut self, sheet: &mut Sheet<'_>, path: &str) {
        for line in sheet.lines() {
            let at = system_and_point(sheet, &line);
            let mean = sheet.time(&line, "mean_us", MICROSECOND);
            let median = sheet.time(&line, "median_us", MICROSECOND);
            let (Some((system, at)), Some(mean), Some(_)) = (at, mean, median) else { continue };
            self.add(sheet, &line, path, system, Cell { mean, median, ..plain(at) });
        }
    }

    fn add(&mut self, sheet: &mut Sheet<'_>, line: &Line<'_>, path: &str, system: String, cell: Cell) {
        let here = format!("line {} of {path}", line.number);
        match self.seen.add(&system, &cell.at, here) {
            Some(before) => {
                sheet.wrong(line, "bytes", format!("this cell is also in {before}"), "each cell once");
            }
            None => self.cells.entry(system).or_default().push(cell),
        }
    }

    fn allocate(&mut self, sheet: &mut Sheet<'_>, _: &str) {
        for (system, allocation) in allocations::read(sheet) {
            self.allocations.entry(system).or_default().push(allocation);
        }
        // Allocations with bursts come first, since those without match any bursts.
        for allocations in self.allocations.values_mut() {
            allocations.sort_by_key(|one| one.bursts.is_none());
        }
    }
}

/// System and point in the study, without the aggressor.
fn system_and_point<'a>(sheet: &mut Sheet<'a>, line: &Line<'a>) -> Option<(String, At)> {
    let (system, _) = sheet.cell(line, "system");
    let is_named = is_name(system);
    if !is_named {
        sheet.wrong(
            line,
            "system",
            format!("`{system}` is not a valid name"),
            "letters, digits, `-`, `_` and `.`",
        );
    }
    let nodes = nodes(sheet, line);
    let known = VICTIMS.map(|(theirs, _)| theirs);
    let victim = sheet.word(line, "victim", &known);
    let size = sheet.whole(line, "bytes", 1..=MOST_BYTES);
    let at = At { nodes: nodes?, victim: VICTIMS[victim?].1.to_owned(), aggressor: None, size: Bytes(size?) };
    is_named.then(|| (system.to_owned(), at))
}

/// Number of nodes, victims and aggressors together; it is even, since both have the same number.
pub(super) fn nodes<'a>(sheet: &mut Sheet<'a>, line: &Line<'a>) -> Option<u32> {
    let nodes = sheet.whole(line, "nodes", 2..=MOST_HOSTS)?;
    if nodes % 2 == 1 {
        sheet.wrong(line, "nodes", format!("{nodes} is odd"), "the same number of victims and aggressors");
        return None;
    }
    u32::try_from(nodes).ok()
}

/// A cell of which nothing but its point is known.
fn plain(at: At) -> Cell {
    Cell {
        at,
        mean: netloom_units::Duration(0),
        half_interval: None,
        median: None,
        steps: ITERATIONS - WARM_UP,
        warm_up: WARM_UP,
        baseline: None,
    }
}

/// Describes the cells whose nodes are unknown.
fn without_hosts(system: &str, cells: &[Cell], measured: &Measured) -> Option<String> {
    let is_unknown = |cell: &&Cell| {
        let aggressor = cell.at.aggressor.as_ref();
        let collective = aggressor.map_or(crate::cells::NONE, |found| &found.collective);
        let bursts = aggressor.and_then(|found| found.bursts).map(|bursts| bursts.map(|span| span.0));
        let fits = |one: &&Allocation| one.fits(cell.at.nodes, &cell.at.victim, collective, bursts);
        // An allocation that matches any bursts is that of a steady aggressor.
        measured.allocations.iter().find(fits).is_none_or(|one| one.bursts != bursts)
    };
    let count = cells.iter().filter(is_unknown).count();
    (count > 0).then(|| format!("{} of {system}: the nodes are not known", words::some(count as u64, "cell")))
}
