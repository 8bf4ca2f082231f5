//! Why a step took as long as it did: the chain of messages that it waited for, and what each of them waited for; and
//! why the slowest messages of a run were slow.
//!
//! Models: the chain from the stored messages; a second run that records the causes and packets of its members, and so
//! the parts of their times; a third one that records the ports at which they waited longest, and so who was ahead, unless
//! the first run recorded causes and so which ports these are.
//! Equal models give equal runs, so both are exact for the first; they serve all steps and messages that are explained at
//! once. Of a run that recorded causes, all steps without a second run.
//!
//! Invariants: causes add up to the length of the step, to the picosecond.

mod ahead;
mod chain;
mod departures;
mod error;
mod found;
mod page;
mod parts;
mod second_runs;
mod select;
mod steps;
mod stored;
mod sums;
mod tables;
mod view;
mod waits;

use std::path::Path;

use netloom_records::{JobRow, StepRow};
use netloom_units::Time;

use crate::error::LabError;
use crate::watch::Watch;
use ahead::MessageWait;
use chain::{Barriers, Chain, Member};
pub use error::ExplainError;
pub use found::{Cause, ChainMessage, Explanation, FasterPort, HopWait, PortWait, Sharer, SlowMessages};
pub(crate) use page::page_data;
use second_runs::SecondRuns;
use select::Steps;
pub use select::{NotAStep, SelectedStep};
pub use steps::{ExplainedJob, ExplainedStep, explain_all, explain_steps};
use stored::StoredRun;
use view::View;
use waits::longest_waits;

/// Which step is explained, and how.
pub struct ExplainRequest<'a> {
    /// The job by its name; the first one by default.
    pub job: Option<String>,
    /// The step.
    pub step: SelectedStep,
    /// Number of threads; no result depends on it.
    pub threads: usize,
    /// Observers of the second and of the third run.
    pub watch: Watch<'a>,
}

/// Explains a step of a stored run.
///
/// # Errors
/// If the folder is no run whose scenario can be run again, it has no such job or step, its messages were not recorded, or
/// it was stopped.
pub fn explain(folder: &Path, request: ExplainRequest<'_>) -> Result<Explanation, LabError> {
    let ExplainRequest { job, step, threads, watch } = request;
    let folder = StoredRun::open(folder)?;
    let job = select::job(&folder.folder, job.as_deref())?;
    let subject = Subject::of_step(&folder, &job, step)?;
    let (mut steps, _) = explained(&folder, &[subject], &[], threads, watch)?;
    Ok(steps.remove(0))
}

/// Most jobs whose steps are explained.
const MOST_JOBS: usize = 4;

/// Which steps and messages of a run are explained together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Selection {
    /// Steps of each job, one at least.
    pub steps: &'static [SelectedStep],
    /// Number of the slowest messages.
    pub n_slowest: usize,
    /// Whether these are the slowest up to the end of the last one of the steps, which costs less than those of the run.
    pub until_steps: bool,
}

/// What is explained of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ExplainedRun {
    /// Steps, job by job in the order of their selection; none is there twice.
    pub steps: Vec<Explanation>,
    /// The slowest messages.
    pub slowest: SlowMessages,
    /// These are the slowest of those that had arrived by then, if not of the whole run.
    pub until: Option<Time>,
}

/// Explains steps of the jobs of a run, and its slowest messages.
///
/// # Errors
/// As [`explain`], but a job without completed steps is not refused.
pub(crate) fn explain_run(
    folder: &Path,
    selection: Selection,
    watch: Watch<'_>,
) -> Result<ExplainedRun, LabError> {
    let folder = StoredRun::open(folder)?;
    let mut subjects: Vec<Subject> = Vec::new();
    for job in folder.folder.jobs()?.into_iter().take(MOST_JOBS) {
        for step in selection.steps {
            match Subject::of_step(&folder, &job, *step) {
                Ok(subject) => subjects.push(subject),
                Err(LabError::Explain(ExplainError::NoStep { .. })) => {}
                Err(error) => return Err(error),
            }
        }
    }
    subjects.dedup_by_key(|subject| (subject.job, subject.step));
    let last = subjects.iter().map(|subject| subject.step.end).max();
    let until = last.filter(|_| selection.until_steps);
    let slowest = tables::slowest(&folder.folder, selection.n_slowest, until.unwrap_or(Time::NEVER))?;
    let (steps, slowest) = explained(&folder, &subjects, &slowest, 1, watch)?;
    Ok(ExplainedRun { steps, slowest, until })
}

/// A step that is explained.
struct Subject {
    job: u16,
    step: StepRow,
    chain: Chain,
    /// Number of completed steps of its job, and of those that took longer.
    n_steps: usize,
    n_slower: usize,
    /// Median of their lengths in seconds.
    median_s: f64,
}

impl Subject {
    fn of_step(run: &StoredRun, job: &JobRow, selected: SelectedStep) -> Result<Subject, LabError> {
        let steps = Steps::of(&run.folder, job.job)?;
        let step = steps.select(selected, &run.folder)?;
        let rows = tables::messages_of(&run.folder, &step)?;
        if !rows.iter().any(|row| row.step == step.step) {
            return Err(ExplainError::NoMessages(run.folder.path().to_owned()).into());
        }
        Ok(Subject {
            job: job.job,
            step,
            chain: Chain::of(&step, &rows, &Barriers::of(&run.prepared, job.job)),
            n_steps: steps.count(),
            n_slower: steps.slower_than(&step),
            median_s: steps.median_s(),
        })
    }
}

/// Explains steps and single messages, with one or two runs for all of them.
fn explained(
    run: &StoredRun,
    subjects: &[Subject],
    slowest: &[Member],
    threads: usize,
    watch: Watch<'_>,
) -> Result<(Vec<Explanation>, SlowMessages), LabError> {
    let lists: Vec<&[Member]> =
        subjects.iter().map(|subject| subject.chain.members.as_slice()).chain([slowest]).collect();
    let members: Vec<&Member> = lists.iter().copied().flatten().collect();
    let last = members.iter().map(|member| member.end).max().unwrap_or(Time::ZERO);
    let causes = tables::causes_of(&run.folder, &members)?;
    let n_expected = if causes.is_some() { 1 } else { 2 };
    let mut again = SecondRuns::new(&run.prepared, last, threads, watch, n_expected);
    let (parts, departures) = again.parts(&members, causes.as_deref())?;
    let by_list: Vec<Vec<MessageWait>> = lists.iter().map(|list| longest_waits(list, &parts)).collect();
    let waits = by_list.concat();
    let shares = again.ahead(&waits, departures)?;
    let repairs = tables::repairs_of(&run.folder, &members)?;
    let traffic = tables::traffic_during(&run.folder, &waits, &shares)?;
    let view = View { prepared: &run.prepared, parts: &parts, repairs: &repairs };
    let (mut steps, mut first) = (Vec::new(), 0);
    for (subject, waits) in subjects.iter().zip(&by_list) {
        let range = first..first + waits.len();
        first = range.end;
        let recorded = view::Recorded { waits, shares: &shares[range.clone()], traffic: &traffic[range] };
        steps.push(view.step(subject, &recorded));
    }
    let recorded =
        view::Recorded { waits: &waits[first..], shares: &shares[first..], traffic: &traffic[first..] };
    let slowest = SlowMessages { messages: view.messages(slowest), waits: view.waits(&recorded) };
    Ok((steps, slowest))
}
