//! What steps waited for, on average and in the longest one, of the runs that recorded causes.

use netloom_report::panel_data::{JobCauses, Report, StepTimes};

use super::super::ink::Ink;
use super::super::sheet::{Line, Sheet};
use super::{MOST_BESIDE, cut_list, label_width, labelled};
use crate::words;

/// Most causes that are listed.
const MOST_CAUSES: usize = 5;

/// The section; none if no run recorded causes.
pub fn why(sheet: &mut Sheet, report: &Report) {
    if report.why.is_empty() {
        return;
    }
    sheet.title("What steps waited for", "causes of the chain of messages that each step waited for");
    let label = label_width(report.why.iter().map(|job| report.runs[job.run].name.as_str()));
    for job in report.why.iter().take(MOST_BESIDE) {
        let run = &report.runs[job.run].name;
        let start = labelled(job.run, run, label);
        let steps = words::some(job.n_steps as u64, "step");
        let text = format!("{}, mean of {steps}: {}", words::harmless(&job.job), of_step(job, &job.mean));
        sheet.hanging(start, Ink::Plain, &text);
        if !job.sites.is_empty() {
            sheet.hanging(Line::indented(label + 4), Ink::Plain, &format!("most at: {}", sites(job)));
        }
        if let Some(longest) = longest(job) {
            let text = format!("longest, step {}: {}", longest.step, of_step(job, &longest.times));
            sheet.hanging(Line::indented(label + 4), Ink::Faint, &text);
        }
    }
    cut_list(sheet, report.why.len(), MOST_BESIDE, "job");
}

/// The sites where its steps waited most, with their shares.
fn sites(job: &JobCauses) -> String {
    let total: f64 = job.mean.iter().sum();
    let site = |(name, time): &(String, f64)| format!("{name} {}", words::percent(time / total));
    let listed: Vec<String> = job.sites.iter().take(MOST_CAUSES).map(site).collect();
    listed.join(", ")
}

fn longest(job: &JobCauses) -> Option<&StepTimes> {
    let time = |step: &StepTimes| step.times.iter().sum::<f64>();
    job.steps.iter().max_by(|one, other| time(one).total_cmp(&time(other))).filter(|_| job.n_steps > 1)
}

/// The length of a step, and its largest causes with their shares.
fn of_step(job: &JobCauses, times: &[f64]) -> String {
    let total: f64 = times.iter().sum();
    let mut causes: Vec<(&String, f64)> = job.causes.iter().zip(times.iter().copied()).collect();
    causes.retain(|(_, time)| *time > 0.0);
    causes.sort_by(|one, other| other.1.total_cmp(&one.1));
    let cause = |(name, time): &(&String, f64)| format!("{name} {}", words::percent(time / total));
    let listed: Vec<String> = causes.iter().take(MOST_CAUSES).map(cause).collect();
    format!("{}: {}", words::span(total), listed.join(", "))
}
