//! The run folder of a part of a plan's results, and its manifest.
//!
//! Models: the resolved scenario that a simulation would store, tables of the measured times, and the provenance of the
//! measurement.
//! Leaves out: reading results.
//!
//! Invariants: unknown values are absent; reasons to doubt the times are in the manifest.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use netloom_engine::measure::Estimate;
use netloom_records::{Allocation, FolderSink, Measured, Outcome, Overwrite, RunSummary, Status};
use netloom_units::Time;
use serde_json::{Map, Value, json};

use super::collect::MeasuredPoint;
use super::error::FieldError;
use super::plan::FieldPlan;
use super::results::{Ended, Iteration, Results};
use super::study::{RunKind, Study, StudyPoint, StudyRun};
use super::tables::{Input, Tables};
use crate::cells::StoredRun;
use crate::error::LabError;
use crate::manifest::HOSTS;
use crate::prepare::{Prepared, prepare};
use crate::source::Source;
use crate::words;

/// The program that measured.
pub(super) const BY: &str = "netloom-field";
/// Digits of digests in messages.
const DIGITS: usize = 12;

/// A measured run, ready to be written.
pub(super) struct MeasuredRun<'a> {
    point: &'a StudyPoint,
    run: &'a StudyRun,
    results: &'a Results,
    /// Remarks about the testbed's network, if it ran in one.
    network: &'a [String],
    /// The source of the numbers.
    source: String,
    prepared: Prepared,
    tables: Tables,
    is_whole: bool,
}

impl<'a> MeasuredRun<'a> {
    /// A part of a point's results; `None` if no iteration of it was measured.
    ///
    /// # Errors
    /// If this version cannot read its scenario.
    pub fn new(
        study: &Study,
        measured: &'a MeasuredPoint<'a>,
        run: &'a StudyRun,
    ) -> Result<Option<MeasuredRun<'a>>, LabError> {
        let MeasuredPoint { point, results, folder, network } = measured;
        let source = Source::text(format!("the scenario of {}", point.name), run.scenario_yaml.as_str());
        let prepared = prepare(&source, &netloom_scenario::Overrides::default())?;
        let input = Input {
            kind: run.kind,
            plan: &point.plan,
            results,
            model: &prepared.compiled.model,
            jobs: &prepared.compiled.job_names,
        };
        if !input.has_iterations() {
            return Ok(None);
        }
        let clocks = || FieldError::Clocks(folder.clone());
        let (tables, is_whole) = (Tables::of(&input).ok_or_else(clocks)?, input.is_whole());
        // A run is bound to the baseline of the same job, also if several jobs measured the same point.
        let [study, job] =
            [study.digest, results.manifest.job].map(|digest| digest.to_string()[..DIGITS].to_owned());
        let source = format!("{} of study {study}, job {job}", folder.display());
        Ok(Some(MeasuredRun { point, run, results, network, source, prepared, tables, is_whole }))
    }

    pub fn point(&self) -> &'a StudyPoint {
        self.point
    }

    pub fn kind(&self) -> RunKind {
        self.run.kind
    }

    /// Mean time of its iterations.
    pub fn mean(&self) -> Option<Estimate> {
        self.tables.mean
    }

    /// How it ended, and the reasons to doubt the times.
    pub fn outcome(&self) -> Outcome {
        let ranks = &self.results.manifest.ranks;
        let hosts: BTreeSet<&str> = ranks.iter().map(|rank| rank.host.as_str()).collect();
        let mut details = Vec::new();
        if hosts.len() < ranks.len() {
            details.push(format!(
                "{} ranks ran on {}: messages between ranks of one host did not cross the network",
                ranks.len(),
                words::some(hosts.len() as u64, "host")
            ));
        }
        if self.results.manifest.yields {
            details.push(
                "ranks shared cores and yielded while they waited, so times include scheduling delays"
                    .to_owned(),
            );
        }
        details.extend(self.results.missing.iter().map(|missing| format!("incomplete: {missing}")));
        let status = match &self.results.manifest.status {
            Ended::Failed(reason) => {
                details.push(format!("the job failed: {reason}"));
                Status::Stopped
            }
            Ended::Complete | Ended::Deadline if self.is_whole => Status::Complete,
            Ended::Complete | Ended::Deadline => {
                details.push("the deadline was reached before all iterations had finished".to_owned());
                Status::Deadline
            }
        };
        Outcome { status, details }
    }

    fn summary(&self, command: &[String]) -> RunSummary {
        let model = &self.prepared.compiled.model;
        let counts = [
            (HOSTS, json!(model.fabric.n_hosts())),
            ("switches", json!(model.fabric.n_switches())),
            ("links", json!(model.fabric.links().len())),
        ];
        let engine: Map<String, Value> =
            counts.map(|(key, value)| (key.to_owned(), value)).into_iter().collect();
        let end: Time = self.tables.end;
        RunSummary {
            netloom: env!("CARGO_PKG_VERSION").to_owned(),
            build: None,
            scenario_yaml: self.run.scenario_yaml.clone(),
            scenario: self.prepared.scenario.clone(),
            changed: self.run.changed.clone(),
            seed: None,
            outcome: self.outcome(),
            wall_time_s: end.as_seconds(),
            packets: None,
            hops: None,
            simulated_ps: end.0,
            threads: None,
            command: command.to_vec(),
            engine,
            jobs: Vec::new(),
            assumptions: self.assumptions(),
            // Streams ran in the times of their source.
            time_scale: None,
            measured: Some(self.measured()),
        }
    }

    fn assumptions(&self) -> Vec<String> {
        let mut list = vec![
            "An iteration takes as long as its slowest rank, each by its own clock from its own start to its own end; it \
             begins with its first rank, but not before the previous iteration has ended."
                .to_owned(),
        ];
        match self.run.kind {
            RunKind::Baseline if self.point.runs.len() > 1 => list.push(
                "The baseline is both segments, before and after the congested one; the warm-up of the second segment \
                 is left out, and the job has no time of its own."
                    .to_owned(),
            ),
            RunKind::Congested => list.push(
                "Steps of the aggressor are its rounds, each from its first rank's start to its last rank's end.".to_owned(),
            ),
            RunKind::Streams => list.push(
                "The bytes received of a stream are known per 0.1 s, and are spread evenly over it.".to_owned(),
            ),
            RunKind::Baseline | RunKind::Latency => {}
        }
        list.extend(self.point.notes.iter().chain(self.network).cloned());
        list
    }

    /// The share of the slowest ranks' time spent in the reduction; only for all-reduces.
    fn adding(&self) -> Option<f64> {
        let is_own = |segment: usize| {
            let is_congested = self.point.plan.segments[segment].is_congested;
            is_congested == (self.run.kind == RunKind::Congested)
        };
        let own = self.results.iterations.iter().filter(|series| is_own(series.segment));
        let (mut adding, mut all) = (0.0, 0.0);
        for iteration in own.flat_map(|series| &series.rows) {
            adding += iteration.reduce as f64;
            all += iteration.longest as f64;
        }
        (adding > 0.0).then(|| adding / all)
    }

    fn measured(&self) -> Measured {
        let manifest = &self.results.manifest;
        let mut facts: BTreeMap<String, String> = manifest.facts.clone();
        let step = manifest.ranks.iter().map(|rank| rank.clock_step_ns).max().unwrap_or(0);
        let read = manifest.ranks.iter().map(|rank| rank.clock_read_ns).fold(0.0, f64::max);
        let waiting = if manifest.yields { "yield: ranks shared cores" } else { "spin" };
        facts.insert(
            "clock".to_owned(),
            format!("of the worst rank: steps of {step} ns, a reading takes {read:.1} ns"),
        );
        facts.insert("waiting".to_owned(), waiting.to_owned());
        facts.insert("ranks".to_owned(), manifest.ranks.len().to_string());
        if let Some(drift) = drift(&self.point.plan, self.results) {
            facts.insert("drift".to_owned(), drift);
        }
        if let Some(network) = self.network.first() {
            facts.insert("network".to_owned(), network.clone());
        }
        if let Some(share) = self.adding() {
            let share = words::percent(share);
            facts.insert("time spent adding".to_owned(), format!("{share} of the slowest ranks' time"));
        }
        let hosts = manifest.ranks.iter().map(|rank| rank.host.clone()).collect();
        let allocation = Allocation { victim: None, aggressor: None, bursts: None, hosts };
        Measured { by: BY.to_owned(), source: self.source.clone(), facts, allocations: vec![allocation] }
    }
}

impl StoredRun for MeasuredRun<'_> {
    fn location(&self) -> PathBuf {
        Path::new(&self.point.name).join(self.run.kind.word())
    }

    fn write(&self, folder: &Path, overwrite: Overwrite, command: &[String]) -> Result<(), LabError> {
        let mut sink = FolderSink::create(folder, self.prepared.names(), overwrite)?;
        self.tables.push(&mut sink).map_err(LabError::Storing)?;
        sink.finish(self.summary(command))?;
        Ok(())
    }
}

/// The victim in isolation before and after the congested segment.
fn drift(plan: &FieldPlan, results: &Results) -> Option<String> {
    let baselines = plan.segments.iter().enumerate().filter(|(_, segment)| !segment.is_congested);
    let means: Vec<f64> = baselines
        .filter_map(|(number, segment)| {
            let series = results.series(number, plan.sizes()[0]);
            let counted: &[Iteration] = series.get(segment.warm_up as usize..)?;
            let sum: f64 = counted.iter().map(|iteration| iteration.longest as f64).sum();
            (!counted.is_empty()).then(|| sum / counted.len() as f64 / 1e9)
        })
        .collect();
    let &[before, after] = means.as_slice() else { return None };
    let percent = if before > 0.0 { (after / before - 1.0) * 100.0 } else { 0.0 };
    let [first, second] = [before, after].map(words::span);
    Some(format!("the victim in isolation took {first} before and {second} after ({percent:+.1} %)"))
}
