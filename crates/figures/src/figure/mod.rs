//! The figures: the data that each shows of the runs, and when it has no data.
//!
//! To add a figure, add a file here and a line in the list below.
//!
//! Invariants: the table of a figure contains exactly the data that are drawn; a figure without data is left out with
//! the
//! reason, and never drawn empty.

mod cdf;
mod links;
mod over_time;
mod slowdown;
mod step_time;
mod study;

use netloom_report::panel_data::{
    EventData, GroupData, JobData, OverTime, Report, Slowdowns, SpanData, TierData,
};
use netloom_report::{StudyData, ThresholdData};

use crate::chart::style::MOST_LINES;
use crate::draw::Picture;
use crate::table::Table;

/// The data of a run for figures: a part of the data of its report.
#[derive(Debug)]
pub struct Run {
    /// Its whole name, as tables have it.
    name: String,
    /// Its name in pictures.
    pub called: String,
    /// The part of it that background messages and utilization cover.
    span: SpanData,
    /// Whether utilization covers the whole run nevertheless, because ports were not sampled over time.
    is_unsampled: bool,
    /// Its simulated time, in seconds.
    simulated: f64,
    /// Slowdowns of background messages by size; `None` if no such message arrived.
    slowdown: Option<Slowdowns>,
    /// Completion times of background messages.
    background: GroupData,
    /// Completion times of messages of jobs.
    jobs: GroupData,
    /// Step times, job by job.
    steps: Vec<JobData>,
    /// Utilization between two tiers, if the fabric has them.
    tiers: Option<TierData>,
    /// Faults and repairs of links, switches and NICs.
    events: Vec<EventData>,
    /// Throughput to hosts and backlogs at switches over time, if recorded.
    over_time: Option<OverTime>,
}

impl Run {
    /// All runs of a report; `called` has the name of each in pictures.
    pub fn all(report: Report, called: Vec<String>) -> Vec<Run> {
        let Report { runs, slowdown, fct, steps, links, faults, over_time, .. } = report;
        let of_runs =
            runs.into_iter().zip(called).zip(slowdown).zip(fct).zip(links).zip(faults).zip(over_time);
        let mut found: Vec<Run> = of_runs
            .map(|((((((run, called), slowdown), fct), links), faults), over_time)| Run {
                name: run.name,
                called,
                span: run.span,
                simulated: run.simulated,
                is_unsampled: links.unsampled,
                slowdown,
                background: fct.background,
                jobs: fct.jobs,
                steps: Vec::new(),
                tiers: links.tiers,
                events: faults.events,
                over_time,
            })
            .collect();
        for job in steps {
            found[job.run].steps.push(job);
        }
        found
    }

    /// Its whole name, as tables have it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The span in which its background messages started, in seconds.
    fn span(&self) -> [f64; 2] {
        let parts = &self.span.parts;
        [parts.first().map_or(0.0, |part| part[0]), parts.last().map_or(0.0, |part| part[1])]
    }
}

/// A figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The name of its files.
    pub name: &'static str,
    /// The picture.
    pub picture: Picture,
    /// The data in the picture.
    pub table: Table,
    /// Runs without data in it.
    pub without: Vec<String>,
}

/// The picture, the data, and the runs without data in it.
struct Drawn {
    picture: Picture,
    table: Table,
    without: Vec<String>,
}

/// Draws runs with a width in points; an error says why there is nothing to draw.
type Draw = fn(&[Run], f64) -> Result<Drawn, String>;

/// All figures, in the order in which they are listed.
const FIGURES: [(&str, Draw); 7] = [
    ("slowdown", slowdown::draw),
    ("step_time", step_time::draw),
    ("step_time_cdf", cdf::step_times),
    ("fct_cdf", cdf::fct),
    ("links", links::draw),
    ("throughput", over_time::throughput),
    ("queues_over_time", over_time::queues),
];

/// The names of figures of sweeps.
const STUDY: &str = "study";
const THRESHOLD: &str = "threshold";

/// The figures of a sweep, with a width in points, and those that are left out.
pub fn of_study(data: &StudyData, width: f64) -> (Vec<Figure>, Vec<LeftOut>) {
    let mut found = vec![named(STUDY, study::times(data, width))];
    found.extend(data.thresholds.as_ref().map(|found| threshold(found, width)));
    let (mut figures, mut left_out) = (Vec::new(), Vec::new());
    for one in found {
        match one {
            Ok(figure) => figures.push(figure),
            Err(reason) => left_out.push(reason),
        }
    }
    (figures, left_out)
}

/// The figure of thresholds, with a width in points.
pub fn threshold(found: &ThresholdData, width: f64) -> Result<Figure, LeftOut> {
    named(THRESHOLD, study::threshold(found, width))
}

fn named(name: &'static str, drawn: Result<Drawn, String>) -> Result<Figure, LeftOut> {
    match drawn {
        Ok(Drawn { picture, table, without }) => Ok(Figure { name, picture, table, without }),
        Err(reason) => Err(LeftOut { name, reason }),
    }
}

/// A figure that is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The name that its files would have.
    pub name: &'static str,
    /// The reason.
    pub reason: String,
}

/// The figures of the runs, with a width in points, and those that are left out.
pub fn all(runs: &[Run], width: f64) -> (Vec<Figure>, Vec<LeftOut>) {
    let (mut figures, mut left_out) = (Vec::new(), Vec::new());
    for (name, draw) in FIGURES {
        match named(name, draw(runs, width)) {
            Ok(figure) => figures.push(figure),
            Err(reason) => left_out.push(reason),
        }
    }
    (figures, left_out)
}

/// Runs with data, and the names of runs without.
type Sorted<T> = (Vec<T>, Vec<String>);

/// Splits runs into those with data and the names of those without; an error if no run has data.
fn without<'a, T>(
    runs: &'a [Run],
    has: impl Fn(&'a Run) -> Option<T>,
    none: &str,
) -> Result<Sorted<(usize, &'a Run, T)>, String> {
    let (mut with, mut lacking) = (Vec::new(), Vec::new());
    for (number, run) in runs.iter().enumerate() {
        match has(run) {
            Some(found) => with.push((number, run, found)),
            None => lacking.push(run.name().to_owned()),
        }
    }
    if with.is_empty() { Err(none.to_owned()) } else { Ok((with, lacking)) }
}

/// Refuses more lines than can be distinguished.
fn check_lines(n_lines: usize) -> Result<(), String> {
    if n_lines <= MOST_LINES {
        return Ok(());
    }
    Err(format!("{n_lines} lines are more than can be distinguished ({MOST_LINES}): name fewer runs"))
}

/// Jobs with finished steps, each with the name of its line: that of the run, and of the job if some run has several.
fn timed(runs: &[Run]) -> Result<Sorted<(String, &Run, &JobData)>, String> {
    let has_steps = |run: &'_ Run| run.steps.iter().any(|job| job.times.is_some());
    let none = "no step of a job was finished";
    let (with, lacking) = without(runs, |run| has_steps(run).then_some(()), none)?;
    let several = runs.iter().any(|run| run.steps.len() > 1);
    let jobs = with.into_iter().flat_map(|(_, run, ())| run.steps.iter().map(move |job| (run, job)));
    let named = jobs.filter(|(_, job)| job.times.is_some()).map(|(run, job)| {
        let name = if several { format!("{} · {}", run.called, job.job) } else { run.called.clone() };
        (name, run, job)
    });
    Ok((named.collect(), lacking))
}

/// The largest number; zero if there is none.
fn largest(numbers: impl IntoIterator<Item = f64>) -> f64 {
    numbers.into_iter().fold(0.0, f64::max)
}
