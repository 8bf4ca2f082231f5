//! A progress bar on a terminal; elsewhere a line on standard error every ten seconds, so that the log of a long run
//! shows its progress.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use netloom_lab::{RunProgress, SweepProgress, words};

/// Number of parts of the bar.
const PARTS: u64 = 1_000;

/// Interval between lines, without a terminal.
const EVERY: Duration = Duration::from_secs(10);

/// The progress bar, or the lines that replace it.
pub struct Progress {
    bar: Mutex<ProgressBar>,
    /// When the last line was written, without a terminal.
    written: Option<Mutex<Instant>>,
}

impl Progress {
    /// Shows progress if `wanted`, as a bar if standard error is a terminal.
    pub fn new(wanted: bool) -> Progress {
        let shown = wanted && io::stderr().is_terminal();
        let bar = if shown { ProgressBar::new(PARTS) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}") {
            bar.set_style(style);
        }
        let written = (wanted && !shown).then(|| Mutex::new(Instant::now()));
        Progress { bar: Mutex::new(bar), written }
    }

    /// Shows the progress of a run.
    pub fn run(&self, progress: &RunProgress) {
        self.show(progress.share, &progress.words(), progress.rate, progress.left);
    }

    /// Shows the progress of a sweep.
    pub fn sweep(&self, progress: &SweepProgress) {
        self.show(Some(progress.share), &progress.words(), progress.rate(), progress.left());
    }

    /// Shows the progress of the measurements of a study.
    pub fn field(&self, text: &str, done: usize, total: usize) {
        let share = Some(done as f64 / total.max(1) as f64);
        self.write(share, text);
        self.update_bar(share, text.to_owned());
    }

    /// Prints something above the bar.
    pub fn above(&self, print: impl FnOnce()) {
        match self.bar.lock() {
            Ok(bar) => bar.suspend(print),
            Err(_) => print(),
        }
    }

    fn show(&self, share: Option<f64>, at: &str, rate: f64, left: Option<Duration>) {
        let left = left.map(|left| format!(", about {} left", words::span(left.as_secs_f64().ceil())));
        let text = format!("{at}, {} packet-hops/s{}", words::amount(rate), left.unwrap_or_default());
        self.write(share, &text);
        self.update_bar(share, text);
    }

    fn update_bar(&self, share: Option<f64>, text: String) {
        let Ok(bar) = self.bar.lock() else { return };
        bar.set_position((share.unwrap_or(0.0) * PARTS as f64) as u64);
        bar.set_message(text);
    }

    /// Writes a line if there is no terminal and the interval has passed.
    fn write(&self, share: Option<f64>, text: &str) {
        let Some(Ok(mut written)) = self.written.as_ref().map(Mutex::lock) else { return };
        if written.elapsed() < EVERY {
            return;
        }
        *written = Instant::now();
        let share = share.map(|share| format!("{} done, ", words::percent(share))).unwrap_or_default();
        // If standard error is closed, progress need not be shown.
        let _ = writeln!(io::stderr(), "{share}{text}");
    }

    /// Removes the bar.
    pub fn clear(&self) {
        if let Ok(bar) = self.bar.lock() {
            bar.finish_and_clear();
        }
    }
}
