//! Warm-up and number of iterations of a segment, from the steps of a job.

use netloom_scenario::resolved::Steps;

use super::{Draft, Pair};
use crate::field::plan::Iterations;

/// Maximum number of iterations of a segment in the program.
const MOST: u64 = 100_000_000;
/// Maximum number with a precision target.
const MOST_PRECISE: u32 = 1_000_000;
/// Minimum number with a precision target.
const FEWEST_PRECISE: u32 = 10;
/// Units of a precision target in 1.
const PER_UNIT: f64 = 1e9;

/// Options that override the scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::field) struct Wanted {
    /// Warm-up iterations, which do not count.
    pub warm_up: Option<u32>,
    /// Iterations that count.
    pub iterations: Option<u32>,
    /// Deadline of a plan, in seconds.
    pub deadline_s: u64,
}

impl Draft<'_> {
    /// Warm-up and iterations of each segment; options take precedence over the scenario.
    pub(super) fn iterations(&mut self, job: Pair<'_>) -> Option<(u32, Iterations)> {
        let (written, repetition) = (job.written, &job.compiled.repetition);
        let location = written.steps.location;
        let (warm_up, iterations) = match &written.steps.value {
            Steps::Count(n) => {
                let warm_up = repetition.warm_up.of(u64::from(*n)) as u32;
                (warm_up, Iterations::Count(n - warm_up))
            }
            Steps::Precise(parameters) => {
                let precision = repetition.precision.as_ref()?;
                let at_most = parameters.settings.count("at_most") as u32;
                if repetition.warm_up.share > 0.0 && self.wanted.warm_up.is_none() {
                    self.note(
                        "The warm-up is a share of all steps in the scenario; on the machine it is that share of the \
                         maximum number of steps.",
                    );
                }
                let warm_up = repetition.warm_up.of(u64::from(at_most)) as u32;
                let at_least = precision.at_least.max(FEWEST_PRECISE);
                let most = at_most.saturating_sub(warm_up).clamp(at_least, MOST_PRECISE.max(at_least));
                let target_ppb = (precision.target * PER_UNIT).round() as u64;
                (warm_up, Iterations::Precise { target_ppb, at_least, at_most: most })
            }
            Steps::Endless => {
                let name = &written.name.value;
                self.object(
                    location,
                    format!("the steps of the job `{name}` are endless"),
                    "a measured job needs a number of steps",
                    "write `steps: 1000`",
                );
                return None;
            }
        };
        let warm_up = self.wanted.warm_up.unwrap_or(warm_up);
        let iterations = self.wanted.iterations.map_or(iterations, Iterations::Count);
        if iterations.most() == 0 {
            let help = "use more steps in the job, or `--iterations`";
            self.object(location, "no step counts: all of them are warm-up", "too few", help);
            return None;
        }
        let is_precise = matches!(iterations, Iterations::Precise { .. });
        let most = if is_precise { u64::from(MOST_PRECISE) } else { MOST };
        if u64::from(iterations.most()) > most {
            let text = format!("{} iterations of a segment", iterations.most());
            self.object(
                location,
                text,
                &format!("the program supports at most {most}"),
                "add `--iterations 1000`",
            );
            return None;
        }
        Some((warm_up, iterations))
    }
}
