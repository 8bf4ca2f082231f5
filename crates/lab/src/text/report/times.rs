//! Step times and completion times: a bar for each run, to the mean, with a whisker to the 99th percentile.

use netloom_report::panel_data::{Fct, FctData, JobData, Repairs, Report, independent};

use super::super::bars::{bar, whisker};
use super::super::ink::Ink;
use super::super::sheet::{Line, Sheet};
use super::super::sparkline::{fitted, largest, sparkline};
use super::{MOST_BESIDE, cut_list, label_width, labelled};
use crate::words;

/// Columns of the text after a bar.
const BEHIND: usize = 33;

/// A bar.
struct Timed {
    run: usize,
    label: String,
    mean: f64,
    p99: f64,
    longest: f64,
    count: String,
}

/// A section of bars, in seconds.
fn bars(sheet: &mut Sheet, title: &str, timed: &[Timed]) {
    if timed.is_empty() {
        return;
    }
    sheet.title(title, "a bar to the mean, a whisker to the 99th percentile");
    let label = label_width(timed.iter().map(|row| row.label.as_str()));
    let room = sheet.columns().saturating_sub(2 + label + 2 + BEHIND).max(8);
    let full = largest(&timed.iter().flat_map(|row| [row.mean, row.p99]).collect::<Vec<_>>());
    let share = |value: f64| if full > 0.0 { value / full } else { 0.0 };
    for row in timed.iter().take(MOST_BESIDE) {
        let (mean, p99) = (share(row.mean), share(row.p99));
        let line = labelled(row.run, &row.label, label);
        let end = line.width() + room + 1;
        let line = line.add(Ink::Run(row.run), &bar(mean, room)).add(Ink::Faint, &whisker(mean, p99, room));
        let line = line.up_to(end).right(Ink::Strong, &words::span(row.mean), 9);
        let line = line.add(Ink::Faint, " to ").right(Ink::Plain, &words::span(row.p99), 9);
        sheet.line(line.add(Ink::Faint, &row.count));
    }
    cut_list(sheet, timed.len(), MOST_BESIDE, "bar");
    let longest = |row: &Timed| format!("{} {}", row.label, words::span(row.longest));
    let longest: Vec<String> = timed.iter().take(MOST_BESIDE).map(longest).collect();
    sheet.text(Ink::Faint, &format!("the longest: {}", longest.join(", ")), 2);
}

/// The label of a job: its run if that has one job, its job if there is one run, else both.
fn label(report: &Report, job: &JobData) -> String {
    let run = &report.runs[job.run].name;
    let has_one = report.steps.iter().filter(|other| other.run == job.run).count() == 1;
    match (has_one, report.runs.len()) {
        (true, _) => run.clone(),
        (_, 1) => job.job.clone(),
        _ => format!("{run}: {}", job.job),
    }
}

/// Step times of all jobs.
pub fn steps(sheet: &mut Sheet, report: &Report) {
    let timed = |job: &JobData| {
        let times = job.times.as_ref()?;
        Some(Timed {
            run: job.run,
            label: label(report, job),
            mean: times.mean.value,
            p99: times.p99.value,
            longest: times.cdf.values.last().copied().unwrap_or(times.p99.value),
            count: format!(" x{}", words::amount(f64::from(job.steps))),
        })
    };
    let all: Vec<Timed> = report.steps.iter().filter_map(timed).collect();
    bars(sheet, "Step time", &all);
    let without: Vec<&JobData> = report.steps.iter().filter(|job| job.times.is_none()).collect();
    for job in without.iter().take(MOST_BESIDE) {
        let text = format!("{}: no step was finished by all ranks", label(report, job));
        sheet.text(Ink::Alarm, &text, 2);
    }
    cut_list(sheet, without.len(), MOST_BESIDE, "job");
    if report.steps.is_empty() {
        sheet.gap();
        sheet.text(Ink::Faint, "No run has a job, so there are no step times.", 0);
    }
}

/// Step times over the steps of each job with several steps.
pub fn course(sheet: &mut Sheet, report: &Report) {
    let jobs: Vec<&JobData> = report.steps.iter().filter(|job| job.course.times.len() > 1).collect();
    if jobs.is_empty() {
        return;
    }
    sheet.title(
        "Step times one after the other",
        "all heights of one scale; where steps share a column, the slowest",
    );
    let labels: Vec<String> = jobs.iter().map(|job| label(report, job)).collect();
    let width = label_width(labels.iter().map(String::as_str));
    let room = sheet.columns().saturating_sub(2 + width + 2 + BEHIND).max(8);
    let full = largest(&jobs.iter().map(|job| largest(&job.course.times)).collect::<Vec<_>>());
    for (job, label) in jobs.iter().zip(&labels).take(MOST_BESIDE) {
        let times = &job.course.times;
        let shown = sparkline(&fitted(times, room, largest), full);
        let line = labelled(job.run, label, width);
        let end = line.width() + room + 1;
        let line = line.add(Ink::Run(job.run), &shown).up_to(end);
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        let line = line.right(Ink::Plain, &words::span(least), 9).add(Ink::Faint, " to ");
        sheet.line(line.right(Ink::Plain, &words::span(largest(times)), 9));
    }
    cut_list(sheet, jobs.len(), MOST_BESIDE, "job");
}

/// Completion times of messages of jobs and of background traffic.
pub fn messages(sheet: &mut Sheet, report: &Report) {
    let timed = |(run, fct): (usize, Option<&FctData>)| {
        let fct = fct?;
        Some(Timed {
            run,
            label: report.runs[run].name.clone(),
            mean: fct.mean,
            p99: fct.p99,
            longest: fct.maximum,
            count: format!(" x{}", words::amount(fct.count as f64)),
        })
    };
    let of_jobs = report.fct.iter().map(|fct| fct.jobs.arrived.as_ref()).enumerate();
    bars(sheet, "FCT of messages of jobs", &of_jobs.filter_map(timed).collect::<Vec<_>>());
    let beside = report.fct.iter().map(|fct| fct.background.arrived.as_ref()).enumerate();
    bars(
        sheet,
        &format!("FCT of {}", independent(&report.fct)),
        &beside.filter_map(timed).collect::<Vec<_>>(),
    );
    let lost = report.fct.iter().map(Fct::unfinished);
    let with_losses: Vec<(usize, u64)> = lost.enumerate().filter(|(_, lost)| *lost > 0).collect();
    for (run, lost) in with_losses.iter().take(MOST_BESIDE) {
        let text = format!("{}: {} did not arrive", report.runs[*run].name, words::some(*lost, "message"));
        sheet.line(Line::indented(2).add(Ink::Alarm, &text));
    }
    cut_list(sheet, with_losses.len(), MOST_BESIDE, "run");
    timeouts(sheet, report);
}

/// Retransmission timeouts, if any: a single one may be most of a message's time.
fn timeouts(sheet: &mut Sheet, report: &Report) {
    let with_timeouts = |(run, of): (usize, &Option<Repairs>)| {
        let of = of.as_ref().filter(|of| of.timeouts > 0)?;
        let [timeouts, again] =
            [(of.timeouts, "retransmission timeout"), (of.needed + of.spurious, "retransmitted packet")]
                .map(|(number, what)| words::some(number, what));
        Some(format!("{}: {timeouts}, {again}", report.runs[run].name))
    };
    let lines: Vec<String> = report.repairs.iter().enumerate().filter_map(with_timeouts).collect();
    for line in lines.iter().take(MOST_BESIDE) {
        sheet.line(Line::indented(2).add(Ink::Alarm, line));
    }
    cut_list(sheet, lines.len(), MOST_BESIDE, "run");
}
