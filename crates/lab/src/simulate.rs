//! The second part of the line: from what is meant to what happened.
//!
//! Models: the engine's run with its rows going to a sink and, on their way, into the figures of a summary.
//! Leaves out: where rows are stored.

use std::time::Instant;

use netloom_engine::{Options, Outcome as EngineOutcome, Seams, Status as EngineStatus, run};
use netloom_records::{Batch, Outcome, Sink, SinkError};

use crate::diagnose::diagnose;
use crate::error::{LabError, check_threads};
use crate::prepare::Prepared;
use crate::summary::{Gather, Summary, Totals};
use crate::watch::{Watch, Watchman};

/// What a run came to.
#[derive(Debug, Clone)]
pub struct Simulated {
    /// How it ended, with the reasons by name.
    pub outcome: Outcome,
    /// Its figures.
    pub summary: Summary,
    /// What the engine says.
    pub engine: EngineOutcome,
    /// Wall time of the simulation, storing included, in seconds.
    pub wall_time_s: f64,
}

/// Simulates a prepared scenario, its rows going into the sink.
///
/// # Errors
/// If the number of threads makes no sense, or rows could not be stored.
pub fn simulate(
    prepared: &Prepared,
    sink: &mut dyn Sink,
    options: Options,
    watch: Watch<'_>,
) -> Result<Simulated, LabError> {
    check_threads(options.threads)?;
    let model = &prepared.compiled.model;
    let mut work = prepared.work()?;
    let mut gather = Gather::new(prepared.n_hosts());
    let mut both = Both { sink, gather: &mut gather };
    let mut watchman = Watchman::new(watch, model);
    let seams = Seams { hooks: Vec::new(), observer: Some(&mut watchman) };
    let begun = Instant::now();
    let engine = run(model, &mut work, &mut both, options, seams);
    let wall_time_s = begun.elapsed().as_secs_f64();
    if let EngineStatus::SinkFailed(error) = engine.status {
        return Err(LabError::Storing(error));
    }
    let outcome = diagnose(&engine, &gather, prepared);
    let totals = Totals { packets: engine.packets, hops: engine.hops, simulated: engine.end };
    let summary = gather.finish(&prepared.compiled.job_names, totals);
    Ok(Simulated { outcome, summary, engine, wall_time_s })
}

/// Hands rows to two who want them.
struct Both<'a> {
    sink: &'a mut dyn Sink,
    gather: &'a mut Gather,
}

impl Sink for Both<'_> {
    fn accept(&mut self, batch: Batch<'_>) -> Result<(), SinkError> {
        self.gather.take(batch);
        self.sink.accept(batch)
    }
}
