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
mod selected_causes;
mod steps;
mod stored;
mod sums;
mod tables;
mod view;
mod waits;

use std::path::Path;

use netloom_records::{FlowRow, JobRow, StepRow};
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
pub(crate) use selected_causes::SelectedCauses;
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
    let selected = Selected::of(&folder, &job, &[step])?;
    let subjects = subjects(&folder, selected)?;
    let (mut steps, _) = explained(&folder, &subjects, &[], threads, watch)?;
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
#[derive(Debug, Clone, PartialEq)]
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
    let mut selected: Vec<Selected> = Vec::new();
    for job in folder.folder.jobs()?.into_iter().take(MOST_JOBS) {
        match Selected::of(&folder, &job, selection.steps) {
            Ok(steps) => selected.extend(steps),
            Err(LabError::Explain(ExplainError::NoStep { .. })) => {}
            Err(error) => return Err(error),
        }
    }
    let subjects = subjects(&folder, selected)?;
    let last = subjects.iter().map(|subject| subject.selected.step.end).max();
    let until = last.filter(|_| selection.until_steps);
    let slowest = tables::slowest(&folder.folder, selection.n_slowest, until.unwrap_or(Time::NEVER))?;
    let (steps, slowest) = explained(&folder, &subjects, &slowest, 1, watch)?;
    Ok(ExplainedRun { steps, slowest, until })
}

/// A step that is to be explained.
struct Selected {
    step: StepRow,
    /// Number of completed steps of its job, and of those that took longer.
    n_steps: usize,
    n_slower: usize,
    /// Median of their lengths in seconds.
    median_s: f64,
}

impl Selected {
    /// Steps of a job, each once.
    fn of(run: &StoredRun, job: &JobRow, wanted: &[SelectedStep]) -> Result<Vec<Selected>, LabError> {
        let steps = Steps::of(&run.folder, job.job)?;
        let mut found: Vec<Selected> = Vec::new();
        for wanted in wanted {
            let step = steps.select(*wanted, &run.folder)?;
            if found.iter().all(|known| known.step != step) {
                let (n_steps, n_slower) = (steps.count(), steps.slower_than(&step));
                found.push(Selected { step, n_steps, n_slower, median_s: steps.median_s() });
            }
        }
        Ok(found)
    }
}

/// A step that is explained, with its chain.
struct Subject {
    selected: Selected,
    chain: Chain,
}

/// The steps with their chains.
fn subjects(run: &StoredRun, selected: Vec<Selected>) -> Result<Vec<Subject>, LabError> {
    let steps: Vec<StepRow> = selected.iter().map(|selected| selected.step).collect();
    let rows = tables::messages_of(&run.folder, &steps)?;
    let subject = |(selected, rows): (Selected, Vec<FlowRow>)| {
        let step = &selected.step;
        if rows.iter().all(|row| row.step != step.step) {
            return Err(ExplainError::NoMessages(run.folder.path().to_owned()).into());
        }
        let chain = Chain::of(step, &rows, &Barriers::of(&run.prepared, step.job));
        Ok(Subject { selected, chain })
    };
    selected.into_iter().zip(rows).map(subject).collect()
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
