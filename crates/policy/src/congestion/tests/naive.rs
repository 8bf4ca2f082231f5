//! A second model of DCQCN, tick by tick: every timer fires when it is due, whether or not it changes anything.
//!
//! Written from the description, sharing no code with the lazy forms except the words of the state.

use netloom_units::{Bytes, Duration, Random, Time, Value};

use super::super::{Controller, Signal, State};
use super::{LINE, with, words};

const ONE: u128 = 1 << 32;

/// The parameters of a run, the same in both forms.
#[derive(Debug, Clone, Copy)]
struct Numbers {
    increase: u64,
    decrease: u64,
    alpha: u64,
    gain: u128,
    fast: u64,
    additive: u64,
    hyper: u64,
    minimum: u64,
    bytes: u64,
    clamp: bool,
    first: bool,
}

impl Numbers {
    fn draw(random: &mut Random) -> Numbers {
        // Multiples of half a microsecond, so that timers and arrivals often coincide.
        let mut span = |most| (u64::from(random.below(most)) + 1) * 500_000;
        Numbers {
            increase: span(60),
            decrease: span(12),
            alpha: span(6),
            gain: [1, 16, 205, 256][random.below(4) as usize],
            fast: u64::from(random.below(4)),
            additive: 40_000_000,
            hyper: 3_000_000_000,
            minimum: 500_000_000,
            bytes: 100_000,
            clamp: random.below(2) == 0,
            first: random.below(4) == 0,
        }
    }

    fn nic(&self) -> Controller {
        let absent = [("initial_alpha", Value::Absent), ("preset", Value::Choice("simai"))];
        let own = [
            ("decrease_time", Value::Duration(Duration(self.decrease))),
            ("clamp_target", Value::Flag(self.clamp)),
            ("rate_on_first_cnp", Value::Fraction(if self.first { 0.75 } else { 1.0 })),
        ];
        with("dcqcn", &[&absent[..], &own, &self.shared()].concat())
    }

    fn paper(&self) -> Controller {
        with(
            "dcqcn_paper",
            &[&[("increase_bytes", Value::Size(Bytes(self.bytes)))], &self.shared()[..]].concat(),
        )
    }

    fn shared(&self) -> [(&'static str, Value); 7] {
        let rate = |bits| Value::Rate(netloom_units::Rate(bits));
        [
            ("increase_time", Value::Duration(Duration(self.increase))),
            ("alpha_time", Value::Duration(Duration(self.alpha))),
            ("gain", Value::Count(self.gain as u64)),
            ("fast_recovery", Value::Count(self.fast)),
            ("additive", rate(self.additive)),
            ("hyper", rate(self.hyper)),
            ("minimum", rate(self.minimum)),
        ]
    }
}

/// A form of DCQCN with explicit ticks.
trait Ticking {
    /// The next timer, as instant and rank; lower ranks first at one instant.
    fn next(&self) -> (u64, u8);
    fn fire(&mut self, rank: u8);
    fn on_congestion(&mut self, at: u64);
    fn slow_start(&mut self, at: u64);
    fn on_sent(&mut self, bytes: u64);
    fn rate(&self) -> u64;
    /// The words that must equal those of the lazy form, from the first on.
    fn words(&self) -> Vec<u64>;

    fn run_until(&mut self, limit: u64) {
        while self.next().0 < limit {
            self.fire(self.next().1);
        }
    }
}

fn fallen(rate: u64, alpha: u128, minimum: u64) -> u64 {
    let kept = (u128::from(rate) * (2 * ONE - alpha)) >> 33;
    minimum.max(kept as u64)
}

fn raised(current: u64, target: u64) -> u64 {
    (current + target).div_ceil(2)
}

struct Nic {
    numbers: Numbers,
    current: u64,
    target: u64,
    alpha: u128,
    stage: u64,
    slot: bool,
    pending: bool,
    timers: [u64; 3],
}

impl Nic {
    fn fall(&mut self, at: u64, to: u64) {
        if self.numbers.clamp || self.stage > 0 {
            self.target = self.current;
        }
        self.current = to;
        self.stage = 0;
        self.timers[2] = at + self.numbers.increase;
    }
}

impl Ticking for Nic {
    fn next(&self) -> (u64, u8) {
        (0..3).map(|rank| (self.timers[usize::from(rank)], rank)).min().unwrap()
    }

    fn fire(&mut self, rank: u8) {
        let numbers = self.numbers;
        let at = self.timers[usize::from(rank)];
        match rank {
            0 => {
                if self.slot {
                    self.alpha += (ONE - self.alpha) / numbers.gain;
                } else {
                    self.alpha -= self.alpha.div_ceil(numbers.gain);
                }
                self.slot = false;
                self.timers[0] += numbers.alpha;
            }
            1 => {
                self.timers[1] += numbers.decrease;
                if self.pending {
                    self.fall(at, fallen(self.current, self.alpha, numbers.minimum));
                }
                self.pending = false;
            }
            _ => {
                let step = match self.stage.cmp(&numbers.fast) {
                    std::cmp::Ordering::Less => 0,
                    std::cmp::Ordering::Equal => numbers.additive,
                    std::cmp::Ordering::Greater => numbers.hyper,
                };
                self.target = LINE.0.min(self.target + step);
                self.current = raised(self.current, self.target);
                self.stage = (self.stage + 1).min(numbers.fast + 1);
                self.timers[2] += numbers.increase;
            }
        }
    }

    fn on_congestion(&mut self, at: u64) {
        self.pending = true;
        self.slot = true;
        if self.timers[0] == u64::MAX {
            self.slot = false;
            self.alpha = ONE;
            self.timers[0] = at + self.numbers.alpha;
            self.timers[1] = at + self.numbers.decrease;
            if self.numbers.first {
                self.current = self.numbers.minimum.max(self.current * 3 / 4);
            }
            self.target = self.current;
        }
    }

    fn slow_start(&mut self, at: u64) {
        self.fall(at, self.numbers.minimum);
    }

    fn on_sent(&mut self, _: u64) {}

    fn rate(&self) -> u64 {
        self.current
    }

    fn words(&self) -> Vec<u64> {
        let flags = u64::from(self.slot) << 1 | u64::from(self.pending);
        vec![self.current, self.target, self.alpha as u64, self.stage, flags]
    }
}

struct Paper {
    numbers: Numbers,
    current: u64,
    target: u64,
    alpha: u128,
    bytes: u64,
    by_timer: u64,
    by_bytes: u64,
    timers: [u64; 2],
}

impl Paper {
    fn increase(&mut self) {
        let fast = self.numbers.fast;
        let (low, high) = (self.by_timer.min(self.by_bytes), self.by_timer.max(self.by_bytes));
        if high >= fast {
            let step = if low > fast { (low - fast) * self.numbers.hyper } else { self.numbers.additive };
            self.target = LINE.0.min(self.target + step);
        }
        self.current = raised(self.current, self.target);
    }

    fn begin_anew(&mut self, at: u64) {
        (self.by_timer, self.by_bytes, self.bytes) = (0, 0, 0);
        self.timers[1] = at + self.numbers.increase;
    }
}

impl Ticking for Paper {
    fn next(&self) -> (u64, u8) {
        (0..2).map(|rank| (self.timers[usize::from(rank)], rank)).min().unwrap()
    }

    fn fire(&mut self, rank: u8) {
        if rank == 0 {
            self.alpha -= self.alpha.div_ceil(self.numbers.gain);
            self.timers[0] += self.numbers.alpha;
        } else {
            self.increase();
            self.by_timer += 1;
            self.timers[1] += self.numbers.increase;
        }
    }

    fn on_congestion(&mut self, at: u64) {
        self.target = self.current;
        self.current = fallen(self.current, self.alpha, self.numbers.minimum);
        self.alpha += (ONE - self.alpha) / self.numbers.gain;
        self.timers[0] = at + self.numbers.alpha;
        self.begin_anew(at);
    }

    fn slow_start(&mut self, at: u64) {
        self.target = self.current;
        self.current = self.numbers.minimum;
        self.begin_anew(at);
    }

    fn on_sent(&mut self, bytes: u64) {
        self.bytes += bytes;
        while self.bytes >= self.numbers.bytes {
            self.bytes -= self.numbers.bytes;
            self.increase();
            self.by_bytes += 1;
        }
    }

    fn rate(&self) -> u64 {
        self.current
    }

    fn words(&self) -> Vec<u64> {
        vec![self.current, self.target, self.alpha as u64]
    }
}

/// Runs both forms through the same random sequence of events; returns how often the rate had changed.
fn compare(lazy: &Controller, naive: &mut dyn Ticking, random: &mut Random) -> usize {
    let mut state: State = lazy.start();
    let (mut now, mut last, mut changes) = (0, LINE.0, 0);
    let idle = u64::from(random.below(40));
    // Whether the timers of this instant have run: no event may arrive then any more.
    let mut over = false;
    for _ in 0..3_000 {
        // Bursts and pauses; some steps stay at the same instant.
        now += u64::from(random.below(9).max(u32::from(over))) * 500_000;
        if random.below(200) < 3 {
            now += idle * 50_000_000;
        }
        let at = Time(now);
        over = random.below(3) != 0;
        if over {
            naive.run_until(now + 1);
            let rate = lazy.rate(&mut state, at).0;
            assert_eq!(rate, naive.rate(), "at {now}");
            changes += usize::from(rate != last);
            last = rate;
            lazy.on_sent(&mut state, Bytes(4096));
            naive.on_sent(4096);
        } else {
            naive.run_until(now);
            if random.below(40) == 0 {
                lazy.slow_start(&mut state, at);
                naive.slow_start(now);
            } else {
                lazy.on_congestion(&mut state, at, Signal::Cnp);
                naive.on_congestion(now);
            }
        }
        if random.below(8) == 0 {
            over = true;
            naive.run_until(now + 1);
            let found = words(lazy, &state, Time(now + 1));
            assert_eq!(found[..naive.words().len()], naive.words(), "after {now}");
        }
    }
    changes
}

#[test]
fn lazy_timers_agree_with_ticking_timers() {
    let mut random = Random::stream(3, 1, 4);
    let mut changes = 0;
    for _ in 0..200 {
        let numbers = Numbers::draw(&mut random);
        let (current, target, alpha) = (LINE.0, LINE.0, 0);
        let timers = [u64::MAX; 3];
        let mut nic = Nic { numbers, current, target, alpha, stage: 0, slot: false, pending: false, timers };
        changes += compare(&numbers.nic(), &mut nic, &mut random);
        let timers = [u64::MAX; 2];
        let (bytes, by_timer, by_bytes) = (0, 0, 0);
        let mut paper = Paper { numbers, current, target, alpha: ONE, bytes, by_timer, by_bytes, timers };
        changes += compare(&numbers.paper(), &mut paper, &mut random);
    }
    assert!(changes > 100_000, "{changes} changes of rate were compared");
}
