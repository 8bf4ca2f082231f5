//! Work in the background of the interpreter: Ctrl-C stops it, progress is reported, other Python threads run on.
//!
//! Models: the work on a thread of its own; the calling thread waits without the interpreter's lock, and takes it ten
//! times a second for signals and for the progress of the work.
//!
//! Invariants: an exception of the signal or of the progress function stops the work, whose result is returned
//! nevertheless; a panic of the work is an exception.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use netloom_lab::{RunProgress, SweepProgress, panic_message};
use pyo3::prelude::*;

use crate::errors::Refused;

/// Time between two looks at signals and progress.
const INTERVAL: Duration = Duration::from_millis(100);

/// The progress of work, as Python sees it: the share that is done, from 0 to 1; a text; packet-hops so far; seconds left.
type Progress = (Option<f64>, String, u64, Option<f64>);

/// The latest progress of work, until it is reported.
#[derive(Default)]
pub struct LatestProgress(Mutex<Option<Progress>>);

impl LatestProgress {
    /// Replaces it by that of a run.
    pub fn run(&self, now: &RunProgress) {
        self.set((now.share, now.words(), now.hops, now.left.map(|left| left.as_secs_f64())));
    }

    /// Replaces it by that of several runs.
    pub fn sweep(&self, now: &SweepProgress) {
        self.set((Some(now.share), now.words(), now.hops, now.left().map(|left| left.as_secs_f64())));
    }

    fn set(&self, progress: Progress) {
        if let Ok(mut latest) = self.0.lock() {
            *latest = Some(progress);
        }
    }

    fn take(&self) -> Option<Progress> {
        self.0.lock().ok()?.take()
    }
}

/// Does work that ends soon after `stop` is set, and returns its result and the exception that stopped it, if one did.
pub fn watched<T: Send, E: Into<Refused> + Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    on_progress: Option<Py<PyAny>>,
    work: impl FnOnce(&LatestProgress) -> Result<T, E> + Send,
) -> PyResult<(T, Option<PyErr>)> {
    watched_with(py, stop, on_progress, None, work)
}

/// As [`watched`], for work that runs Python code itself: `interrupt` is called when it is to end.
pub fn watched_with<T: Send, E: Into<Refused> + Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    on_progress: Option<Py<PyAny>>,
    interrupt: Option<&Py<PyAny>>,
    work: impl FnOnce(&LatestProgress) -> Result<T, E> + Send,
) -> PyResult<(T, Option<PyErr>)> {
    let progress = LatestProgress::default();
    let (finished, stopped) = py.detach(|| {
        thread::scope(|scope| {
            let (done, is_done) = channel();
            let progress = &progress;
            let working = scope.spawn(move || {
                let finished = catch_unwind(AssertUnwindSafe(|| {
                    if interrupt.is_none() {
                        return work(progress);
                    }
                    // Python keeps its state of this thread meanwhile, which would be made anew for each call.
                    Python::attach(|py| py.detach(|| work(progress)))
                }));
                // The receiver waits for it.
                let _ = done.send(());
                finished
            });
            let mut stopped = None;
            while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(INTERVAL) {
                let looked = Python::attach(|py| look(py, on_progress.as_ref(), progress));
                if let Err(error) = looked {
                    stop.store(true, Ordering::Relaxed);
                    if let Some(interrupt) = interrupt {
                        // What it raises is less than what has stopped the work.
                        _ = Python::attach(|py| interrupt.call0(py));
                    }
                    stopped.get_or_insert(error);
                }
            }
            (working.join().unwrap_or_else(Err), stopped)
        })
    });
    let finished = finished.map_err(|panic| Refused::panic(panic_message(panic.as_ref())))?;
    Ok((finished.map_err(Into::into)?, stopped))
}

/// Lets Python handle signals, and reports the progress since the last look.
fn look(py: Python<'_>, on_progress: Option<&Py<PyAny>>, progress: &LatestProgress) -> PyResult<()> {
    py.check_signals()?;
    if let (Some(on_progress), Some(now)) = (on_progress, progress.take()) {
        on_progress.call1(py, now)?;
    }
    Ok(())
}

/// Does short work without the interpreter's lock.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Refused> + Send) -> PyResult<T> {
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    Ok(done.unwrap_or_else(|panic| Err(Refused::panic(panic_message(panic.as_ref()))))?)
}
