//! Why a variant is faster or slower than the baseline: what their steps waited for, beside each other.
//!
//! Models: the mean of all steps of all runs of both variants, if they recorded causes; else a typical step, whose length is
//! near the median, of the first runs that are compared as a pair, by running them again.
//! Leaves out: variants without a shown difference, which need no reason.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use netloom_report::panel_data::{CausedStep, JobCauses};
use netloom_report::{AnswerData, Basis, Outcome, Reason, ReportedRun, StepCauses, Variant};

use crate::error::LabError;
use crate::explain::{
    Cause, ExplainError, ExplainedJob, ExplainedRun, ExplainedStep, Explanation, SelectedStep, Selection,
    explain_run, explain_steps,
};
use crate::spread::{SweepProgress, Task, spread};
use crate::watch::{RunProgress, Watch};

/// Of more runs only the first ones that are compared are explained: the messages of each are read.
const MOST_RUNS_READ: usize = 64;
/// What a reason needs of a run.
const TYPICAL: Selection = Selection { steps: &[SelectedStep::Typical], n_slowest: 0, until_steps: false };
/// What a page shows of a run.
const PAGE: Selection =
    Selection { steps: &[SelectedStep::Worst, SelectedStep::Typical], n_slowest: 12, until_steps: false };
/// The same at a lower price.
const QUICK_PAGE: Selection = Selection { until_steps: true, ..PAGE };
/// Most runs whose steps and messages a page shows.
const MOST_RUNS: usize = 8;

/// How runs are run again.
#[derive(Default)]
pub struct ReasonRequest<'a> {
    /// Number of runs at a time; `None` uses all cores.
    pub threads: Option<usize>,
    /// Whether only the messages up to the end of the explained steps are explained, so that runs need not be made again
    /// as a whole.
    pub quick: bool,
    /// Set to stop.
    pub stop: Option<&'a AtomicBool>,
    /// Called with the progress of all second runs, from any thread.
    pub on_progress: Option<&'a (dyn Fn(&SweepProgress) + Sync)>,
}

/// Runs that were explained by running them again, by index, each with why it cannot be.
pub(crate) type SecondRunsOf = BTreeMap<usize, Result<ExplainedRun, ExplainError>>;

/// Explains these runs by running them again, each twice.
///
/// # Errors
/// If a folder cannot be read, or a run was stopped.
pub(crate) fn run_again(
    runs: &[ReportedRun],
    which: impl IntoIterator<Item = usize>,
    selection: Selection,
    request: &ReasonRequest<'_>,
) -> Result<SecondRunsOf, LabError> {
    let which: Vec<usize> = which.into_iter().collect();
    let work = |&run: &usize, mut task: Task<'_>| {
        let mut hops = 0;
        let mut on_progress = |now: &RunProgress| {
            hops = hops.max(now.hops);
            task.note(now.hops, now.share.unwrap_or_default().min(0.99));
        };
        let watch = Watch { stop: request.stop, on_progress: Some(&mut on_progress), ..Watch::default() };
        let found = explain_run(&runs[run].folder, selection, watch);
        task.finish(hops);
        found
    };
    let found = spread(&which, request.threads, request.on_progress, |_| 1, work)?;
    let keep = |(run, found): (usize, Result<ExplainedRun, LabError>)| match found {
        Ok(found) => Ok((run, Ok(found))),
        Err(LabError::Explain(error)) if error != ExplainError::Stopped => Ok((run, Err(error))),
        Err(error) => Err(error),
    };
    which.into_iter().zip(found).map(keep).collect()
}

/// Explains a typical step of the runs that an answer compares and that have not recorded causes.
///
/// # Errors
/// As [`run_again`].
pub(crate) fn run_typical_again(
    answer: &AnswerData,
    runs: &[ReportedRun],
    recorded: &mut RecordedSteps<'_>,
    request: &ReasonRequest<'_>,
) -> Result<SecondRunsOf, LabError> {
    let mut which = compared_runs(answer);
    which.retain(|run| matches!(recorded.of(*run), Ok(None)));
    run_again(runs, which, TYPICAL, request)
}

/// Explains what a page shows of some runs: those that an answer compares, or the first ones without an answer; of
/// further ones that are compared a typical step.
///
/// # Errors
/// As [`run_again`].
pub(crate) fn run_again_for_page(
    answer: Option<&AnswerData>,
    runs: &[ReportedRun],
    recorded: &mut RecordedSteps<'_>,
    request: &ReasonRequest<'_>,
) -> Result<SecondRunsOf, LabError> {
    let compared = answer.map(compared_runs).filter(|compared| !compared.is_empty());
    let (mut shown, mut others) = (compared.unwrap_or_else(|| (0..runs.len()).collect()), BTreeSet::new());
    if let Some(&first) = shown.iter().nth(MOST_RUNS) {
        others = shown.split_off(&first);
    }
    others.retain(|run| answer.is_some() && matches!(recorded.of(*run), Ok(None)));
    let mut found = run_again(runs, shown, if request.quick { QUICK_PAGE } else { PAGE }, request)?;
    found.append(&mut run_again(runs, others, TYPICAL, request)?);
    Ok(found)
}

/// The runs that the verdicts of an answer compare as pairs.
fn compared_runs(answer: &AnswerData) -> BTreeSet<usize> {
    let verdicts = answer.verdicts.iter().filter(|verdict| verdict.job.is_some());
    verdicts.flat_map(|verdict| &verdict.compared).filter_map(|compared| compared.pair).flatten().collect()
}

/// Adds the reasons to an answer about these runs, as far as the runs have recorded causes or were run again. Runs that
/// cannot be explained are named in the notes.
///
/// # Errors
/// If a folder cannot be read.
pub(crate) fn add_reasons(
    answer: &mut AnswerData,
    runs: &[ReportedRun],
    recorded: &mut RecordedSteps<'_>,
    again: &SecondRunsOf,
) -> Result<(), LabError> {
    let mut steps = Explained { runs, recorded, again, noted: BTreeSet::new(), notes: Vec::new() };
    let AnswerData { baseline, variants, verdicts, notes } = answer;
    for verdict in verdicts.iter_mut().filter(|verdict| verdict.job.is_some()) {
        for compared in &mut verdict.compared {
            let is_faster = match (compared.outcome, compared.speedup) {
                (Outcome::Faster, _) => true,
                (Outcome::Slower, _) => false,
                (Outcome::OnePair, Some(speedup)) => speedup.ratio >= 1.0,
                _ => continue,
            };
            let Some([own, base]) = compared.pair else { continue };
            let job = verdict.job.as_deref();
            let own = steps.of_variant(&variants[compared.variant], own, job)?;
            let base = steps.of_variant(&variants[*baseline], base, job)?;
            let (Some((own, own_name)), Some((base, base_name))) = (own, base) else { continue };
            compared.reason = Some(Reason::of([own, base], [&own_name, &base_name], is_faster));
        }
    }
    notes.append(&mut steps.notes);
    Ok(())
}

/// What the steps of runs waited for that recorded causes, each run read once.
pub(crate) struct RecordedSteps<'a> {
    runs: &'a [ReportedRun],
    known: BTreeMap<usize, Option<Vec<ExplainedJob>>>,
}

impl<'a> RecordedSteps<'a> {
    /// Of these runs.
    pub fn new(runs: &'a [ReportedRun]) -> RecordedSteps<'a> {
        RecordedSteps { runs, known: BTreeMap::new() }
    }

    /// Of the run of this index; `None` if it has not recorded causes, or has no steps.
    ///
    /// # Errors
    /// If the folder cannot be read, or its scenario cannot be prepared again.
    pub fn of(&mut self, run: usize) -> Result<Option<&[ExplainedJob]>, LabError> {
        let found = match self.known.entry(run) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(explain_steps(&self.runs[run].folder)?),
        };
        Ok(found.as_deref())
    }

    /// Of all runs, job by job, for the report; runs that cannot be explained are left out.
    pub fn by_job(&mut self) -> Result<Vec<JobCauses>, LabError> {
        let mut found = Vec::new();
        for run in 0..self.runs.len() {
            let jobs = match self.of(run) {
                Ok(jobs) => jobs.unwrap_or_default(),
                Err(LabError::Explain(_)) => continue,
                Err(error) => return Err(error),
            };
            let causes = |job: &ExplainedJob| {
                let steps: Vec<CausedStep> = job.steps.iter().map(caused).collect();
                JobCauses::of(run, &job.name, (&named(&job.means()), &named(&job.sites)), &steps)
            };
            found.extend(jobs.iter().filter_map(causes));
        }
        Ok(found)
    }
}

fn caused(step: &ExplainedStep) -> CausedStep {
    CausedStep { step: step.row.step, time_s: step.time_s(), causes: named(&step.causes) }
}

/// The causes of the steps of runs.
struct Explained<'a, 'r> {
    runs: &'a [ReportedRun],
    recorded: &'a mut RecordedSteps<'r>,
    again: &'a SecondRunsOf,
    /// Runs that are in the notes.
    noted: BTreeSet<usize>,
    notes: Vec<String>,
}

impl Explained<'_, '_> {
    /// The mean of all steps of all runs of a variant, if all have recorded causes and there are not too many runs; else
    /// those of its first run. With what these runs are called.
    fn of_variant(
        &mut self,
        variant: &Variant,
        first: usize,
        job: Option<&str>,
    ) -> Result<Option<(StepCauses, String)>, LabError> {
        let name = &variant.name;
        if let ([_, _, ..], true) = (&variant.runs[..], self.runs.len() <= MOST_RUNS_READ) {
            let found = variant.runs.iter().map(|&run| self.causes(run, job));
            let found: Option<Vec<StepCauses>> = found.collect::<Result<Option<_>, LabError>>()?;
            if let Some(together) = found.and_then(|found| StepCauses::together(&found)) {
                return Ok(Some((together, format!("{} runs of {name}", variant.runs.len()))));
            }
        }
        let of = if variant.runs.len() > 1 { "the first run of " } else { "" };
        Ok(self.causes(first, job)?.map(|found| (found, format!("{of}{name}"))))
    }

    /// The mean of all steps, if causes were recorded; else those of a typical step of the second run.
    fn causes(&mut self, run: usize, job: Option<&str>) -> Result<Option<StepCauses>, LabError> {
        match self.recorded.of(run) {
            Ok(Some(jobs)) => {
                let is_it = |found: &&ExplainedJob| job.is_none_or(|job| found.name == job);
                return Ok(jobs.iter().find(is_it).and_then(mean));
            }
            Ok(None) => {}
            Err(LabError::Explain(error)) => self.note(run, &error),
            Err(error) => return Err(error),
        }
        match self.again.get(&run) {
            Some(Ok(found)) => Ok(typical(found, job)),
            Some(Err(error)) => {
                self.note(run, error);
                Ok(None)
            }
            None => Ok(None),
        }
    }

    fn note(&mut self, run: usize, error: &ExplainError) {
        if self.noted.insert(run) {
            let name = &self.runs[run].name;
            self.notes.push(format!("why {name} took as long as it did cannot be said: {error}"));
        }
    }
}

/// The causes of a typical step, the last one that is selected.
fn typical(found: &ExplainedRun, job: Option<&str>) -> Option<StepCauses> {
    let is_it = |step: &&Explanation| job.is_none_or(|job| step.job == job);
    let step = found.steps.iter().rev().find(is_it)?;
    Some(StepCauses { basis: Basis::Typical(step.step), time_s: step.time_s, causes: named(&step.causes) })
}

/// The mean of the steps of a job; `None` if it has none.
fn mean(job: &ExplainedJob) -> Option<StepCauses> {
    let n_steps = job.steps.len();
    let time_s = job.steps.iter().map(ExplainedStep::time_s).sum::<f64>() / n_steps as f64;
    let causes = named(&job.means());
    (n_steps > 0).then_some(StepCauses { basis: Basis::Mean(n_steps), time_s, causes })
}

fn named(causes: &[Cause]) -> Vec<(String, f64)> {
    causes.iter().map(|cause| (cause.name.clone(), cause.time_s)).collect()
}
