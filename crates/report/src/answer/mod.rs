//! The answer to the first question about several runs: which variant is better, by how much, and how sure that is.
//!
//! Models: runs that differ only in their seed are one variant; the step times of each variant are compared with those
//! of the baseline pair by pair. Where no run has a job, the completion times of finite flows and background messages are.
//! Leaves out: corrections for multiple comparisons; the second runs that show why a variant is better.
//!
//! Invariants: a difference is stated only if the interval of the ratio excludes 1; every sentence names its evidence.

mod pairs;
mod reason;
mod sentence;
mod variants;

use std::collections::BTreeMap;
use std::iter;

use netloom_records::{Batch, JobRow, Status};
use serde::Serialize;

use crate::collect::About;
use crate::panels::Collector;
use crate::panels::by_setting::policy_name;
use crate::panels::fct::RunData;
use crate::panels::settings::BetweenRow;
use pairs::Pairs;
pub use pairs::Speedup;
pub use reason::{Basis, CauseDifference, Reason, StepCauses};
pub use variants::Variant;

/// Largest number of steps of a job that are compared one by one.
const MOST_STEPS: usize = 1 << 16;

/// The steps of a run.
#[derive(Debug, Default)]
pub struct StepTimes {
    /// By job: number and time in ps, of the first steps.
    of_jobs: BTreeMap<u16, Vec<(u32, u64)>>,
    /// Also by job: first begin and last end of these steps, in ps.
    spans: BTreeMap<u16, (u64, u64)>,
}

impl Collector for StepTimes {
    fn take(&mut self, _: &About, batch: Batch<'_>) {
        let Batch::Steps(rows) = batch else { return };
        for row in rows {
            let times = self.of_jobs.entry(row.job).or_default();
            if times.len() < MOST_STEPS {
                times.push((row.step, row.end.since(row.start).0));
                let (start, end) = self.spans.entry(row.job).or_insert((row.start.0, row.end.0));
                (*start, *end) = ((*start).min(row.start.0), (*end).max(row.end.0));
            }
        }
    }
}

/// What is compared of a run.
#[derive(Debug, Clone)]
pub struct Observed {
    /// Its name among the runs.
    name: String,
    /// Absent if it was measured.
    seed: Option<u64>,
    is_complete: bool,
    /// Its load balancing.
    policy: Option<String>,
    /// Its jobs with their steps: number and time in seconds.
    jobs: Vec<(String, Vec<(u32, f64)>)>,
    /// Mean completion time of messages that belong to no job, in seconds.
    fct_s: Option<f64>,
    /// Jobs whose steps overlap.
    overlaps: Vec<Overlap>,
}

/// A job whose steps overlap: some ranks begin a step before others have ended the one before.
#[derive(Debug, Clone)]
struct Overlap {
    job: String,
    /// Time from the first begin to the last end, for each step, in seconds.
    pace_s: f64,
    /// Mean length of a step in seconds.
    step_s: f64,
}

/// Steps overlap if their mean length exceeds the time of the job for each by this factor.
const OVERLAP: f64 = 1.05;

impl Overlap {
    fn of(job: String, times: &[(u32, u64)], (start, end): (u64, u64)) -> Option<Overlap> {
        let n_steps = times.len() as f64;
        let pace_s = (end - start) as f64 / 1e12 / n_steps;
        let step_s = times.iter().map(|(_, time)| *time as f64 / 1e12).sum::<f64>() / n_steps;
        (step_s > pace_s * OVERLAP).then_some(Overlap { job, pace_s, step_s })
    }
}

impl Observed {
    pub(crate) fn new(mut steps: StepTimes, about: &About, jobs: &[JobRow]) -> Observed {
        let overlap = |row: &JobRow| {
            Overlap::of(about.job(row.job), steps.of_jobs.get(&row.job)?, *steps.spans.get(&row.job)?)
        };
        let overlaps = jobs.iter().filter_map(overlap).collect();
        let job = |row: &JobRow| {
            let times = steps.of_jobs.remove(&row.job).unwrap_or_default();
            let in_seconds = times.into_iter().map(|(step, time)| (step, time as f64 / 1e12)).collect();
            (about.job(row.job), in_seconds)
        };
        Observed {
            name: about.name.clone(),
            seed: about.manifest.seed,
            is_complete: about.manifest.outcome.status == Status::Complete,
            policy: policy_name(&about.manifest.scenario["balance"]),
            jobs: jobs.iter().map(job).collect(),
            fct_s: None,
            overlaps,
        }
    }

    /// With the completion times of its messages that belong to no job.
    pub(crate) fn with_messages(self, fct: &RunData) -> Observed {
        Observed { fct_s: fct.background.arrived.as_ref().map(|arrived| arrived.mean), ..self }
    }
}

/// The variants, and how each quantity compares.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnswerData {
    /// Index of the baseline among the variants.
    pub baseline: usize,
    /// The variants, in the order of their runs.
    pub variants: Vec<Variant>,
    /// Job by job; one entry without a name where no run has a job. The first is the headline.
    pub verdicts: Vec<Verdict>,
    /// What restricts them, a sentence each.
    pub notes: Vec<String>,
}

/// What is known of a run of which no steps are stored.
#[derive(Debug, Clone, PartialEq)]
pub struct MeansOfRun {
    /// Its name.
    pub name: String,
    /// Its seed.
    pub seed: u64,
    /// Whether it completed its work.
    pub is_complete: bool,
    /// Its jobs with their mean step times in seconds.
    pub jobs: Vec<(String, Option<f64>)>,
    /// Mean completion time of messages that belong to no job, in seconds.
    pub fct_s: Option<f64>,
}

/// The answer about variants of whose runs only means are known: it is taken over seeds, and is certain only if two
/// variants have several in common.
pub fn answer_of_means(runs: &[MeansOfRun], variants: Vec<Variant>, baseline: usize) -> Option<AnswerData> {
    let job = |(name, mean): &(String, Option<f64>)| {
        (name.clone(), mean.map(|mean| (0, mean)).into_iter().collect::<Vec<(u32, f64)>>())
    };
    let observed = |run: &MeansOfRun| Observed {
        name: run.name.clone(),
        seed: Some(run.seed),
        is_complete: run.is_complete,
        policy: None,
        jobs: run.jobs.iter().map(job).collect(),
        fct_s: run.fct_s,
        overlaps: Vec::new(),
    };
    let observed: Vec<Observed> = runs.iter().map(observed).collect();
    AnswerData::with(&observed, variants, baseline)
}

/// How the variants compare in one quantity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The job, for its step times; absent for completion times.
    pub job: Option<String>,
    /// The other variants against the baseline, the best first.
    pub compared: Vec<Compared>,
}

/// A variant against the baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Index of the variant.
    pub variant: usize,
    /// Mean time over the pairs, in seconds; absent without a pair, as all that follows.
    pub time: Option<f64>,
    /// The same of the baseline.
    pub baseline_time: Option<f64>,
    /// How many times as fast as the baseline it is.
    pub speedup: Option<Speedup>,
    /// What follows.
    pub outcome: Outcome,
    /// This in words.
    pub sentence: String,
    /// The first run of the variant and that of the baseline which are compared; absent without a pair.
    #[serde(skip)]
    pub pair: Option<[usize; 2]>,
    /// Why, if runs were explained for it.
    pub reason: Option<Reason>,
}

/// What a comparison shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The interval is above 1.
    Faster,
    /// The interval contains 1.
    NoDifference,
    /// The interval is below 1.
    Slower,
    /// There is a single pair, so no interval.
    OnePair,
    /// There is no pair.
    NoPair,
}

impl AnswerData {
    /// The answer from these runs, given the settings in which they differ; `None` if they are not several variants of
    /// which one can be compared. The baseline is a variant or a run by its name, else the variant of the first run.
    ///
    /// # Errors
    /// The names that a baseline may have, if it has none of them.
    pub(crate) fn of(
        runs: &[Observed],
        between: &[BetweenRow],
        baseline: Option<&str>,
    ) -> Result<Option<AnswerData>, Vec<String>> {
        let variants = variants::variants(runs, between);
        let baseline = match baseline {
            Some(name) => variants::find(&variants, runs, name).ok_or_else(|| variants::names(&variants))?,
            None => 0,
        };
        Ok(AnswerData::with(runs, variants, baseline))
    }

    /// The answer about these variants; `None` if they are not several of which one can be compared.
    fn with(runs: &[Observed], variants: Vec<Variant>, baseline: usize) -> Option<AnswerData> {
        if variants.len() < 2 {
            return None;
        }
        let verdicts: Vec<Verdict> = quantities(runs)
            .into_iter()
            .map(|job| Verdict::of(job, runs, &variants, baseline))
            .filter(|verdict| verdict.compared.iter().any(|compared| compared.outcome != Outcome::NoPair))
            .collect();
        let notes = sentence::notes(runs, &variants);
        (!verdicts.is_empty()).then_some(AnswerData { baseline, variants, verdicts, notes })
    }

    /// All sentences, the headline first, each followed by its reason if there is one.
    pub fn sentences(&self) -> impl Iterator<Item = Sentence<'_>> {
        let verdicts = self.verdicts.iter().flat_map(|verdict| &verdict.compared);
        let notes = self.notes.iter().map(|text| Sentence { text, is_reason: false });
        verdicts.flat_map(Compared::sentences).chain(notes)
    }
}

impl Compared {
    /// Its sentence, and its reason if there is one.
    fn sentences(&self) -> impl Iterator<Item = Sentence<'_>> {
        let reason = self.reason.iter().map(|reason| Sentence { text: &reason.sentence, is_reason: true });
        iter::once(Sentence { text: &self.sentence, is_reason: false }).chain(reason)
    }
}

/// A sentence of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sentence<'a> {
    /// It.
    pub text: &'a str,
    /// Whether it is the reason for the one before.
    pub is_reason: bool,
}

/// The jobs of all runs by name, in order of appearance; no name where there are none.
fn quantities(runs: &[Observed]) -> Vec<Option<String>> {
    let mut names: Vec<Option<String>> = Vec::new();
    for (name, _) in runs.iter().flat_map(|run| &run.jobs) {
        if !names.iter().any(|known| known.as_ref() == Some(name)) {
            names.push(Some(name.clone()));
        }
    }
    if names.is_empty() { vec![None] } else { names }
}

impl Verdict {
    fn of(job: Option<String>, runs: &[Observed], variants: &[Variant], baseline: usize) -> Verdict {
        let others = (0..variants.len()).filter(|&variant| variant != baseline);
        let has_several_jobs = runs.iter().any(|run| run.jobs.len() > 1);
        let prefix = job.as_deref().filter(|_| has_several_jobs);
        let compared = |variant: usize| {
            let pairs = Pairs::of(job.as_deref(), runs, [&variants[variant].runs, &variants[baseline].runs]);
            let outcome = pairs.outcome();
            let names = [variant, baseline].map(|number| variants[number].name.as_str());
            Compared {
                variant,
                time: pairs.mean(|pair| pair[0]),
                baseline_time: pairs.mean(|pair| pair[1]),
                speedup: pairs.speedup(),
                outcome,
                sentence: sentence::compared(names, prefix, &pairs),
                pair: pairs.runs,
                reason: None,
            }
        };
        let mut compared: Vec<Compared> = others.map(compared).collect();
        let order = |compared: &Compared| compared.speedup.map_or(0.0, |speedup| -speedup.ratio);
        compared
            .sort_by(|one, other| one.outcome.cmp(&other.outcome).then(order(one).total_cmp(&order(other))));
        Verdict { job, compared }
    }
}

#[cfg(test)]
mod tests;
