//! The thread of the engine: from a prepared scenario to its stored run.
//!
//! Invariants: rows are stored during the run; a run whose program is gone is not completed, so its folder keeps the
//! mark of an unfinished one.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use netloom_engine::Options;
use netloom_records::{Batch, FolderSink, Sink, SinkError};

use super::SimulationReport;
use super::driver::{Driver, Line};
use super::replay::Base;
use crate::error::LabError;
use crate::line::not_stored;
use crate::manifest::run_summary;
use crate::simulate::run_engine;
use crate::watch::Watch;

/// What the thread needs.
pub(super) struct Run {
    pub base: Base,
    pub line: Line,
    pub options: Options,
    pub command: Vec<String>,
    pub stop: Option<Arc<AtomicBool>>,
    /// Where rows go; `None` if they are not stored.
    pub folder: Option<(PathBuf, FolderSink)>,
}

impl Run {
    /// Simulates; `None` if the program is gone before it has asked for the result.
    pub fn simulate(self) -> Result<Option<SimulationReport>, LabError> {
        let Run { base, line, options, command, stop, mut folder } = self;
        let mut driver = Driver::new(line, base.service()?);
        let mut unstored = Unstored;
        let watch = Watch { stop: stop.as_deref(), ..Watch::default() };
        let sink: &mut dyn Sink = match &mut folder {
            Some((_, sink)) => sink,
            None => &mut unstored,
        };
        let run = run_engine(&base.prepared, sink, options, watch, Some(&mut driver))?;
        if !driver.end(run.engine.end, run.outcome(&base.prepared)) {
            return Ok(None);
        }
        let replay = base.with_messages(&driver.messages);
        let simulated = run.complete(&replay, sink, options)?;
        let completions = driver.take_completions(netloom_units::Time::NEVER);
        let (outcome, name) = (simulated.outcome.clone(), replay.name);
        let Some((path, sink)) = folder else {
            let summary = simulated.summary;
            return Ok(Some(SimulationReport {
                name,
                folder: None,
                manifest: None,
                outcome,
                summary,
                completions,
            }));
        };
        let written = base.write(&path, &driver.messages)?;
        let finished = sink.finish(run_summary(&written, &simulated, options.threads, command));
        let (manifest, summary) = (Some(finished.map_err(not_stored)?), simulated.summary);
        Ok(Some(SimulationReport { name, folder: Some(path), manifest, outcome, summary, completions }))
    }
}

/// A sink for rows that are not stored.
struct Unstored;

impl Sink for Unstored {
    fn accept(&mut self, _: Batch<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}
