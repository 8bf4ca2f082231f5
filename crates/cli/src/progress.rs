//! A line of progress on a terminal, and nothing where there is none.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use netloom_lab::{RunProgress, SweepProgress, words};

/// Parts the bar is divided into.
const PARTS: u64 = 1_000;

/// The line.
pub struct Progress {
    bar: Mutex<ProgressBar>,
}

impl Progress {
    /// Shown if wanted and if standard error is a terminal.
    pub fn new(wanted: bool) -> Progress {
        let shown = wanted && io::stderr().is_terminal();
        let bar = if shown { ProgressBar::new(PARTS) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}") {
            bar.set_style(style);
        }
        Progress { bar: Mutex::new(bar) }
    }

    /// Shows how far a run is.
    pub fn run(&self, progress: &RunProgress) {
        let steps = match progress.total_steps {
            0 => String::new(),
            total => format!(", step {} of {total}", progress.steps),
        };
        let at = format!("{} simulated{steps}", words::time(progress.simulated));
        self.show(progress.share, &at, progress.rate, progress.left);
    }

    /// Shows how far a sweep is.
    pub fn sweep(&self, progress: &SweepProgress) {
        let at = format!("{} of {} runs", progress.finished, progress.total);
        self.show(Some(progress.share), &at, progress.rate(), progress.left());
    }

    fn show(&self, share: Option<f64>, at: &str, rate: f64, left: Option<Duration>) {
        let Ok(bar) = self.bar.lock() else { return };
        let left = left.map(|left| format!(", about {} left", words::span(left.as_secs_f64().ceil())));
        bar.set_position((share.unwrap_or(0.0) * PARTS as f64) as u64);
        bar.set_message(format!("{at}, {} packet-hops/s{}", words::amount(rate), left.unwrap_or_default()));
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if let Ok(bar) = self.bar.lock() {
            bar.finish_and_clear();
        }
    }
}
