//! How the steps of jobs are repeated, and when they end.

use netloom_model::{Bursts, Precision, Repetition, WarmUp};
use netloom_units::Time;

use crate::diagnostic::Problems;
use crate::resolve::{Draft, LONGEST};
use crate::resolved::{self, Job, Parameters, Resolved, Steps};

/// The largest number of steps of a job.
pub(super) fn most_steps(job: &Job) -> u32 {
    match &job.steps.value {
        Steps::Count(n) => *n,
        Steps::Endless => u32::MAX,
        Steps::Precise(parameters) => parameters.settings.count("at_most") as u32,
    }
}

/// How its steps are repeated.
pub(super) fn repetition(job: &Job) -> Repetition {
    let warm_up = match job.warm_up {
        resolved::WarmUp::Steps(steps) => WarmUp { steps, share: 0.0 },
        resolved::WarmUp::Share(share) => WarmUp { steps: 0, share },
    };
    let precision = match &job.steps.value {
        Steps::Precise(Parameters { settings, .. }) => Some(Precision {
            target: settings.fraction("precision"),
            at_least: settings.count("at_least") as u32,
        }),
        _ => None,
    };
    let bursts = job.bursts.as_ref().map(bursts);
    // `0%` leaves out nothing, but the job is measured; `0` is the default, of a job that is not.
    let measured = precision.is_some() || job.warm_up != resolved::WarmUp::Steps(0);
    let aligned = measured || bursts.is_some();
    Repetition { endless: job.steps.value == Steps::Endless, aligned, measured, warm_up, precision, bursts }
}

fn bursts(parameters: &Parameters) -> Bursts {
    let settings = &parameters.settings;
    Bursts {
        length: settings.duration("length"),
        pause: settings.duration("pause"),
        slack: settings.duration("slack"),
        exponential: settings.choice("kind") == "exponential",
    }
}

/// Reports endless jobs that nothing ends, and jobs without a step that counts.
pub(super) fn check(draft: &Draft, problems: &mut Problems) {
    let is_endless = |job: &&Job| job.steps.value == Steps::Endless;
    if let Some(job) = draft.jobs.iter().find(is_endless)
        && draft.jobs.iter().all(|job| is_endless(&job))
        && draft.deadline.is_none()
    {
        let report = problems.report(job.steps.location, "nothing ends this run: all its jobs are endless");
        report.label("continues until the other jobs have finished");
        report.help("add a job with a number of steps, or a `deadline`");
    }
    for job in &draft.jobs {
        let repetition = repetition(job);
        let (most, needed) = (u64::from(most_steps(job)), least_measured(&repetition));
        if repetition.endless && repetition.measured {
            let report = problems.report(job.steps.location, "the steps of an endless job are not measured");
            report.label("without end").help("write `warm_up: 0`");
        } else if !repetition.endless && repetition.warm_up.of(most) + needed > most {
            let report = problems.report(job.steps.location, "too few steps are left after the warm-up");
            report.label(format!(
                "{most} steps at most, {} of them do not count, {needed} must count",
                repetition.warm_up.of(most)
            ));
            report.help("more steps, or a smaller `warm_up`");
        }
    }
}

/// The smallest number of steps that must count.
fn least_measured(repetition: &Repetition) -> u64 {
    repetition.precision.map_or(1, |precision| u64::from(precision.at_least))
}

/// The latest end of the run: with endless jobs the clock must not overflow.
pub(super) fn deadline(resolved: &Resolved) -> Option<Time> {
    let is_endless = resolved.jobs.iter().any(|job| job.steps.value == Steps::Endless);
    resolved.deadline.or(is_endless.then_some(Time::ZERO + LONGEST))
}
