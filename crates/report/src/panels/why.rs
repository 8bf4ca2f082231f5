//! What the steps of each job waited for, as far as runs recorded causes: on average, and step by step.
//!
//! Leaves out: where the causes come from.
//!
//! Invariants: the causes of a step add up to its length. Of many steps some are shown, the longest always.

use serde::Serialize;

use crate::round::six_digits;

/// Most steps that are shown one by one.
const MOST_STEPS: usize = 60;

/// A cause or a site, with its time in seconds.
pub type NamedTime = (String, f64);

/// A step with its causes, times in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct CausedStep {
    /// Its number.
    pub step: u32,
    /// Its length.
    pub time_s: f64,
    /// Its causes, which add up to its length.
    pub causes: Vec<(String, f64)>,
}

/// What the steps of a job waited for.
#[derive(Debug, Serialize)]
pub struct JobCauses {
    /// Index of the run, from 0.
    pub run: usize,
    /// Its name.
    pub job: String,
    /// The causes, the largest sum over all steps first.
    pub causes: Vec<String>,
    /// Number of completed steps.
    pub n_steps: usize,
    /// Times of the causes, the mean over all steps, in seconds.
    pub mean: Vec<f64>,
    /// The steps that are shown, in order.
    pub steps: Vec<StepTimes>,
    /// Where steps waited most, with the mean over all steps in seconds; the largest first.
    pub sites: Vec<(String, f64)>,
}

/// One step.
#[derive(Debug, Serialize)]
pub struct StepTimes {
    /// Its number.
    pub step: u32,
    /// Times of the causes, in seconds.
    pub times: Vec<f64>,
}

impl JobCauses {
    /// Of a job of a run, with the means of its causes over all steps and the sums of waits by site, the largest first;
    /// `None` if it completed no step.
    pub fn of(
        run: usize,
        job: &str,
        (means, sites): (&[NamedTime], &[NamedTime]),
        steps: &[CausedStep],
    ) -> Option<JobCauses> {
        let n_steps = steps.len();
        let times = |step: &CausedStep| {
            let time =
                |name: &str| step.causes.iter().find(|(known, _)| known == name).map_or(0.0, |found| found.1);
            means.iter().map(|(name, _)| six_digits(time(name))).collect()
        };
        let site = |(name, sum): &(String, f64)| (name.clone(), six_digits(sum / n_steps as f64));
        (n_steps > 0).then(|| JobCauses {
            run,
            job: job.to_owned(),
            causes: means.iter().map(|(name, _)| name.clone()).collect(),
            n_steps,
            mean: means.iter().map(|(_, mean)| six_digits(*mean)).collect(),
            steps: shown(steps).map(|step| StepTimes { step: step.step, times: times(step) }).collect(),
            sites: sites.iter().map(site).collect(),
        })
    }
}

/// The steps that are shown: all, or some at equal distances and the longest one.
fn shown(steps: &[CausedStep]) -> impl Iterator<Item = &CausedStep> {
    let longest = (0..steps.len()).max_by(|&one, &other| steps[one].time_s.total_cmp(&steps[other].time_s));
    let each = steps.len().div_ceil(MOST_STEPS);
    let is_shown =
        move |(number, _): &(usize, &CausedStep)| number.is_multiple_of(each) || Some(*number) == longest;
    steps.iter().enumerate().filter(is_shown).map(|(_, step)| step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(step: u32, causes: &[(&str, f64)]) -> CausedStep {
        let causes: Vec<_> = causes.iter().map(|(name, time)| ((*name).to_owned(), *time)).collect();
        CausedStep { step, time_s: causes.iter().map(|(_, time)| time).sum(), causes }
    }

    #[test]
    fn the_causes_of_each_step_are_in_the_order_of_the_means() {
        let steps = [step(0, &[("turn", 1.0), ("queues", 0.5)]), step(1, &[("queues", 2.5)])];
        let means = [("queues".to_owned(), 1.5), ("turn".to_owned(), 0.5)];
        let found = JobCauses::of(3, "job", (&means, &[]), &steps).expect("it has steps");
        assert_eq!(
            (found.causes, found.mean),
            (vec!["queues".to_owned(), "turn".to_owned()], vec![1.5, 0.5])
        );
        let times: Vec<_> = found.steps.into_iter().map(|step| (step.step, step.times)).collect();
        assert_eq!(times, [(0, vec![0.5, 1.0]), (1, vec![2.5, 0.0])]);
        assert!(JobCauses::of(3, "job", (&[], &[]), &[]).is_none());
    }

    #[test]
    fn of_many_steps_some_are_shown_and_the_longest() {
        let steps: Vec<_> =
            (0..1_000).map(|number| step(number, &[("x", if number == 777 { 2.0 } else { 1.0 })])).collect();
        let found =
            JobCauses::of(0, "job", (&[("x".to_owned(), 1.0)], &[("NIC of a".to_owned(), 500.0)]), &steps)
                .expect("it has steps");
        assert_eq!((found.n_steps, found.steps.len()), (1_000, 60));
        assert!(found.steps.iter().any(|step| step.step == 777));
        assert_eq!(found.sites, [("NIC of a".to_owned(), 0.5)]);
    }
}
