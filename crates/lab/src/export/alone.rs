//! Collectives of a run that ran in isolation, by job, algorithm and size: what benchmarks time.
//!
//! Leaves out: collectives that overlapped others of their job, since no benchmark runs them so; they are counted.
//!
//! Invariants: every collective of a run is in one group or is counted as overlapping, except those of the warm-up of a
//! measured job.

use std::collections::BTreeMap;
use std::path::Path;

use netloom_catalog::workload::collective;
use netloom_model::{Collective, Phase, Workload};
use netloom_records::{CollectiveRow, MeasureRow, RunFolder};
use netloom_scenario::Overrides;
use netloom_units::Duration;

use super::ExportError;
use crate::error::LabError;
use crate::prepare::Prepared;
use crate::show::Recorded;
use crate::show::fabric::stored;
use crate::summary::Distribution;

/// Collectives that ran in isolation.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Alone {
    /// In the order of jobs, then of the list of collectives.
    pub groups: Vec<Group>,
    /// Number of collectives that overlapped others of their job.
    pub side_by_side: u64,
    /// The program that measured them; `None` if they were simulated.
    pub measured_by: Option<String>,
}

/// Collectives of one job and algorithm.
#[derive(Debug, PartialEq)]
pub(crate) struct Group {
    /// Name of the job.
    pub job: String,
    /// The collective, as scenarios call it.
    pub collective: &'static str,
    /// Number of ranks.
    pub ranks: u32,
    /// By size in bytes of the full vector.
    pub sizes: BTreeMap<u64, OfSize>,
}

/// Collectives of one size.
#[derive(Debug, PartialEq)]
pub(crate) struct OfSize {
    /// The first of them, as the scenario has it.
    pub first: Collective,
    /// The recorded row of each.
    pub rows: Vec<CollectiveRow>,
}

impl OfSize {
    /// Distribution of their durations, each from its first rank's start to its last rank's end.
    pub fn times(&self) -> Option<Distribution> {
        Distribution::of(spans(&self.rows).collect())
    }
}

/// Durations of collectives.
pub(super) fn spans(rows: &[CollectiveRow]) -> impl Iterator<Item = Duration> + '_ {
    rows.iter().map(|row| row.end.since(row.start))
}

/// Reads those of a run folder.
///
/// # Errors
/// If the folder is no run, its scenario cannot be read, or no collective ran in isolation.
pub(super) fn read(folder: &Path) -> Result<Alone, LabError> {
    let run = Recorded::open(folder)?;
    let prepared = scenario_of(&run.folder)?;
    let rows = run.folder.collectives()?;
    if rows.is_empty() {
        return Err(ExportError::NoCollectives(folder.to_owned()).into());
    }
    let rows = without_warm_up(rows, &run.folder)?;
    let mut found = of(&prepared.compiled.model.workload, &run.names.jobs, &rows)?;
    found.measured_by = run.folder.manifest().measured.as_ref().map(|measured| measured.by.clone());
    if found.groups.is_empty() {
        let count = found.side_by_side;
        return Err(ExportError::OnlySideBySide { path: folder.to_owned(), count }.into());
    }
    Ok(found)
}

/// Removes the warm-up of a measured job: benchmarks leave out their first iterations, and so does the mean of such a
/// job.
fn without_warm_up(mut rows: Vec<CollectiveRow>, folder: &RunFolder) -> Result<Vec<CollectiveRow>, LabError> {
    let mut warm_up: BTreeMap<u16, u32> = BTreeMap::new();
    for block in folder.rows::<MeasureRow>()? {
        warm_up.extend(block?.iter().map(|row| (row.job, row.warm_up)));
    }
    rows.retain(|row| warm_up.get(&row.job).is_none_or(|warm_up| row.step >= *warm_up));
    Ok(rows)
}

/// The scenario of a run, the only part that describes its phases. The manifest holds it with all inherited values
/// resolved; flows that were read from a file are left out.
///
/// # Errors
/// If this version cannot read it.
pub(crate) fn scenario_of(folder: &RunFolder) -> Result<Prepared, LabError> {
    let name = format!("the scenario of {}", folder.path().display());
    stored(folder, name, &Overrides::default()).map(|shown| shown.prepared)
}

/// Groups the rows of a workload.
pub(crate) fn of(workload: &Workload, jobs: &[String], rows: &[CollectiveRow]) -> Result<Alone, ExportError> {
    let mut groups: BTreeMap<(u16, u16), BTreeMap<u64, OfSize>> = BTreeMap::new();
    let mut side_by_side = 0;
    for row in rows {
        let stranger = || ExportError::StrangeCollective { job: row.job, step: row.step, phase: row.phase };
        let Some(collective) = alone(workload, row).ok_or_else(stranger)? else {
            side_by_side += 1;
            continue;
        };
        name(collective.algorithm).ok_or_else(stranger)?;
        let sizes = groups.entry((row.job, collective.algorithm)).or_default();
        let of_size = sizes.entry(collective.size.0);
        let of_size = of_size.or_insert_with(|| OfSize { first: collective.clone(), rows: Vec::new() });
        of_size.rows.push(*row);
    }
    let group = |((job, algorithm), sizes)| {
        let job = usize::from(job);
        Some(Group {
            job: jobs.get(job).cloned().unwrap_or_else(|| format!("job{job}")),
            collective: name(algorithm)?,
            ranks: workload.jobs[job].ranks.len() as u32,
            sizes,
        })
    };
    let groups = groups.into_iter().filter_map(group).collect();
    Ok(Alone { groups, side_by_side, measured_by: None })
}

/// The collective of a row, if it did not overlap another one of its job, in another group or bucket; `None` if the
/// workload has no such row.
#[expect(clippy::option_option, reason = "that there is none and that it overlapped others are two answers")]
fn alone<'a>(workload: &'a Workload, row: &CollectiveRow) -> Option<Option<&'a Collective>> {
    let job = workload.jobs.get(usize::from(row.job))?;
    let Phase::Communicate { buckets, concurrent, .. } = job.phases.get(usize::from(row.phase))? else {
        return None;
    };
    let bucket = buckets.get(usize::from(row.bucket))?;
    let is_alone = bucket.collectives.len() == 1 && (buckets.len() == 1 || !concurrent);
    Some(bucket.collectives.first().filter(|collective| is_alone && collective.groups.is_none()))
}

/// The name of an algorithm in scenarios.
pub(crate) fn name(algorithm: u16) -> Option<&'static str> {
    collective::SPECS.get(usize::from(algorithm)).map(|spec| spec.name)
}
