//! Why a variant is faster or slower than the baseline: their typical steps, explained beside each other.
//!
//! Models: of both the first runs that are compared as a pair; of each a typical step, whose length is near the median.
//! Leaves out: variants without a shown difference, which need no reason.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use netloom_report::{AnswerData, Outcome, Reason, ReportedRun, StepCauses};

use crate::error::LabError;
use crate::explain::{ExplainError, ExplainRequest, Explanation, SelectedStep, explain};
use crate::watch::{RunProgress, Watch};

/// How reasons are found.
#[derive(Default)]
pub struct ReasonRequest<'a> {
    /// Set to stop.
    pub stop: Option<&'a AtomicBool>,
    /// Called with the progress of each second run.
    pub on_progress: Option<&'a dyn Fn(&RunProgress)>,
}

/// Adds the reasons to an answer about these runs: each run that is needed is run again, twice. Runs that cannot be
/// explained are named in the notes.
///
/// # Errors
/// If a folder cannot be read, or a run was stopped.
pub(crate) fn add_reasons(
    answer: &mut AnswerData,
    runs: &[ReportedRun],
    request: &ReasonRequest<'_>,
) -> Result<(), LabError> {
    let mut steps = TypicalSteps { runs, request, known: BTreeMap::new(), notes: Vec::new() };
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

/// The causes of typical steps of runs, each found once.
struct TypicalSteps<'a> {
    runs: &'a [ReportedRun],
    request: &'a ReasonRequest<'a>,
    known: BTreeMap<(usize, Option<String>), Option<StepCauses>>,
    notes: Vec<String>,
}

impl TypicalSteps<'_> {
    fn causes(&mut self, run: usize, job: Option<&str>) -> Result<Option<StepCauses>, LabError> {
        let key = (run, job.map(str::to_owned));
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let found = match self.explained(run, job) {
            Ok(found) => Some(step_causes(found)),
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

    fn explained(&self, run: usize, job: Option<&str>) -> Result<Explanation, LabError> {
        let mut on_progress = |now: &RunProgress| {
            if let Some(report) = self.request.on_progress {
                report(now);
            }
        };
        let watch =
            Watch { stop: self.request.stop, on_progress: Some(&mut on_progress), ..Watch::default() };
        let job = job.map(str::to_owned);
        let step = SelectedStep::Typical;
        explain(&self.runs[run].folder, ExplainRequest { job, step, threads: 1, watch })
    }
}

fn step_causes(found: Explanation) -> StepCauses {
    let causes = found.causes.into_iter().map(|cause| (cause.name, cause.time_s)).collect();
    StepCauses { step: found.step, time_s: found.time_s, causes }
}
