//! Studies of interference: how much longer a victim takes beside an aggressor, and how its iterations went.
//!
//! Models: runs with a measured job `victim`; a run with a job `aggressor` is paired with the one that is equal but for
//! that job, the seed included; the ratio of the two means, with its interval; points that differ in their seed alone
//! become one cell.
//! Leaves out: means over cells; steps beyond the first few thousand of a run.
//!
//! Invariants: a run without its baseline has no ratio, and is told as such.
//! Source: the figures 2 to 8 of Piarulli et al. 2026; intervals: ours (docs/concepts/interference.md).

use std::collections::BTreeMap;

use netloom_records::statistics::student;
use netloom_records::{Batch, MeasureRow};
use serde::Serialize;
use serde_json::Value;

mod circumstances;

use super::Collector;
use crate::collect::About;
use crate::round::six_digits;

/// Names of the two jobs.
const VICTIM: &str = "victim";
const AGGRESSOR: &str = "aggressor";
/// Steps of a run that are kept for the view over time.
const MOST_STEPS: usize = 4_000;
/// Pairs of runs of which that view is drawn; without harm one of them is enough.
const MOST_COURSES: usize = 4;
/// A ratio from which on there is none.
const HARMLESS: f64 = 0.95;

/// What is kept of a run.
#[derive(Debug, Default)]
pub struct Interference {
    measure: Option<MeasureRow>,
    /// Bytes of the victim's vector, and what the bus counts of them.
    size: Option<(u64, f64)>,
    /// Start and time of the victim's first steps, in seconds.
    steps: Vec<(f64, f64)>,
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
            _ => {}
        }
    }
}

/// All that is known of the studies in some runs.
#[derive(Debug, Serialize)]
pub struct Study {
    /// Settings in which the runs differ beside what points are told by.
    pub settings: Vec<String>,
    /// Run by run.
    pub points: Vec<PointData>,
    /// Points that differ in their seed alone.
    pub cells: Vec<CellData>,
    /// The victim's steps over time, of the few cells that suffered most, the worst first.
    pub courses: Vec<CourseData>,
}

/// What a study varies.
#[derive(Debug, Clone, PartialEq, PartialOrd, Serialize)]
pub struct Coordinates {
    /// The scenario, with all in which runs differ and which the others do not tell.
    pub scenario: String,
    /// Hosts of both groups; of the victim alone twice its ranks.
    pub nodes: u64,
    /// The victim's collective.
    pub victim: String,
    /// Bytes of its vector; of an all-to-all those for each peer.
    pub bytes: u64,
    /// The aggressor's collective with its size, told as the victim's; absent in a baseline.
    pub aggressor: Option<String>,
    /// Length and pause of its bursts, in seconds; absent where it never pauses.
    pub bursts: Option<[f64; 2]>,
}

/// One run of a study.
#[derive(Debug, Clone, Serialize)]
pub struct PointData {
    /// What the run is called.
    pub run: String,
    /// Its seed.
    pub seed: u64,
    /// What it varies.
    #[serde(flatten)]
    pub at: Coordinates,
    /// Mean time of the victim's steps.
    pub mean_s: f64,
    /// Half of its 95 % interval.
    pub half_s: Option<f64>,
    /// Steps that count, and those before these.
    pub steps: [u32; 2],
    /// What the bus carries for it, in bit/s.
    pub busbw_bps: Option<f64>,
    /// The mean of its baseline; absent where that is not among the runs, or is this one.
    pub baseline_s: Option<f64>,
    /// Mean of the baseline over this mean: 1 is no harm.
    pub ratio: Option<RatioData>,
    #[serde(skip)]
    key: String,
}

/// A ratio with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RatioData {
    /// The ratio.
    pub value: f64,
    /// Half of its interval: over seeds, or of one seed from the intervals of both means.
    pub half: Option<f64>,
    /// Seeds it is the mean over.
    pub seeds: usize,
}

/// Points that differ in their seed alone.
#[derive(Debug, Clone, Serialize)]
pub struct CellData {
    /// What they have in common.
    #[serde(flatten)]
    pub at: Coordinates,
    /// Mean of their means.
    pub mean_s: f64,
    /// What the bus carries, as a mean, in bit/s.
    pub busbw_bps: Option<f64>,
    /// Mean of their ratios; absent of a baseline, or without one.
    pub ratio: Option<RatioData>,
}

/// The victim's steps of a run and of its baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CourseData {
    /// Which point.
    pub point: usize,
    /// Steps before those that count.
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
    /// Of all runs; nothing where none is part of a study.
    pub fn of(runs: &[(&About, Interference)]) -> Option<Study> {
        let mut points = Vec::new();
        let mut places = Vec::new();
        for (place, (about, kept)) in runs.iter().enumerate() {
            if let Some(point) = point(about, kept) {
                points.push(point);
                places.push(place);
            }
        }
        if points.is_empty() {
            return None;
        }
        let scenarios: Vec<&Value> = places.iter().map(|&place| &runs[place].0.manifest.scenario).collect();
        let settings = name(&mut points, &scenarios);
        pair(&mut points);
        let courses = courses(&points, |point| &runs[places[point]].1);
        Some(Study { settings, cells: cells(&points), courses, points })
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
        key: without_aggressor(scenario),
    })
}

/// Gives points the names of their circumstances: all that is not told by the other coordinates. Returns what is told.
fn name(points: &mut [PointData], scenarios: &[&Value]) -> Vec<String> {
    let others: Vec<String> = points.iter().map(|point| format!("{:?} {}", point.at, point.seed)).collect();
    let told = circumstances::of(scenarios, &others);
    for (point, scenario) in points.iter_mut().zip(told.names) {
        point.at.scenario = scenario;
    }
    told.settings
}

/// The job of a name.
fn job<'a>(scenario: &'a Value, name: &str) -> Option<&'a Value> {
    scenario.get("jobs")?.as_array()?.iter().find(|job| job.get("name").and_then(Value::as_str) == Some(name))
}

/// The first collective of a job, with its size as it is written.
fn collective(job: &Value) -> Option<(&str, &str)> {
    let each = job.get("phases")?.get(0)?.get("collectives")?.get("each")?.get(0)?.as_object()?;
    let (name, body) = each.iter().next()?;
    Some((name, body.get("size").and_then(Value::as_str)?))
}

/// Whether sizes of a collective are told as those of the part for each peer.
fn is_exchange(collective: &str) -> bool {
    collective.starts_with("all_to_all")
}

/// The collective of a job with its size, told as that of a victim.
fn label(job: &Value) -> Option<String> {
    let (name, size) = collective(job)?;
    let part = if is_exchange(name) { part(size, n_ranks(job)?) } else { None };
    Some(format!("{name} {}", part.unwrap_or_else(|| size.to_owned())))
}

/// A size as scenarios print it, divided; nothing where the parts are no whole bytes.
fn part(size: &str, parts: u64) -> Option<String> {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let digits = size.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = UNITS.iter().position(|unit| *unit == &size[digits.len()..])?;
    let bytes = digits.parse::<u64>().ok()?.checked_mul(1024_u64.checked_pow(unit as u32)?)?;
    let mut part = (parts > 0 && bytes % parts == 0).then(|| bytes / parts)?;
    let mut unit = 0;
    while part >= 1024 && part % 1024 == 0 && unit + 1 < UNITS.len() {
        part /= 1024;
        unit += 1;
    }
    Some(format!("{part}{}", UNITS[unit]))
}

/// How many ranks a job asks for.
fn n_ranks(job: &Value) -> Option<u64> {
    let (_, rule) = job.get("placement")?.as_object()?.iter().next()?;
    if let Some(list) = rule.as_array() {
        return Some(list.len() as u64);
    }
    let ranks = rule.get("ranks")?;
    ranks.as_u64().or_else(|| ranks.as_str()?.parse().ok())
}

/// Length and pause of a job's bursts, in seconds.
fn bursts(job: &Value) -> Option<[f64; 2]> {
    let bursts = job.get("bursts")?;
    let span = |key: &str| seconds(bursts.get(key)?.as_str()?);
    Some([span("length")?, span("pause")?])
}

/// A span of time as scenarios print it.
fn seconds(text: &str) -> Option<f64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let number = digits.parse::<f64>().ok()?;
    // Divided, so that ten microseconds are the double nearest to them.
    Some(match &text[digits.len()..] {
        "ps" => number / 1e12,
        "ns" => number / 1e9,
        "us" => number / 1e6,
        "ms" => number / 1e3,
        "s" => number,
        "min" => number * 60.0,
        "h" => number * 3_600.0,
        "d" => number * 86_400.0,
        _ => return None,
    })
}

/// The scenario as it would be without its aggressor: equal for a run and its baseline.
fn without_aggressor(scenario: &Value) -> String {
    let mut alone = scenario.clone();
    if let Some(jobs) = alone.get_mut("jobs").and_then(Value::as_array_mut) {
        jobs.retain(|job| job.get("name").and_then(Value::as_str) != Some(AGGRESSOR));
    }
    alone.to_string()
}

/// Finds the baseline of every congested point.
fn pair(points: &mut [PointData]) {
    let is_baseline = |point: &&PointData| point.at.aggressor.is_none();
    let known: BTreeMap<String, (f64, Option<f64>)> = points
        .iter()
        .filter(is_baseline)
        .map(|point| (point.key.clone(), (point.mean_s, point.half_s)))
        .collect();
    for point in points.iter_mut().filter(|point| point.at.aggressor.is_some()) {
        let Some(&(baseline, half)) = known.get(&point.key) else { continue };
        let value = baseline / point.mean_s;
        let share = |half: f64, mean: f64| (half / mean) * (half / mean);
        let halves = half.zip(point.half_s);
        let half =
            halves.map(|(base, own)| value * (share(base, baseline) + share(own, point.mean_s)).sqrt());
        point.baseline_s = Some(baseline);
        point.ratio = Some(RatioData { value, half, seeds: 1 });
    }
}

/// Points that differ in their seed alone, in the order of their coordinates.
fn cells(points: &[PointData]) -> Vec<CellData> {
    let mut found: Vec<(Coordinates, Vec<&PointData>)> = Vec::new();
    for point in points {
        match found.iter_mut().find(|(at, _)| *at == point.at) {
            Some((_, list)) => list.push(point),
            None => found.push((point.at.clone(), vec![point])),
        }
    }
    found.sort_by(|left, right| left.0.partial_cmp(&right.0).unwrap_or(std::cmp::Ordering::Equal));
    found.into_iter().map(|(at, list)| cell(at, &list)).collect()
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
    CellData {
        at,
        mean_s: mean(&of(|point| Some(point.mean_s))),
        busbw_bps: (!bandwidths.is_empty()).then(|| mean(&bandwidths)),
        ratio,
    }
}

/// The steps of the worst run of each cell and of its baseline, for the few that suffered most.
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
        let is_baseline = |other: &PointData| other.at.aggressor.is_none() && other.key == point.key;
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
    use serde_json::json;

    use super::*;

    fn point(seed: u64, aggressor: Option<&str>, mean_s: f64, half_s: Option<f64>) -> PointData {
        let at = Coordinates {
            scenario: "scene".to_owned(),
            nodes: 8,
            victim: "ring_all_gather".to_owned(),
            bytes: 1024,
            aggressor: aggressor.map(str::to_owned),
            bursts: None,
        };
        let (run, key) = (format!("run {seed}"), seed.to_string());
        PointData {
            run,
            seed,
            at,
            mean_s,
            half_s,
            steps: [10, 0],
            busbw_bps: Some(8.0),
            baseline_s: None,
            ratio: None,
            key,
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
        // 3 % and 4 % are 5 % together.
        let ratio = points[1].ratio.expect("it has one");
        assert!(
            (ratio.value - 0.25).abs() < 1e-12
                && (ratio.half.expect("both are known") - 0.0125).abs() < 1e-12
        );
        let cells = cells(&points);
        assert_eq!(cells.len(), 2);
        let both = cells[1].ratio.expect("two seeds have one");
        // The mean of 0.25 and 0.5; t(0.975, 1) = 12.706 times 0.125.
        assert!(
            (both.value - 0.375).abs() < 1e-12 && (both.half.expect("two") - 12.706 * 0.125).abs() < 1e-3
        );
        assert_eq!(both.seeds, 2);
    }

    #[test]
    fn a_scenario_without_its_aggressor_is_its_baseline() {
        let scenario = |jobs: &[&str]| json!({ "jobs": jobs.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>() });
        let alone = without_aggressor(&scenario(&["victim"]));
        assert_eq!(without_aggressor(&scenario(&["victim", "aggressor"])), alone);
        assert_ne!(without_aggressor(&scenario(&["victim", "other"])), alone);
    }

    #[test]
    fn the_steps_of_the_worst_run_of_each_cell_are_beside_those_of_its_baseline() {
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
        let told: Vec<(usize, f64)> =
            found.iter().map(|course| (course.point, course.baseline.starts[0])).collect();
        assert_eq!(told, [(1, 5.0), (2, 4.0)], "one of each cell; the last one is no harm");
        let harmless = courses(&points[3..5], |number| &kept[3 + number]);
        assert_eq!(harmless.len(), 1, "the worst one is there in any case");
    }

    #[test]
    fn parts_for_each_peer_are_told_in_the_unit_that_fits() {
        let parts = [("64MiB", 32, "2MiB"), ("512KiB", 4, "128KiB"), ("1MiB", 3, ""), ("4000B", 4, "1000B")];
        for (size, ranks, told) in parts {
            assert_eq!(part(size, ranks).unwrap_or_default(), told, "{size} / {ranks}");
        }
        assert_eq!(part("64 apples", 4), None);
    }

    #[test]
    fn spans_are_read_as_they_are_printed() {
        let spans = [("100us", 1e-4), ("1.5ms", 1.5e-3), ("10s", 10.0), ("55ns", 5.5e-8)];
        assert!(spans.iter().all(|(text, expected)| (seconds(text).unwrap() / expected - 1.0).abs() < 1e-12));
        assert_eq!((seconds("ten"), seconds("5 parsecs")), (None, None));
    }
}
