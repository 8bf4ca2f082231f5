//! # Idea
//! Every notification cuts the rate at once; a timer and a byte counter raise it again, faster once both have passed F.
//!
//! # Source
//! DCQCN (Zhu et al., SIGCOMM 2015), the reaction point, with the numbers of that paper for 40 Gb/s.
//!
//! # Parameters
//! `increase_time`, `increase_bytes`, `alpha_time`, `gain` (1/g), `fast_recovery` (F), `additive`, `hyper`, `minimum`,
//! `notify`, `cnp_interval`. The paper names no `hyper` and no `minimum`: these defaults are modelling assumptions.
//!
//! # Invariants
//! The rate stays between `minimum` and line rate. Every notification resets both counts, the bytes and both timers.
//! Counts are compared before they are incremented (modelling assumption), so F increases of either kind go half way
//! back. Order at one instant: arrivals, then alpha, then the timer's increase, then the bytes of the packet that
//! starts. At line rate nothing is counted, since nothing depends on it.
//!
//! # When it misleads
//! Without a limit on notifications at the receiver it collapses, since every one cuts. The steps do not scale with the
//! line rate; at 400 Gb/s those of the paper are slow.

use netloom_units::{Bytes, Duration, Kind, Parameter, Rate, Spec, StateWriter, Time, Value};

use super::alpha::{Gain, NEVER, ONE, cut, midpoint, passed, period, smallest};
use super::dcqcn::GAIN;
use super::{Chosen, Control, NOTIFY, Notify, Signal, Site, notify_of};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "dcqcn_paper",
    summary: "DCQCN as in its paper: every notification cuts the rate at once, a timer and a byte counter \
              raise it again",
    source: "Zhu et al., SIGCOMM 2015",
    parameters: &[
        Parameter {
            name: "increase_time",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_micros(55))),
            meaning: "time between increases by the timer (T_I)",
        },
        Parameter {
            name: "increase_bytes",
            kind: Kind::Size,
            default: Some(Value::Size(Bytes(10_000_000))),
            meaning: "bytes sent between increases by the byte counter (B)",
        },
        Parameter {
            name: "alpha_time",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_micros(55))),
            meaning: "time without a notification after which alpha decreases, and between further decreases",
        },
        Parameter {
            name: "gain",
            kind: GAIN,
            default: Some(Value::Count(256)),
            meaning: "1/g: each update moves alpha by the fraction g of its distance to 1 (at a \
                      notification) or to 0",
        },
        Parameter {
            name: "fast_recovery",
            kind: Kind::Count { minimum: 0, maximum: 1000 },
            default: Some(Value::Count(5)),
            meaning: "number of increases of either kind that only halve the distance to the target rate (F)",
        },
        Parameter {
            name: "additive",
            kind: Kind::Rate,
            default: Some(Value::Rate(Rate(40_000_000))),
            meaning: "step of the target rate in the increases after fast recovery (R_AI)",
        },
        Parameter {
            name: "hyper",
            kind: Kind::Rate,
            default: Some(Value::Rate(Rate(400_000_000))),
            meaning: "step once both counts are above F, times the difference between the lower one and F \
                      (R_HAI; modelling assumption)",
        },
        Parameter {
            name: "minimum",
            kind: Kind::Rate,
            default: Some(Value::Rate(Rate(100_000_000))),
            meaning: "lowest rate (modelling assumption)",
        },
        Parameter {
            name: "notify",
            kind: NOTIFY,
            default: Some(Value::Choice("packet")),
            meaning: "how the receiver reports marks: each ACK echoes its mark, or separate packets (CNPs) \
                      do",
        },
        Parameter {
            name: "cnp_interval",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_micros(50))),
            meaning: "shortest time between two CNPs of a queue pair (with `notify: packet`)",
        },
    ],
};

/// The parameters that queue pairs share.
#[derive(Debug, Clone)]
pub struct DcqcnPaper {
    line: u64,
    minimum: u64,
    increase_time: u64,
    increase_bytes: u64,
    alpha_time: u64,
    gain: Gain,
    fast_recovery: u32,
    additive: u64,
    hyper: u64,
    notify: Notify,
    cnp_interval: Duration,
}

/// The state of one queue pair. Rates in bit/s, instants in picoseconds.
#[derive(Debug, Clone, Copy)]
pub struct PairState {
    current: u64,
    target: u64,
    /// Before this instant the timer changes nothing.
    due: u64,
    /// Its value before the decrease at `next_fall`.
    alpha: u64,
    /// [`NEVER`] before the first notification.
    next_fall: u64,
    next_increase: u64,
    /// Bytes since the last increase of the byte counter.
    bytes: u64,
    /// Increases of the timer since the last notification.
    by_timer: u32,
    /// Increases of the byte counter since then.
    by_bytes: u32,
}

impl DcqcnPaper {
    pub(super) fn new(chosen: &Chosen, site: Site) -> DcqcnPaper {
        let (settings, line) = (&chosen.settings, site.line);
        DcqcnPaper {
            line: line.0,
            minimum: smallest(settings.rate("minimum"), line),
            increase_time: period(settings.duration("increase_time")),
            increase_bytes: settings.size("increase_bytes").0.max(1),
            alpha_time: period(settings.duration("alpha_time")),
            gain: Gain { reciprocal: settings.count("gain") },
            fast_recovery: settings.count("fast_recovery") as u32,
            additive: settings.rate("additive").0,
            hyper: settings.rate("hyper").0,
            notify: notify_of(settings),
            cnp_interval: settings.duration("cnp_interval"),
        }
    }

    /// Runs the timer's increases before `limit`.
    fn advance(&self, own: &mut PairState, limit: u64) {
        while own.due < limit {
            self.increase(own);
            own.by_timer = own.by_timer.saturating_add(1);
            own.next_increase += self.increase_time;
            own.due = if own.current < self.line { own.next_increase } else { NEVER };
        }
    }

    /// One increase, by the counts before it.
    fn increase(&self, own: &mut PairState) {
        let (low, high) = (own.by_timer.min(own.by_bytes), own.by_timer.max(own.by_bytes));
        let step = if high < self.fast_recovery {
            0
        } else if low > self.fast_recovery {
            self.hyper.saturating_mul(u64::from(low - self.fast_recovery))
        } else {
            self.additive
        };
        own.target = own.target.saturating_add(step).min(self.line);
        own.current = midpoint(own.current, own.target);
    }

    /// Applies the decreases of alpha that are due before `limit`.
    fn fall(&self, own: &mut PairState, limit: u64) {
        let falls = passed(own.next_fall, self.alpha_time, limit);
        own.alpha = self.gain.decay(own.alpha, falls);
        own.next_fall = own.next_fall.saturating_add(falls * self.alpha_time);
    }

    /// Resets all counters and timers of the increase.
    fn begin_anew(&self, own: &mut PairState, at: u64) {
        (own.by_timer, own.by_bytes, own.bytes) = (0, 0, 0);
        own.next_increase = at + self.increase_time;
        own.due = if own.current < self.line { own.next_increase } else { NEVER };
    }
}

impl Control for DcqcnPaper {
    type State = PairState;

    fn start(&self) -> PairState {
        PairState {
            current: self.line,
            target: self.line,
            due: NEVER,
            alpha: ONE,
            next_fall: NEVER,
            next_increase: NEVER,
            bytes: 0,
            by_timer: 0,
            by_bytes: 0,
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
        self.advance(own, at.0);
        self.fall(own, at.0);
        own.target = own.current;
        own.current = cut(own.current, own.alpha, self.minimum);
        own.alpha = self.gain.grow(own.alpha);
        own.next_fall = at.0 + self.alpha_time;
        self.begin_anew(own, at.0);
    }

    /// As a cut to `minimum` (modelling assumption): no notification for alpha.
    fn slow_start(&self, own: &mut PairState, at: Time) {
        self.advance(own, at.0);
        own.target = own.current;
        own.current = self.minimum;
        self.begin_anew(own, at.0);
    }

    #[inline]
    fn on_sent(&self, own: &mut PairState, size: Bytes) {
        if own.current == self.line {
            return;
        }
        own.bytes += size.0;
        while own.bytes >= self.increase_bytes && own.current < self.line {
            own.bytes -= self.increase_bytes;
            self.increase(own);
            own.by_bytes = own.by_bytes.saturating_add(1);
        }
        if own.current == self.line {
            own.due = NEVER;
        }
    }

    fn notify(&self) -> Option<Notify> {
        Some(self.notify)
    }

    fn cnp_interval(&self) -> Duration {
        self.cnp_interval
    }

    fn write_state(&self, own: &PairState, at: Time, out: &mut StateWriter) {
        let mut own = *own;
        self.advance(&mut own, at.0);
        self.fall(&mut own, at.0);
        out.word(own.current);
        out.word(own.target);
        out.word(own.alpha);
        for instant in [own.next_fall, own.due] {
            // An instant of `NEVER` is not relative to now.
            if instant == NEVER { out.word(NEVER) } else { out.instant(Time(instant)) }
        }
        // At line rate the counts have no effect: the next notification resets them.
        let below = own.current < self.line;
        for count in [own.bytes, u64::from(own.by_timer), u64::from(own.by_bytes)] {
            out.word(if below { count } else { 0 });
        }
    }
}
