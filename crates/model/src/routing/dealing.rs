//! Which switches of a group own its global links.
//!
//! Models: every two groups are joined by the same number of links; a group distributes its ends of them over its
//! switches, each switch getting the same number, or one more. A group numbers the other groups by rank; of the links
//! of a group the `k`-th ones to all other groups come first for `k` = 0, then for `k` = 1, and so on, each in the
//! order of ranks, and are cut into as many runs as there are switches. So parallel links between two groups end at
//! switches far apart.
//! Leaves out: which port of the far switch a link ends at; the fabric contains it.
//!
//! Invariants: with one link between two groups and ranks in the order of groups this is the arrangement of Kim, Dally,
//! Scott, Abts, ISCA 2008, figure 5 ("absolute"); ranks that count from a group's own number give the one called
//! "relative". Parallel links are a modelling assumption. Memory: switches of a group times groups.

/// The order in which a group ranks the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrangement {
    /// By number, without itself.
    Absolute,
    /// From the next one on, wrapping around.
    Relative,
}

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobalLinkMap {
    groups: u32,
    switches: u32,
    per_pair: u32,
    arrangement: Arrangement,
    /// By switch of a group and rank: number of its links to groups of lower rank, with one closing entry for each
    /// switch.
    before: Vec<u32>,
}

impl GlobalLinkMap {
    /// Distributes `per_pair` links between every two groups over the `switches` of each that own such links.
    pub fn new(groups: u32, switches: u32, per_pair: u32, arrangement: Arrangement) -> GlobalLinkMap {
        let n_ranks = u64::from(groups.saturating_sub(1));
        let total = n_ranks * u64::from(per_pair);
        let start = |switch: u32| (u64::from(switch) * total).div_ceil(u64::from(switches.max(1)));
        // Number of those of the first `n` links that lead to groups of a lower rank.
        let lower = |n: u64, rank: u64| match n_ranks {
            0 => 0,
            _ => n / n_ranks * rank + (n % n_ranks).min(rank),
        };
        let row = |switch| {
            let (first, end) = (start(switch), start(switch + 1));
            (0..=n_ranks).map(move |rank| (lower(end, rank) - lower(first, rank)) as u32)
        };
        let before = (0..switches).flat_map(row).collect();
        GlobalLinkMap { groups, switches, per_pair, arrangement, before }
    }

    /// Number of groups.
    #[inline]
    pub fn groups(&self) -> u32 {
        self.groups
    }

    /// Number of links between two groups.
    pub fn per_pair(&self) -> u32 {
        self.per_pair
    }

    /// Number of ranks: that of other groups.
    #[inline]
    pub(super) fn n_ranks(&self) -> u32 {
        self.groups.saturating_sub(1)
    }

    /// The rank that a group gives to another one.
    #[inline]
    pub(super) fn rank(&self, own: u32, other: u32) -> u32 {
        match self.arrangement {
            Arrangement::Absolute => other - u32::from(other > own),
            Arrangement::Relative if other > own => other - own - 1,
            Arrangement::Relative => other + self.groups - own - 1,
        }
    }

    /// The switch of group `own` that owns its end of the `number`-th link to another group.
    pub fn switch(&self, own: u32, other: u32, number: u32) -> u32 {
        let n_ranks = u64::from(self.n_ranks());
        let position = u64::from(number) * n_ranks + u64::from(self.rank(own, other));
        (position * u64::from(self.switches) / (n_ranks * u64::from(self.per_pair))) as u32
    }

    #[inline]
    fn before(&self, switch: u32, rank: u32) -> u32 {
        self.before[(switch * self.groups + rank) as usize]
    }

    /// Number of links of a switch to the group of a rank.
    #[inline]
    pub(super) fn count(&self, switch: u32, rank: u32) -> u32 {
        self.before(switch, rank + 1) - self.before(switch, rank)
    }

    /// The links of a switch of group `own` to the group of a rank, among its global links in the order of groups: the
    /// first one, and their number.
    #[inline]
    pub(super) fn bundle(&self, own: u32, switch: u32, rank: u32) -> (u32, u32) {
        // Ranks that count from `own` begin in the middle of the group numbers.
        let lowest = match self.arrangement {
            Arrangement::Absolute => 0,
            Arrangement::Relative => self.groups - 1 - own,
        };
        let (start, below) = (self.before(switch, lowest), self.before(switch, rank));
        let first =
            if rank >= lowest { below - start } else { self.before(switch, self.n_ranks()) - start + below };
        (first, self.count(switch, rank))
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        4 * self.before.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_groups_are_connected_as_published() {
        // Two global links for each of four switches, nine groups: switch 0 of group 0 reaches groups 1 and 2.
        let dealing = GlobalLinkMap::new(9, 4, 1, Arrangement::Absolute);
        let switches: Vec<u32> = (1..9).map(|other| dealing.switch(0, other, 0)).collect();
        assert_eq!(switches, [0, 0, 1, 1, 2, 2, 3, 3]);
        let switches: Vec<u32> = [0, 1, 2, 3, 5, 6, 7, 8].map(|other| dealing.switch(4, other, 0)).into();
        assert_eq!(switches, [0, 0, 1, 1, 2, 2, 3, 3]);
        let relative = GlobalLinkMap::new(9, 4, 1, Arrangement::Relative);
        let switches: Vec<u32> = [5, 6, 7, 8, 0, 1, 2, 3].map(|other| relative.switch(4, other, 0)).into();
        assert_eq!(switches, [0, 0, 1, 1, 2, 2, 3, 3]);
    }

    /// Counts links by the switch that each one ends at.
    fn count_links(dealing: &GlobalLinkMap, own: u32, switch: u32, other: u32) -> u32 {
        (0..dealing.per_pair).filter(|&number| dealing.switch(own, other, number) == switch).count() as u32
    }

    #[test]
    fn bundles_agree_with_the_ends_of_links() {
        for arrangement in [Arrangement::Absolute, Arrangement::Relative] {
            for (groups, switches, per_pair) in
                [(1, 3, 1), (2, 4, 8), (5, 3, 2), (9, 4, 1), (7, 5, 20), (4, 9, 1)]
            {
                let dealing = GlobalLinkMap::new(groups, switches, per_pair, arrangement);
                let all = (groups - 1) * per_pair;
                for (own, switch) in (0..groups).flat_map(|own| (0..switches).map(move |s| (own, s))) {
                    let mut next = 0;
                    for other in (0..groups).filter(|&other| other != own) {
                        let count = count_links(&dealing, own, switch, other);
                        let rank = dealing.rank(own, other);
                        let (first, found) = dealing.bundle(own, switch, rank);
                        assert_eq!(found, count);
                        assert_eq!(first, next, "{groups} {switches} {per_pair} {own} {switch} {other}");
                        next += count;
                    }
                    assert!([all / switches, all.div_ceil(switches)].contains(&next), "nearly equal shares");
                }
            }
        }
    }
}
