//! The cells of a paper's interference studies, as run folders: `cells/SYSTEM` beside the report.
//!
//! Models: every run with an unchanged fabric, at its position in the study; of several at one position those whose
//! times were published; the mean over seeds, and over allocations where several remain; the baseline of each, which is
//! the run that differs only by the aggressor.
//! Leaves out: runs that change settings other than those of the study (what-if experiments), which are counted; runs
//! without measured steps.
//!
//! Invariants: each position of a system occurs once; folders of systems without cells are removed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use netloom_records::Overwrite;
use netloom_scenario::{Overrides, resolve_from};
use netloom_units::Duration;

use super::error::ReproduceError;
use super::paper::{Paper, Plan};
use super::quantity::Quantity;
use super::report::Report;
use super::runs::SimulatedRun;
use crate::cells::scenario::{at, without_aggressor};
use crate::cells::{At, Cell, CellRun, is_name, remove};
use crate::error::LabError;
use crate::prepare::as_data;
use crate::sample::Sample;
use crate::words;

/// The folder of the run folders, in that of the report.
pub(crate) const FOLDER: &str = "cells";

/// The job whose steps are measured.
const VICTIM: &str = "victim";

/// Settings that a study varies, and settings that do not affect its times.
const OF_STUDIES: [&str; 8] = [
    "interference.victim",
    "interference.aggressor",
    "interference.bursts",
    "interference.sizes",
    "interference.steps",
    "interference.warm_up",
    "record",
    "deadline",
];

/// One run of a study, over its seeds.
#[derive(Debug)]
struct Point {
    at: At,
    /// The text that it has in common with its baseline.
    key: String,
    /// In microseconds.
    times: Sample,
    /// Whether its time was published; other runs at its position are experiments with other hosts.
    is_published: bool,
}

/// The runs of a system.
#[derive(Debug, Default)]
struct Found {
    points: Vec<Point>,
    /// Number of runs that change settings other than those of the study.
    changed: usize,
}

/// Writes the cells of a report, if its paper measures any.
pub(super) fn write(report: &Report, folder: &Path) -> Result<(), ReproduceError> {
    let folder = folder.join(FOLDER);
    let runs = of(&report.paper, &report.runs)?;
    for run in &runs {
        run.store(&folder.join(&run.system), Overwrite::Replace, &[])?;
    }
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if runs.iter().all(|run| path.file_name() != Some(run.system.as_ref())) {
            remove(&path);
        }
    }
    // A folder that is not empty stays.
    fs::remove_dir(folder).unwrap_or_default();
    Ok(())
}

/// The cells of all systems, by name.
fn of(paper: &Paper, runs: &[SimulatedRun]) -> Result<Vec<CellRun>, ReproduceError> {
    if !paper.asks_for(Quantity::MeasuredMean) {
        return Ok(Vec::new());
    }
    let mut systems: BTreeMap<String, Found> = BTreeMap::new();
    for seeds in runs.chunk_by(|left, right| left.run == right.run) {
        let times: Vec<f64> =
            seeds.iter().filter_map(|run| run.get(Some(VICTIM), Quantity::MeasuredMean)).collect();
        let Some(times) = Sample::of(&times) else { continue };
        // Stored runs may belong to earlier files of a paper.
        let Ok(plan) = paper.plan(&seeds[0].run) else { continue };
        let found = systems.entry(paper.system(&seeds[0].run)).or_default();
        let is_of_the_study = |(path, _): &(String, String)| OF_STUDIES.contains(&path.as_str());
        if !plan.set.iter().all(is_of_the_study) {
            found.changed += 1;
            continue;
        }
        let scenario = resolved(plan)?;
        if let Some(at) = at(&scenario) {
            let published = paper.published.get(&seeds[0].run, Some(VICTIM), Quantity::MeasuredMean);
            let key = without_aggressor(&scenario);
            found.points.push(Point { at, key, times, is_published: published.is_some() });
        }
    }
    let runs = systems.into_iter().filter(|(system, found)| is_name(system) && !found.points.is_empty());
    Ok(runs.map(|(system, found)| run(paper, system, &found)).collect())
}

fn resolved(plan: Plan) -> Result<serde_json::Value, LabError> {
    let overrides = Overrides { set: plan.set, ..Overrides::default() };
    as_data(&resolve_from(&plan.source.read()?, &plan.source, &overrides)?.to_yaml())
}

fn run(paper: &Paper, system: String, found: &Found) -> CellRun {
    let mut points_by_cell: BTreeMap<At, Vec<&Point>> = BTreeMap::new();
    for point in &found.points {
        points_by_cell.entry(point.at.clone()).or_default().push(point);
    }
    let alone: BTreeMap<&str, Sample> = found
        .points
        .iter()
        .filter(|point| point.at.aggressor.is_none())
        .map(|point| (point.key.as_str(), point.times))
        .collect();
    let mut passed_over = 0;
    for points in points_by_cell.values_mut() {
        let n_points = points.len();
        if points.iter().any(|point| point.is_published) {
            points.retain(|point| point.is_published);
        }
        passed_over += n_points - points.len();
    }
    let several = points_by_cell.values().filter(|points| points.len() > 1).count();
    let size = if paper.is_full() { "the paper's full size" } else { "the claims' size" };
    let mut assumptions = vec![format!("Simulated means of the runs of {} at {size}, over seeds.", paper.id)];
    if several > 0 {
        let cells = words::some(several as u64, "cell");
        assumptions.push(format!("Means over several allocations: {cells}; their intervals are left out."));
    }
    if passed_over > 0 {
        let runs = words::some(passed_over as u64, "run");
        assumptions
            .push(format!("Left out, since another run of the same cell has the published time: {runs}."));
    }
    if found.changed > 0 {
        let runs = words::some(found.changed as u64, "run");
        assumptions
            .push(format!("Left out, since they change settings other than those of the study: {runs}."));
    }
    let cells = points_by_cell.into_iter().map(|(at, points)| cell(at, &points, &alone)).collect();
    CellRun { system, cells, measured: None, assumptions }
}

/// The cell at one position, from its runs and their baselines.
fn cell(at: At, points: &[&Point], alone: &BTreeMap<&str, Sample>) -> Cell {
    let own: Vec<Sample> = points.iter().map(|point| point.times).collect();
    let below: Option<Vec<Sample>> =
        points.iter().map(|point| alone.get(point.key.as_str()).copied()).collect();
    let baseline = below.filter(|_| at.aggressor.is_some()).map(|below| mean(&below));
    let (mean, half_interval) = mean(&own);
    Cell { at, mean, half_interval, median: None, steps: 0, warm_up: 0, baseline }
}

/// The mean of means in microseconds, and half of its interval if there is only one.
fn mean(samples: &[Sample]) -> (Duration, Option<Duration>) {
    let span = |micros: f64| Duration((micros * 1e6).round() as u64);
    let sum: f64 = samples.iter().map(|sample| sample.mean).sum();
    let half = if let [one] = samples { one.confidence().map(span) } else { None };
    (span(sum / samples.len() as f64), half)
}

#[cfg(test)]
mod tests {
    use netloom_records::RunFolder;

    use super::super::{Request, reproduce};
    use super::*;
    use crate::runs_in::runs_in;

    const FABRIC: &str = "
netloom: 1
fabric: { leaf_spine: { leaves: 2, spines: 1, hosts_per_leaf: 2, host_rate: 100Gbps, fabric_rate: 100Gbps } }
interference:
  hosts: 4
  victim: { ring_all_gather: { size: 64KiB } }
  aggressor: { all_to_all_linear: { size: 2MiB } }
  steps: 4
";
    const CLAIMS: &str = "
seeds: { look: 2, check: 2 }
groups: {}
systems: { pond: lake }
experiments:
  - { name: alone, from: pond-4, set: { interference.aggressor: none }, shows: alone }
  - { name: beside, from: pond-4, shows: beside }
  - { name: elsewhere, from: pond-4, set: { interference.aggressor: '{ all_to_all_linear: { size: 2MiB } }', interference.steps: '9' }, shows: nothing published }
  - { name: otherwise, from: pond-4, set: { balance: spray }, shows: another policy }
claims:
  - { id: slower, said: here, text: slower, kind: predicted, quantity: measured_mean, at: [beside/victim, elsewhere/victim, otherwise/victim], per: { at: [alone/victim, alone/victim, alone/victim] }, relation: { at_least: 1 }, recorded: reproduced }
";

    #[test]
    fn runs_become_cells_with_their_baselines() {
        let files = [
            ("published.csv", "run,part,measured_mean_us\nbeside,victim,1\n"),
            ("claims.yaml", CLAIMS),
            ("scenarios/pond-4.yaml", FABRIC),
        ];
        let paper = Paper::new("sample", files).expect("its files fit");
        let report = reproduce(paper, &Request::default()).expect("it runs");
        let home = tempfile::tempdir().expect("a folder");
        report.write(home.path()).expect("it can be written");
        assert_eq!(runs_in(home.path()), [home.path().join("cells/lake")]);
        let folder = RunFolder::open(&home.path().join("cells/lake")).expect("it is a run");
        assert!(folder.manifest().measured.is_none());
        let assumptions = folder.manifest().assumptions.join(" ");
        assert!(
            assumptions.contains("published time: 1 run.") && assumptions.contains("of the study: 1 run."),
            "{assumptions}"
        );
        let rows = folder.cells().expect("they are there");
        assert_eq!(rows.len(), 2, "runs with another policy are left out");
        let (beside, alone) = (rows[0], rows[1]);
        assert_eq!((alone.nodes, alone.size.0, alone.aggressor_size.0), (4, 64 << 10, 0));
        assert_eq!(beside.aggressor_size.0, 1 << 20);
        assert_eq!(beside.baseline, Some(alone.mean));
        assert!(beside.mean > alone.mean, "an exchange slows a ring");
        let none = Report { runs: Vec::new(), ..report };
        write(&none, home.path()).expect("it can be written");
        assert!(!home.path().join("cells").exists(), "cells of an earlier report are gone");
    }
}
