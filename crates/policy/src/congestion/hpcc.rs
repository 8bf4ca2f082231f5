//! # Idea
//! Every packet collects how busy each link on its path is, and the window moves directly to the value at which the
//! busiest link would be used just below its capacity.
//!
//! # Source
//! HPCC (Li et al., SIGCOMM 2019), with the numbers of its public ns-3 code where the paper names none. *Modelling
//! assumptions*: the reaction to a change of path, and rounding.
//!
//! # Parameters
//! `target` (eta), `stages` (maxStage), `additive` (`W_AI` as a rate: times `base_rtt` it is the window's step),
//! `base_rtt` (T), `minimum`, `fast_reaction`.
//!
//! # Invariants
//! The window W stays between `minimum` x T and line rate x T, the rate is W / T. The reference window changes once per
//! round trip, W with every ACK, always from the reference window, so nothing is reacted to twice. The use of a port is
//! computed from two packets that both crossed it, else not at all.
//!
//! # When it misleads
//! If packets of a queue pair take several paths, most ACKs carry telemetry of other ports than the ACK before, and
//! those ports are ignored. T is the largest of the fabric: nearer pairs have more in flight than they need. Links that
//! hosts send on are not measured, as in the public code: the rate is what they carry.

use netloom_units::{Bytes, Duration, Kind, Parameter, Rate, Spec, StateWriter, Time, Value};

use super::feedback::{Feedback, Hop, Senses, packets, rate_of, seconds};
use super::{Chosen, Control, Notify, Signal, Site};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "hpcc",
    summary: "packets collect the utilization of the links on their path; the window keeps the busiest link \
              just below its capacity",
    source: "Li et al., SIGCOMM 2019",
    parameters: &[
        Parameter {
            name: "target",
            kind: Kind::Fraction { minimum: 0.01, maximum: 1.0 },
            default: Some(Value::Fraction(0.95)),
            meaning: "target utilization of the busiest link (eta)",
        },
        Parameter {
            name: "stages",
            kind: Kind::Count { minimum: 0, maximum: 1000 },
            default: Some(Value::Count(5)),
            meaning: "number of consecutive additive steps, one per round trip, before a multiplicative one \
                      (maxStage)",
        },
        Parameter {
            name: "additive",
            kind: Kind::Optional(&Kind::Rate),
            default: Some(Value::Absent),
            meaning: "additive step, as a rate; `none` is 10 Mb/s per 25 Gb/s of line rate",
        },
        Parameter {
            name: "base_rtt",
            kind: Kind::Optional(&Kind::Duration),
            default: Some(Value::Absent),
            meaning: "round-trip time without queues (T); `none`: the largest of the fabric",
        },
        Parameter {
            name: "minimum",
            kind: Kind::Rate,
            default: Some(Value::Rate(Rate(100_000_000))),
            meaning: "lowest rate",
        },
        Parameter {
            name: "fast_reaction",
            kind: Kind::Flag,
            default: Some(Value::Flag(true)),
            meaning: "whether every ACK changes the window, or only one per round trip",
        },
    ],
};

/// The additive step at 25 Gb/s.
const ADDITIVE: f64 = 10e6 / 25e9;

/// The parameters that queue pairs share.
#[derive(Debug, Clone)]
pub struct Hpcc {
    line: Rate,
    packet: Bytes,
    /// T, in seconds.
    base: f64,
    target: f64,
    stages: u32,
    /// In bytes.
    additive: f64,
    /// The smallest window, in bytes.
    smallest: f64,
    /// The largest.
    largest: f64,
    fast_reaction: bool,
}

/// The state of one queue pair.
#[derive(Debug, Clone, Copy)]
pub struct PairState {
    /// W, in bytes.
    window: f64,
    /// The window that steps start from (`W_c`).
    reference: f64,
    /// Use of the busiest link, averaged over T (U).
    busy: f64,
    /// Round trips since the last multiplicative step.
    stage: u32,
    /// The acknowledgement beyond this position ends a round trip; 0 before the first.
    round_ends: u64,
}

/// The round trip without queues: as configured, or measured.
pub(super) fn base_of(chosen: &Chosen) -> Duration {
    match chosen.settings.optional("base_rtt") {
        Some(Value::Duration(written)) => written,
        _ => chosen.round_trip,
    }
}

impl Hpcc {
    pub(super) fn new(chosen: &Chosen, site: Site) -> Hpcc {
        let settings = &chosen.settings;
        let base = seconds(Duration(base_of(chosen).0.max(1)));
        let bytes = |rate: f64| rate * base / 8.0;
        let largest = bytes(site.line.0 as f64);
        let additive = match settings.optional("additive") {
            Some(Value::Rate(written)) => written.0 as f64,
            _ => site.line.0 as f64 * ADDITIVE,
        };
        Hpcc {
            line: site.line,
            packet: site.packet,
            base,
            target: settings.fraction("target"),
            stages: settings.count("stages") as u32,
            additive: bytes(additive),
            smallest: bytes(settings.rate("minimum").0 as f64).min(largest),
            largest,
            fast_reaction: settings.flag("fast_reaction"),
        }
    }

    /// Use of the busiest link between two packets, and the time between them, in parts of T; `None` if no port saw
    /// both.
    fn utilization(&self, feedback: &Feedback) -> Option<(f64, f64)> {
        let busiest = |found: Option<(f64, f64)>, (now, before): (&Hop, &Hop)| {
            let is_comparable = now.port == before.port && now.at > before.at && now.sent >= before.sent;
            if !is_comparable {
                return found;
            }
            let span = seconds(now.at - before.at);
            let rate = now.rate.0 as f64;
            let sent = (now.sent - before.sent) as f64 * 8.0 / span / rate;
            let waiting = now.waiting.min(before.waiting) as f64 * 8.0 / (rate * self.base);
            let busy = sent + waiting;
            if found.is_some_and(|found| found.0 >= busy) { found } else { Some((busy, span)) }
        };
        let (busy, span) = feedback.hops.iter().zip(feedback.before).fold(None, busiest)?;
        Some((busy, (span / self.base).min(1.0)))
    }

    /// The window that follows from the reference window, and the new stage.
    fn step(&self, own: &PairState) -> (f64, u32) {
        let excess = own.busy / self.target;
        let (window, stage) = if excess >= 1.0 || own.stage >= self.stages {
            (own.reference / excess + self.additive, 0)
        } else {
            (own.reference + self.additive, own.stage + 1)
        };
        (window.clamp(self.smallest, self.largest), stage)
    }
}

impl Control for Hpcc {
    type State = PairState;

    fn start(&self) -> PairState {
        PairState { window: self.largest, reference: self.largest, busy: 1.0, stage: 0, round_ends: 0 }
    }

    fn rate(&self, own: &mut PairState, _: Time) -> Rate {
        rate_of(own.window * 8.0 / self.base, self.line)
    }

    fn on_congestion(&self, _: &mut PairState, _: Time, _: Signal) {}

    /// To the smallest window (modelling assumption).
    fn slow_start(&self, own: &mut PairState, _: Time) {
        (own.window, own.reference, own.stage) = (self.smallest, self.smallest, 0);
    }

    fn notify(&self) -> Option<Notify> {
        None
    }

    fn cnp_interval(&self) -> Duration {
        Duration::ZERO
    }

    fn senses(&self) -> Senses {
        Senses::Telemetry
    }

    fn window(&self, own: &PairState, _: Time) -> u64 {
        packets(own.window, self.packet)
    }

    fn on_acknowledgement(&self, own: &mut PairState, feedback: &Feedback) {
        let is_first = own.round_ends == 0;
        let is_round = is_first || feedback.una > own.round_ends;
        if is_round {
            own.round_ends = feedback.highest.max(1);
        }
        if is_first || !(is_round || self.fast_reaction) {
            return;
        }
        let Some((busy, part)) = self.utilization(feedback) else { return };
        own.busy = (1.0 - part) * own.busy + part * busy;
        let (window, stage) = self.step(own);
        own.window = window;
        if is_round {
            (own.reference, own.stage) = (window, stage);
        }
    }

    fn write_state(&self, own: &PairState, _: Time, out: &mut StateWriter) {
        for number in [own.window, own.reference, own.busy] {
            out.word(number.to_bits());
        }
        out.word(u64::from(own.stage));
        out.word(own.round_ends);
    }
}
