//! # Idea
//! A switch knows who fills the port of a host below it, and allows each of them, and nobody else, a share of that port for a
//! while: in flight as well as in pace.
//!
//! # Source
//! The rule of the hardware is not public. De Sensi et al. ("An In-Depth Analysis of the Slingshot Interconnect", SC 2020) say
//! in words: it tracks every packet in flight between every pair of end points, tells contributors of congestion from those
//! who merely share a queue with them, and slows the former only, fast and without tuning. *Ours*: all of the rule below.
//!
//! # Parameters
//! `high` (`Q_hi`), `low` (`Q_lo`), `interval`, `hold`, `drain`, `sources` of switches; `base_rtt` of senders.
//!
//! # Invariants
//! Nobody is told anything at a port that fewer than two hosts send to, and nobody but those who send to it. Untold, a queue
//! pair sends at line rate without a window. What is told ends by itself: no notice is needed to be let go.
//!
//! # When it misleads
//! Only the last hop is judged: a link between switches that too many ways share is left to routing. A host that sends a
//! single packet to a congested port counts as one of those who fill it until it is forgotten. Nothing is told ahead: a fresh
//! incast has about a round trip at line rate of every sender on its way before anybody slows down.

use netloom_units::{Bytes, Duration, Kind, Parameter, Rate, Settings, Spec, StateWriter, Time, Value};

use super::feedback::{Senses, packets, seconds};
use super::hpcc::base_of;
use super::{Chosen, Control, Notify, Signal, Site};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "slingshot",
    summary: "switches allow those, and only those, who fill the port of a host a share of it",
    source: "the words of De Sensi et al., SC 2020; the rule is ours",
    parameters: &[
        Parameter {
            name: "high",
            kind: Kind::Size,
            default: Some(Value::Size(Bytes(65_536))),
            meaning: "a host's port is congested when more data waits for it, of two hosts at least (Q_hi)",
        },
        Parameter {
            name: "low",
            kind: Kind::Size,
            default: Some(Value::Size(Bytes(16_384))),
            meaning: "it is no more when less has waited for the time of `hold` (Q_lo)",
        },
        Parameter {
            name: "interval",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_micros(2))),
            meaning: "least time between two notices to one host",
        },
        Parameter {
            name: "hold",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_micros(20))),
            meaning: "for how long a notice holds, and four packets at its rate",
        },
        Parameter {
            name: "drain",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_micros(20))),
            meaning: "time in which shares make the queue what lies half way between `low` and `high`",
        },
        Parameter {
            name: "sources",
            kind: Kind::Count { minimum: 2, maximum: 65_536 },
            default: Some(Value::Count(1024)),
            meaning: "hosts that a port remembers",
        },
        Parameter {
            name: "base_rtt",
            kind: Kind::Optional(&Kind::Duration),
            default: Some(Value::Absent),
            meaning: "round trip without queues; `none` is the largest of the fabric",
        },
    ],
};

/// The least and the most that a share may be of an equal one.
const SCALES: (f64, f64) = (0.25, 1.25);

/// The rule of switches.
#[derive(Debug, Clone, Copy)]
struct Rule {
    high: u64,
    low: u64,
    interval: u64,
    hold: u64,
    drain: f64,
    most_sources: usize,
}

impl Rule {
    fn of(settings: &Settings) -> Rule {
        Rule {
            high: settings.size("high").0,
            low: settings.size("low").0,
            interval: settings.duration("interval").0,
            hold: settings.duration("hold").0,
            drain: seconds(Duration(settings.duration("drain").0.max(1))),
            most_sources: settings.count("sources") as usize,
        }
    }

    /// What waits when shares are equal ones.
    fn middle(&self) -> f64 {
        self.low.midpoint(self.high) as f64
    }
}

/// A host that sends to a port.
#[derive(Debug, Clone, Copy)]
struct Source {
    host: u32,
    /// When a packet of it came last.
    came: u64,
    /// From when on it may be told again.
    next_notification: u64,
}

/// The port of a switch towards a host, as this control sees it.
#[derive(Debug, Clone)]
pub struct Bottleneck {
    rule: Rule,
    rate: Rate,
    /// A full packet at the rate of the link.
    packet: u64,
    /// In rising order of hosts.
    sources: Vec<Source>,
    /// When those that are silent are forgotten next.
    sweep_at: u64,
    congestion: PortCongestion,
}

/// Whether a port is congested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PortCongestion {
    Uncongested,
    Congested,
    /// Still, though less than `low` has waited since this instant, in ps.
    Low(u64),
}

impl Bottleneck {
    /// A port at rest, where a chosen control has such.
    pub fn of(chosen: &Chosen, rate: Rate, packet: Bytes) -> Option<Bottleneck> {
        (super::SPECS[chosen.number].name == SPEC.name).then(|| Bottleneck {
            rule: Rule::of(&chosen.settings),
            rate,
            packet: rate.serialization(packet).0,
            sources: Vec::new(),
            sweep_at: 0,
            congestion: PortCongestion::Uncongested,
        })
    }

    /// A data packet of a host has come for this port, so many bytes waiting with it. Tells who is allowed what from now on.
    pub fn came(&mut self, at: Time, host: u32, waiting: u64, mut tell: impl FnMut(u32, Rate)) {
        let now = at.0;
        self.sweep(now);
        let Some(place) = self.enter(now, host) else { return };
        let n_sources = self.sources.len();
        let was_calm = self.congestion == PortCongestion::Uncongested;
        self.judge(now, waiting);
        if self.congestion == PortCongestion::Uncongested {
            return;
        }
        let share = self.share(waiting);
        // All at first, each with its next packets later.
        let told = if was_calm { 0..n_sources } else { place..place + 1 };
        for source in &mut self.sources[told] {
            if source.next_notification <= now {
                source.next_notification = now + self.rule.interval;
                tell(source.host, share);
            }
        }
    }

    /// Forgets hosts of which nothing has come for longer than a notice holds.
    fn sweep(&mut self, now: u64) {
        if now < self.sweep_at {
            return;
        }
        let silence = self.rule.hold + 4 * self.packet * self.sources.len() as u64;
        self.sources.retain(|source| source.came + silence > now);
        self.sweep_at = now + self.rule.interval;
    }

    /// A host sends; `None` if there is no place for it.
    fn enter(&mut self, now: u64, host: u32) -> Option<usize> {
        let place = match self.sources.binary_search_by_key(&host, |source| source.host) {
            Ok(place) => place,
            Err(_) if self.sources.len() == self.rule.most_sources => return None,
            Err(place) => {
                self.sources.insert(place, Source { host, came: now, next_notification: 0 });
                place
            }
        };
        self.sources[place].came = now;
        Some(place)
    }

    fn judge(&mut self, now: u64, waiting: u64) {
        let is_shared = self.sources.len() > 1;
        self.congestion = match self.congestion {
            _ if !is_shared => PortCongestion::Uncongested,
            PortCongestion::Uncongested if waiting <= self.rule.high => PortCongestion::Uncongested,
            PortCongestion::Uncongested => PortCongestion::Congested,
            _ if waiting >= self.rule.low => PortCongestion::Congested,
            PortCongestion::Congested => PortCongestion::Low(now),
            PortCongestion::Low(since) if now - since > self.rule.hold => PortCongestion::Uncongested,
            low @ PortCongestion::Low(_) => low,
        };
    }

    /// What each may send: an equal share, less while too much waits, and more while too little does.
    fn share(&self, waiting: u64) -> Rate {
        let line = self.rate.0 as f64;
        let excess = (waiting as f64 - self.rule.middle()) * 8.0 / (line * self.rule.drain);
        let scale = (1.0 - excess).clamp(SCALES.0, SCALES.1);
        Rate((line * scale / self.sources.len() as f64) as u64)
    }

    /// Writes what later notices depend on.
    pub fn write_state(&self, out: &mut StateWriter) {
        for source in &self.sources {
            out.word(u64::from(source.host));
            out.instant(Time(source.came));
            out.instant(Time(source.next_notification));
        }
        out.instant(Time(self.sweep_at));
        match self.congestion {
            PortCongestion::Uncongested => out.word(0),
            PortCongestion::Congested => out.word(1),
            PortCongestion::Low(since) => out.instant(Time(since)),
        }
    }
}

/// The parameters that queue pairs share.
#[derive(Debug, Clone)]
pub struct Slingshot {
    line: Rate,
    packet: Bytes,
    /// The round trip with a queue as it should be, in seconds.
    round_trip: f64,
    hold: u64,
}

/// What one queue pair remembers.
#[derive(Debug, Clone, Copy)]
pub struct Own {
    /// What it is allowed, in bit/s.
    share: u64,
    /// Until when, in ps.
    until: u64,
}

impl Slingshot {
    pub(super) fn new(chosen: &Chosen, site: Site) -> Slingshot {
        let rule = Rule::of(&chosen.settings);
        let queue = rule.middle() * 8.0 / site.line.0 as f64;
        Slingshot {
            line: site.line,
            packet: site.packet,
            round_trip: seconds(base_of(chosen)) + queue,
            hold: rule.hold,
        }
    }
}

impl Control for Slingshot {
    type State = Own;

    fn start(&self) -> Own {
        Own { share: self.line.0, until: 0 }
    }

    fn rate(&self, own: &mut Own, at: Time) -> Rate {
        if at.0 < own.until { Rate(own.share) } else { self.line }
    }

    fn on_congestion(&self, _: &mut Own, _: Time, _: Signal) {}

    /// Nothing would raise the rate again, so it stays.
    fn slow_start(&self, _: &mut Own, _: Time) {}

    fn notify(&self) -> Option<Notify> {
        None
    }

    fn cnp_interval(&self) -> Duration {
        Duration::ZERO
    }

    fn senses(&self) -> Senses {
        Senses::Acknowledgements
    }

    fn window(&self, own: &Own, at: Time) -> u64 {
        if at.0 >= own.until {
            return u64::MAX;
        }
        packets(own.share as f64 / 8.0 * self.round_trip, self.packet)
    }

    fn on_share(&self, own: &mut Own, at: Time, share: Rate) {
        own.share = share.0.clamp(1, self.line.0);
        let packet = Rate(own.share).serialization(self.packet).0;
        own.until = at.0.saturating_add(self.hold).saturating_add(packet.saturating_mul(4));
    }

    fn write_state(&self, own: &Own, at: Time, out: &mut StateWriter) {
        let is_told = at.0 < own.until;
        out.word(if is_told { own.share } else { 0 });
        out.word(own.until.saturating_sub(at.0));
    }
}
