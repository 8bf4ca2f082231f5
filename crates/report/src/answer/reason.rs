//! Why a variant is faster or slower: the causes of its steps beside those of the baseline.
//!
//! Models: the causes that differ most in the direction of the difference: as many as reach half of it, and those that
//! make a tenth of it; if more than three are needed for the half, there is no single cause.
//! Leaves out: where the causes of a step come from.
//!
//! Invariants: nothing is claimed that the steps do not show; every sentence says which steps of both these are, and
//! their times.

use serde::Serialize;

use crate::words::{some, span};

/// Most causes of a sentence.
const MOST_CAUSES: usize = 3;
/// A cause with this share of the difference is named even if others make half of it.
const NAMED_SHARE: f64 = 0.1;

/// Which steps of a run causes are those of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// A typical one, by its number.
    Typical(u32),
    /// The mean of this many.
    Mean(usize),
}

/// What the steps of a run waited for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepCauses {
    /// Which steps.
    pub basis: Basis,
    /// Their length in seconds.
    pub time_s: f64,
    /// Their causes with their times in seconds, which add up to the length.
    pub causes: Vec<(String, f64)>,
}

impl StepCauses {
    /// The mean over the steps of several runs; `None` unless each is a mean of steps.
    pub fn together(all: &[StepCauses]) -> Option<StepCauses> {
        let steps = |found: &StepCauses| match found.basis {
            Basis::Mean(steps) => Some(steps),
            Basis::Typical(_) => None,
        };
        let n_steps = all.iter().map(steps).sum::<Option<usize>>().filter(|steps| *steps > 0)?;
        let mut causes: Vec<(String, f64)> = Vec::new();
        let mut time_s = 0.0;
        for found in all {
            let share = steps(found)? as f64 / n_steps as f64;
            time_s += found.time_s * share;
            for (name, time) in &found.causes {
                match causes.iter_mut().find(|(known, _)| known == name) {
                    Some((_, sum)) => *sum += time * share,
                    None => causes.push((name.clone(), time * share)),
                }
            }
        }
        causes.sort_by(|one, other| other.1.total_cmp(&one.1));
        Some(StepCauses { basis: Basis::Mean(n_steps), time_s, causes })
    }

    fn words(&self, name: &str) -> String {
        match self.basis {
            Basis::Typical(step) => format!("step {step} of {name}, a typical one, {}", span(self.time_s)),
            Basis::Mean(steps) => {
                format!("mean of {} of {name}, {}", some(steps as u64, "step"), span(self.time_s))
            }
        }
    }
}

/// Why a variant differs from the baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// The steps of the variant.
    pub own: StepCauses,
    /// The steps of the baseline.
    pub baseline: StepCauses,
    /// The causes of most of the difference, the largest first; none if there is no single cause.
    pub causes: Vec<CauseDifference>,
    /// This in words.
    pub sentence: String,
}

/// A cause, with its time in both steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CauseDifference {
    /// What it is.
    pub cause: String,
    /// Its time in the steps of the variant, in seconds.
    pub time_s: f64,
    /// Its time in those of the baseline, in seconds.
    pub baseline_time_s: f64,
}

impl CauseDifference {
    fn gain(&self) -> f64 {
        self.baseline_time_s - self.time_s
    }
}

impl Reason {
    /// The reason that steps of a variant and of the baseline, with their names, give for what was found: that the
    /// variant is faster, or that it is slower.
    pub fn of([own, base]: [StepCauses; 2], names: [&str; 2], is_faster: bool) -> Reason {
        let gain = base.time_s - own.time_s;
        let steps = format!("{}; {}", own.words(names[0]), base.words(names[1]));
        if (gain > 0.0) != is_faster || gain == 0.0 {
            let sentence = format!("why: not shown by these steps ({steps})");
            return Reason { own, baseline: base, causes: Vec::new(), sentence };
        }
        let mut all = differences(&own, &base);
        all.sort_by(|one, other| (other.gain() / gain).total_cmp(&(one.gain() / gain)));
        let n_needed = half(&all, gain);
        let n_large = all.iter().take(MOST_CAUSES).filter(|found| found.gain() / gain >= NAMED_SHARE).count();
        let words = |found: &CauseDifference| {
            format!("{} {} instead of {}", found.cause, span(found.time_s), span(found.baseline_time_s))
        };
        let (n_kept, start) = if n_needed <= MOST_CAUSES {
            (n_needed.max(n_large), "why: ")
        } else {
            (0, "why: no single cause; most: ")
        };
        let listed: Vec<String> = all[..n_kept.max(1)].iter().map(words).collect();
        let sentence = format!("{start}{} ({steps})", listed.join(", "));
        all.truncate(n_kept);
        Reason { own, baseline: base, causes: all, sentence }
    }
}

/// How many of the largest differences make half of the whole.
fn half(all: &[CauseDifference], gain: f64) -> usize {
    let mut sum = 0.0;
    let reached = all.iter().position(|found| {
        sum += found.gain();
        sum / gain >= 0.5
    });
    reached.map_or(all.len(), |last| last + 1)
}

/// The times of each cause in the steps of both.
fn differences(own: &StepCauses, base: &StepCauses) -> Vec<CauseDifference> {
    let time = |step: &StepCauses, cause: &str| {
        step.causes.iter().find(|(name, _)| name == cause).map_or(0.0, |(_, time)| *time)
    };
    let only_own = own.causes.iter().filter(|(name, _)| base.causes.iter().all(|(known, _)| known != name));
    let names = base.causes.iter().chain(only_own).map(|(name, _)| name);
    let difference = |cause: &String| CauseDifference {
        cause: cause.clone(),
        time_s: time(own, cause),
        baseline_time_s: time(base, cause),
    };
    names.map(difference).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_runs_have_the_mean_over_all_their_steps() {
        let mean = |steps: usize, causes: &[(&str, f64)]| {
            let causes: Vec<(String, f64)> =
                causes.iter().map(|(name, time)| ((*name).to_owned(), *time)).collect();
            let time_s = causes.iter().map(|(_, time)| time).sum();
            StepCauses { basis: Basis::Mean(steps), time_s, causes }
        };
        let both = [mean(1, &[("queues", 8.0), ("turn", 1.0)]), mean(3, &[("turn", 5.0), ("window", 4.0)])];
        let together = StepCauses::together(&both).expect("both are means");
        assert_eq!(together, mean(4, &[("turn", 4.0), ("window", 3.0), ("queues", 2.0)]));
        let typical = StepCauses { basis: Basis::Typical(2), ..both[0].clone() };
        assert_eq!(StepCauses::together(&[both[1].clone(), typical]), None);
        assert_eq!(StepCauses::together(&[]), None);
    }

    fn step(step: u32, causes: &[(&str, f64)]) -> StepCauses {
        let causes: Vec<(String, f64)> =
            causes.iter().map(|(name, time)| ((*name).to_owned(), *time)).collect();
        StepCauses { basis: Basis::Typical(step), time_s: causes.iter().map(|(_, time)| time).sum(), causes }
    }

    #[test]
    fn the_causes_that_reach_half_are_named() {
        let slow = step(3, &[("queues up", 0.5), ("queues down", 0.3), ("transmission", 0.1)]);
        let fast = step(7, &[("transmission", 0.1), ("held", 0.1), ("queues down", 0.2)]);
        let reason = Reason::of([fast.clone(), slow.clone()], ["spray", "ecmp"], true);
        assert_eq!(
            reason.sentence,
            "why: queues up 0 s instead of 500 ms, queues down 200 ms instead of 300 ms (step 7 of spray, a typical one, 400 ms; step 3 of ecmp, a typical one, 900 ms)"
        );
        let reason = Reason::of([slow.clone(), fast.clone()], ["ecmp", "spray"], false);
        assert_eq!(reason.causes.len(), 2);
        assert_eq!((reason.causes[0].time_s, reason.causes[0].baseline_time_s), (0.5, 0.0));
        let contrary = Reason::of([slow, fast], ["ecmp", "spray"], true);
        assert!(
            contrary.causes.is_empty() && contrary.sentence.starts_with("why: not shown"),
            "{contrary:?}"
        );
    }

    #[test]
    fn many_small_causes_are_no_single_cause() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let each = |time: f64| step(0, &names.map(|name| (name, time)));
        let reason = Reason::of([each(0.1), each(0.2)], ["x", "y"], true);
        assert!(reason.causes.is_empty());
        assert_eq!(
            reason.sentence,
            "why: no single cause; most: a 100 ms instead of 200 ms (step 0 of x, a typical one, 800 ms; step 0 of y, a typical one, 1.6 s)"
        );
        let equal = Reason::of([each(0.1), each(0.1)], ["x", "y"], true);
        assert!(equal.sentence.starts_with("why: not shown"), "{equal:?}");
    }
}
