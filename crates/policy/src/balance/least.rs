//! Selects the candidate with the least backlog.
//!
//! Models: the candidates that tie, a bit each, and a uniform choice among them.
//! Leaves out: what a backlog is.
//!
//! Invariants: each candidate is read once, in order; one random draw, whatever the number of ties.

use netloom_units::Random;

use super::Context;

/// Largest number of candidates that fit in a bit mask.
pub const MOST_MASKED: usize = 64;

/// The candidates with the least backlog, a bit each; at most [`MOST_MASKED`] candidates.
#[inline(always)]
pub fn ties_of_least(backlogs: impl Iterator<Item = u64>) -> u64 {
    let (mut least, mut ties, mut own) = (u64::MAX, 0_u64, 1_u64);
    for backlog in backlogs {
        if backlog < least {
            (least, ties) = (backlog, 0);
        }
        if backlog == least {
            ties |= own;
        }
        own <<= 1;
    }
    ties
}

/// A random one of the candidates whose bit is set.
#[inline(always)]
pub fn one_of(mut ties: u64, random: &mut Random) -> usize {
    let choice = random.below(ties.count_ones());
    (0..choice).for_each(|_| ties &= ties - 1);
    ties.trailing_zeros() as usize
}

/// Finds the least backlog of any number of candidates.
#[derive(Debug, Clone, Default)]
pub(super) struct Least {
    /// Working memory: the tied candidates, if there are too many for a mask.
    ties: Vec<u32>,
}

impl Least {
    /// One of `n` candidates with the least backlog, uniform among ties.
    #[inline]
    pub fn of(&mut self, context: &mut Context, n: usize, backlog: impl FnMut(usize) -> u64) -> usize {
        if n <= MOST_MASKED {
            return one_of(ties_of_least((0..n).map(backlog)), context.random);
        }
        self.of_many(context, n, backlog)
    }

    fn of_many(&mut self, context: &mut Context, n: usize, mut backlog: impl FnMut(usize) -> u64) -> usize {
        let ties = &mut self.ties;
        let mut least = u64::MAX;
        ties.clear();
        for candidate in 0..n {
            let waiting = backlog(candidate);
            if waiting < least {
                least = waiting;
                ties.clear();
            }
            if waiting == least {
                ties.push(candidate as u32);
            }
        }
        ties[context.random.below(ties.len() as u32) as usize] as usize
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::Time;

    use super::*;

    #[test]
    fn a_mask_chooses_as_a_list_does() {
        let mut own = Random::stream(7, 1, 2);
        for round in 0..2_000_u64 {
            let n = 1 + own.below(MOST_MASKED as u32) as usize;
            let backlogs: Vec<u64> = (0..n).map(|_| u64::from(own.below(4)) * (round % 3)).collect();
            let choose = |masked: bool| {
                let mut random = Random::stream(round, 3, 4);
                let mut context = Context { now: Time::ZERO, random: &mut random };
                let mut least = Least::default();
                if masked {
                    least.of(&mut context, n, |candidate| backlogs[candidate])
                } else {
                    least.of_many(&mut context, n, |candidate| backlogs[candidate])
                }
            };
            assert_eq!(choose(true), choose(false), "{backlogs:?}");
        }
    }
}
