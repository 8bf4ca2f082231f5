//! Studies of interference: the slowdown of a victim by an aggressor, and the times of its iterations.
//!
//! Models: runs with a measured job `victim`; a run with a job `aggressor` is paired with the run that differs only in
//! lacking that job and has the same seed; the ratio of the two means, with its interval; points that differ only in
//! their seed become one cell.
//! Leaves out: means over cells; steps beyond the first few thousand of a run.
//!
//! Invariants: a run without a baseline has no ratio, and is reported as such.
//! Source: the figures 2 to 8 of Piarulli et al. 2026; intervals: modelling assumption (docs/concepts/interference.md).

use std::collections::BTreeMap;

use netloom_records::statistics::student;
use netloom_records::{Batch, CellRow, MeasureRow};
use serde::Serialize;
use serde_json::Value;

pub mod beside;
mod circumstances;
mod stored;
mod written;

use super::Collector;
use crate::collect::About;
use crate::round::six_digits;
use beside::Beside;
use written::{AGGRESSOR, VICTIM, bursts, collective, is_exchange, job, label, n_ranks, without_aggressor};

/// Largest number of steps of a run for the view over time.
const MOST_STEPS: usize = 4_000;
/// Largest number of pairs of runs in that view; one is enough if there is no slowdown.
const MOST_COURSES: usize = 4;
/// A ratio from which on there is no slowdown.
const HARMLESS: f64 = 0.95;

/// Data of a run.
#[derive(Debug, Default)]
pub struct Interference {
    measure: Option<MeasureRow>,
    /// Bytes of the victim's vector, and bytes counted for bus bandwidth.
    size: Option<(u64, f64)>,
    /// Start and time of the victim's first steps, in seconds.
    steps: Vec<(f64, f64)>,
    /// Imported cells, which are summaries already.
    cells: Vec<CellRow>,
}

impl Collector for Interference {
    fn take(&mut self, about: &About, batch: Batch<'_>) {
        match batch {
            Batch::Measures(rows) => {
                self.measure = rows.iter().find(|row| about.job(row.job) == VICTIM).copied().or(self.measure);
            }
            Batch::Collectives(rows) if self.size.is_none() => {
                let row = rows.iter().find(|row| about.job(row.job) == VICTIM && row.algbw > 0.0);
                self.size = row.map(|row| (row.size.0, row.busbw / row.algbw));
            }
            Batch::Steps(rows) => {
                let left = MOST_STEPS.saturating_sub(self.steps.len());
                let own = rows.iter().filter(|row| about.job(row.job) == VICTIM).take(left);
                self.steps
                    .extend(own.map(|row| (row.start.as_seconds(), row.end.since(row.start).as_seconds())));
            }
            Batch::Cells(rows) => self.cells.extend_from_slice(rows),
            _ => {}
        }
    }
}

/// The studies in some runs.
#[derive(Debug, Serialize)]
pub struct Study {
    /// Settings in which the runs differ apart from the coordinates of points.
    pub settings: Vec<String>,
    /// The points, one for each run.
    pub points: Vec<PointData>,
    /// Points that differ only in their seed.
    pub cells: Vec<CellData>,
    /// The victim's steps over time, of the few cells with the smallest ratios, the smallest first.
    pub courses: Vec<CourseData>,
    /// Measured cells with their simulated counterparts; absent unless there are both kinds.
    pub beside: Option<Beside>,
}

/// The coordinates of a point.
#[derive(Debug, Clone, PartialEq, PartialOrd, Serialize)]
pub struct Coordinates {
    /// The scenario, with all settings in which runs differ and that are no other coordinate.
    pub scenario: String,
    /// Whether it was measured on a machine, not simulated.
    pub measured: bool,
    /// Hosts of both groups; for a victim in isolation twice its ranks.
    pub nodes: u64,
    /// The victim's collective.
    pub victim: String,
    /// Bytes of its vector; for an all-to-all those per peer.
    pub bytes: u64,
    /// The aggressor's collective with its size, in the form of the victim's; absent in a baseline.
    pub aggressor: Option<String>,
    /// Length and pause of its bursts, in seconds; absent if it never pauses.
    pub bursts: Option<[f64; 2]>,
}

/// One run of a study.
#[derive(Debug, Clone, Serialize)]
pub struct PointData {
    /// Name of the run.
    pub run: String,
    /// Its seed; absent for a measured run.
    pub seed: Option<u64>,
    /// Its coordinates.
    #[serde(flatten)]
    pub at: Coordinates,
    /// Mean time of the victim's steps.
    pub mean_s: f64,
    /// Half of its 95 % interval.
    pub half_s: Option<f64>,
    /// Number of steps in the statistics, and of warm-up steps before these.
    pub steps: [u32; 2],
    /// Its bus bandwidth, in bit/s.
    pub busbw_bps: Option<f64>,
    /// The mean of its baseline; absent if that is not among the runs, or is this one.
    pub baseline_s: Option<f64>,
    /// Mean of the baseline over this mean: 1 is no slowdown.
    pub ratio: Option<RatioData>,
    /// A key that it shares with its baseline; none if the baseline is known already.
    #[serde(skip)]
    key: Option<String>,
    /// The scenario's own name.
    #[serde(skip)]
    system: String,
}

/// A ratio with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RatioData {
    /// The ratio.
    pub value: f64,
    /// Half of its interval: over seeds, or of one seed from the intervals of both means.
    pub half: Option<f64>,
    /// Number of seeds of the mean.
    pub seeds: usize,
}

/// Points that differ only in their seed.
#[derive(Debug, Clone, Serialize)]
pub struct CellData {
    /// Their common coordinates.
    #[serde(flatten)]
    pub at: Coordinates,
    /// Mean of their means.
    pub mean_s: f64,
    /// Mean bus bandwidth, in bit/s.
    pub busbw_bps: Option<f64>,
    /// Mean time of the victim in isolation, in seconds; absent for a baseline, or without one.
    pub baseline_s: Option<f64>,
    /// Mean of their ratios; absent for a baseline, or without one.
    pub ratio: Option<RatioData>,
}

/// The victim's steps of a run and of its baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CourseData {
    /// Index of the point.
    pub point: usize,
    /// Number of warm-up steps.
    pub warm_up: u32,
    /// Its steps.
    #[serde(flatten)]
    pub steps: StepsData,
    /// Those of its baseline.
    pub baseline: StepsData,
}

/// Steps of one run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepsData {
    /// When each began, in seconds.
    pub starts: Vec<f64>,
    /// How long each took, in seconds.
    pub times: Vec<f64>,
}

impl Study {
    /// From all runs; none if none is part of a study.
    pub fn of(runs: &[(&About, Interference)]) -> Option<Study> {
        let mut points = Vec::new();
        let mut indices = Vec::new();
        for (index, (about, kept)) in runs.iter().enumerate() {
            let found: Vec<PointData> =
                point(about, kept).into_iter().chain(stored::points(about, &kept.cells)).collect();
            indices.extend(found.iter().map(|_| index));
            points.extend(found);
        }
        if points.is_empty() {
            return None;
        }
        let settings = name(&mut points, |point| &runs[indices[point]].0.manifest.scenario);
        pair(&mut points);
        let courses = courses(&points, |point| &runs[indices[point]].1);
        let (cells, systems) = cells(&points);
        let beside = Beside::of(&cells, &systems);
        Some(Study { settings, points, cells, courses, beside })
    }
}

fn point(about: &About, kept: &Interference) -> Option<PointData> {
    let measure = kept.measure?;
    let scenario = &about.manifest.scenario;
    let victim = job(scenario, VICTIM)?;
    let (bytes, factor) = kept.size?;
    let n_ranks = n_ranks(victim)?;
    let (name, _) = collective(victim)?;
    let aggressor = job(scenario, AGGRESSOR);
    let mean_s = measure.mean.as_seconds();
    Some(PointData {
        run: about.name.clone(),
        seed: about.manifest.seed,
        at: Coordinates {
            scenario: String::new(),
            measured: about.manifest.measured.is_some(),
            nodes: 2 * n_ranks,
            victim: name.to_owned(),
            bytes: if is_exchange(name) { bytes / n_ranks } else { bytes },
            aggressor: aggressor.and_then(label),
            bursts: aggressor.and_then(bursts),
        },
        mean_s,
        half_s: measure.half_interval.map(netloom_units::Duration::as_seconds),
        steps: [measure.steps, measure.warm_up],
        busbw_bps: (mean_s > 0.0).then(|| six_digits(bytes as f64 * factor * 8.0 / mean_s)),
        baseline_s: None,
        ratio: None,
        key: Some(pair_key(about)),
        system: system(about),
    })
}

/// A key that a run shares with its baseline, and with no run that has another baseline.
///
/// A measured run has its baseline in the same job of the machine, so no other run of the same scenario, simulated ones
/// included, is its baseline.
fn pair_key(about: &About) -> String {
    let alone = without_aggressor(&about.manifest.scenario);
    match &about.manifest.measured {
        Some(measured) => format!("{alone} measured {}", measured.source),
        None => alone,
    }
}

/// The name of a run's scenario.
fn system(about: &About) -> String {
    about.manifest.scenario.get("name").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Names points by the settings that are no other coordinate. Returns these settings.
///
/// Measured and simulated runs are named separately: settings that distinguish one kind need not be known for the
/// other. Imported cells are named by their system.
fn name<'a>(points: &mut [PointData], scenario: impl Fn(usize) -> &'a Value) -> Vec<String> {
    let mut settings = Vec::new();
    for measured in [false, true] {
        let own = |point: &PointData| point.at.measured == measured && point.key.is_some();
        let numbers: Vec<usize> = (0..points.len()).filter(|&number| own(&points[number])).collect();
        let others: Vec<String> = numbers
            .iter()
            .map(|&number| format!("{:?} {:?}", points[number].at, points[number].seed))
            .collect();
        let scenarios: Vec<&Value> = numbers.iter().map(|&number| scenario(number)).collect();
        let found = circumstances::of(&scenarios, &others);
        for (number, name) in numbers.into_iter().zip(found.names) {
            points[number].at.scenario = name;
        }
        settings.extend(
            found.settings.into_iter().filter(|setting| !settings.contains(setting)).collect::<Vec<_>>(),
        );
    }
    settings
}

/// Finds the baseline of every congested point.
fn pair(points: &mut [PointData]) {
    let is_baseline = |point: &&PointData| point.at.aggressor.is_none();
    let known: BTreeMap<String, (f64, Option<f64>)> = points
        .iter()
        .filter(is_baseline)
        .filter_map(|point| Some((point.key.clone()?, (point.mean_s, point.half_s))))
        .collect();
    for point in points.iter_mut().filter(|point| point.at.aggressor.is_some()) {
        let Some(&baseline) = point.key.as_ref().and_then(|key| known.get(key)) else { continue };
        point.baseline_s = Some(baseline.0);
        point.ratio = Some(ratio(baseline, (point.mean_s, point.half_s)));
    }
}

/// The ratio of two means, each with half the width of its interval.
fn ratio(baseline: (f64, Option<f64>), own: (f64, Option<f64>)) -> RatioData {
    let value = baseline.0 / own.0;
    let share = |half: f64, mean: f64| (half / mean) * (half / mean);
    let halves = baseline.1.zip(own.1);
    let half = halves.map(|(base, half)| value * (share(base, baseline.0) + share(half, own.0)).sqrt());
    RatioData { value, half, seeds: 1 }
}

/// Cells of points that differ only in their seed, in the order of their coordinates.
///
/// Each comes with the name of its system.
fn cells(points: &[PointData]) -> (Vec<CellData>, Vec<String>) {
    let mut found: Vec<(Coordinates, Vec<&PointData>)> = Vec::new();
    for point in points {
        match found.iter_mut().find(|(at, _)| *at == point.at) {
            Some((_, list)) => list.push(point),
            None => found.push((point.at.clone(), vec![point])),
        }
    }
    found.sort_by(|left, right| left.0.partial_cmp(&right.0).unwrap_or(std::cmp::Ordering::Equal));
    let systems = found.iter().map(|(_, list)| list[0].system.clone()).collect();
    (found.into_iter().map(|(at, list)| cell(at, &list)).collect(), systems)
}

fn cell(at: Coordinates, points: &[&PointData]) -> CellData {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let of = |read: fn(&PointData) -> Option<f64>| -> Vec<f64> {
        points.iter().filter_map(|point| read(point)).collect()
    };
    let ratios = of(|point| Some(point.ratio?.value));
    let ratio = match ratios.as_slice() {
        [] => None,
        [_] => points.iter().find_map(|point| point.ratio),
        several => {
            let (n, centre) = (several.len(), mean(several));
            let squares: f64 = several.iter().map(|ratio| (ratio - centre) * (ratio - centre)).sum();
            let half = student::within(0.95, n as u64 - 1) * (squares / (n - 1) as f64 / n as f64).sqrt();
            Some(RatioData { value: centre, half: Some(half), seeds: n })
        }
    };
    let bandwidths = of(|point| point.busbw_bps);
    let baselines = of(|point| point.baseline_s);
    CellData {
        at,
        mean_s: mean(&of(|point| Some(point.mean_s))),
        busbw_bps: (!bandwidths.is_empty()).then(|| mean(&bandwidths)),
        baseline_s: (!baselines.is_empty()).then(|| mean(&baselines)),
        ratio,
    }
}

/// The steps of the worst run of each cell and of its baseline, for the few cells with the smallest ratios.
fn courses<'a>(points: &[PointData], kept: impl Fn(usize) -> &'a Interference) -> Vec<CourseData> {
    let mut worst: Vec<(f64, usize)> = Vec::new();
    for (number, point) in points.iter().enumerate() {
        worst.extend(point.ratio.map(|ratio| (ratio.value, number)));
    }
    worst.sort_by(|left, right| left.0.total_cmp(&right.0));
    let mut chosen: Vec<(f64, usize)> = Vec::new();
    for (ratio, number) in worst {
        let is_new = chosen.iter().all(|&(_, other)| points[other].at != points[number].at);
        if is_new && chosen.len() < MOST_COURSES && (ratio < HARMLESS || chosen.is_empty()) {
            chosen.push((ratio, number));
        }
    }
    let course = |(_, number): (f64, usize)| {
        let point = &points[number];
        let key = point.key.as_ref()?;
        let is_baseline = |other: &PointData| other.at.aggressor.is_none() && other.key.as_ref() == Some(key);
        let baseline = points.iter().position(is_baseline)?;
        let (steps, baseline) = (steps(kept(number)), steps(kept(baseline)));
        Some(CourseData { point: number, warm_up: point.steps[1], steps, baseline })
    };
    chosen.into_iter().filter_map(course).collect()
}

fn steps(kept: &Interference) -> StepsData {
    StepsData {
        starts: kept.steps.iter().map(|step| six_digits(step.0)).collect(),
        times: kept.steps.iter().map(|step| six_digits(step.1)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(seed: u64, aggressor: Option<&str>, mean_s: f64, half_s: Option<f64>) -> PointData {
        let at = Coordinates {
            scenario: "scene".to_owned(),
            measured: false,
            nodes: 8,
            victim: "ring_all_gather".to_owned(),
            bytes: 1024,
            aggressor: aggressor.map(str::to_owned),
            bursts: None,
        };
        let (run, key) = (format!("run {seed}"), Some(seed.to_string()));
        PointData {
            run,
            seed: Some(seed),
            at,
            mean_s,
            half_s,
            steps: [10, 0],
            busbw_bps: Some(8.0),
            baseline_s: None,
            ratio: None,
            key,
            system: "scene".to_owned(),
        }
    }

    #[test]
    fn a_run_is_paired_with_the_baseline_of_its_seed() {
        let mut points = vec![
            point(1, None, 1.0, Some(0.03)),
            point(1, Some("incast"), 4.0, Some(0.16)),
            point(2, Some("incast"), 4.0, None),
            point(3, None, 2.0, None),
            point(3, Some("incast"), 4.0, None),
        ];
        pair(&mut points);
        assert!(points[0].ratio.is_none() && points[2].ratio.is_none(), "2 has no baseline");
        // Half widths of 3 % and 4 % combine to 5 %.
        let ratio = points[1].ratio.expect("it has one");
        assert!(
            (ratio.value - 0.25).abs() < 1e-12
                && (ratio.half.expect("both are known") - 0.0125).abs() < 1e-12
        );
        let (cells, _) = cells(&points);
        assert_eq!(cells.len(), 2);
        let both = cells[1].ratio.expect("two seeds have one");
        // The mean of 0.25 and 0.5; t(0.975, 1) = 12.706 times 0.125.
        assert!(
            (both.value - 0.375).abs() < 1e-12 && (both.half.expect("two") - 12.706 * 0.125).abs() < 1e-3
        );
        assert_eq!(both.seeds, 2);
    }

    #[test]
    fn the_steps_of_the_worst_run_of_each_cell_come_with_those_of_its_baseline() {
        let mut points = vec![
            point(1, Some("incast"), 2.0, None),
            point(2, Some("incast"), 4.0, None),
            point(1, Some("all_to_all"), 3.0, None),
            point(1, Some("permutation"), 1.01, None),
            point(1, None, 1.0, None),
            point(2, None, 1.0, None),
        ];
        pair(&mut points);
        let kept: Vec<Interference> = (0..6)
            .map(|number| Interference { steps: vec![(f64::from(number), 1.0)], ..Interference::default() })
            .collect();
        let found = courses(&points, |number| &kept[number]);
        let found_values: Vec<(usize, f64)> =
            found.iter().map(|course| (course.point, course.baseline.starts[0])).collect();
        assert_eq!(found_values, [(1, 5.0), (2, 4.0)], "one of each cell; the last one has no slowdown");
        let harmless = courses(&points[3..5], |number| &kept[3 + number]);
        assert_eq!(harmless.len(), 1, "the worst one is always included");
    }
}
