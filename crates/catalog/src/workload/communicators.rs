//! The communicators of a job: which ranks take part in a collective, and at which position.
//!
//! Models: all ranks of a job, or disjoint groups of them, each with its members in order.
//! Leaves out: how groups follow from the parallelism of a job; their lists are given.
//!
//! Invariants: a rank is in at most one group of a kind; memory grows with the number of ranks, not with that of pairs.

use netloom_model::RankGroups;

/// All groups of one kind.
#[derive(Debug)]
pub(super) enum Communicators {
    /// One group of all ranks, in order.
    World {
        /// Number of ranks.
        n_ranks: u32,
    },
    /// Groups by list.
    Listed {
        /// The members of each group, by position.
        lists: Vec<Vec<u32>>,
        /// Group and position of each rank; `None` of ranks in no group.
        members: Vec<Option<(u32, u32)>>,
        /// The different sizes of groups, in rising order.
        sizes: Vec<u32>,
    },
}

/// What one rank needs to know of its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Membership {
    /// The group; `None` of all ranks.
    pub(super) group: Option<u32>,
    /// The position of the rank in the group.
    pub(super) position: u32,
    /// Number of ranks in the group.
    pub(super) n_ranks: u32,
    /// Index of that number among the sizes of all groups of this kind.
    pub(super) size_index: usize,
}

impl Communicators {
    /// The groups of a kind; an error is a sentence about what is wrong with them.
    pub(super) fn new(groups: &RankGroups, n_ranks: u32) -> Result<Communicators, String> {
        let mut members = vec![None; n_ranks as usize];
        for (group, list) in (0_u32..).zip(&groups.lists) {
            if list.is_empty() {
                return Err(String::from("a group has no ranks"));
            }
            for (position, &rank) in (0_u32..).zip(list) {
                let member =
                    members.get_mut(rank as usize).ok_or_else(|| format!("there is no rank {rank}"))?;
                if member.replace((group, position)).is_some() {
                    return Err(format!("rank {rank} is in two groups, or twice in one"));
                }
            }
        }
        let mut sizes: Vec<u32> = groups.lists.iter().map(|list| list.len() as u32).collect();
        sizes.sort_unstable();
        sizes.dedup();
        Ok(Communicators::Listed { lists: groups.lists.clone(), members, sizes })
    }

    /// The different sizes of groups, in rising order.
    pub(super) fn sizes(&self) -> &[u32] {
        match self {
            Communicators::World { n_ranks } => std::slice::from_ref(n_ranks),
            Communicators::Listed { sizes, .. } => sizes,
        }
    }

    /// Number of groups.
    pub(super) fn n_groups(&self) -> usize {
        match self {
            Communicators::World { .. } => 1,
            Communicators::Listed { lists, .. } => lists.len(),
        }
    }

    /// The membership of a rank; `None` if it is in no group.
    pub(super) fn membership(&self, rank: u32) -> Option<Membership> {
        match self {
            &Communicators::World { n_ranks } => {
                Some(Membership { group: None, position: rank, n_ranks, size_index: 0 })
            }
            Communicators::Listed { lists, members, sizes } => {
                let (group, position) = members[rank as usize]?;
                let n_ranks = lists[group as usize].len() as u32;
                let size_index = sizes.binary_search(&n_ranks).expect("the size of a group is in the list");
                Some(Membership { group: Some(group), position, n_ranks, size_index })
            }
        }
    }

    /// The rank at a position of a group.
    pub(super) fn rank_at(&self, group: Option<u32>, position: u32) -> u32 {
        match (self, group) {
            (Communicators::Listed { lists, .. }, Some(group)) => lists[group as usize][position as usize],
            _ => position,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_different_sizes_share_plans_by_size() {
        let groups = RankGroups { lists: vec![vec![3, 1], vec![0], vec![5, 4]] };
        let communicators = Communicators::new(&groups, 6).unwrap();
        assert_eq!(communicators.sizes(), [1, 2]);
        let of = |rank| communicators.membership(rank).map(|member| (member.group, member.position));
        assert_eq!([0, 1, 2, 3].map(of), [Some((Some(1), 0)), Some((Some(0), 1)), None, Some((Some(0), 0))]);
        assert_eq!(communicators.rank_at(Some(2), 1), 4);
    }

    #[test]
    fn a_rank_is_in_one_group_of_a_kind() {
        let new = |lists: &[&[u32]]| {
            let lists = lists.iter().map(|list| list.to_vec()).collect();
            Communicators::new(&RankGroups { lists }, 4).map(|_| ())
        };
        assert!(new(&[&[0, 1], &[2]]).is_ok());
        for wrong in [&[&[0, 1][..], &[1]][..], &[&[0, 0]], &[&[4]], &[&[0], &[]]] {
            assert!(new(wrong).is_err(), "{wrong:?}");
        }
    }
}
