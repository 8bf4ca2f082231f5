//! The groups of a job's ranks, as lists of ranks.
//!
//! Models: parallel dimensions laid out over the ranks, the first one fastest; parts of other groups; given lists.
//! Leaves out: which hosts the ranks are on; that is the placement.
//!
//! Invariants: the groups of a dimension are disjoint and contain every rank; all errors are reported at the group.

use netloom_model::RankGroups;

use crate::diagnostic::Problems;
use crate::location::{Located, Location};
use crate::resolved::{Group, GroupRanks};
use crate::suggest;

/// Most kinds of groups of a job; each takes memory for every rank.
const MOST_KINDS: usize = 64;

/// The groups of a job, by name.
#[derive(Debug, Default)]
pub(super) struct NamedGroups {
    pub(super) names: Vec<String>,
    pub(super) kinds: Vec<RankGroups>,
}

impl NamedGroups {
    /// All groups of a job of this many ranks.
    pub(super) fn new(wanted: &[Group], n_ranks: u32, problems: &mut Problems) -> Option<NamedGroups> {
        if let Some(group) = wanted.get(MOST_KINDS) {
            let report =
                problems.report(group.name.location, format!("more than {MOST_KINDS} kinds of groups"));
            report.label("one too many").help("groups of one kind are one list of lists");
            return None;
        }
        let strides = strides(wanted, n_ranks, problems)?;
        let mut made = NamedGroups::default();
        for (group, stride) in wanted.iter().zip(strides) {
            let lists = match (&group.ranks.value, stride) {
                (GroupRanks::Listed(lists), _) => listed(lists, n_ranks, problems)?,
                (GroupRanks::Within { of, size }, _) => {
                    let of = &made.kinds[usize::from(made.number(of, problems)?)].lists;
                    parts(of, *size, group.ranks.location, problems)?
                }
                (_, Some((stride, size))) => along_dimension(n_ranks, stride, size),
                (_, None) => unreachable!("a dimension has a stride"),
            };
            made.names.push(group.name.value.clone());
            made.kinds.push(RankGroups { lists });
        }
        Some(made)
    }

    /// The number of a group that is named.
    pub(super) fn number(&self, name: &Located<String>, problems: &mut Problems) -> Option<u16> {
        check_name(name, self.names.iter().map(String::as_str), problems);
        self.names.iter().position(|known| *known == name.value).map(|number| number as u16)
    }

    /// The different numbers of ranks in the job and in its groups, in rising order.
    pub(super) fn sizes(&self, n_ranks: u32) -> Vec<u32> {
        let lists = self.kinds.iter().flat_map(|kind| &kind.lists);
        distinct(lists.map(|list| list.len() as u32).chain([n_ranks]))
    }

    /// The different numbers of ranks in groups of a kind, in rising order.
    pub(super) fn sizes_of(&self, number: u16) -> Vec<u32> {
        distinct(self.kinds[usize::from(number)].lists.iter().map(|list| list.len() as u32))
    }

    /// Largest number of ranks in a group of a kind.
    pub(super) fn largest(&self, number: u16) -> u32 {
        self.kinds[usize::from(number)].lists.iter().map(Vec::len).max().unwrap_or(0) as u32
    }
}

/// Reports a name that is none of the known groups.
pub(super) fn check_name<'a>(
    name: &Located<String>,
    known: impl Iterator<Item = &'a str> + Clone,
    problems: &mut Problems,
) {
    if known.clone().any(|known| known == name.value) {
        return;
    }
    let help = suggest::closest(&name.value, known).map(|name| format!("did you mean `{name}`?"));
    let help = help.unwrap_or_else(|| "define it above: `groups: { tp: 8, dp: 4 }`".to_owned());
    let report = problems.report(name.location, format!("there is no group `{}`", name.value));
    report.label("not among the job's `groups`").help(help);
}

fn distinct(sizes: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut sizes: Vec<u32> = sizes.collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Distance of neighbouring ranks and size of each dimension; `None` for groups that are no dimensions.
fn strides(wanted: &[Group], n_ranks: u32, problems: &mut Problems) -> Option<Vec<Option<(u32, u32)>>> {
    let stated = |group: &Group| match group.ranks.value {
        GroupRanks::Dimension(size) => Some(u64::from(size)),
        _ => None,
    };
    let product = wanted.iter().filter_map(stated).fold(1, u64::saturating_mul);
    let mut remaining = wanted.iter().filter(|group| group.ranks.value == GroupRanks::Remaining);
    let (auto, second) = (remaining.next(), remaining.next());
    if let (Some(first), Some(second)) = (auto, second) {
        let report = problems.report(second.ranks.location, "two dimensions are `auto`");
        report.label("only one can follow from the others").related(first.ranks.location, "the first one");
        return None;
    }
    let n_ranks = u64::from(n_ranks);
    let fits = if auto.is_some() { n_ranks.is_multiple_of(product) } else { product == n_ranks };
    let first = wanted.iter().find(|group| group.ranks.value.is_dimension());
    if let Some(first) = first.filter(|_| !fits) {
        report_product(wanted, (product, n_ranks), auto.is_some(), first.ranks.location, problems);
        return None;
    }
    let mut stride = 1;
    let one = |group: &Group| {
        let size = match group.ranks.value {
            GroupRanks::Dimension(size) => size,
            GroupRanks::Remaining => (n_ranks / product) as u32,
            GroupRanks::Within { .. } | GroupRanks::Listed(_) => return None,
        };
        let found = (stride, size);
        stride *= size;
        Some(found)
    };
    Some(wanted.iter().map(one).collect())
}

/// Reports dimensions whose product is not the number of ranks.
fn report_product(
    wanted: &[Group],
    (product, n_ranks): (u64, u64),
    has_auto: bool,
    location: Location,
    problems: &mut Problems,
) {
    let size = |group: &Group| match group.ranks.value {
        GroupRanks::Dimension(size) => Some(format!("{} {size}", group.name.value)),
        _ => None,
    };
    let sizes: Vec<String> = wanted.iter().filter_map(size).collect();
    let message = format!("{} = {product}, but the job has {n_ranks} ranks", sizes.join(" x "));
    let report = problems.report(location, message);
    let label =
        if has_auto { "expected a divisor of the number of ranks" } else { "expected the number of ranks" };
    let help = "`auto` as the size of one dimension takes what the others leave; groups by list need not contain all \
                ranks: `[[0, 1], [2, 3]]`";
    report.label(label).help(help);
}

/// The groups along a dimension: ranks that differ only in it, in rising order of their first ranks.
fn along_dimension(n_ranks: u32, stride: u32, size: u32) -> Vec<Vec<u32>> {
    let firsts = (0..n_ranks).filter(|rank| (rank / stride).is_multiple_of(size));
    firsts.map(|first| (0..size).map(|index| first + index * stride).collect()).collect()
}

/// Groups of consecutive members of other groups.
fn parts(of: &[Vec<u32>], size: u32, location: Location, problems: &mut Problems) -> Option<Vec<Vec<u32>>> {
    if let Some(odd) = of.iter().find(|list| !(list.len() as u32).is_multiple_of(size)) {
        let report =
            problems.report(location, format!("groups of {} ranks have no parts of {size}", odd.len()));
        report.label("`size` must divide the size of the groups it is within");
        return None;
    }
    Some(of.iter().flat_map(|list| list.chunks(size as usize).map(<[u32]>::to_vec)).collect())
}

/// Given lists: disjoint, of ranks that exist.
fn listed(lists: &[Located<Vec<u32>>], n_ranks: u32, problems: &mut Problems) -> Option<Vec<Vec<u32>>> {
    let n_before = problems.len();
    let mut group_of: Vec<Option<Location>> = vec![None; n_ranks as usize];
    for list in lists {
        if list.value.is_empty() {
            problems.report(list.location, "a group without ranks").label("expected at least one rank");
        }
        for &rank in &list.value {
            let Some(other) = group_of.get_mut(rank as usize) else {
                let report = problems.report(list.location, format!("there is no rank {rank}"));
                report.label(format!("expected ranks from 0 to {}", n_ranks.saturating_sub(1)));
                continue;
            };
            if let Some(first) = other.replace(list.location) {
                let report = problems.report(list.location, format!("rank {rank} is listed twice"));
                report.label("groups of one kind share no rank").related(first, "first here");
            }
        }
    }
    (problems.len() == n_before).then(|| lists.iter().map(|list| list.value.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_along_dimensions_are_disjoint_and_contain_every_rank() {
        let sizes = [2, 3, 4];
        let n_ranks = 24;
        let mut stride = 1;
        for size in sizes {
            let lists = along_dimension(n_ranks, stride, size);
            let mut all: Vec<u32> = lists.concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..n_ranks));
            assert!(lists.iter().all(|list| list.windows(2).all(|two| two[1] - two[0] == stride)));
            stride *= size;
        }
        assert_eq!(along_dimension(24, 2, 3)[1], [1, 3, 5]);
    }
}
