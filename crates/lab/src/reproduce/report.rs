//! The result of a reproduction.

use netloom_report::render_maps;
use serde::Serialize;

use super::claims::Kind;
use super::error::ReproduceError;
use super::judge::{self, Judged, Verdict};
use super::paper::Paper;
use super::run_store::StoreReport;
use super::runs::SimulatedRun;
use super::{drawn, figures, store, table};
use crate::error::LabError;

/// The verdicts on a paper's claims, and the runs they follow from.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The paper.
    pub paper: Paper,
    /// Every run with every seed.
    pub runs: Vec<SimulatedRun>,
    /// Every claim, in the order of the paper.
    pub judged: Vec<Judged>,
    /// The stored runs that were used.
    pub(super) account: StoreReport,
}

/// Number of claims by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// They hold, and nothing was calibrated.
    pub reproduced: usize,
    /// They hold, and a parameter was calibrated so that they do.
    pub calibrated: usize,
    /// They do not hold.
    pub not_reproduced: usize,
    /// Too few seeds for a verdict.
    pub too_few_seeds: usize,
}

impl Report {
    /// Evaluates the claims of a paper by these runs.
    ///
    /// # Errors
    /// If the paper's files contradict each other.
    pub(super) fn new(
        paper: Paper,
        runs: Vec<SimulatedRun>,
        account: StoreReport,
    ) -> Result<Report, ReproduceError> {
        let judged = judge::judge(&paper, &runs);
        let judged = judged.map_err(|reason| ReproduceError::Paper { paper: paper.id.clone(), reason })?;
        Ok(Report { paper, runs, judged, account })
    }

    /// Number of claims by verdict.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for judged in &self.judged {
            let counter = match (judged.verdict, judged.kind) {
                (Verdict::Reproduced, Kind::Predicted) => &mut tally.reproduced,
                (Verdict::Reproduced, Kind::Calibrated) => &mut tally.calibrated,
                (Verdict::NotReproduced, _) => &mut tally.not_reproduced,
                (Verdict::TooFewSeeds, _) => &mut tally.too_few_seeds,
            };
            *counter += 1;
        }
        tally
    }

    /// The claims whose verdict is not the recorded one.
    pub fn surprises(&self) -> impl Iterator<Item = &Judged> {
        self.judged.iter().filter(|judged| !judged.is_as_recorded())
    }

    /// Violated invariants, with run and seed.
    pub fn broken_laws(&self) -> impl Iterator<Item = String> {
        self.runs.iter().flat_map(|run| {
            let location = format!("{}, seed {}", run.run, run.seed);
            run.broken_laws.iter().map(move |law| format!("{location}: {law}"))
        })
    }

    /// Whether every verdict is the recorded one and every invariant holds.
    pub fn is_as_recorded(&self) -> bool {
        self.surprises().next().is_none() && self.broken_laws().next().is_none()
    }

    /// The table as text; its last line has the counts.
    pub fn table(&self) -> String {
        table::table(self)
    }

    /// Differences from the recorded verdicts, as text; empty if there are none.
    pub fn differences(&self) -> String {
        table::differences(self)
    }

    /// The paper's figures as Markdown tables, published numbers beside simulated ones; empty for a paper without
    /// figures.
    pub fn figures(&self) -> String {
        figures::figures(self)
    }

    /// The heat maps of the paper's figures as a page, published beside simulated; `None` if the paper has none, or
    /// none of them was run.
    ///
    /// # Errors
    /// If the page would be too large.
    pub fn maps(&self) -> Result<Option<String>, ReproduceError> {
        let page = drawn::drawn(self).map(|maps| render_maps(&maps)).transpose();
        page.map_err(|error| LabError::from(error).into())
    }

    /// Writes tables, a summary and maps into a folder: `claims.csv`, `points.csv`, `runs.csv`, `figures.md`,
    /// `report.json`, `maps.html` where there are any, and a run folder for each system in `cells` where the paper
    /// studies interference.
    ///
    /// # Errors
    /// If the system refuses, or the page with the maps would be too large.
    pub fn write(&self, folder: &std::path::Path) -> Result<(), ReproduceError> {
        store::write(self, folder)
    }
}
