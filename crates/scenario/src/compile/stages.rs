//! Division of the ranks of a job into the stages of a pipeline.
//!
//! Invariants: every error in a list of stages is reported at that list.

use std::collections::BTreeMap;

use super::communicators::NamedGroups;
use crate::diagnostic::Problems;
use crate::location::{Located, Location};
use crate::resolved::Stages;

/// The ranks of each stage, with the kind of groups whose members they are, or a report of the errors.
pub(super) fn made(
    wanted: &Located<Stages>,
    (n_ranks, groups): (u32, &NamedGroups),
    problems: &mut Problems,
) -> Option<(Vec<Vec<u32>>, Option<u16>)> {
    let without_groups = |stages| (stages, None);
    match &wanted.value {
        Stages::Given(lists) => given(lists, wanted.location, n_ranks, problems).map(without_groups),
        Stages::Group(name) => of_groups(name, groups, problems),
        Stages::Count(n_stages) => equal(*n_stages, wanted.location, n_ranks, problems).map(without_groups),
    }
}

fn equal(n_stages: u32, location: Location, n_ranks: u32, problems: &mut Problems) -> Option<Vec<Vec<u32>>> {
    if !n_ranks.is_multiple_of(n_stages) {
        let message = format!("{n_ranks} ranks do not make {n_stages} equal stages");
        let report = problems.report(location, message);
        report.label("must divide the number of ranks");
        report.help("or list the ranks of each stage: `[[0, 1], [2, 3]]`");
        return None;
    }
    let length = n_ranks / n_stages;
    Some((0..n_stages).map(|stage| (stage * length..(stage + 1) * length).collect()).collect())
}

/// One stage for each position in the groups of a kind.
fn of_groups(
    name: &Located<String>,
    groups: &NamedGroups,
    problems: &mut Problems,
) -> Option<(Vec<Vec<u32>>, Option<u16>)> {
    let kind = groups.number(name, problems)?;
    let lists = &groups.kinds[usize::from(kind)].lists;
    let n_stages = lists.first().map_or(0, Vec::len);
    if n_stages < 2 || lists.iter().any(|list| list.len() != n_stages) {
        let report =
            problems.report(name.location, format!("the groups of `{}` are no pipelines", name.value));
        report.label("expected groups of one size, of at least two ranks");
        return None;
    }
    let stages = (0..n_stages).map(|stage| lists.iter().map(|list| list[stage]).collect());
    Some((stages.collect(), Some(kind)))
}

fn given(
    lists: &[Located<Vec<u32>>],
    location: Location,
    n_ranks: u32,
    problems: &mut Problems,
) -> Option<Vec<Vec<u32>>> {
    let [first, _, ..] = lists else {
        let report = problems.report(location, "stages send to each other, so there must be at least two");
        report.label("expected at least two stages").help("for example `[[0, 1], [2, 3]]`");
        return None;
    };
    let n_before = problems.len();
    let mut stage_of: BTreeMap<u32, Location> = BTreeMap::new();
    for list in lists {
        one(list, first, n_ranks, problems);
        for &rank in &list.value {
            if let Some(other) = stage_of.insert(rank, list.location) {
                repeated(rank, list.location, other, problems);
            }
        }
    }
    (problems.len() == n_before).then(|| lists.iter().map(|list| list.value.clone()).collect())
}

fn repeated(rank: u32, location: Location, first: Location, problems: &mut Problems) {
    if location.key() == first.key() {
        let report = problems.report(location, format!("rank {rank} is twice in one stage"));
        report.label("expected each rank once");
    } else {
        let report = problems.report(location, format!("rank {rank} is in two stages"));
        report.label("again here").related(first, "first here");
    }
}

/// Checks one stage against the first one and the job.
fn one(list: &Located<Vec<u32>>, first: &Located<Vec<u32>>, n_ranks: u32, problems: &mut Problems) {
    if list.value.is_empty() {
        problems.report(list.location, "a stage without ranks").label("expected at least one rank");
    } else if list.value.len() != first.value.len() && !first.value.is_empty() {
        let message = format!("stages have {} and {} ranks", first.value.len(), list.value.len());
        let report = problems.report(list.location, message);
        report.label("expected as many as in the first stage").related(first.location, "the first stage");
    }
    if let Some(rank) = list.value.iter().find(|rank| **rank >= n_ranks) {
        let report = problems.report(list.location, format!("there is no rank {rank}"));
        report.label(format!("expected ranks from 0 to {}", n_ranks - 1));
        report.help(format!("the job has {n_ranks} ranks"));
    }
}
