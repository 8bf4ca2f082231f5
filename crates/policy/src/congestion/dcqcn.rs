//! # Idea
//! Congestion notifications (CNPs) raise an estimate (alpha) and cut the rate by up to half, at most once per period;
//! timers raise it again: first half way to its former value, then further in steps.
//!
//! # Source
//! DCQCN (Zhu et al., SIGCOMM 2015) in the form of NICs and the public RDMA models: the ns-3 code of HPCC (Li et al.,
//! SIGCOMM 2019), of `ConWeave` (Song et al., SIGCOMM 2023) and of `SimAI`, and NVIDIA's page about DCQCN parameters.
//! The presets are their columns.
//!
//! # Parameters
//! `preset`, and over it `increase_time` (`T_I`), `decrease_time` (`T_D`), `alpha_time`, `gain` (1/g), `initial_alpha`,
//! `fast_recovery` (F), `additive`, `hyper`, `minimum`; `rate_on_first_cnp`, `clamp_target`, `notify`, `cnp_interval`.
//!
//! The rate stays between `minimum` and line rate. It is cut only at checks, which are `decrease_time` apart, and only
//! if a notification has arrived since the last one. Order at one instant: arrivals, then the slot of alpha, then the
//! check, then the increase; a cut cancels the increase of its instant. An idle queue pair ends with alpha 0 and both
//! rates at line rate.
//!
//! # When it misleads
//! There is no byte counter, as in the public code, though NICs have one. A queue pair that was idle for long starts
//! its next cut from alpha near 0, so that cut is tiny. Rounding is a modelling assumption.

use netloom_units::{Duration, Kind, Parameter, Rate, Spec, StateWriter, Time, Value};

use super::alpha::{Gain, NEVER, cut, fixed, midpoint, passed, period, scaled, smallest};
use super::{Chosen, Control, NOTIFY, Notify, Signal, Site, notify_of};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "dcqcn",
    summary: "DCQCN as in NICs: notifications cut the rate at most once per period, timers raise it again",
    source: "Zhu et al., SIGCOMM 2015, in the form of the public RDMA models",
    parameters: &[
        Parameter {
            name: "preset",
            kind: Kind::Choice(&["hpcc", "hpcc_paper", "conweave", "simai", "nic"]),
            default: Some(Value::Choice("hpcc")),
            meaning: "set of values for all parameters that are `none`",
        },
        over("increase_time", &Kind::Duration, "time between increases of the rate (T_I)"),
        over("decrease_time", &Kind::Duration, "time between checks whether to cut the rate (T_D)"),
        over("alpha_time", &Kind::Duration, "time between updates of alpha"),
        over(
            "gain",
            &GAIN,
            "1/g: each update moves alpha by the fraction g of its distance to 1 (after a notification) or to 0",
        ),
        over(
            "initial_alpha",
            &Kind::Fraction { minimum: 0.0, maximum: 1.0 },
            "alpha at the first notification",
        ),
        over(
            "fast_recovery",
            &Kind::Count { minimum: 0, maximum: 1000 },
            "number of increases that only halve the distance to the target rate (F)",
        ),
        over(
            "additive",
            &Kind::Rate,
            "step of the target rate in the first increase after fast recovery (R_AI)",
        ),
        over("hyper", &Kind::Rate, "step of the target rate in all later increases (R_HAI)"),
        over("minimum", &Kind::Rate, "lowest rate"),
        Parameter {
            name: "rate_on_first_cnp",
            kind: Kind::Fraction { minimum: 0.0, maximum: 1.0 },
            default: Some(Value::Fraction(1.0)),
            meaning: "factor by which the first notification multiplies the rate, before any cut",
        },
        Parameter {
            name: "clamp_target",
            kind: Kind::Flag,
            default: Some(Value::Flag(false)),
            meaning: "whether every cut lowers the target rate, even if no increase came since the last cut",
        },
        Parameter {
            name: "notify",
            kind: NOTIFY,
            default: Some(Value::Choice("acknowledgement")),
            meaning: "how the receiver reports marks: each ACK echoes its mark, or separate packets (CNPs) \
                      do",
        },
        Parameter {
            name: "cnp_interval",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::ZERO)),
            meaning: "shortest time between two CNPs of a queue pair (with `notify: packet`)",
        },
    ],
};

/// The kind of a gain's reciprocal.
pub(super) const GAIN: Kind = Kind::Count { minimum: 1, maximum: 65_536 };

/// A parameter that replaces the preset's number.
const fn over(name: &'static str, kind: &'static Kind, meaning: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Optional(kind), default: Some(Value::Absent), meaning }
}

/// A column of numbers; times in microseconds, rates in Mb/s.
#[derive(Debug, Clone, Copy)]
struct Preset {
    name: &'static str,
    increase: u64,
    decrease: u64,
    alpha: u64,
    gain: u64,
    initial_alpha: f64,
    additive: Step,
    hyper: Step,
    minimum: u64,
}

/// A step of an increase.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// In Mb/s, at any line rate.
    Fixed(u64),
    /// In Mb/s per 25 Gb/s of line rate.
    Scaled(u64),
}

impl Step {
    /// In bit/s, rounded down.
    fn at(self, line: Rate) -> u64 {
        match self {
            Step::Fixed(megabits) => megabits * 1_000_000,
            Step::Scaled(megabits) => (u128::from(line.0) * u128::from(megabits) / 25_000) as u64,
        }
    }
}

/// F of all presets.
const FAST_RECOVERY: u64 = 1;

const HPCC: Preset = Preset {
    name: "hpcc",
    increase: 300,
    decrease: 4,
    alpha: 1,
    gain: 256,
    initial_alpha: 1.0,
    additive: Step::Scaled(5),
    hyper: Step::Scaled(50),
    minimum: 1000,
};

/// The columns; an entry's comment says what its source leaves out.
static PRESETS: [Preset; 5] = [
    HPCC,
    Preset { name: "hpcc_paper", increase: 55, decrease: 50, alpha: 50, ..HPCC },
    Preset { name: "conweave", additive: Step::Scaled(10), hyper: Step::Scaled(25), minimum: 100, ..HPCC },
    Preset {
        name: "simai",
        increase: 900,
        additive: Step::Fixed(50),
        hyper: Step::Fixed(100),
        minimum: 100,
        ..HPCC
    },
    // The steps are a modelling assumption: the source followed for the other numbers has none.
    Preset {
        name: "nic",
        gain: 205,
        initial_alpha: 1023.0 / 1024.0,
        additive: Step::Fixed(5),
        hyper: Step::Fixed(50),
        minimum: 1,
        ..HPCC
    },
];

/// The parameters that queue pairs share.
#[derive(Debug, Clone)]
pub struct Dcqcn {
    line: u64,
    minimum: u64,
    increase_time: u64,
    decrease_time: u64,
    alpha_time: u64,
    gain: Gain,
    initial_alpha: u64,
    fast_recovery: u16,
    additive: u64,
    hyper: u64,
    on_first: u64,
    clamp_target: bool,
    notify: Notify,
    cnp_interval: Duration,
}

/// The state of one queue pair. Rates in bit/s, instants in picoseconds.
#[derive(Debug, Clone, Copy)]
pub struct PairState {
    current: u64,
    target: u64,
    /// Before this instant no timer changes the rate.
    due: u64,
    /// Its value before the slot that ends at `next_slot`.
    alpha: u64,
    next_slot: u64,
    /// [`NEVER`] before the first notification.
    next_check: u64,
    /// [`NEVER`] before the first cut.
    next_increase: u64,
    /// Increases since the last cut; saturates at F + 1.
    stage: u16,
    /// Whether a notification arrived in the slot that ends at `next_slot`.
    in_slot: bool,
    /// Whether a notification arrived since the last check.
    pending: bool,
}

impl Dcqcn {
    pub(super) fn new(chosen: &Chosen, site: Site) -> Dcqcn {
        let (settings, line) = (&chosen.settings, site.line);
        let preset = settings.choice("preset");
        let preset = PRESETS.iter().find(|entry| entry.name == preset).expect("every choice has its preset");
        let time = |name, micros| match settings.optional(name) {
            Some(Value::Duration(span)) => period(span),
            _ => period(Duration::from_micros(micros)),
        };
        let count = |name, count| match settings.optional(name) {
            Some(Value::Count(written)) => written,
            _ => count,
        };
        let rate = |name, bits| match settings.optional(name) {
            Some(Value::Rate(written)) => written.0,
            _ => bits,
        };
        let initial_alpha = match settings.optional("initial_alpha") {
            Some(Value::Fraction(written)) => written,
            _ => preset.initial_alpha,
        };
        Dcqcn {
            line: line.0,
            minimum: smallest(Rate(rate("minimum", preset.minimum * 1_000_000)), line),
            increase_time: time("increase_time", preset.increase),
            decrease_time: time("decrease_time", preset.decrease),
            alpha_time: time("alpha_time", preset.alpha),
            gain: Gain { reciprocal: count("gain", preset.gain) },
            initial_alpha: fixed(initial_alpha),
            fast_recovery: count("fast_recovery", FAST_RECOVERY) as u16,
            additive: rate("additive", preset.additive.at(line)),
            hyper: rate("hyper", preset.hyper.at(line)),
            on_first: fixed(settings.fraction("rate_on_first_cnp")),
            clamp_target: settings.flag("clamp_target"),
            notify: notify_of(settings),
            cnp_interval: settings.duration("cnp_interval"),
        }
    }

    /// Runs the timers before `limit` that change the rate.
    fn advance(&self, own: &mut PairState, limit: u64) {
        loop {
            let check = if own.pending { own.next_check } else { NEVER };
            // At line rate the target is at line rate, too: an increase has no effect.
            let increase = if own.current < self.line { own.next_increase } else { NEVER };
            own.due = check.min(increase);
            if own.due >= limit {
                return;
            }
            if check <= increase {
                self.check(own, check);
            } else {
                self.increase(own);
                own.next_increase += self.increase_time;
            }
        }
    }

    /// A check after a notification: cuts the rate.
    fn check(&self, own: &mut PairState, at: u64) {
        // The slot of alpha that ends at this instant comes before the check.
        self.end_slots(own, at + 1);
        let alpha = own.alpha;
        self.fall(own, at, |current| cut(current, alpha, self.minimum));
        own.pending = false;
        own.next_check = at + self.decrease_time;
    }

    /// Cuts the rate and restarts the increases.
    fn fall(&self, own: &mut PairState, at: u64, to: impl FnOnce(u64) -> u64) {
        self.count_idle_increases(own, at);
        if self.clamp_target || own.stage > 0 {
            own.target = own.current;
        }
        own.current = to(own.current);
        own.stage = 0;
        own.next_increase = at + self.increase_time;
    }

    fn increase(&self, own: &mut PairState) {
        let step = match own.stage {
            stage if stage < self.fast_recovery => 0,
            stage if stage == self.fast_recovery => self.additive,
            _ => self.hyper,
        };
        own.target = own.target.saturating_add(step).min(self.line);
        own.current = midpoint(own.current, own.target);
        own.stage = (own.stage + 1).min(self.fast_recovery + 1);
    }

    /// Ends the slots of alpha before `limit`.
    fn end_slots(&self, own: &mut PairState, limit: u64) {
        let slots = passed(own.next_slot, self.alpha_time, limit);
        if slots == 0 {
            return;
        }
        let mut quiet = slots;
        if own.in_slot {
            own.alpha = self.gain.grow(own.alpha);
            own.in_slot = false;
            quiet -= 1;
        }
        own.alpha = self.gain.decay(own.alpha, quiet);
        own.next_slot += slots * self.alpha_time;
    }

    /// Counts the increases before `limit` that had no effect because the rate was at line rate.
    fn count_idle_increases(&self, own: &mut PairState, limit: u64) {
        let ticks = passed(own.next_increase, self.increase_time, limit);
        own.next_increase = own.next_increase.saturating_add(ticks * self.increase_time);
        own.stage = (u64::from(own.stage) + ticks).min(u64::from(self.fast_recovery) + 1) as u16;
    }

    /// Advances all timers up to `at`, excluding those due at `at`; only phases and alpha are computed here.
    fn advance_timers(&self, own: &mut PairState, at: u64) {
        self.advance(own, at);
        self.count_idle_increases(own, at);
        if own.next_check == NEVER {
            return;
        }
        self.end_slots(own, at);
        own.next_check += passed(own.next_check, self.decrease_time, at) * self.decrease_time;
    }

    /// The first notification starts the timers. It counts for the first check, not for the first slot.
    fn begin(&self, own: &mut PairState, at: u64) {
        own.alpha = self.initial_alpha;
        own.current = scaled(own.current, self.on_first, self.minimum);
        own.target = own.current;
        own.next_slot = at + self.alpha_time;
        own.next_check = at + self.decrease_time;
        own.in_slot = false;
    }
}

impl Control for Dcqcn {
    type State = PairState;

    fn start(&self) -> PairState {
        PairState {
            current: self.line,
            target: self.line,
            due: NEVER,
            alpha: 0,
            next_slot: NEVER,
            next_check: NEVER,
            next_increase: NEVER,
            stage: 0,
            in_slot: false,
            pending: false,
        }
    }

    #[inline(always)]
    fn rate(&self, own: &mut PairState, at: Time) -> Rate {
        if at.0 >= own.due {
            self.advance(own, at.0 + 1);
        }
        Rate(own.current)
    }

    fn on_congestion(&self, own: &mut PairState, at: Time, _: Signal) {
        self.advance_timers(own, at.0);
        if own.next_check == NEVER {
            self.begin(own, at.0);
        } else {
            own.in_slot = true;
        }
        own.pending = true;
        self.advance(own, at.0);
    }

    /// As a cut to `minimum`, at once (modelling assumption): no notification for alpha or for the next check.
    fn slow_start(&self, own: &mut PairState, at: Time) {
        self.advance(own, at.0);
        self.fall(own, at.0, |_| self.minimum);
        self.advance(own, at.0);
    }

    fn notify(&self) -> Option<Notify> {
        Some(self.notify)
    }

    fn cnp_interval(&self) -> Duration {
        self.cnp_interval
    }

    fn write_state(&self, own: &PairState, at: Time, out: &mut StateWriter) {
        let mut own = *own;
        self.advance_timers(&mut own, at.0);
        for word in [own.current, own.target, own.alpha, u64::from(own.stage)] {
            out.word(word);
        }
        out.word(u64::from(own.in_slot) << 1 | u64::from(own.pending));
        for instant in [own.next_slot, own.next_check, own.next_increase] {
            // An instant of `NEVER` is not relative to now.
            if instant == NEVER { out.word(NEVER) } else { out.instant(Time(instant)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::{Bytes, Settings};

    use super::*;

    fn made(settings: Settings, line: u64) -> Dcqcn {
        let number = super::super::number_of(SPEC.name).expect("it is registered");
        let site = Site { line: Rate(line * 1_000_000_000), packet: Bytes(4096), n_hosts: 2 };
        Dcqcn::new(&Chosen::with(number, settings), site)
    }

    fn numbers(preset: &'static str, line: u64) -> [u64; 8] {
        let settings = SPEC.defaults().with("preset", Value::Choice(preset));
        let made = made(settings, line);
        assert_eq!(made.fast_recovery, 1);
        assert_eq!(made.on_first, super::super::alpha::ONE);
        let micros = |span| span / 1_000_000;
        let megabits = |rate| rate / 1_000_000;
        [
            micros(made.increase_time),
            micros(made.decrease_time),
            micros(made.alpha_time),
            made.gain.reciprocal,
            made.initial_alpha >> 22,
            megabits(made.additive),
            megabits(made.hyper),
            megabits(made.minimum),
        ]
    }

    #[test]
    fn presets_are_the_columns_of_their_sources() {
        assert_eq!(numbers("hpcc", 100), [300, 4, 1, 256, 1024, 20, 200, 1000]);
        assert_eq!(numbers("hpcc", 400), [300, 4, 1, 256, 1024, 80, 800, 1000]);
        assert_eq!(numbers("hpcc_paper", 25), [55, 50, 50, 256, 1024, 5, 50, 1000]);
        assert_eq!(numbers("conweave", 100), [300, 4, 1, 256, 1024, 40, 100, 100]);
        assert_eq!(numbers("simai", 100), [900, 4, 1, 256, 1024, 50, 100, 100]);
        assert_eq!(numbers("simai", 400), [900, 4, 1, 256, 1024, 50, 100, 100]);
        assert_eq!(numbers("nic", 100), [300, 4, 1, 205, 1023, 5, 50, 1]);
    }

    #[test]
    fn given_parameters_replace_those_of_the_preset() {
        let settings = SPEC
            .defaults()
            .with("increase_time", Value::Duration(Duration::from_micros(10)))
            .with("decrease_time", Value::Duration(Duration::from_micros(50)))
            .with("hyper", Value::Rate(Rate(5_000_000_000)))
            .with("fast_recovery", Value::Count(5))
            .with("minimum", Value::Rate(Rate(500_000_000_000)));
        let made = made(settings, 100);
        assert_eq!((made.increase_time, made.decrease_time), (10_000_000, 50_000_000));
        assert_eq!((made.hyper, made.additive, made.fast_recovery), (5_000_000_000, 20_000_000, 5));
        assert_eq!(made.minimum, made.line, "no more than line rate");
    }
}
