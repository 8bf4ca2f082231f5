//! # Idea
//! A switch tracks which hosts fill the port of a host attached to it, and grants each of them, and no others, a share
//! of that port for a while: both a window and a rate.
//!
//! # Source
//! The algorithm of the hardware is not public. De Sensi et al. ("An In-Depth Analysis of the Slingshot Interconnect",
//! SC 2020) say in words: it tracks every packet in flight between every pair of end points, distinguishes contributors
//! of congestion from flows that merely share a queue with them, and slows the former only, fast and without tuning.
//! *Modelling assumption*: all of the rule below.
//!
//! # Parameters
//! `high` (`Q_hi`), `low` (`Q_lo`), `interval`, `hold`, `drain`, `sources` of switches; `base_rtt` of senders.
//!
//! # Invariants
//! A port that receives from fewer than two hosts sends no notifications, and notifications go only to hosts that send
//! to it. Without a notification, a queue pair sends at line rate without a window. A grant expires by itself: no
//! message is needed to release a sender.
//!
//! # When it misleads
//! Only the last hop is controlled: a link between switches that too many paths share is left to routing. A host that
//! sends a single packet to a congested port counts as a contributor until it is forgotten. Nothing is signalled in
//! advance: a new incast has about a round trip at line rate of every sender in flight before any of them slows down.

use netloom_units::{Bytes, Duration, Kind, Parameter, Rate, Settings, Spec, StateWriter, Time, Value};

use super::feedback::{Senses, packets, seconds};
use super::hpcc::base_of;
use super::{Chosen, Control, Notify, Signal, Site};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "slingshot",
    summary: "a switch limits the hosts that fill the port of a receiver, and no others, to a share of that \
              port",
    source: "modelling assumption, after the description by De Sensi et al., SC 2020",
    parameters: &[
        Parameter {
            name: "high",
            kind: Kind::Size,
            default: Some(Value::Size(Bytes(65_536))),
            meaning: "a port towards a host is congested if more data than this, from at least two hosts, \
                      waits there (Q_hi)",
        },
        Parameter {
            name: "low",
            kind: Kind::Size,
            default: Some(Value::Size(Bytes(16_384))),
            meaning: "the congestion ends when less data than this has waited there for the time `hold` \
                      (Q_lo)",
        },
        Parameter {
            name: "interval",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_micros(2))),
            meaning: "shortest time between two notifications to one host",
        },
        Parameter {
            name: "hold",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_micros(20))),
            meaning: "time for which a notification stays valid, in addition to the time of four packets at its rate",
        },
        Parameter {
            name: "drain",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_micros(20))),
            meaning: "time in which the shares bring the queue to the middle between `low` and `high`",
        },
        Parameter {
            name: "sources",
            kind: Kind::Count { minimum: 2, maximum: 65_536 },
            default: Some(Value::Count(1024)),
            meaning: "largest number of sending hosts that a port tracks",
        },
        Parameter {
            name: "base_rtt",
            kind: Kind::Optional(&Kind::Duration),
            default: Some(Value::Absent),
            meaning: "round-trip time without queues; `none`: the largest of the fabric",
        },
    ],
};

/// Bounds of a share, relative to an equal one.
const SCALES: (f64, f64) = (0.25, 1.25);

/// The algorithm of switches.
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

    /// Queue length in bytes at which shares are equal ones.
    fn middle(&self) -> f64 {
        self.low.midpoint(self.high) as f64
    }
}

/// A host that sends to a port.
#[derive(Debug, Clone, Copy)]
struct Source {
    host: u32,
    /// When its last packet arrived.
    came: u64,
    /// The earliest time at which it may be notified again.
    next_notification: u64,
}

/// The port of a switch towards a host, as this control sees it.
#[derive(Debug, Clone)]
pub struct Bottleneck {
    rule: Rule,
    rate: Rate,
    /// The serialization delay of a full packet at the rate of the link.
    packet: u64,
    /// In rising order of hosts.
    sources: Vec<Source>,
    /// When silent hosts are forgotten next.
    sweep_at: u64,
    /// No last packet of a host arrived before this instant.
    none_before: u64,
    congestion: PortCongestion,
}

/// Whether a port is congested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PortCongestion {
    Uncongested,
    Congested,
    /// Still congested, though less than `low` has waited since this instant, in ps.
    Low(u64),
}

impl Bottleneck {
    /// An uncongested port, if the chosen control has such state.
    pub fn of(chosen: &Chosen, rate: Rate, packet: Bytes) -> Option<Bottleneck> {
        (super::SPECS[chosen.number].name == SPEC.name).then(|| Bottleneck {
            rule: Rule::of(&chosen.settings),
            rate,
            packet: rate.serialization(packet).0,
            sources: Vec::new(),
            sweep_at: 0,
            none_before: 0,
            congestion: PortCongestion::Uncongested,
        })
    }

    /// A data packet of a host has arrived for this port, with `waiting` bytes including it. Reports the new shares to
    /// `notify`.
    pub fn came(&mut self, at: Time, host: u32, waiting: u64, mut notify: impl FnMut(u32, Rate)) {
        let now = at.0;
        self.sweep(now);
        let Some(index) = self.enter(now, host) else { return };
        let n_sources = self.sources.len();
        let was_calm = self.congestion == PortCongestion::Uncongested;
        self.update(now, waiting);
        if self.congestion == PortCongestion::Uncongested {
            return;
        }
        let share = self.share(waiting);
        // All at the onset, later each with its next packet.
        let notified = if was_calm { 0..n_sources } else { index..index + 1 };
        for source in &mut self.sources[notified] {
            if source.next_notification <= now {
                source.next_notification = now + self.rule.interval;
                notify(source.host, share);
            }
        }
    }

    /// Forgets hosts from which nothing has arrived for longer than a notification is valid.
    fn sweep(&mut self, now: u64) {
        if now < self.sweep_at {
            return;
        }
        self.sweep_at = now + self.rule.interval;
        let silence = self.rule.hold + 4 * self.packet * self.sources.len() as u64;
        if self.none_before + silence > now {
            return;
        }
        self.sources.retain(|source| source.came + silence > now);
        self.none_before = self.sources.iter().map(|source| source.came).min().unwrap_or(now);
    }

    /// Registers a packet of a host; `None` if the table is full.
    fn enter(&mut self, now: u64, host: u32) -> Option<usize> {
        let index = match self.sources.binary_search_by_key(&host, |source| source.host) {
            Ok(index) => index,
            Err(_) if self.sources.len() == self.rule.most_sources => return None,
            Err(index) => {
                self.sources.insert(index, Source { host, came: now, next_notification: 0 });
                index
            }
        };
        self.sources[index].came = now;
        Some(index)
    }

    fn update(&mut self, now: u64, waiting: u64) {
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

    /// The share of each host: an equal one, less while the queue is too long, and more while it is too short.
    fn share(&self, waiting: u64) -> Rate {
        let line = self.rate.0 as f64;
        let excess = (waiting as f64 - self.rule.middle()) * 8.0 / (line * self.rule.drain);
        let scale = (1.0 - excess).clamp(SCALES.0, SCALES.1);
        Rate((line * scale / self.sources.len() as f64) as u64)
    }

    /// Writes what later notifications depend on.
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
    /// The round trip with the target queue, in seconds.
    round_trip: f64,
    hold: u64,
}

/// The state of one queue pair.
#[derive(Debug, Clone, Copy)]
pub struct PairState {
    /// The granted rate, in bit/s.
    share: u64,
    /// When it expires, in ps.
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
    type State = PairState;

    fn start(&self) -> PairState {
        PairState { share: self.line.0, until: 0 }
    }

    fn rate(&self, own: &mut PairState, at: Time) -> Rate {
        if at.0 < own.until { Rate(own.share) } else { self.line }
    }

    fn on_congestion(&self, _: &mut PairState, _: Time, _: Signal) {}

    /// Nothing would raise the rate again, so it stays.
    fn slow_start(&self, _: &mut PairState, _: Time) {}

    fn notify(&self) -> Option<Notify> {
        None
    }

    fn cnp_interval(&self) -> Duration {
        Duration::ZERO
    }

    fn senses(&self) -> Senses {
        Senses::Acknowledgements
    }

    fn window(&self, own: &PairState, at: Time) -> u64 {
        if at.0 >= own.until {
            return u64::MAX;
        }
        packets(own.share as f64 / 8.0 * self.round_trip, self.packet)
    }

    fn on_share(&self, own: &mut PairState, at: Time, share: Rate) {
        own.share = share.0.clamp(1, self.line.0);
        let packet = Rate(own.share).serialization(self.packet).0;
        own.until = at.0.saturating_add(self.hold).saturating_add(packet.saturating_mul(4));
    }

    fn write_state(&self, own: &PairState, at: Time, out: &mut StateWriter) {
        let is_notified = at.0 < own.until;
        out.word(if is_notified { own.share } else { 0 });
        out.word(own.until.saturating_sub(at.0));
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::Random;

    use super::*;

    #[test]
    fn hosts_are_forgotten_as_if_every_sweep_visited_all_of_them() {
        let mut random = Random::stream(1, 2, 3);
        let of_port = || Bottleneck::of(&Chosen::named("slingshot"), Rate(100_000_000_000), Bytes(4096));
        let (mut lazy, mut thorough) = (of_port().expect("it has ports"), of_port().expect("it has ports"));
        let (mut now, mut n_forgotten) = (0, 0);
        for _ in 0..20_000 {
            // Now and then nothing arrives for longer than hosts are remembered.
            now += u64::from(random.below(2_000_000)) * if random.below(100) == 0 { 40 } else { 1 };
            let (host, waiting) = (random.below(40), u64::from(random.below(100_000)));
            let before = lazy.sources.len();
            let (mut notified, mut expected) = (Vec::new(), Vec::new());
            lazy.came(Time(now), host, waiting, |host, rate| notified.push((host, rate)));
            thorough.none_before = 0;
            thorough.came(Time(now), host, waiting, |host, rate| expected.push((host, rate)));
            let hosts = |port: &Bottleneck| port.sources.iter().map(|source| source.host).collect::<Vec<_>>();
            assert_eq!((notified, hosts(&lazy)), (expected, hosts(&thorough)));
            n_forgotten += usize::from(lazy.sources.len() < before);
        }
        assert!(n_forgotten > 100, "{n_forgotten}");
    }
}
