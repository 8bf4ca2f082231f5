//! The second part of the pipeline: from a compiled model to the results of its run.
//!
//! Models: the engine's run, whose rows go to a sink and into the figures of a summary; a second run for the paths of
//! the slowest messages, if the scenario selects them.
//! Leaves out: where rows are stored.

use std::sync::atomic::Ordering;
use std::time::Instant;

use netloom_engine::program::Program;
use netloom_engine::{Extensions, Options, Outcome as EngineOutcome, Status as EngineStatus, run};
use netloom_model::RecordedCauses;
use netloom_records::{Batch, CauseRow, Outcome, Sink, SinkError, Status};

use crate::diagnose::{diagnose, stopped_at};
use crate::error::{LabError, check_threads};
use crate::explain::SelectedCauses;
use crate::huge_pages::allow_for;
use crate::layout::layouts;
use crate::prepare::Prepared;
use crate::slowest::{Slowest, paths};
use crate::summary::{Gather, Summary, Totals};
use crate::watch::{ProgressObserver, Watch};

/// The result of a run.
#[derive(Debug, Clone)]
pub struct Simulated {
    /// How it ended, with reasons and names.
    pub outcome: Outcome,
    /// Its figures, over the whole run.
    pub summary: Summary,
    /// The outcome from the engine.
    pub engine: EngineOutcome,
    /// Wall time of the simulation in seconds, storing included, the second run excluded.
    pub wall_time_s: f64,
}

/// Simulates a prepared scenario and writes its rows to the sink.
///
/// # Errors
/// If the number of threads is out of range, or rows could not be stored.
pub fn simulate(
    prepared: &Prepared,
    sink: &mut dyn Sink,
    options: Options,
    watch: Watch<'_>,
) -> Result<Simulated, LabError> {
    run_engine(prepared, sink, options, watch, None)?.complete(prepared, sink, options)
}

/// A run that the engine has ended, before its figures are complete.
pub(crate) struct EngineRun<'a> {
    /// How it ended.
    pub engine: EngineOutcome,
    gather: Gather,
    slowest: Slowest,
    watch: Watch<'a>,
    wall_time_s: f64,
}

/// Runs the engine, and writes its rows to the sink.
///
/// # Errors
/// As [`simulate`].
pub(crate) fn run_engine<'a>(
    prepared: &Prepared,
    sink: &mut dyn Sink,
    options: Options,
    watch: Watch<'a>,
    program: Option<&mut dyn Program>,
) -> Result<EngineRun<'a>, LabError> {
    check_threads(options.threads)?;
    let model = &prepared.compiled.model;
    let mut work = prepared.work()?;
    let mut gather = Gather::whole(prepared.n_hosts(), prepared.host_ports());
    let measured = model.workload.jobs.iter().zip(0..).filter(|(job, _)| job.repetition.measured);
    measured.for_each(|(_, number)| gather.expect_measured(number));
    let mut slowest = Slowest::new(model.recording.slowest_flows);
    let selects_causes = model.recording.causes == RecordedCauses::Steps;
    let selection = selects_causes.then(|| SelectedCauses::new(prepared));
    let mut all = All { sink, gather: &mut gather, slowest: &mut slowest, selection };
    let watch = Watch { failure: prepared.failure(), ..watch };
    let mut observer = ProgressObserver::new(watch, model);
    allow_for(model);
    let begun = Instant::now();
    let clock = || begun.elapsed().as_nanos() as u64;
    let extensions = Extensions {
        observer: Some(&mut observer),
        clock: Some(&clock),
        program: program.map(|program| -> &mut dyn Program { program }),
        ..Extensions::default()
    };
    let engine = run(model, &mut work, &mut all, options, extensions);
    let wall_time_s = begun.elapsed().as_secs_f64();
    if let EngineStatus::SinkFailed(error) = engine.status {
        return Err(LabError::Storing(error));
    }
    all.finish().map_err(LabError::Storing)?;
    Ok(EngineRun { engine, gather, slowest, watch: observer.into_watch(), wall_time_s })
}

impl EngineRun<'_> {
    /// How it ended, with reasons and names.
    pub fn outcome(&self, prepared: &Prepared) -> Outcome {
        let mut outcome = diagnose(&self.engine, &self.gather, prepared);
        // A program that is ended supplies nothing more, so that the run may seem to be complete, or deadlocked.
        let failure = prepared.failure();
        let failure = failure.as_ref().and_then(|failure| failure.reason());
        let is_stopped = self.watch.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        if failure.is_some() || (is_stopped && prepared.programs.is_some()) {
            let details = failure.map_or_else(|| stopped_at(self.engine.end), str::to_owned);
            outcome = Outcome { status: Status::Stopped, details: vec![details] };
        }
        outcome
    }

    /// Completes the records and the figures of a run; a second run is one of `prepared`.
    ///
    /// # Errors
    /// As [`simulate`].
    pub fn complete(
        self,
        prepared: &Prepared,
        sink: &mut dyn Sink,
        options: Options,
    ) -> Result<Simulated, LabError> {
        let mut outcome = self.outcome(prepared);
        let EngineRun { engine, gather, slowest, watch, wall_time_s } = self;
        if outcome.status != Status::Stopped {
            match paths(prepared, &slowest, options, watch)? {
                Some(rows) => sink.accept(Batch::Paths(&rows)).map_err(LabError::Storing)?,
                None => outcome = stopped_in_second_run(),
            }
        }
        let totals = Totals {
            packets: Some(engine.packets),
            hops: Some(engine.hops),
            simulated: engine.end,
            time_scale: prepared.compiled.time_scale.clone(),
            layouts: layouts(prepared),
        };
        let summary = gather.finish(&prepared.names(), totals);
        Ok(Simulated { outcome, summary, engine, wall_time_s })
    }
}

fn stopped_in_second_run() -> Outcome {
    let detail = "stopped in its second run, so table `paths` is empty; all other tables are complete";
    Outcome { status: Status::Stopped, details: vec![detail.to_owned()] }
}

/// Passes rows to all sinks.
struct All<'a> {
    sink: &'a mut dyn Sink,
    gather: &'a mut Gather,
    slowest: &'a mut Slowest,
    /// Which causes are stored, unless all are.
    selection: Option<SelectedCauses<'a>>,
}

impl All<'_> {
    /// Passes on the causes that are left at the end.
    fn finish(&mut self) -> Result<(), SinkError> {
        let rows = self.selection.take().map(SelectedCauses::finish).unwrap_or_default();
        self.pass_causes(&rows)
    }

    fn pass_causes(&mut self, rows: &[CauseRow]) -> Result<(), SinkError> {
        if rows.is_empty() {
            return Ok(());
        }
        self.gather.take(Batch::Causes(rows));
        self.sink.accept(Batch::Causes(rows))
    }
}

impl Sink for All<'_> {
    fn accept(&mut self, batch: Batch<'_>) -> Result<(), SinkError> {
        let ready = match &mut self.selection {
            Some(selection) => {
                selection.take(batch);
                if matches!(batch, Batch::Causes(_)) {
                    return Ok(());
                }
                if matches!(batch, Batch::Steps(_)) { selection.take_ready() } else { Vec::new() }
            }
            None => Vec::new(),
        };
        self.pass_causes(&ready)?;
        self.gather.take(batch);
        self.slowest.take(batch);
        self.sink.accept(batch)
    }
}
