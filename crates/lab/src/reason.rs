//! Why a variant is faster or slower than the baseline: what their steps waited for, beside each other.
//!
//! Models: of both the first runs that are compared as a pair; of each the mean of all its steps, if it recorded causes;
//! else a typical step, whose length is near the median, by running it again.
//! Leaves out: variants without a shown difference, which need no reason.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::atomic::AtomicBool;

use netloom_report::panel_data::{CausedStep, JobCauses};
use netloom_report::{AnswerData, Basis, Outcome, Reason, ReportedRun, StepCauses};

use crate::error::LabError;
use crate::explain::{
    Cause, ExplainError, ExplainRequest, ExplainedJob, ExplainedStep, SelectedStep, explain, explain_steps,
};
use crate::watch::{RunProgress, Watch};

/// How runs are run again that have not recorded causes.
#[derive(Default)]
pub struct ReasonRequest<'a> {
    /// Set to stop.
    pub stop: Option<&'a AtomicBool>,
    /// Called with the progress of each second run.
    pub on_progress: Option<&'a dyn Fn(&RunProgress)>,
}

/// Adds the reasons to an answer about these runs, as far as the runs have recorded causes; with a request, other runs
/// that are needed are run again, twice. Runs that cannot be explained are named in the notes.
///
/// # Errors
/// If a folder cannot be read, or a run was stopped.
pub(crate) fn add_reasons(
    answer: &mut AnswerData,
    runs: &[ReportedRun],
    recorded: &mut RecordedSteps<'_>,
    request: Option<&ReasonRequest<'_>>,
) -> Result<(), LabError> {
    let mut steps = Explained { runs, recorded, request, known: BTreeMap::new(), notes: Vec::new() };
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
            let (Some(own), Some(base)) = (steps.causes(own, job)?, steps.causes(base, job)?) else {
                continue;
            };
            let names = [compared.variant, *baseline].map(|number| variants[number].name.as_str());
            compared.reason = Some(Reason::of([own, base], names, is_faster));
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

/// The causes of the steps of runs, each found once.
struct Explained<'a, 'r> {
    runs: &'a [ReportedRun],
    recorded: &'a mut RecordedSteps<'r>,
    request: Option<&'a ReasonRequest<'a>>,
    known: BTreeMap<(usize, Option<String>), Option<StepCauses>>,
    notes: Vec<String>,
}

impl Explained<'_, '_> {
    fn causes(&mut self, run: usize, job: Option<&str>) -> Result<Option<StepCauses>, LabError> {
        let key = (run, job.map(str::to_owned));
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let found = match self.find(run, job) {
            Ok(found) => found,
            Err(LabError::Explain(error)) if error != ExplainError::Stopped => {
                self.notes.push(format!(
                    "why {} took as long as it did cannot be said: {error}",
                    self.runs[run].name
                ));
                None
            }
            Err(error) => return Err(error),
        };
        self.known.insert(key, found.clone());
        Ok(found)
    }

    fn find(&mut self, run: usize, job: Option<&str>) -> Result<Option<StepCauses>, LabError> {
        if let Some(jobs) = self.recorded.of(run)? {
            let is_it = |found: &&ExplainedJob| job.is_none_or(|job| found.name == job);
            return Ok(jobs.iter().find(is_it).and_then(mean));
        }
        self.request.map(|request| self.typical(run, job, request)).transpose()
    }

    /// The causes of a typical step, which is run again.
    fn typical(
        &self,
        run: usize,
        job: Option<&str>,
        request: &ReasonRequest<'_>,
    ) -> Result<StepCauses, LabError> {
        let mut on_progress = |now: &RunProgress| {
            if let Some(report) = request.on_progress {
                report(now);
            }
        };
        let watch = Watch { stop: request.stop, on_progress: Some(&mut on_progress), ..Watch::default() };
        let job = job.map(str::to_owned);
        let step = SelectedStep::Typical;
        let found = explain(&self.runs[run].folder, ExplainRequest { job, step, threads: 1, watch })?;
        let basis = Basis::Typical(found.step);
        Ok(StepCauses { basis, time_s: found.time_s, causes: named(&found.causes) })
    }
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
