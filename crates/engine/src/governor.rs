//! Whether a round is shared among threads: whatever has been faster lately.
//!
//! Models: the time per work of rounds that one thread advances and of rounds that several share, by the number of due
//! partitions; trials of sharing whose loss is paid for before the next one.
//! Leaves out: how rounds are shared; what the clock is, which is lent from outside.
//!
//! Invariants: a loss by sharing is followed by a stretch alone that takes at least `REPAYMENT` times as long, so sharing
//! costs little even where it never pays. Results do not depend on any answer.

/// A clock, in nanoseconds since any instant.
pub type Clock<'a> = &'a dyn Fn() -> u64;

/// Time alone before the first trial, and before sharing is compared with it anew, in ns.
const PREFACE: u64 = 2_000_000;

/// What a trial would take alone, in ns: longer than the time slices of a scheduler.
const TRIAL: u64 = 5_000_000;

/// A trial ends at once when it has lost this, in ns.
const MOST_LOST: u64 = 1_000_000;

/// How many times as long as its loss a lost trial is followed by rounds alone, at least.
const REPAYMENT: u64 = 20;

/// Least time alone after a lost trial, in ns.
const LEAST_REST: u64 = 20_000_000;

/// Trials won in a row, at first, before the time alone is measured anew.
const WINS: u32 = 20;

/// Lost trials in a row double the rest up to this exponent; so do stretches of won ones.
const MOST_DOUBLINGS: u32 = 6;

/// The time alone is an average over about this, in ns.
const MEMORY: u64 = 20_000_000;

/// Rounds with fewer due partitions are never shared.
const LEAST_DUE: usize = 4;

/// Decides for every round, by the power of two of its due partitions.
pub struct Governor<'a> {
    clock: Option<Clock<'a>>,
    classes: [Class; usize::BITS as usize],
    started: u64,
}

impl<'a> Governor<'a> {
    /// Without a clock every round is shared that has a few due partitions.
    pub fn new(clock: Option<Clock<'a>>) -> Governor<'a> {
        Governor { clock, classes: [Class::default(); usize::BITS as usize], started: 0 }
    }

    /// Whether to share the round that begins now.
    pub fn start_round(&mut self, n_due: usize) -> bool {
        if n_due < LEAST_DUE {
            return false;
        }
        let Some(clock) = self.clock else { return true };
        self.started = clock();
        self.classes[n_due.ilog2() as usize].shares
    }

    /// Notes the round that has just ended, with the packets that crossed a link in it.
    pub fn end_round(&mut self, n_due: usize, hops: u64) {
        if let Some(clock) = self.clock
            && n_due >= LEAST_DUE
        {
            let took = clock().saturating_sub(self.started);
            // A due partition takes time although nothing crosses its links.
            self.classes[n_due.ilog2() as usize].note(Cost { time: took, work: hops + n_due as u64 });
        }
    }
}

/// Time, in ns, and the work done in it.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    time: u64,
    work: u64,
}

impl Cost {
    fn add(&mut self, other: Cost) {
        self.time += other.time;
        self.work += other.work;
    }

    /// What some work takes at this rate, in ns.
    fn of(self, work: u64) -> u64 {
        (u128::from(self.time) * u128::from(work) / u128::from(self.work.max(1))) as u64
    }
}

/// Rounds of about one size.
#[derive(Debug, Clone, Copy)]
struct Class {
    shares: bool,
    /// Lately alone.
    alone: Cost,
    /// Time alone before the next trial, in ns.
    rest: u64,
    /// The trial under way.
    trial: Cost,
    /// Trials won since the last rest.
    wins: u32,
    /// Trials lost in a row.
    losses: u32,
    /// Stretches of won trials in a row.
    stretches: u32,
}

impl Default for Class {
    fn default() -> Class {
        let (alone, trial) = (Cost::default(), Cost::default());
        Class { shares: false, alone, rest: PREFACE, trial, wins: 0, losses: 0, stretches: 0 }
    }
}

impl Class {
    fn note(&mut self, round: Cost) {
        if self.shares {
            self.note_shared(round);
        } else {
            self.note_alone(round);
        }
    }

    fn note_alone(&mut self, round: Cost) {
        self.alone.add(round);
        if self.alone.time > MEMORY {
            self.alone = Cost { time: self.alone.time / 2, work: self.alone.work.div_ceil(2) };
        }
        self.rest = self.rest.saturating_sub(round.time);
        if self.rest == 0 {
            (self.shares, self.trial, self.wins) = (true, Cost::default(), 0);
        }
    }

    fn note_shared(&mut self, round: Cost) {
        self.trial.add(round);
        let alone = self.alone.of(self.trial.work);
        let loss = self.trial.time.saturating_sub(alone);
        if loss > MOST_LOST || (alone >= TRIAL && loss > 0) {
            let rest = (REPAYMENT * loss).max(LEAST_REST);
            (self.shares, self.rest) = (false, rest << self.losses);
            (self.losses, self.stretches) = ((self.losses + 1).min(MOST_DOUBLINGS), 0);
        } else if alone >= TRIAL {
            self.trial = Cost::default();
            self.wins += 1;
            if self.wins == WINS << self.stretches {
                (self.shares, self.rest, self.losses) = (false, PREFACE, 0);
                self.stretches = (self.stretches + 1).min(MOST_DOUBLINGS);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const N_DUE: usize = 100;

    /// Time of rounds of 1000 hops, in all and of these shared, each round taking `alone` or `shared` ns.
    fn rounds(n: u32, clock: &Cell<u64>, governor: &mut Governor<'_>, alone: u64, shared: u64) -> (u64, u64) {
        let mut in_shared = 0;
        let before = clock.get();
        for _ in 0..n {
            let took = if governor.start_round(N_DUE) { shared } else { alone };
            in_shared += if took == shared { took } else { 0 };
            clock.set(clock.get() + took);
            governor.end_round(N_DUE, 1_000);
        }
        (clock.get() - before, in_shared)
    }

    #[test]
    fn sharing_that_pays_is_found_and_kept() {
        let clock = Cell::new(0);
        let read = || clock.get();
        let mut governor = Governor::new(Some(&read));
        let (took, _) = rounds(20_000, &clock, &mut governor, 100_000, 60_000);
        assert!(took < 20_000 * 62_000, "{took} ns");
    }

    #[test]
    fn sharing_that_never_pays_costs_less_than_a_tenth() {
        for shared in [101_000, 150_000, 1_000_000, 20_000_000] {
            let clock = Cell::new(0);
            let read = || clock.get();
            let mut governor = Governor::new(Some(&read));
            let (took, _) = rounds(20_000, &clock, &mut governor, 100_000, shared);
            assert!(took < 20_000 * 110_000, "{took} ns where a shared round takes {shared} ns");
        }
    }

    #[test]
    fn a_change_is_noticed_in_both_directions() {
        let clock = Cell::new(0);
        let read = || clock.get();
        let mut governor = Governor::new(Some(&read));
        rounds(20_000, &clock, &mut governor, 100_000, 60_000);
        let (took, _) = rounds(20_000, &clock, &mut governor, 100_000, 300_000);
        assert!(took < 20_000 * 110_000, "sharing goes on: {took} ns");
        rounds(100_000, &clock, &mut governor, 100_000, 60_000);
        let (took, in_shared) = rounds(20_000, &clock, &mut governor, 100_000, 60_000);
        assert!(in_shared * 10 > took * 9, "sharing is not tried again: {in_shared} of {took} ns");
    }

    #[test]
    fn rounds_of_one_size_do_not_judge_those_of_another() {
        let clock = Cell::new(0);
        let read = || clock.get();
        let mut governor = Governor::new(Some(&read));
        for _ in 0..10_000 {
            for (n_due, alone, shared) in [(8, 5_000, 50_000), (1_000, 400_000, 220_000)] {
                let took = if governor.start_round(n_due) { shared } else { alone };
                clock.set(clock.get() + took);
                governor.end_round(n_due, 10 * n_due as u64);
            }
        }
        assert!(!governor.start_round(8));
        assert!(governor.start_round(1_000));
    }

    #[test]
    fn without_a_clock_all_but_the_smallest_rounds_are_shared() {
        let mut governor = Governor::new(None);
        assert!(!governor.start_round(LEAST_DUE - 1));
        assert!(governor.start_round(LEAST_DUE));
    }
}
