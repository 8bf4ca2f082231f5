//! Makes all runs that a paper's claims refer to, with all their seeds, a core for each.
//!
//! Invariants: a run's figures depend only on its scenario and seed; the longest runs begin first.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use netloom_catalog::workload::background::mice::{self, Starts};
use netloom_catalog::workload::background::number_of;
use netloom_engine::Options;
use netloom_model::{FaultAction, Message, Model, Repetition};
use netloom_records::{Batch, FlowRow, Sink, SinkError, Status};
use netloom_scenario::Overrides;
use netloom_units::{Duration, NodeId, Time};
use serde::{Deserialize, Serialize};

use super::error::ReproduceError;
use super::paper::{Paper, Plan};
use super::parts::{self, Asks, Parts, Rows};
use super::quantity::Quantity;
use super::run_store::{self, Found, RunStore, StoreReport};
use super::{Request, judge};
use crate::cost::cost;
use crate::prepare::{Prepared, prepare};
use crate::simulate::{Simulated, simulate};
use crate::spread::spread;
use crate::summary::{Distribution, QueuePairSummary, Summary};
use crate::watch::Watch;

/// The figures of one run with one seed.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct SimulatedRun {
    /// Which run.
    pub run: String,
    /// Its seed.
    pub seed: u64,
    /// Invariants of all runs that this one violated.
    pub broken_laws: Vec<String>,
    /// Packets that crossed a link.
    pub hops: u64,
    /// Wall time of the simulation, in seconds.
    pub wall_time_s: f64,
    /// Figures of the whole run, in the unit of the quantity.
    pub values: BTreeMap<Quantity, f64>,
    /// Figures of each part, by its name.
    pub parts: Parts,
}

impl SimulatedRun {
    /// A figure of the run, or of one of its parts.
    pub fn get(&self, part: Option<&str>, quantity: Quantity) -> Option<f64> {
        let values = if quantity.is_of_a_part() { self.parts.get(part?)? } else { &self.values };
        values.get(&quantity).copied()
    }
}

/// A run to be made.
struct Job {
    plan: Plan,
    seed: u64,
    /// Its estimated packet-hops, a measure of its length.
    weight: u64,
    may_lose: bool,
    asks: Asks,
}

/// A run that was made or reused.
struct Made {
    run: SimulatedRun,
    /// Its file in the store, and what the store had.
    kept: Option<(String, Found)>,
}

/// Makes all runs.
pub(super) fn run(
    paper: &Paper,
    request: &Request<'_>,
) -> Result<(Vec<SimulatedRun>, StoreReport), ReproduceError> {
    let jobs = jobs(paper, request, compiled(paper)?)?;
    let keep = request.store.map(RunStore::open).transpose()?;
    let results = spread(
        &jobs,
        request.threads,
        request.on_progress,
        |job| job.weight,
        |job, task| {
            if request.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Err(ReproduceError::Stopped);
            }
            let made = make(job, keep.as_ref(), Watch { stop: request.stop, ..Watch::default() })?;
            task.finish(made.run.hops);
            Ok(made)
        },
    )?;
    let mut account = StoreReport::default();
    let mut runs = Vec::new();
    for result in results {
        let made = result?;
        if let Some((file, found)) = made.kept {
            account.add(file, &found);
        }
        runs.push(made.run);
    }
    runs.sort_by(|left, right| (&left.run, left.seed).cmp(&(&right.run, right.seed)));
    Ok((runs, account))
}

/// Compiles every run once, so that errors are found before the first run begins; returns their number.
pub(super) fn check(paper: &Paper) -> Result<usize, ReproduceError> {
    Ok(compiled(paper)?.len())
}

/// Every run with its estimated packet-hops.
fn compiled(paper: &Paper) -> Result<Vec<(String, u64)>, ReproduceError> {
    let wrong = |reason| ReproduceError::Paper { paper: paper.id.clone(), reason };
    let estimate = |run: String| -> Result<(String, u64), ReproduceError> {
        let plan = paper.plan(&run).map_err(wrong)?;
        let prepared = prepare(&plan.source, &Overrides { set: plan.set, ..Overrides::default() })?;
        Ok((run, cost(&prepared)?.packet_hops as u64))
    };
    judge::runs(paper).map_err(wrong)?.into_iter().map(estimate).collect()
}

/// Every run with every seed.
fn jobs(paper: &Paper, request: &Request<'_>, runs: Vec<(String, u64)>) -> Result<Vec<Job>, ReproduceError> {
    let wrong = |reason| ReproduceError::Paper { paper: paper.id.clone(), reason };
    let mut jobs = Vec::new();
    for (run, weight) in runs {
        let count = paper.n_seeds(&run, request.check);
        let may_lose = paper.may_lose(&run);
        let plan = paper.plan(&run).map_err(wrong)?;
        let asks = Asks::of(paper, &run);
        let seeds = request.seeds.as_ref().map_or(1..=count, |seeds| seeds.0.clone());
        jobs.extend(seeds.map(|seed| Job { plan: plan.clone(), seed, weight, may_lose, asks: asks.clone() }));
    }
    Ok(jobs)
}

/// Reuses a run if it is stored, and otherwise makes and stores it.
fn make(job: &Job, keep: Option<&RunStore>, watch: Watch<'_>) -> Result<Made, ReproduceError> {
    let overrides = Overrides { set: job.plan.set.clone(), seed: Some(job.seed), ..Overrides::default() };
    let prepared = prepare(&job.plan.source, &overrides)?;
    let Some(keep) = keep else { return Ok(Made { run: simulate_run(job, &prepared, watch)?, kept: None }) };
    let scenario = &prepared.compiled.resolved_yaml;
    let file = run_store::file(&job.plan.run, job.seed, scenario);
    let found = keep.find(&file, scenario);
    let run = match &found {
        Found::Run(run) => SimulatedRun::clone(run),
        Found::OtherBuild | Found::Nothing => {
            let run = simulate_run(job, &prepared, watch)?;
            keep.put(&file, &run, scenario)?;
            run
        }
    };
    Ok(Made { run, kept: Some((file, found)) })
}

fn simulate_run(job: &Job, prepared: &Prepared, watch: Watch<'_>) -> Result<SimulatedRun, ReproduceError> {
    let mice = Mice::new(&prepared.compiled.model);
    let mut watched = Watched { mice, asks: &job.asks, rows: Rows::default() };
    let simulated = simulate(prepared, &mut watched, Options::default(), watch)?;
    if simulated.outcome.status == Status::Stopped {
        return Err(ReproduceError::Stopped);
    }
    let mut values = whole(prepared, &simulated);
    watched.mice.add_to(&mut values);
    values.extend(watched.rows.completion.whole(&prepared.compiled.model));
    Ok(SimulatedRun {
        run: job.plan.run.clone(),
        seed: job.seed,
        broken_laws: broken_laws(prepared, &simulated, job.may_lose),
        hops: simulated.engine.hops,
        wall_time_s: simulated.wall_time_s,
        values,
        parts: parts::all(prepared, &simulated.summary, &watched.rows, &job.asks)?,
    })
}

fn whole(prepared: &Prepared, simulated: &Simulated) -> BTreeMap<Quantity, f64> {
    let failed = |model: &Model| {
        let at_start = model.faults.iter().filter(|fault| fault.at == Time::ZERO);
        at_start.filter(|fault| fault.action == FaultAction::Down).count()
    };
    let summary = &simulated.summary;
    let mut values = BTreeMap::from([
        (Quantity::SimulatorEnd, summary.simulated_s),
        (Quantity::Packets, simulated.engine.packets as f64),
        (Quantity::FailedLinks, failed(&prepared.compiled.model) as f64),
    ]);
    let queues = &summary.queues;
    let optional = [
        (Quantity::QueuePeak, queues.all.packets.map(|packets| packets as f64)),
        (Quantity::QueueNodeMean, queues.all.node_mean_packets),
        (Quantity::QueueHostMean, queues.hosts.node_mean_packets),
        (Quantity::QueueSwitchMean, queues.switches.node_mean_packets),
    ];
    values.extend(optional.into_iter().filter_map(|(quantity, value)| Some((quantity, value?))));
    values.insert(Quantity::Dropped, summary.drops.packets as f64);
    values.extend(of_collectives(&prepared.compiled.model, summary));
    values.extend(summary.queue_pairs.iter().flat_map(of_queue_pairs));
    values.extend(parts::variance_mean(summary).map(|mean| (Quantity::VarianceMean, mean)));
    values.extend(summary.congestion.iter().map(|found| (Quantity::Roots, parts::n_roots(found) as f64)));
    values
}

/// Times of collectives; the buckets of a phase are represented by the longest one and by their mean bandwidth.
fn of_collectives(model: &Model, summary: &Summary) -> Vec<(Quantity, f64)> {
    let line = |host: u32| model.fabric.ports_of(NodeId(host)).iter().map(|port| port.rate.0).sum::<u64>();
    let slowest_nic = (0..model.fabric.n_hosts() as u32).map(line).min().unwrap_or(0);
    let phases = || summary.jobs.iter().flat_map(|job| &job.phases);
    let longest = phases().filter_map(|phase| Some(phase.time?.maximum_s)).fold(0.0, f64::max);
    let slowest =
        phases().map(|phase| phase.mean_busbw).filter(|busbw| *busbw > 0.0).fold(f64::INFINITY, f64::min);
    if longest == 0.0 || slowest.is_infinite() {
        return Vec::new();
    }
    let bound = slowest_nic as f64 / 8.0;
    vec![(Quantity::SlowestCollective, longest * 1e3), (Quantity::CollectiveOverBound, bound / slowest)]
}

fn of_queue_pairs(found: &QueuePairSummary) -> [(Quantity, f64); 11] {
    [
        (Quantity::Spurious, found.spurious),
        (Quantity::SendingRate, found.sending_rate),
        (Quantity::Goodput, found.goodput),
        (Quantity::PacketsRetransmitted, found.retransmitted as f64),
        (Quantity::Duplicates, found.duplicates as f64),
        (Quantity::Nacks, found.nacks as f64),
        (Quantity::NacksForwarded, found.nacks_forwarded as f64),
        (Quantity::NacksSuppressed, found.nacks_suppressed as f64),
        (Quantity::NacksGenerated, found.nacks_generated as f64),
        (Quantity::Marked, found.marked as f64),
        (Quantity::Pauses, found.pauses as f64),
    ]
}

/// Checks invariants of every run of a paper, independent of claims.
fn broken_laws(prepared: &Prepared, simulated: &Simulated, may_lose: bool) -> Vec<String> {
    let summary = &simulated.summary;
    let mut broken = Vec::new();
    if simulated.outcome.status != Status::Complete {
        broken.push(format!("the run did not complete: {}", simulated.outcome.details.join("; ")));
    }
    if summary.drops.packets > 0 && !may_lose {
        broken.push(format!("{} packets were lost", summary.drops.packets));
    }
    // Messages that an endless job has in flight when the others end do not arrive.
    let jobs = &prepared.compiled.model.workload.jobs;
    if summary.unfinished > 0 && !jobs.iter().any(|job| job.repetition.endless) {
        broken.push(format!("{} messages did not arrive", summary.unfinished));
    }
    for (job, summary) in jobs.iter().zip(&summary.jobs) {
        let Repetition { endless, precision, .. } = job.repetition;
        // A job that stops when its mean is precise enough may do fewer steps; an endless one has no number of steps.
        if !endless && precision.is_none() && job.steps != summary.steps {
            broken.push(format!("{} finished {} of {} steps", summary.name, summary.steps, job.steps));
        }
    }
    broken
}

/// Completion times of the background messages that had arrived when the one after the last was due: the original
/// computes its statistics at that instant.
struct Mice {
    until: Option<Time>,
    spans: Vec<Duration>,
}

impl Mice {
    fn new(model: &Model) -> Mice {
        let mice = number_of(mice::SPEC.name);
        let background =
            model.workload.background.as_ref().filter(|background| Some(background.kind) == mice);
        let until = background.and_then(|background| {
            let mut starts = Starts::new(&background.settings);
            let (first, second) = (starts.next()?, starts.next()?);
            Some(starts.last()? + second.since(first))
        });
        Mice { until, spans: Vec::new() }
    }

    fn add_to(self, values: &mut BTreeMap<Quantity, f64>) {
        let Some(times) = Distribution::of(self.spans) else { return };
        values.insert(Quantity::MiceMessages, times.count as f64);
        values.insert(Quantity::MiceMean, times.mean_s * 1e3);
        values.insert(Quantity::MiceP95, times.p95_s * 1e3);
        values.insert(Quantity::MiceP99, times.p99_s * 1e3);
    }

    fn take(&mut self, rows: &[FlowRow]) {
        for row in rows.iter().filter(|row| row.job == Message::BACKGROUND) {
            let end = row.end.filter(|end| self.until.is_none_or(|until| *end <= until));
            self.spans.extend(end.map(|end| end.since(row.start)));
        }
    }
}

/// Rows that are read in addition to the summary.
struct Watched<'a> {
    mice: Mice,
    asks: &'a Asks,
    rows: Rows,
}

impl Sink for Watched<'_> {
    fn accept(&mut self, batch: Batch<'_>) -> Result<(), SinkError> {
        match batch {
            Batch::Flows(rows) => {
                self.mice.take(rows);
                if self.asks.completion {
                    self.rows.completion.take(rows);
                }
            }
            Batch::Ports(rows) if self.asks.wants_ports() => self.rows.ports.extend_from_slice(rows),
            Batch::Collectives(rows) if self.asks.collectives => {
                self.rows.collectives.extend_from_slice(rows);
            }
            _ => {}
        }
        Ok(())
    }
}
