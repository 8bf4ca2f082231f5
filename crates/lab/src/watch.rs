//! Observes a run: stops it, and reports its progress.
//!
//! Models: a flag that another thread may set, progress reports with a rate and an estimate of the time left, and
//! access to the state of the run.
//! Leaves out: the display of a report.
//!
//! Invariants: observation does not change results; the clock is read rarely, so the overhead is negligible.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use netloom_engine::observe::{Control, Observer, Progress, States};
use netloom_model::Model;
use netloom_units::Time;

use crate::programs::Failure;
use crate::words;

/// Approximate time between reports.
const INTERVAL: Duration = Duration::from_millis(100);
/// The clock is read after this many windows or packet-hops, whichever comes first.
const WINDOWS_BETWEEN: u64 = 256;
const HOPS_BETWEEN: u64 = 200_000;

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunProgress {
    /// Simulated time.
    pub simulated: Time,
    /// Packet-hops so far.
    pub hops: u64,
    /// Steps finished by all ranks.
    pub steps: u64,
    /// Number of steps.
    pub total_steps: u64,
    /// Wall time so far.
    pub elapsed: Duration,
    /// Packet-hops per second of wall time, since the last report.
    pub rate: f64,
    /// Share of the run that is done, from 0 to 1; absent if it is unknown.
    pub share: Option<f64>,
    /// Estimated wall time left, at the rate so far.
    pub left: Option<Duration>,
    /// Whether this is the second run, for the paths of the slowest messages.
    pub again: bool,
}

impl RunProgress {
    /// How far it is, in words.
    pub fn words(&self) -> String {
        let steps = match self.total_steps {
            0 => String::new(),
            total => format!(", step {} of {total}", self.steps),
        };
        let again = if self.again { "run again, " } else { "" };
        format!("{again}{} simulated{steps}", words::time(self.simulated))
    }

    /// The progress as that of a whole of which this run is a part.
    pub(crate) fn within(self, elapsed: Duration, share: f64) -> RunProgress {
        RunProgress { elapsed, share: Some(share), left: left(elapsed, share), ..self }
    }
}

/// Receives the progress of a run and its state.
pub type Look<'a> = dyn FnMut(&RunProgress, &dyn States) + 'a;

/// The observers of a run.
#[derive(Default)]
pub struct Watch<'a> {
    /// Set to end the run at the next window; the records up to then are valid.
    pub stop: Option<&'a AtomicBool>,
    /// Ends the run as well once it is set.
    pub failure: Option<Arc<Failure>>,
    /// Called with the progress about ten times a second.
    pub on_progress: Option<&'a mut (dyn FnMut(&RunProgress) + 'a)>,
    /// Called as often, with the progress and the state of the run.
    pub look: Option<&'a mut Look<'a>>,
    /// Called at every window.
    pub observer: Option<&'a mut dyn Observer>,
}

/// Combines all observers into the one that the engine calls.
pub(crate) struct ProgressObserver<'a> {
    watch: Watch<'a>,
    /// The end of simulated time, if it is known.
    horizon: Option<Time>,
    begun: Instant,
    reported: Instant,
    hops_reported: u64,
    next_windows: u64,
    next_hops: u64,
    again: bool,
}

impl<'a> ProgressObserver<'a> {
    pub fn new(watch: Watch<'a>, model: &Model) -> ProgressObserver<'a> {
        let now = Instant::now();
        let reports = watch.on_progress.is_some() || watch.look.is_some();
        let next_windows = if reports { 0 } else { u64::MAX };
        let (reported, horizon) = (now, horizon(model));
        let (hops_reported, next_hops) = (0, next_windows);
        ProgressObserver {
            watch,
            horizon,
            begun: now,
            reported,
            hops_reported,
            next_windows,
            next_hops,
            again: false,
        }
    }

    /// The observer of the second run.
    pub fn again(self) -> ProgressObserver<'a> {
        ProgressObserver { again: true, ..self }
    }

    /// The observers, for use with another run.
    pub fn into_watch(self) -> Watch<'a> {
        self.watch
    }

    #[cold]
    fn look_at_clock(&mut self, progress: &Progress, states: &dyn States) {
        self.next_windows = progress.windows + WINDOWS_BETWEEN;
        self.next_hops = progress.hops + HOPS_BETWEEN;
        let now = Instant::now();
        let since = now - self.reported;
        if since < INTERVAL {
            return;
        }
        let elapsed = now - self.begun;
        let share = share(progress, self.horizon);
        let report = RunProgress {
            simulated: progress.now,
            hops: progress.hops,
            steps: progress.steps,
            total_steps: progress.total_steps,
            elapsed,
            rate: (progress.hops - self.hops_reported) as f64 / since.as_secs_f64(),
            share,
            left: share.and_then(|share| left(elapsed, share)),
            again: self.again,
        };
        self.reported = now;
        self.hops_reported = progress.hops;
        if let Some(on_progress) = &mut self.watch.on_progress {
            on_progress(&report);
        }
        if let Some(look) = &mut self.watch.look {
            look(&report, states);
        }
    }
}

impl Observer for ProgressObserver<'_> {
    fn is_stopping(&self) -> bool {
        let has_failed = self.watch.failure.as_ref().is_some_and(|failure| failure.reason().is_some());
        let is_observer_stopping =
            self.watch.observer.as_ref().is_some_and(|observer| observer.is_stopping());
        has_failed || is_observer_stopping || self.watch.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    fn at_window(&mut self, progress: &Progress, states: &dyn States) -> Control {
        if self.is_stopping() {
            return Control::Stop;
        }
        if progress.windows >= self.next_windows || progress.hops >= self.next_hops {
            self.look_at_clock(progress, states);
        }
        match &mut self.watch.observer {
            Some(observer) => observer.at_window(progress, states),
            None => Control::Continue,
        }
    }
}

/// The latest end of the run: its deadline, or the end of background traffic if there is no other work.
fn horizon(model: &Model) -> Option<Time> {
    let background = model.workload.background.as_ref().filter(|_| model.workload.jobs.is_empty());
    let last = background.map(|background| Time::ZERO + background.settings.duration("end"));
    match (model.deadline, last) {
        (Some(deadline), Some(last)) => Some(deadline.min(last)),
        (deadline, last) => deadline.or(last),
    }
}

/// The larger of the share of steps and the share of time: whichever is reached first ends the run.
fn share(progress: &Progress, horizon: Option<Time>) -> Option<f64> {
    let of = |part: u64, whole: u64| (whole > 0).then(|| (part as f64 / whole as f64).min(1.0));
    let steps = of(progress.steps, progress.total_steps);
    let time = horizon.and_then(|horizon| of(progress.now.0, horizon.0));
    match (steps, time) {
        (Some(steps), Some(time)) => Some(steps.max(time)),
        (steps, time) => steps.or(time),
    }
}

fn left(elapsed: Duration, share: f64) -> Option<Duration> {
    let seconds = elapsed.as_secs_f64() * (1.0 - share) / share;
    (share > 0.0 && seconds < 1e9).then(|| Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(now: u64, steps: u64, total_steps: u64) -> Progress {
        Progress { now: Time(now), windows: 1, hops: 1, steps, total_steps }
    }

    #[test]
    fn the_share_done_is_the_larger_of_steps_and_time() {
        assert_eq!(share(&progress(10, 1, 4), None), Some(0.25));
        assert_eq!(share(&progress(10, 1, 4), Some(Time(20))), Some(0.5));
        assert_eq!(share(&progress(10, 0, 0), None), None);
        assert_eq!(share(&progress(30, 0, 0), Some(Time(20))), Some(1.0));
    }

    #[test]
    fn the_time_left_follows_from_the_share() {
        assert_eq!(left(Duration::from_secs(3), 0.25), Some(Duration::from_secs(9)));
        assert_eq!(left(Duration::from_secs(3), 0.0), None);
        assert_eq!(left(Duration::from_secs(3), 1.0), Some(Duration::ZERO));
    }
}
