//! # Idea
//! Every notification (BECN) moves a queue pair up a table of delays between packets (CCT), a timer moves it down
//! again.
//!
//! # Source
//! InfiniBand Architecture Specification, volume 1, annex A10 (congestion control); names and default numbers are those
//! of the congestion control manager of MLNX OFED. *Modelling assumptions*: the defaults computed from the number of
//! hosts, the conversion of a weight to bytes, when the timer starts.
//!
//! # Parameters
//! Of switches: `threshold` (weight), `threshold_bytes`, `marking_rate`, `packet_size`, `mark_victims`; the scenario
//! compiler turns them into [`threshold`] and [`chance`]. Of senders: `port_control`, `num_hosts`, `ccti_increase`,
//! `ccti_limit`, `ccti_min`, `ccti_timer`, `cct_step`, and explicit table entries. Of receivers: `notify`,
//! `cnp_interval`.
//!
//! # Invariants
//! The rate is the line rate over 1 + CCT\[CCTI\], rounded down: a packet is followed by a delay of CCT\[CCTI\] times
//! its own serialization delay. CCTI stays between `ccti_min` and `ccti_limit`. The timer of a queue pair runs while
//! CCTI is above `ccti_min`, starting with the notification that raised it, and no notification restarts it.
//!
//! # When it misleads
//! The right numbers for a fabric are a matter of tuning; the computed defaults assume that all hosts send to one. In
//! large fabrics the first step of the table is then a long one, and recovery takes long.

use netloom_units::{Bytes, Duration, Kind, Parameter, Rate, Settings, Spec, StateWriter, Time, Value};

use super::alpha::{NEVER, ONE, fixed, passed, period};
use super::{Chosen, Control, NOTIFY, Notify, Signal, Site, notify_of};

/// The largest index that a table can have.
const LARGEST_INDEX: u64 = 16_383;
/// The largest entry that a table can have.
pub const LARGEST_ENTRY: f64 = 16_383.0;
/// The most aggressive weight of `threshold`.
const WEIGHTS: u64 = 15;

/// The specification.
pub static SPEC: Spec = Spec {
    name: "infiniband",
    summary: "switches mark packets at the root of congestion (FECN); each notification (BECN) raises the \
              index into a table of delays between packets",
    source: "InfiniBand Architecture Specification, annex A10; computed defaults: modelling assumption",
    parameters: &[
        Parameter {
            name: "threshold",
            kind: Kind::Count { minimum: 0, maximum: WEIGHTS },
            default: Some(Value::Count(WEIGHTS)),
            meaning: "weight of the threshold above which an egress port of a switch is congested: 0 never, \
                      15 soonest",
        },
        Parameter {
            name: "threshold_bytes",
            kind: Kind::Optional(&Kind::Size),
            default: Some(Value::Absent),
            meaning: "the threshold in bytes, instead of a weight (modelling assumption)",
        },
        Parameter {
            name: "marking_rate",
            kind: Kind::Count { minimum: 0, maximum: 65_535 },
            default: Some(Value::Count(10)),
            meaning: "mean number of eligible packets per marked packet; 0 marks all of them",
        },
        Parameter {
            name: "packet_size",
            kind: Kind::Size,
            default: Some(Value::Size(Bytes(512))),
            meaning: "smaller packets are not eligible for marking",
        },
        Parameter {
            name: "mark_victims",
            kind: Kind::Flag,
            default: Some(Value::Flag(false)),
            meaning: "whether ports that wait for credits also mark packets (victim mask)",
        },
        Parameter {
            name: "port_control",
            kind: Kind::Choice(&["queue_pair", "port"]),
            default: Some(Value::Choice("queue_pair")),
            meaning: "what a notification slows down: its queue pair, or all queue pairs of its port \
                      (whatever their service level)",
        },
        Parameter {
            name: "num_hosts",
            kind: Kind::Optional(&Kind::Count { minimum: 1, maximum: 49_152 }),
            default: Some(Value::Absent),
            meaning: "number of hosts from which `ccti_timer` and `cct_step` are computed; `none`: all \
                      hosts of the fabric",
        },
        Parameter {
            name: "ccti_increase",
            kind: Kind::Count { minimum: 0, maximum: 255 },
            default: Some(Value::Count(1)),
            meaning: "increase of the index (CCTI) per notification",
        },
        Parameter {
            name: "ccti_limit",
            kind: Kind::Count { minimum: 0, maximum: LARGEST_INDEX },
            default: Some(Value::Count(127)),
            meaning: "largest index",
        },
        Parameter {
            name: "ccti_min",
            kind: Kind::Count { minimum: 0, maximum: LARGEST_INDEX },
            default: Some(Value::Count(0)),
            meaning: "smallest index",
        },
        Parameter {
            name: "ccti_timer",
            kind: Kind::Optional(&Kind::Duration),
            default: Some(Value::Absent),
            meaning: "time after which the index decreases by one; `none`: computed from the number of hosts",
        },
        Parameter {
            name: "cct_step",
            kind: Kind::Optional(&Kind::Fraction { minimum: 0.0, maximum: LARGEST_ENTRY }),
            default: Some(Value::Absent),
            meaning: "entry i of the table is i times this; `none`: computed from the number of hosts",
        },
        Parameter {
            name: "notify",
            kind: NOTIFY,
            default: Some(Value::Choice("packet")),
            meaning: "how BECN is returned: each ACK echoes its mark, or separate packets (CNPs) do",
        },
        Parameter {
            name: "cnp_interval",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::ZERO)),
            meaning: "shortest time between two CNPs of a queue pair (with `notify: packet`)",
        },
    ],
};

/// The threshold at an egress port whose virtual lane has input buffers of this size; `None` if nothing is ever marked.
///
/// A weight w leaves (16 - w) sixteenths of two buffers (modelling assumption): fewer than two ingress ports do not
/// congest an egress port.
pub fn threshold(settings: &Settings, buffer: Bytes) -> Option<Bytes> {
    if let Some(Value::Size(given)) = settings.optional("threshold_bytes") {
        return Some(given);
    }
    let weight = settings.count("threshold");
    (weight > 0).then(|| Bytes(buffer.0 / (WEIGHTS + 1) * 2 * (WEIGHTS + 1 - weight)))
}

/// The chance that an eligible packet is marked, in 2^-32.
pub fn chance(settings: &Settings) -> u64 {
    ONE / settings.count("marking_rate").max(1)
}

/// The parameters that queue pairs share.
#[derive(Debug, Clone)]
pub struct Infiniband {
    /// The rate for each index.
    rates: Box<[Rate]>,
    increase: u64,
    lowest: u64,
    timer: u64,
    is_for_port: bool,
    notify: Notify,
    cnp_interval: Duration,
}

/// The state of one queue pair.
#[derive(Debug, Clone, Copy)]
pub struct PairState {
    /// Its index in the table (CCTI), before the timer ticks that are due.
    index: u32,
    /// The next tick of the timer, in ps; [`NEVER`] at the smallest index.
    due: u64,
}

impl Infiniband {
    pub(super) fn new(chosen: &Chosen, site: Site) -> Infiniband {
        let settings = &chosen.settings;
        let n_hosts = match settings.optional("num_hosts") {
            Some(Value::Count(written)) => written,
            _ => u64::from(site.n_hosts),
        };
        let limit = settings.count("ccti_limit");
        let timer = match settings.optional("ccti_timer") {
            Some(Value::Duration(written)) => written,
            _ => shared_by_all(settings, site, n_hosts),
        };
        let step = match settings.optional("cct_step") {
            Some(Value::Fraction(written)) => written,
            _ => n_hosts.saturating_sub(1) as f64 / limit.max(1) as f64,
        };
        let entry = |index: u64| match chosen.table.last() {
            Some(last) => *chosen.table.get(index as usize).unwrap_or(last),
            None => index as f64 * step,
        };
        Infiniband {
            rates: (0..=limit).map(|index| slowed(site.line, entry(index))).collect(),
            increase: settings.count("ccti_increase"),
            lowest: settings.count("ccti_min").min(limit),
            timer: period(timer),
            is_for_port: settings.choice("port_control") == "port",
            notify: notify_of(settings),
            cnp_interval: settings.duration("cnp_interval"),
        }
    }

    fn limit(&self) -> u64 {
        self.rates.len() as u64 - 1
    }

    /// Applies the timer ticks before `limit`.
    fn advance(&self, own: &mut PairState, limit: u64) {
        let n_ticks = passed(own.due, self.timer, limit);
        let index = u64::from(own.index).saturating_sub(n_ticks).max(self.lowest);
        own.index = index as u32;
        own.due = if index == self.lowest { NEVER } else { own.due.saturating_add(n_ticks * self.timer) };
    }

    fn rise(&self, own: &mut PairState, at: u64, index: u64) {
        own.index = index as u32;
        if own.due == NEVER && index > self.lowest {
            own.due = at + self.timer;
        }
    }
}

/// The time between two marks of one of `n_hosts` hosts that all send full packets to one, at the highest marking rate.
fn shared_by_all(settings: &Settings, site: Site, n_hosts: u64) -> Duration {
    let packet = site.line.serialization(site.packet).0;
    Duration(packet.saturating_mul(n_hosts).saturating_mul(settings.count("marking_rate").max(1)))
}

/// The rate if every packet is followed by a delay of `delay` times its own serialization delay, rounded down.
fn slowed(line: Rate, delay: f64) -> Rate {
    let slowed = u128::from(line.0) * u128::from(ONE) / (u128::from(ONE) + u128::from(fixed(delay)));
    Rate((slowed as u64).max(1))
}

impl Control for Infiniband {
    type State = PairState;

    fn start(&self) -> PairState {
        PairState { index: self.lowest as u32, due: NEVER }
    }

    #[inline(always)]
    fn rate(&self, own: &mut PairState, at: Time) -> Rate {
        if at.0 >= own.due {
            self.advance(own, at.0 + 1);
        }
        self.rates[own.index as usize]
    }

    fn on_congestion(&self, own: &mut PairState, at: Time, _: Signal) {
        self.advance(own, at.0);
        let index = (u64::from(own.index) + self.increase).min(self.limit());
        self.rise(own, at.0, index);
    }

    /// To the end of the table (modelling assumption).
    fn slow_start(&self, own: &mut PairState, at: Time) {
        self.advance(own, at.0);
        self.rise(own, at.0, self.limit());
    }

    fn notify(&self) -> Option<Notify> {
        Some(self.notify)
    }

    fn cnp_interval(&self) -> Duration {
        self.cnp_interval
    }

    fn is_for_port(&self) -> bool {
        self.is_for_port
    }

    fn write_state(&self, own: &PairState, at: Time, out: &mut StateWriter) {
        let mut own = *own;
        self.advance(&mut own, at.0);
        out.word(u64::from(own.index));
        // An instant of `NEVER` is not relative to now.
        if own.due == NEVER { out.word(NEVER) } else { out.instant(Time(own.due)) }
    }
}
