//! The results of the MPI program: its manifest, its plan, and the times of every iteration and rank.
//!
//! Models: format 1 of `field/FORMATS.md`, read strictly: a file that lacks a rank, an iteration or its end, belongs to
//! another plan, study or rank, or contains impossible times, is refused with line and column.
//! Leaves out: the interpretation of the numbers.
//!
//! Invariants: memory grows with the number of iterations, not with the number of ranks; a strict reading returns
//! complete results.

mod broken;
mod files;
mod manifest;
mod rows;
mod streams;
mod times;

use std::collections::BTreeMap;

use super::plan::{FieldPlan, Role};

pub use broken::Broken;
pub use files::{Files, FolderFiles};
pub use manifest::Ended;
pub(super) use manifest::Manifest;
pub(super) use streams::Stretch;
pub(super) use times::{Iteration, Series};

/// Lines of a table above its rows.
const HEAD_LINES: usize = 2;

/// Whether files of a job that died are read up to where they end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Everything must be present.
    Strict,
    /// Rows that are missing at the end of files are counted.
    Partial,
}

/// The results of one plan.
#[derive(Debug)]
pub struct Results {
    pub(super) manifest: Manifest,
    /// Iterations of the victim, by segment and size in the plan's order.
    pub(super) iterations: Vec<Series>,
    /// Rounds of the aggressor, by congested segment.
    pub(super) rounds: Vec<Series>,
    /// Received bytes of streams, by number of the stream.
    pub(super) streams: BTreeMap<usize, Vec<Stretch>>,
    /// What a partial reading lacks.
    pub(super) missing: Vec<String>,
}

/// Reads the results of a plan.
///
/// # Errors
/// The first mistake.
pub fn read(files: &dyn Files, plan: &FieldPlan, reading: Reading) -> Result<Results, Broken> {
    check_plan(files, plan)?;
    let manifest = Manifest::read(files, plan, reading)?;
    let mut missing = Vec::new();
    let iterations = times::of_role(files, plan, Role::Victim, &manifest, reading, &mut missing)?;
    let rounds = times::of_role(files, plan, Role::Aggressor, &manifest, reading, &mut missing)?;
    let streams = streams::read(files, plan, reading, &mut missing)?;
    Ok(Results { manifest, iterations, rounds, streams, missing })
}

/// How the job of a plan ended, from its manifest only; `None` if there is no manifest of this plan.
pub(super) fn status_of(files: &dyn Files, plan: &FieldPlan) -> Option<Ended> {
    check_plan(files, plan).ok()?;
    manifest::status(files)
}

/// Checks that the plan that the program copied equals that of the study, byte by byte.
fn check_plan(files: &dyn Files, plan: &FieldPlan) -> Result<(), Broken> {
    const NAME: &str = "plan.txt";
    let text = files::text(files, NAME)?;
    let expected = plan.to_string();
    if text == expected {
        return Ok(());
    }
    let same = text.bytes().zip(expected.bytes()).take_while(|(one, other)| one == other).count();
    // Plans are ASCII, so bytes are characters.
    let before = expected.get(..same).unwrap_or_default();
    let line = before.split('\n').count();
    let column = before.rsplit('\n').next().map_or(0, str::len) + 1;
    Err(Broken {
        file: files.name(NAME),
        line,
        column,
        found: "another plan was measured".to_owned(),
        expected: "the plan of the study, byte by byte".to_owned(),
    })
}

impl Results {
    /// Rows of the victim's series in a segment, for a size.
    pub(super) fn series(&self, segment: usize, bytes: u64) -> &[Iteration] {
        let found = self.iterations.iter().find(|series| (series.segment, series.bytes) == (segment, bytes));
        found.map_or(&[], |series| &series.rows)
    }

    /// Whether at least one iteration was measured.
    pub(super) fn is_useful(&self) -> bool {
        self.iterations.iter().any(|series| !series.rows.is_empty())
    }
}
