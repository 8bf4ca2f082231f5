//! A second run of the same model, with something more recorded.
//!
//! Equal models give equal runs, so what is recorded in the second run holds for the first, which has no extra cost.

use std::sync::atomic::Ordering;
use std::time::Instant;

use netloom_engine::observe::{Control, Observer, Progress, States};
use netloom_engine::{Extensions, Options, run};
use netloom_model::{Model, Recording};
use netloom_records::Sink;
use netloom_units::Time;

use crate::error::LabError;
use crate::prepare::Prepared;
use crate::watch::{ProgressObserver, RunProgress, Watch};

/// Runs a scenario again up to an instant, and records only this; returns whether it got there.
///
/// # Errors
/// If the scenario cannot be run.
pub(crate) fn second_run(
    prepared: &Prepared,
    recording: Recording,
    last: Time,
    sink: &mut dyn Sink,
    options: Options,
    watch: Watch<'_>,
) -> Result<bool, LabError> {
    let model = Model { recording, ..prepared.compiled.model.clone() };
    let mut work = prepared.work()?;
    let mut until = Until(last);
    let on_progress = watch.on_progress.map(|on_progress| -> &mut dyn FnMut(&RunProgress) { on_progress });
    let look = watch.look.map(|look| -> &mut dyn FnMut(&RunProgress, &dyn States) { look });
    let watch = Watch {
        stop: watch.stop,
        failure: prepared.failure(),
        on_progress,
        look,
        observer: Some(&mut until),
    };
    let stop = watch.stop;
    let mut observer = ProgressObserver::new(watch, &model).again();
    let begun = Instant::now();
    let clock = || begun.elapsed().as_nanos() as u64;
    let extensions =
        Extensions { observer: Some(&mut observer), clock: Some(&clock), ..Extensions::default() };
    run(&model, &mut work, sink, options, extensions);
    Ok(!stop.is_some_and(|stop| stop.load(Ordering::Relaxed)))
}

/// Ends a run after an instant.
struct Until(Time);

impl Observer for Until {
    fn at_window(&mut self, progress: &Progress, _: &dyn States) -> Control {
        if progress.now > self.0 { Control::Stop } else { Control::Continue }
    }
}
