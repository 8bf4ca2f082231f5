//! # Idea
//! Rising round-trip times show a growing queue: the rate falls with their gradient and rises by steps while they do
//! not rise.
//!
//! # Source
//! TIMELY (Mittal et al., SIGCOMM 2015); the numbers are those of the public ns-3 code of HPCC. *Modelling
//! assumptions*: which round trips are ignored, and that a round trip outside the thresholds, or one that rises, ends a
//! row of hyper increases.
//!
//! # Parameters
//! `low` (`T_low`), `high` (`T_high`), `minimum_rtt`, `weight` (alpha, of the new difference), `decrease` (beta),
//! `additive` (delta), `hyper` (step of hyper increases), `hyper_after`, `minimum`.
//!
//! # Invariants
//! The rate changes at most once per round trip and stays between `minimum` and line rate. Below `low` it never falls,
//! above `high` it never rises; at the thresholds themselves the gradient decides.
//!
//! # When it misleads
//! It has no unique fixed point, so flows need not converge to equal shares (Zhu et al., "ECN or Delay", 2016). The
//! default thresholds are those of a fabric with deep queues: where the whole buffer is drained in less than `low`, it
//! never slows down.

use netloom_units::{Duration, Kind, Parameter, Rate, Spec, StateWriter, Time, Value};

use super::alpha::smallest;
use super::feedback::{Feedback, Senses, rate_of};
use super::{Chosen, Control, Notify, Signal, Site};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "timely",
    summary: "the rate follows the gradient of round-trip times",
    source: "Mittal et al., SIGCOMM 2015",
    parameters: &[
        Parameter {
            name: "low",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_micros(50))),
            meaning: "shorter round-trip times always raise the rate (T_low)",
        },
        Parameter {
            name: "high",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_micros(500))),
            meaning: "longer round-trip times always lower the rate (T_high)",
        },
        Parameter {
            name: "minimum_rtt",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_micros(20))),
            meaning: "unit of the gradient: differences of round-trip times are divided by this",
        },
        Parameter {
            name: "weight",
            kind: FRACTION,
            default: Some(Value::Fraction(0.875)),
            meaning: "weight of a new difference in the average (alpha)",
        },
        Parameter {
            name: "decrease",
            kind: FRACTION,
            default: Some(Value::Fraction(0.8)),
            meaning: "factor of decreases of the rate (beta)",
        },
        Parameter {
            name: "additive",
            kind: Kind::Optional(&Kind::Rate),
            default: Some(Value::Absent),
            meaning: "additive step; `none`: 10 Mb/s per 10 Gb/s of line rate (delta)",
        },
        Parameter {
            name: "hyper",
            kind: Kind::Optional(&Kind::Rate),
            default: Some(Value::Absent),
            meaning: "step of hyper increases; `none`: 50 Mb/s per 10 Gb/s of line rate",
        },
        Parameter {
            name: "hyper_after",
            kind: Kind::Count { minimum: 1, maximum: 1000 },
            default: Some(Value::Count(5)),
            meaning: "number of consecutive round trips without a rise from which on increases are hyper \
                      increases",
        },
        Parameter {
            name: "minimum",
            kind: Kind::Rate,
            default: Some(Value::Rate(Rate(100_000_000))),
            meaning: "lowest rate",
        },
    ],
};

const FRACTION: Kind = Kind::Fraction { minimum: 0.0, maximum: 1.0 };

/// The parameters that queue pairs share.
#[derive(Debug, Clone)]
pub struct Timely {
    line: Rate,
    minimum: f64,
    low: u64,
    high: u64,
    minimum_rtt: f64,
    weight: f64,
    decrease: f64,
    additive: f64,
    hyper: f64,
    hyper_after: u32,
}

/// The state of one queue pair.
#[derive(Debug, Clone, Copy)]
pub struct PairState {
    /// In bit/s.
    rate: f64,
    /// The average difference of round trips, in ps.
    difference: f64,
    /// The previous round trip, in ps; 0 before the first.
    before: u64,
    /// Round trips in a row that did not rise.
    row: u32,
    /// The acknowledgement beyond this position ends a round trip; 0 before the first.
    round_ends: u64,
}

impl Timely {
    pub(super) fn new(chosen: &Chosen, site: Site) -> Timely {
        let settings = &chosen.settings;
        let step = |name, per_line: f64| match settings.optional(name) {
            Some(Value::Rate(written)) => written.0 as f64,
            _ => site.line.0 as f64 * per_line,
        };
        Timely {
            line: site.line,
            minimum: smallest(settings.rate("minimum"), site.line) as f64,
            low: settings.duration("low").0,
            high: settings.duration("high").0,
            minimum_rtt: settings.duration("minimum_rtt").0.max(1) as f64,
            weight: settings.fraction("weight"),
            decrease: settings.fraction("decrease"),
            additive: step("additive", 0.001),
            hyper: step("hyper", 0.005),
            hyper_after: settings.count("hyper_after") as u32,
        }
    }

    /// A round trip has ended.
    fn react(&self, own: &mut PairState, round_trip: u64) {
        let before = std::mem::replace(&mut own.before, round_trip);
        if before == 0 {
            return;
        }
        let difference = round_trip as f64 - before as f64;
        own.difference = (1.0 - self.weight) * own.difference + self.weight * difference;
        let gradient = own.difference / self.minimum_rtt;
        let row = std::mem::replace(&mut own.row, 0);
        let rate = if round_trip < self.low {
            own.rate + self.additive
        } else if round_trip > self.high {
            own.rate * (1.0 - self.decrease * (1.0 - self.high as f64 / round_trip as f64))
        } else if gradient <= 0.0 {
            own.row = row.saturating_add(1);
            own.rate + if own.row >= self.hyper_after { self.hyper } else { self.additive }
        } else {
            own.rate * (1.0 - self.decrease * gradient)
        };
        own.rate = rate.clamp(self.minimum, self.line.0 as f64);
    }
}

impl Control for Timely {
    type State = PairState;

    fn start(&self) -> PairState {
        PairState { rate: self.line.0 as f64, difference: 0.0, before: 0, row: 0, round_ends: 0 }
    }

    fn rate(&self, own: &mut PairState, _: Time) -> Rate {
        rate_of(own.rate, self.line)
    }

    fn on_congestion(&self, _: &mut PairState, _: Time, _: Signal) {}

    /// To `minimum` (modelling assumption).
    fn slow_start(&self, own: &mut PairState, _: Time) {
        (own.rate, own.row) = (self.minimum, 0);
    }

    fn notify(&self) -> Option<Notify> {
        None
    }

    fn cnp_interval(&self) -> Duration {
        Duration::ZERO
    }

    fn senses(&self) -> Senses {
        Senses::Acknowledgements
    }

    fn on_acknowledgement(&self, own: &mut PairState, feedback: &Feedback) {
        let Some(round_trip) = feedback.round_trip else { return };
        if own.round_ends == 0 || feedback.una > own.round_ends {
            own.round_ends = feedback.highest.max(1);
            self.react(own, round_trip.0);
        }
    }

    fn write_state(&self, own: &PairState, _: Time, out: &mut StateWriter) {
        for word in [own.rate.to_bits(), own.difference.to_bits(), own.before] {
            out.word(word);
        }
        out.word(u64::from(own.row));
        out.word(own.round_ends);
    }
}
