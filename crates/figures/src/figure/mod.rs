//! The figures: what each shows of some runs, and when it has nothing to show.
//!
//! A new figure is a file here and a line in the list below.
//!
//! Invariants: the table of a figure holds what is drawn, no less and no more; a figure without data is left out with the
//! reason, never drawn empty.

mod cdf;
mod links;
mod over_time;
mod slowdown;
mod step_time;

use netloom_report::panel_data::{
    EventData, GroupData, JobData, OverTime, Report, Slowdowns, SpanData, TierData,
};

use crate::chart::style::MOST_LINES;
use crate::draw::Picture;
use crate::table::Table;

/// A run as figures see it: some of what the page about it is told.
#[derive(Debug)]
pub struct Run {
    /// Its whole name, as tables have it.
    name: String,
    /// What it is called in pictures.
    pub called: String,
    /// The part of it that background messages and utilization are of.
    span: SpanData,
    /// Whether utilization is of the whole run all the same, because ports were not sampled over time.
    is_unsampled: bool,
    /// How long it lasted, in seconds.
    simulated: f64,
    /// Slowdowns of background messages by size; nothing where no such message arrived.
    slowdown: Option<Slowdowns>,
    /// Completion times of background messages.
    background: GroupData,
    /// Completion times of messages of jobs.
    jobs: GroupData,
    /// Step times, job by job.
    steps: Vec<JobData>,
    /// Utilization between two tiers, where the fabric has them.
    tiers: Option<TierData>,
    /// What happened to links, switches and NICs.
    events: Vec<EventData>,
    /// What reached hosts and waited at switches over time, where that was recorded.
    over_time: Option<OverTime>,
}

impl Run {
    /// All runs of a report; `called` has what each is called in pictures.
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

    /// From when to when its background messages started, in seconds.
    fn span(&self) -> [f64; 2] {
        let parts = &self.span.parts;
        [parts.first().map_or(0.0, |part| part[0]), parts.last().map_or(0.0, |part| part[1])]
    }
}

/// A figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What its files are called.
    pub name: &'static str,
    /// What is drawn.
    pub picture: Picture,
    /// The data that are drawn.
    pub table: Table,
    /// Runs of which there is nothing in it.
    pub without: Vec<String>,
}

/// What is drawn, the data, and the runs of which there is nothing in it.
struct Drawn {
    picture: Picture,
    table: Table,
    without: Vec<String>,
}

/// Draws some runs, so many points wide; or says why there is nothing to draw.
type Draw = fn(&[Run], f64) -> Result<Drawn, String>;

/// All figures, in the order they are told.
const FIGURES: [(&str, Draw); 7] = [
    ("slowdown", slowdown::draw),
    ("step_time", step_time::draw),
    ("step_time_cdf", cdf::step_times),
    ("fct_cdf", cdf::fct),
    ("links", links::draw),
    ("throughput", over_time::throughput),
    ("queues_over_time", over_time::queues),
];

/// A figure that is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// What its files would be called.
    pub name: &'static str,
    /// Why there is none.
    pub reason: String,
}

/// The figures of some runs, so many points wide, and those that are left out.
pub fn all(runs: &[Run], width: f64) -> (Vec<Figure>, Vec<LeftOut>) {
    let (mut figures, mut left_out) = (Vec::new(), Vec::new());
    for (name, draw) in FIGURES {
        match draw(runs, width) {
            Ok(Drawn { picture, table, without }) => figures.push(Figure { name, picture, table, without }),
            Err(reason) => left_out.push(LeftOut { name, reason }),
        }
    }
    (figures, left_out)
}

/// What has data, and the names of runs that have none.
type Sorted<T> = (Vec<T>, Vec<String>);

/// Of runs with some data and those without: the names of the latter, unless none has any.
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

/// Refuses more lines than can be told apart.
fn check_lines(n_lines: usize) -> Result<(), String> {
    if n_lines <= MOST_LINES {
        return Ok(());
    }
    Err(format!("{n_lines} lines are more than can be told apart ({MOST_LINES}): name fewer runs"))
}

/// Jobs with finished steps, each with the name of its line: of the run, and of the job where some run has several.
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

/// The largest of some numbers; zero of none.
fn largest(numbers: impl IntoIterator<Item = f64>) -> f64 {
    numbers.into_iter().fold(0.0, f64::max)
}
