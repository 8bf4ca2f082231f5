//! # Idea
//! The window grows while round trips are shorter than a target delay and shrinks in proportion to the excess; below
//! one packet it acts by pacing.
//!
//! # Source
//! Swift (Kumar et al., SIGCOMM 2020), its fabric window; numbers are those of a public model of it in htsim, whose
//! author marks several as guesses. *Modelling assumptions*: the reaction to a NACK and to a timeout, and the bounds of
//! the window.
//!
//! # Parameters
//! `base_target` and `hop_target` (per link), `range` and `scale_from`, `scale_to` (flow scaling), `additive` (ai),
//! `decrease` (beta), `largest_decrease` (`max_mdf`), `initial`, `smallest`, `largest` (windows, in packets).
//!
//! # Invariants
//! The window stays between `smallest` and `largest`. It falls at most once per round trip, by no more than
//! `largest_decrease`. At one packet or more nothing is paced; below, the packet interval is a round trip over the
//! window.
//!
//! # When it misleads
//! Delay at hosts has no window of its own here, since hosts take no time. Targets are absolute: the default of 20 us
//! and more lets every queue grow to that delay, which in a fabric of shallow buffers is never reached.

use netloom_units::{Bytes, Duration, Kind, Parameter, Rate, Spec, StateWriter, Time, Value};

use super::feedback::{Feedback, Senses, packets, rate_of, seconds};
use super::{Chosen, Control, Notify, Signal, Site};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "swift",
    summary: "the window keeps round-trip times at a target delay; below one packet, packets are paced",
    source: "Kumar et al., SIGCOMM 2020",
    parameters: &[
        Parameter {
            name: "base_target",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_micros(20))),
            meaning: "target delay of a large window, without the part for each link",
        },
        Parameter {
            name: "hop_target",
            kind: Kind::Optional(&Kind::Duration),
            default: Some(Value::Absent),
            meaning: "added to the target for each link; `none`: `base_target` / 6.55",
        },
        Parameter {
            name: "range",
            kind: Kind::Optional(&Kind::Duration),
            default: Some(Value::Absent),
            meaning: "largest addition to the target for a small window; `none`: five times `base_target`",
        },
        Parameter {
            name: "scale_from",
            kind: WINDOW,
            default: Some(Value::Fraction(0.1)),
            meaning: "window, in packets, at and below which all of `range` is added",
        },
        Parameter {
            name: "scale_to",
            kind: WINDOW,
            default: Some(Value::Fraction(100.0)),
            meaning: "window, in packets, at and above which nothing of `range` is added",
        },
        Parameter {
            name: "additive",
            kind: WINDOW,
            default: Some(Value::Fraction(1.0)),
            meaning: "packets by which the window grows per round trip (ai)",
        },
        Parameter {
            name: "decrease",
            kind: PART,
            default: Some(Value::Fraction(0.8)),
            meaning: "relative decrease of the window per relative excess of the round-trip time over the \
                      target (beta)",
        },
        Parameter {
            name: "largest_decrease",
            kind: PART,
            default: Some(Value::Fraction(0.5)),
            meaning: "largest fraction by which the window decreases at once (max_mdf)",
        },
        Parameter {
            name: "initial",
            kind: WINDOW,
            default: Some(Value::Fraction(12.0)),
            meaning: "initial window, in packets",
        },
        Parameter {
            name: "smallest",
            kind: WINDOW,
            default: Some(Value::Fraction(0.01)),
            meaning: "smallest window, in packets (modelling assumption)",
        },
        Parameter {
            name: "largest",
            kind: WINDOW,
            default: Some(Value::Fraction(1000.0)),
            meaning: "largest window, in packets (modelling assumption)",
        },
    ],
};

const WINDOW: Kind = Kind::Fraction { minimum: 0.001, maximum: 1_000_000.0 };
const PART: Kind = Kind::Fraction { minimum: 0.0, maximum: 1.0 };

/// The parameters that queue pairs share. Spans in seconds, windows in packets.
#[derive(Debug, Clone)]
pub struct Swift {
    line: Rate,
    packet: Bytes,
    base_target: f64,
    hop_target: f64,
    range: f64,
    /// The target of a window w is this over the root of w ...
    slope: f64,
    /// ... plus this.
    offset: f64,
    additive: f64,
    decrease: f64,
    largest_decrease: f64,
    initial: f64,
    smallest: f64,
    largest: f64,
}

/// The state of one queue pair.
#[derive(Debug, Clone, Copy)]
pub struct PairState {
    /// In packets.
    window: f64,
    /// The last round trip, in seconds.
    round_trip: f64,
    /// The earliest time at which the window may fall again, in ps.
    falls_from: u64,
}

impl Swift {
    pub(super) fn new(chosen: &Chosen, site: Site) -> Swift {
        let settings = &chosen.settings;
        let base_target = seconds(Duration(settings.duration("base_target").0.max(1)));
        let span = |name, none: f64| match settings.optional(name) {
            Some(Value::Duration(written)) => seconds(written),
            _ => none,
        };
        let range = span("range", 5.0 * base_target);
        let root = |name| settings.fraction(name).sqrt();
        let (from, to) = (root("scale_from"), root("scale_to"));
        let slope = if to > from { range / (1.0 / from - 1.0 / to) } else { 0.0 };
        let smallest = settings.fraction("smallest");
        let largest = settings.fraction("largest").max(smallest);
        Swift {
            line: site.line,
            packet: site.packet,
            base_target,
            hop_target: span("hop_target", base_target / 6.55),
            range,
            slope,
            offset: -slope / to,
            additive: settings.fraction("additive"),
            decrease: settings.fraction("decrease"),
            largest_decrease: settings.fraction("largest_decrease"),
            initial: settings.fraction("initial").clamp(smallest, largest),
            smallest,
            largest,
        }
    }

    /// The target delay, in seconds.
    fn target(&self, window: f64, links: u8) -> f64 {
        let scaled = self.slope / window.sqrt() + self.offset;
        self.base_target + f64::from(links) * self.hop_target + scaled.clamp(0.0, self.range)
    }

    /// Multiplies the window by `part`, unless it has fallen within a round trip.
    fn fall(&self, own: &mut PairState, at: Time, part: f64) {
        if at.0 < own.falls_from {
            return;
        }
        own.window = (own.window * part).max(self.smallest);
        own.falls_from = at.0 + (own.round_trip * 1e12) as u64;
    }

    /// The rate at which the window is spread over a round trip.
    fn spread(&self, own: &PairState) -> Rate {
        rate_of(own.window * self.packet.0 as f64 * 8.0 / own.round_trip, self.line)
    }
}

impl Control for Swift {
    type State = PairState;

    fn start(&self) -> PairState {
        PairState { window: self.initial, round_trip: self.base_target, falls_from: 0 }
    }

    fn rate(&self, own: &mut PairState, _: Time) -> Rate {
        if own.window >= 1.0 { self.line } else { self.spread(own) }
    }

    /// A packet was lost: the largest decrease at once (modelling assumption; the paper uses it for a loss).
    fn on_congestion(&self, own: &mut PairState, at: Time, signal: Signal) {
        if signal == Signal::Nack {
            self.fall(own, at, 1.0 - self.largest_decrease);
        }
    }

    /// To the smallest window (modelling assumption).
    fn slow_start(&self, own: &mut PairState, _: Time) {
        own.window = self.smallest;
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

    fn window(&self, own: &PairState, _: Time) -> u64 {
        packets(own.window * self.packet.0 as f64, self.packet)
    }

    fn allowed(&self, own: &PairState, _: Time) -> Rate {
        self.spread(own)
    }

    fn on_acknowledgement(&self, own: &mut PairState, feedback: &Feedback) {
        let Some(round_trip) = feedback.round_trip else { return };
        let delay = seconds(Duration(round_trip.0.max(1)));
        own.round_trip = delay;
        let target = self.target(own.window, feedback.links);
        if delay < target {
            let step = self.additive * feedback.acknowledged as f64;
            own.window += if own.window >= 1.0 { step / own.window } else { step };
            own.window = own.window.min(self.largest);
        } else {
            let part = 1.0 - self.decrease * (delay - target) / delay;
            self.fall(own, feedback.at, part.max(1.0 - self.largest_decrease));
        }
    }

    fn on_timeout(&self, own: &mut PairState, at: Time) {
        self.fall(own, at, 1.0 - self.largest_decrease);
    }

    fn write_state(&self, own: &PairState, at: Time, out: &mut StateWriter) {
        out.word(own.window.to_bits());
        out.word(own.round_trip.to_bits());
        out.word(own.falls_from.saturating_sub(at.0));
    }
}
