//! The answer in words.
//!
//! Invariants: a sentence names both variants, both times, the interval and what it is taken over; without evidence it
//! claims nothing.

use super::pairs::{Basis, Pairs, Speedup};
use super::variants::Variant;
use super::{Observed, Outcome, Overlap};
use crate::words::{number, some, span};

/// How a variant compares with the baseline; of a job, where there are several.
pub(super) fn compared([own, base]: [&str; 2], job: Option<&str>, pairs: &Pairs) -> String {
    let prefix = job.map(|job| format!("job {job}: ")).unwrap_or_default();
    let per = if pairs.of_steps { "per step" } else { "mean completion time" };
    let (Some(speedup), Some(time), Some(base_time)) =
        (pairs.speedup(), pairs.mean(|pair| pair[0]), pairs.mean(|pair| pair[1]))
    else {
        return format!(
            "{prefix}{own} cannot be compared with {base}: no seed has both with a completed time"
        );
    };
    let [time, base_time] = [time, base_time].map(span);
    let evidence = evidence(pairs, &speedup);
    match pairs.outcome() {
        Outcome::Faster => format!(
            "{prefix}{own} is {} times as fast as {base}: {time} {per} instead of {base_time} ({evidence})",
            ratio(speedup.ratio)
        ),
        Outcome::Slower => format!(
            "{prefix}{own} takes {} times as long as {base}: {time} {per} instead of {base_time} ({evidence})",
            ratio(1.0 / speedup.ratio)
        ),
        Outcome::NoDifference => format!(
            "{prefix}no difference shown between {own} and {base}: {time} and {base_time} {per} ({evidence})"
        ),
        Outcome::OnePair | Outcome::NoPair => format!(
            "{prefix}{own} took {time} and {base} {base_time} {per}, in a single pair: how sure that is cannot be said"
        ),
    }
}

/// The interval, and over what it is taken.
fn evidence(pairs: &Pairs, speedup: &Speedup) -> String {
    let (Some(low), Some(high)) = (speedup.low, speedup.high) else { return String::new() };
    // The interval is that of the ratio which the sentence states.
    let [low, high] = match pairs.outcome() {
        Outcome::Slower => [1.0 / high, 1.0 / low],
        _ => [low, high],
    };
    let over = match pairs.basis {
        Basis::Seeds => some(speedup.pairs as u64, "paired seed"),
        Basis::Steps(Some(seed)) => {
            format!("{} of the only common seed, {seed}", some(speedup.pairs as u64, "paired step"))
        }
        Basis::Steps(None) => format!("{} as measured", some(speedup.pairs as u64, "paired step")),
    };
    format!(
        "ratio {} to {} with 95 % confidence, over {over}; faster in {}",
        ratio(low),
        ratio(high),
        speedup.faster
    )
}

/// Three digits, or as many as show a difference from 1.
fn ratio(value: f64) -> String {
    match value {
        n if n >= 99.95 => format!("{n:.0}"),
        n if n >= 9.995 => format!("{n:.1}"),
        n if !(5e-5..0.01).contains(&(n - 1.0).abs()) => format!("{n:.2}"),
        n => number(n),
    }
}

/// Runs that ended before their work was done, and jobs whose steps overlap.
pub(super) fn notes(runs: &[Observed], variants: &[Variant]) -> Vec<String> {
    incomplete(runs, variants).into_iter().chain(overlaps(runs, variants)).collect()
}

/// A line for each variant and job whose steps overlap in its first run.
fn overlaps(runs: &[Observed], variants: &[Variant]) -> Vec<String> {
    let line = |variant: &Variant, overlap: &Overlap| {
        format!(
            "{}: steps of {} overlap: the job takes {} per step, and a step {} from its first rank's begin to its last \
             rank's end",
            variant.name,
            overlap.job,
            span(overlap.pace_s),
            span(overlap.step_s)
        )
    };
    let of_variant = |variant: &Variant| -> Vec<String> {
        runs[variant.runs[0]].overlaps.iter().map(|overlap| line(variant, overlap)).collect()
    };
    variants.iter().flat_map(of_variant).collect()
}

fn incomplete(runs: &[Observed], variants: &[Variant]) -> Vec<String> {
    let of_variant = |variant: &Variant| {
        let n_incomplete = variant.runs.iter().filter(|&&run| !runs[run].is_complete).count();
        let all = some(variant.runs.len() as u64, "run");
        (n_incomplete > 0).then(|| {
            format!(
                "{}: {n_incomplete} of {all} ended early; what was completed until then counts",
                variant.name
            )
        })
    };
    variants.iter().filter_map(of_variant).collect()
}
