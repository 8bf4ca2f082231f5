//! The demonstration: one job, four policies, side by side.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use netloom_records::Overwrite;
use netloom_records::statistics::Over;
use netloom_report::{check_overwrite, write};

use crate::compare::{Comparison, Entry, compare};
use crate::error::LabError;
use crate::explain::Explanation;
use crate::reason::ReasonRequest;
use crate::report::read_and_explain;
use crate::source::Source;
use crate::sweep::{Point, PointReport, Sweep, SweepProgress, sweep};

/// The policies shown.
pub const DEMO_POLICIES: [&str; 4] = ["ecmp", "flowlet", "adaptive", "spray"];

/// Settings that turn the small scenario into the heavy job of the paper.
const FULL_LENGTH: [(&str, &str); 2] = [("jobs.0.steps", "50"), ("background.mice.end", "10s")];

const SCENARIO: &str = include_str!("../../../scenarios/demo/heavy-x2.yaml");

/// A request for the demonstration.
pub struct Demo<'a> {
    /// The folder for a run folder per policy, and the report.
    pub folder: PathBuf,
    /// Whether complete runs that are there already may be replaced.
    pub overwrite: Overwrite,
    /// Number of runs at a time; `None` uses all cores.
    pub threads: Option<usize>,
    /// The part of each run that figures are taken over.
    pub over: Over,
    /// The command line, for the manifests.
    pub command: Vec<String>,
    /// Set to stop all runs.
    pub stop: Option<&'a AtomicBool>,
    /// Called with the progress, from any thread.
    pub on_progress: Option<&'a (dyn Fn(&SweepProgress) + Sync)>,
}

/// The path of the demonstration's report.
pub fn demo_report(folder: &Path) -> PathBuf {
    folder.join("report.html")
}

/// What the demonstration found.
pub struct DemoReport {
    /// The runs in the order of [`DEMO_POLICIES`].
    pub runs: Vec<PointReport>,
    /// Their comparison.
    pub comparison: Comparison,
    /// Why the longest step under the first policy took so long; `None` if that was interrupted.
    pub why: Option<Explanation>,
}

/// Runs the demonstration, and its runs again to explain them.
///
/// # Errors
/// If a run could not be made.
pub fn demo(demo: Demo<'_>) -> Result<DemoReport, LabError> {
    let page = demo_report(&demo.folder);
    check_overwrite(&page, demo.overwrite)?;
    let folders = DEMO_POLICIES.map(|policy| demo.folder.join(policy));
    let point = |policy: &str| {
        let source = Source::text("heavy-x2.yaml", SCENARIO);
        let short = Point::new(source).set("balance", policy).into_folder(demo.folder.join(policy));
        FULL_LENGTH.iter().fold(short, |point, (path, value)| point.set(*path, *value))
    };
    let reports = sweep(&Sweep {
        points: DEMO_POLICIES.map(point).into(),
        threads: demo.threads,
        overwrite: demo.overwrite,
        over: demo.over,
        command: demo.command,
        stop: demo.stop,
        on_progress: demo.on_progress,
    });
    let reports: Vec<PointReport> = reports.into_iter().collect::<Result<_, _>>()?;
    let request =
        ReasonRequest { threads: demo.threads, quick: true, stop: demo.stop, on_progress: demo.on_progress };
    let read = |reasons| read_and_explain(&folders, demo.over, None, reasons);
    // The report is worth having without the second runs, too.
    let (reported, again) = match read(Some(&request)) {
        Err(LabError::Explain(_)) => read(None),
        read => read,
    }?;
    write(&reported, &page, demo.overwrite)?;
    let entry = |(policy, report): (&str, &PointReport)| Entry {
        name: policy.to_owned(),
        seed: Some(report.seed),
        status: report.outcome.status,
        summary: report.summary.clone(),
    };
    let entries: Vec<Entry> = DEMO_POLICIES.into_iter().zip(&reports).map(entry).collect();
    let first = again.into_values().next().and_then(Result::ok);
    let why = first.and_then(|found| found.steps.into_iter().next());
    Ok(DemoReport { runs: reports, comparison: compare(&entries, 0, reported.answer), why })
}
