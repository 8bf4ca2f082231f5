//! Decides whether worker threads share a round: the choice that was faster in the last rounds of that size.
//!
//! Models: the time per work of serial rounds, which one thread advances, and of shared rounds, by the number of due
//! partitions; trials of sharing, with exponential backoff after a lost one.
//! Leaves out: how rounds are shared; the clock, which the caller passes in.
//!
//! Invariants: a lost trial is followed by serial rounds that take at least `REPAYMENT` times its loss, so sharing
//! costs little even where it never pays. Results do not depend on any decision.

/// A clock, in nanoseconds since any instant.
pub type Clock<'a> = &'a dyn Fn() -> u64;

/// Duration of the serial rounds before the first trial, and before shared rounds are compared with new serial ones, in
/// ns.
const WARM_UP: u64 = 2_000_000;

/// The work of a trial, as its duration in serial rounds, in ns: longer than the time slices of a scheduler.
const TRIAL: u64 = 5_000_000;

/// A trial ends early when it has lost this, in ns.
const MOST_LOST: u64 = 1_000_000;

/// Least time of the serial rounds after a lost trial, in multiples of its loss.
const REPAYMENT: u64 = 20;

/// Least time of the serial rounds after a lost trial, in ns.
const LEAST_BACKOFF: u64 = 20_000_000;

/// Initial number of trials won in a row before serial rounds are measured again.
const WINS: u32 = 20;

/// Lost trials in a row double the backoff, up to this exponent; runs of [`WINS`] won trials double the next run.
const MOST_DOUBLINGS: u32 = 6;

/// The cost of serial rounds is averaged over about this time, in ns.
const AVERAGED_OVER: u64 = 20_000_000;

/// Rounds with fewer due partitions are never shared.
const LEAST_DUE: usize = 4;

/// Decides for every round, by the power of two of its due partitions.
pub struct Governor<'a> {
    clock: Option<Clock<'a>>,
    classes: [SizeClass; usize::BITS as usize],
    started: u64,
}

impl<'a> Governor<'a> {
    /// Without a clock every round with at least `LEAST_DUE` due partitions is shared.
    pub fn new(clock: Option<Clock<'a>>) -> Governor<'a> {
        Governor { clock, classes: [SizeClass::default(); usize::BITS as usize], started: 0 }
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
            // A due partition takes time even if no packet crosses its links.
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

    /// The duration of some work at this rate, in ns.
    fn of(self, work: u64) -> u64 {
        (u128::from(self.time) * u128::from(work) / u128::from(self.work.max(1))) as u64
    }
}

/// Statistics of rounds whose number of due partitions has one power of two.
#[derive(Debug, Clone, Copy)]
struct SizeClass {
    shares: bool,
    /// The recent serial rounds.
    serial: Cost,
    /// Time of serial rounds before the next trial, in ns.
    backoff: u64,
    /// The current trial.
    trial: Cost,
    /// Trials won since the last serial round.
    wins: u32,
    /// Trials lost in a row.
    losses: u32,
    /// Runs of won trials since the last lost one.
    winning_runs: u32,
}

impl Default for SizeClass {
    fn default() -> SizeClass {
        let (serial, trial) = (Cost::default(), Cost::default());
        SizeClass { shares: false, serial, backoff: WARM_UP, trial, wins: 0, losses: 0, winning_runs: 0 }
    }
}

impl SizeClass {
    fn note(&mut self, round: Cost) {
        if self.shares {
            self.note_shared(round);
        } else {
            self.note_serial(round);
        }
    }

    fn note_serial(&mut self, round: Cost) {
        self.serial.add(round);
        if self.serial.time > AVERAGED_OVER {
            self.serial = Cost { time: self.serial.time / 2, work: self.serial.work.div_ceil(2) };
        }
        self.backoff = self.backoff.saturating_sub(round.time);
        if self.backoff == 0 {
            (self.shares, self.trial, self.wins) = (true, Cost::default(), 0);
        }
    }

    fn note_shared(&mut self, round: Cost) {
        self.trial.add(round);
        let serial = self.serial.of(self.trial.work);
        let loss = self.trial.time.saturating_sub(serial);
        if loss > MOST_LOST || (serial >= TRIAL && loss > 0) {
            let backoff = (REPAYMENT * loss).max(LEAST_BACKOFF);
            (self.shares, self.backoff) = (false, backoff << self.losses);
            (self.losses, self.winning_runs) = ((self.losses + 1).min(MOST_DOUBLINGS), 0);
        } else if serial >= TRIAL {
            self.trial = Cost::default();
            self.wins += 1;
            if self.wins == WINS << self.winning_runs {
                (self.shares, self.backoff, self.losses) = (false, WARM_UP, 0);
                self.winning_runs = (self.winning_runs + 1).min(MOST_DOUBLINGS);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const N_DUE: usize = 100;

    /// Time of rounds of 1000 hops: the total and that of shared rounds, each round taking `serial` or `shared` ns.
    fn rounds(
        n: u32,
        clock: &Cell<u64>,
        governor: &mut Governor<'_>,
        serial: u64,
        shared: u64,
    ) -> (u64, u64) {
        let mut in_shared = 0;
        let before = clock.get();
        for _ in 0..n {
            let took = if governor.start_round(N_DUE) { shared } else { serial };
            in_shared += if took == shared { took } else { 0 };
            clock.set(clock.get() + took);
            governor.end_round(N_DUE, 1_000);
        }
        (clock.get() - before, in_shared)
    }

    #[test]
    fn shared_rounds_that_pay_off_are_kept() {
        let clock = Cell::new(0);
        let read = || clock.get();
        let mut governor = Governor::new(Some(&read));
        let (took, _) = rounds(20_000, &clock, &mut governor, 100_000, 60_000);
        assert!(took < 20_000 * 62_000, "{took} ns");
    }

    #[test]
    fn shared_rounds_that_never_pay_off_cost_less_than_a_tenth() {
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
        assert!(took < 20_000 * 110_000, "rounds are still shared: {took} ns");
        rounds(100_000, &clock, &mut governor, 100_000, 60_000);
        let (took, in_shared) = rounds(20_000, &clock, &mut governor, 100_000, 60_000);
        assert!(in_shared * 10 > took * 9, "shared rounds are not tried again: {in_shared} of {took} ns");
    }

    #[test]
    fn measurements_of_one_round_size_do_not_affect_another() {
        let clock = Cell::new(0);
        let read = || clock.get();
        let mut governor = Governor::new(Some(&read));
        for _ in 0..10_000 {
            for (n_due, serial, shared) in [(8, 5_000, 50_000), (1_000, 400_000, 220_000)] {
                let took = if governor.start_round(n_due) { shared } else { serial };
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
