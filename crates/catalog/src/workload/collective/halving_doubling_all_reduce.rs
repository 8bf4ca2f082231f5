//! # Idea
//! Pairs of ranks exchange halves of the vector and add them, then quarters, and so on, until every rank has the sum of
//! one block; then they exchange blocks, pairs, and so on, until every rank has the whole sum.
//!
//! # Source
//! Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", IJHPCA 2005; the order
//! of partners is that of MPICH's reduce-scatter and all-gather all-reduce.
//!
//! # Parameters
//! None.
//!
//! # Invariants
//! With p the largest power of two up to n, log2 p rounds of halving and as many of doubling. The partner in halving
//! round k differs in bit k, so that the largest messages go to the nearest rank; doubling takes the partners in reverse.
//! If n > p, the first 2(n - p) members form pairs: one gives its vector to the other before, and gets the sum after the
//! rounds. A rank in the rounds sends 2(p - 1)/p S bytes, and S more if it returns a sum; one that gives its vector
//! away sends S. Together the members send 2(n - 1) S bytes.
//!
//! # When it misleads
//! Partners of late rounds are far apart, and all ranks exchange with theirs at once: the order of ranks matters more
//! than for a ring. If n is not a power of two, the links of some ranks carry up to 1.5 times the bytes, in two more
//! rounds. With `dependent: false` a member sends all rounds at once.

use netloom_units::{Settings, Spec};

use super::{Algorithm, Demand, Factor, Frame, Posted, Step, in_form};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "halving_doubling_all_reduce",
    summary: "all-reduce by recursive halving and doubling, in 2 log2 n steps",
    source: "Thakur, Rabenseifner, Gropp, IJHPCA 2005",
    parameters: &[],
};

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HalvingDoublingAllReduce {
    frame: Frame,
    /// The vector cut into one block for each member in the rounds.
    blocks: Frame,
    /// Number of members that give their vector away.
    n_folded: u32,
    /// Number of rounds of halving.
    n_halvings: u32,
}

/// What happens in a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The first of each pair gives its vector to the second.
    Fold,
    Halving(u32),
    /// In reverse order: the last one exchanges with the partner of halving 0.
    Doubling(u32),
    /// The second of each pair gives the sum to the first.
    Unfold,
}

impl HalvingDoublingAllReduce {
    /// Number of stages before the first halving.
    fn n_before(&self) -> u32 {
        u32::from(self.n_folded > 0)
    }

    fn n_stages(&self) -> u32 {
        2 * (self.n_halvings + self.n_before())
    }

    fn stage(&self, number: u32) -> Stage {
        match number.checked_sub(self.n_before()) {
            None => Stage::Fold,
            Some(round) if round < self.n_halvings => Stage::Halving(round),
            Some(round) if round < 2 * self.n_halvings => Stage::Doubling(2 * self.n_halvings - 1 - round),
            Some(_) => Stage::Unfold,
        }
    }

    /// The position of a member in the rounds, if it takes part in them.
    fn member(&self, position: u32) -> Option<u32> {
        match position.checked_sub(2 * self.n_folded) {
            Some(_) => Some(position - self.n_folded),
            None => (!position.is_multiple_of(2)).then_some(position / 2),
        }
    }

    fn position_of(&self, member: u32) -> u32 {
        if member < self.n_folded { 2 * member + 1 } else { member + self.n_folded }
    }

    fn partner(&self, position: u32, stage: Stage) -> Option<u32> {
        match stage {
            Stage::Fold | Stage::Unfold => (position < 2 * self.n_folded).then_some(position ^ 1),
            Stage::Halving(round) | Stage::Doubling(round) => {
                Some(self.position_of(self.member(position)? ^ (1 << round)))
            }
        }
    }

    /// The blocks that a member sends: the first one, and their number.
    fn sent_blocks(&self, member: u32, stage: Stage) -> (u32, u32) {
        let (Stage::Halving(round) | Stage::Doubling(round)) = stage else {
            return (0, self.blocks.n_ranks);
        };
        // Bit k of a member decides which half it keeps in round k, and so bit k from the top of its block.
        let own = member.reverse_bits() >> (u32::BITS - self.n_halvings);
        let count = self.blocks.n_ranks >> (round + 1);
        let kept = own & !(count - 1);
        (if matches!(stage, Stage::Halving(_)) { kept ^ count } else { kept }, count)
    }

    /// Size of what a member sends in a stage.
    fn bytes(&self, position: u32, stage: Stage) -> u64 {
        let member = self.member(position);
        match (stage, member) {
            (Stage::Fold, None) => self.frame.size,
            (Stage::Fold, Some(_)) | (_, None) => 0,
            (_, Some(member)) => {
                let (first, count) = self.sent_blocks(member, stage);
                self.blocks.parts(first, count)
            }
        }
    }
}

impl Algorithm for HalvingDoublingAllReduce {
    fn new(frame: Frame, _: &Settings) -> Result<Self, String> {
        let n_halvings = frame.n_ranks.ilog2();
        let n_members = 1 << n_halvings;
        let blocks = Frame { n_ranks: n_members, ..frame };
        Ok(HalvingDoublingAllReduce { frame, blocks, n_folded: frame.n_ranks - n_members, n_halvings })
    }

    fn operation(&self, position: u32, index: u64) -> Option<Step> {
        in_form(self.frame.dependent, index, 2 * u64::from(self.n_stages()), |index| {
            let number = index / 2;
            let stage = self.stage(number as u32);
            let Some(partner) = self.partner(position, stage) else { return Step::Nothing };
            if index.is_multiple_of(2) {
                Step::send(partner, number, self.bytes(position, stage))
            } else {
                Step::receive(number, u32::from(self.bytes(partner, stage) > 0))
            }
        })
    }

    fn n_tags(&self) -> u64 {
        u64::from(self.n_stages())
    }

    fn bus_factor(&self) -> Factor {
        Factor::all_reduce(self.frame.n_ranks)
    }

    fn demand(&self) -> Demand {
        Demand::Blocks(2)
    }

    fn total_bytes(&self) -> u128 {
        2 * u128::from(self.frame.n_ranks - 1) * u128::from(self.frame.size)
    }

    fn sends_first(&self) -> bool {
        !self.frame.dependent
    }

    fn lists_receives(&self) -> bool {
        self.frame.dependent
    }

    fn posted(&self, position: u32, index: u64, number: u32) -> Option<Posted> {
        let stage_number = index / 2;
        if number > 0 || !index.is_multiple_of(2) || stage_number >= u64::from(self.n_stages()) {
            return None;
        }
        let stage = self.stage(stage_number as u32);
        let from = self.partner(position, stage)?;
        Some(Posted { from, tag: stage_number, bytes: self.bytes(from, stage) })
    }

    fn adds(&self, index: u64) -> bool {
        index / 2 < u64::from(self.n_before() + self.n_halvings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each member and block, the ranks whose data its sum contains, as bits.
    fn sums(plan: &HalvingDoublingAllReduce) -> Vec<Vec<u64>> {
        let (n, n_blocks) = (plan.frame.n_ranks, plan.blocks.n_ranks as usize);
        let mut sums: Vec<Vec<u64>> = (0..n).map(|position| vec![1 << position; n_blocks]).collect();
        for stage in (0..plan.n_stages()).map(|number| plan.stage(number)) {
            let before = sums.clone();
            for position in (0..n).filter(|&position| plan.bytes(position, stage) > 0) {
                let Some(to) = plan.partner(position, stage).map(|to| to as usize) else { continue };
                let (first, count) = plan.sent_blocks(plan.member(position).unwrap_or(0), stage);
                for block in first as usize..(first + count) as usize {
                    let sent = before[position as usize][block];
                    if matches!(stage, Stage::Fold | Stage::Halving(_)) {
                        assert_eq!(sums[to][block] & sent, 0, "added twice");
                        sums[to][block] |= sent;
                    } else {
                        sums[to][block] = sent;
                    }
                }
            }
        }
        sums
    }

    #[test]
    fn every_rank_ends_with_every_sum() {
        for n_ranks in 1..=40_u32 {
            let frame = Frame { n_ranks, size: 1 << 20, dependent: true };
            let plan = HalvingDoublingAllReduce::new(frame, &SPEC.defaults()).unwrap();
            let all = u64::MAX >> (u64::BITS - n_ranks);
            assert!(sums(&plan).iter().flatten().all(|&sum| sum == all), "{n_ranks}");
        }
    }
}
